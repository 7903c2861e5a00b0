"""Files of scaling models as JSON, and kernels measured at the base as CSV."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from core.codec import MAX_BYTES, FloatArray, Frozen, check_head, dumps, from_plain, loads, shared_fields, to_plain
from core.errors import ModelFileError, ReadError, RidgelineError, brief
from core.ingest import SourceFile, Table, called_as, in_unit_of, read_table, trials_of
from core.ingest.names import is_there
from core.ingest.table.columns import study
from core.part import Part, loaded, part_of
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Learnt, hold
from core.scaling.scaling_model import Answer, Judged, Kernel, ScalingModel, Setting
from core.trial import Metric, point_text

FORMAT, VERSION = "ridgeline-scaling", 1


class AnswerPart(Judged):
    """One response's answer."""

    predictor: Part


class Document(Setting):
    """A scaling model's file; see `ScalingModel` for what the fields mean."""

    format: str
    version: int
    answers: tuple[AnswerPart, ...]


def write_scaling(model: ScalingModel) -> bytes:
    """Return the file of a scaling model: canonical JSON, the same bytes for the same model.

    Raises
    ------
    ModelFileError
        If it would be larger than a model file may be.
    """
    raw = dumps(to_plain(_document(model)))
    if len(raw) > MAX_BYTES:
        raise ModelFileError(
            f"This model cannot be kept: its file would have {len(raw) / 2**20:.1f} MiB, and a model file has at most "
            f"{MAX_BYTES // 2**20} MiB. Use fewer trees, or fewer kernels or configurations."
        )
    return raw


def is_scaling(raw: bytes) -> bool:
    """Whether bytes look like the file of a scaling model."""
    return b'"format":"ridgeline-scaling"' in raw or b'"format": "ridgeline-scaling"' in raw


def read_scaling(raw: bytes) -> ScalingModel:
    """Return the scaling model of a file, after every check. Nothing in it is ever run as code.

    Raises
    ------
    ModelFileError
        If it is of another kind or version, not finite, or its parts do not fit each other.
    """
    try:
        return _read(raw)
    except RidgelineError as error:
        raise ModelFileError(brief(str(error))) from None


def _read(raw: bytes) -> ScalingModel:
    plain = loads(raw)
    check_head(plain, "scaling model", FORMAT, VERSION)
    document = from_plain(Document, plain)
    answers = tuple(
        Answer(**shared_fields(Judged, a), predictor=a.predictor.name, learnt=loaded(a.predictor, PREDICTORS, Learnt))
        for a in document.answers
    )
    model = ScalingModel(**shared_fields(Setting, document), answers=answers)
    _check(model)
    return model


def _document(model: ScalingModel) -> Document:
    answers = tuple(
        AnswerPart(**shared_fields(Judged, a), predictor=part_of(a.learnt, PREDICTORS)) for a in model.answers
    )
    return Document(**shared_fields(Setting, model), format=FORMAT, version=VERSION, answers=answers)


def _check(model: ScalingModel) -> None:
    """Hold the parts against each other, then try the model out."""
    m, p, r = len(model.grid), len(model.counters), len(model.inputs)
    hold(m > 0 and model.grid.shape == (m, len(model.axes)), "its grid does not fit its axes")
    hold(0 <= model.base < m, "its base is no configuration")
    names = [x.name for x in (*model.counters, *model.inputs)]
    hold(len(set(names)) == len(names), "a counter is named twice")
    model.features.check(p, r)
    hold(model.points.shape == (len(model.kernels), p + r) and len(model.kernels) > 0, "its kernels do not fit")
    hold(model.typical_distance > 0, "its typical distance is not positive")
    hold(model.domain.low.shape == (p + r,) == model.domain.high.shape, "its domain does not fit its counters")
    hold(len(model.answers) > 0 and len(set(model.responses)) == len(model.responses), "it answers nothing, or twice")
    for answer in model.answers:
        right = answer.half_width.shape == (m,) and bool((answer.half_width >= 0).all())
        hold(right, "its interval does not fit its grid")
        answer.learnt.check(len(model.features.mean), m)
    _try_out(model)


def _try_out(model: ScalingModel) -> None:
    ones = {name: np.ones(len(model.grid)) for name in model.responses}
    at_base = dict.fromkeys([*model.responses, *(x.name for x in model.inputs)], 1.0)
    try:
        model.predict(Kernel("", {}, at_base, ones))
    except RidgelineError:
        raise
    except Exception as error:
        raise ModelFileError(f"The model file's parts do not fit each other: {error}.") from None


_NAMES = (("kernel",), ("application", "input"), ("application",), ("name",))


def read_kernels(file: SourceFile, model: ScalingModel) -> tuple[Kernel, ...]:
    """Return the kernels of a CSV for a model, or of another file what an import makes of it.

    A kernel is called by the column `kernel`, else by `application` and `input` as in a study, else by `name`. Without
    columns of the model's axes each row is a kernel at the base; with them, the row at the base is where a kernel
    starts, and its other rows are further measurements.

    Raises
    ------
    ReadError
        If the file is no table, a number is none, a kernel has no row at the base or a column of
        the responses is missing.
    """
    wanted = (*model.counters, *model.inputs, *model.axes, *(answer.response for answer in model.answers))
    table = _table(file, model.responses, wanted)
    rows = _Rows(table.source, {m.name: _numbers(table, m) for m in wanted if m.name in table.names})
    called = next((own for own in _NAMES if {*own} <= {*table.names}), ())
    texts = [table.columns[table.names.index(name)].texts() for name in called]
    names = [" · ".join(filter(None, own)) for own in zip(*texts, strict=True)]
    names = names or [f"row {i + 1}" for i in range(len(table))]
    grouped: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        grouped.setdefault(name, []).append(i)
    at_points = all(axis.name in rows.values for axis in model.axes)
    if not at_points:
        return tuple(_kernel(name, own, model, rows) for name, own in grouped.items())
    return tuple(_of_rows(name, own, model, rows) for name, own in grouped.items())


def _table(file: SourceFile, responses: Sequence[str], wanted: Sequence[Metric]) -> Table:
    """Return a file's rows, or, where these lack a response, the trials that an import makes of it."""
    try:
        table = called_as(read_table(file), wanted)
        lacking = [name for name in responses if name not in table.names]
        if not lacking:
            return table
        wrong = ReadError(f"{file.name} has no column '{lacking[0]}', and a surface starts from its value at the base.")
    except ReadError as error:
        wrong = error
    with suppress(RidgelineError):
        for table, _ in trials_of(file):
            if {*responses} <= {*table.names}:
                return table
    raise wrong


class _Rows(Frozen):
    """Rows of a table, and the numbers of some columns, arrays of shape (n_rows,), NaN where there is none."""

    source: str
    values: Mapping[str, FloatArray]

    def at(self, places: Sequence[int], metrics: Sequence[str]) -> dict[str, float]:
        """Return the numbers of those metrics that the table has: the medians of rows that are repeats."""
        own = {name: self.values[name][[*places]] for name in metrics if name in self.values}
        return {n: float(np.median(x[np.isfinite(x)])) if np.isfinite(x).any() else np.nan for n, x in own.items()}


def _numbers(table: Table, metric: Metric) -> FloatArray:
    place = table.names.index(metric.name)
    column = study(table).columns[place]
    values, texts = column.numbers.values, table.columns[place]
    wrong = next((i for i in np.flatnonzero(~np.isfinite(values)).tolist() if is_there(texts[i])), None)
    if wrong is not None:
        raise ReadError(f"{table.source} row {wrong + 1}: '{metric.name}' is '{texts[wrong]}', expected a number.")
    return in_unit_of(metric, column.unit, values, table.source)


def _kernel(name: str, places: Sequence[int], model: ScalingModel, rows: _Rows) -> Kernel:
    at_base = rows.at(places, [*(m.name for m in model.inputs), *model.responses])
    return Kernel(name, rows.at(places, [m.name for m in model.counters]), at_base, {})


def _of_rows(name: str, places: Sequence[int], model: ScalingModel, rows: _Rows) -> Kernel:
    measured: dict[str, FloatArray] = {n: np.full(len(model.grid), np.nan) for n in model.responses}
    at: dict[int, list[int]] = {}
    for i in places:
        point = np.array([rows.values[axis.name][i] for axis in model.axes])
        near = np.flatnonzero(np.isclose(model.grid, point, rtol=1e-9, atol=0.0).all(axis=1))
        if not len(near):
            where = f"{rows.source} row {i + 1}"
            raise ReadError(f"{where} is at {point.tolist()}, which is no configuration of the model.")
        at.setdefault(int(near[0]), []).append(i)
    if model.base not in at:
        base = point_text(model.base_point)
        raise ReadError(f"{rows.source}: kernel '{name}' has no row at the model's base {base}. Measure it there.")
    for j, repeats in at.items():
        for n, value in rows.at(repeats, model.responses).items():
            measured[n][j] = value
    start = _kernel(name, at[model.base], model, rows)
    return Kernel(name, start.counts, start.at_base, measured)
