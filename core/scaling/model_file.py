"""Files of scaling models as JSON, and kernels measured at the base as CSV."""

import csv
import io
from collections.abc import Sequence

import numpy as np

from core.codec import MAX_BYTES, FloatArray, check_head, dumps, from_plain, loads, shared_fields, to_plain
from core.errors import ModelFileError, ReadError, RidgelineError, brief
from core.ingest.base import SourceFile
from core.ingest.opening import open_text
from core.part import Part, loaded, part_of
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Learnt, hold
from core.scaling.scaling_model import Answer, Judged, Kernel, ScalingModel, Setting
from core.trial import point_text

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


_NAMES = ("kernel", "application", "name")


def read_kernels(file: SourceFile, model: ScalingModel) -> tuple[Kernel, ...]:
    """Return the kernels of a CSV for a model.

    A kernel is called by the column `kernel` (or `application`, or `name`). Without columns of the
    model's axes each row is a kernel at the base; with them, the row at the base is where a kernel
    starts, and its other rows are further measurements.

    Raises
    ------
    ReadError
        If the file is no table, a number is none, a kernel has no row at the base or a column of
        the responses is missing.
    """
    rows = _rows(file)
    columns = list(rows[0]) if rows else []
    if not rows:
        raise ReadError(f"{file.name} has no rows. It needs one row per kernel.")
    for name in model.responses:
        if name not in columns:
            raise ReadError(f"{file.name} has no column '{name}', and a surface starts from its value at the base.")
    called = next((c for c in _NAMES if c in columns), "")
    axes = [axis.name for axis in model.axes]
    grouped: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        grouped.setdefault(row[called] if called else f"row {i + 1}", []).append(i)
    if not set(axes) <= set(columns):
        return tuple(_kernel(name, rows[own[-1]], model, file, own[-1]) for name, own in grouped.items())
    return tuple(_of_rows(name, [(i, rows[i]) for i in own], model, file) for name, own in grouped.items())


def _rows(file: SourceFile) -> list[dict[str, str]]:
    text = open_text(file).raw.decode()
    try:
        return [{k: v or "" for k, v in row.items() if k} for row in csv.DictReader(io.StringIO(text), strict=True)]
    except csv.Error as error:
        raise ReadError(f"{file.name} is not whole CSV: {error}.") from None


def _kernel(name: str, row: dict[str, str], model: ScalingModel, file: SourceFile, i: int) -> Kernel:
    where = f"{file.name} row {i + 1}"
    wanted = dict.fromkeys([*(m.name for m in model.inputs), *model.responses])
    at_base = {n: _number(row, n, where) for n in wanted if n in row}
    return Kernel(name, {m.name: _number(row, m.name, where) for m in model.counters if m.name in row}, at_base, {})


def _of_rows(name: str, rows: Sequence[tuple[int, dict[str, str]]], model: ScalingModel, file: SourceFile) -> Kernel:
    measured: dict[str, FloatArray] = {n: np.full(len(model.grid), np.nan) for n in model.responses}
    start: Kernel | None = None
    for i, row in rows:
        where = f"{file.name} row {i + 1}"
        point = np.array([_number(row, axis.name, where) for axis in model.axes])
        near = np.flatnonzero(np.isclose(model.grid, point, rtol=1e-9, atol=0.0).all(axis=1))
        if not len(near):
            raise ReadError(f"{where} is at {point.tolist()}, which is no configuration of the model.")
        for n, values in measured.items():
            values[near[0]] = _number(row, n, where)
        if near[0] == model.base:
            start = _kernel(name, row, model, file, i)
    if start is None:
        base = point_text(model.base_point)
        raise ReadError(f"{file.name}: kernel '{name}' has no row at the model's base {base}. Measure it there.")
    return Kernel(name, start.counts, start.at_base, measured)


def _number(row: dict[str, str], column: str, where: str) -> float:
    text = row[column].strip()
    if not text:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        raise ReadError(f"{where}: '{column}' is '{text}', expected a number.") from None
    if not np.isfinite(value):
        raise ReadError(f"{where}: '{column}' is '{text}', expected a finite number.")
    return value
