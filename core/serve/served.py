"""Models that are served: a request's body as rows of metrics, strictly read, and the answers that they give."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import msgspec
import numpy as np

from core.codec import FloatArray, Frozen, TwiceError, once_each
from core.errors import OptionError
from core.export import model_sha256, read_model
from core.pipeline import FittedPipeline, Predictions
from core.serve.hosts import ProblemError

QUICK_S = 0.002
"""What takes at most so long is computed at once: to hand it to another thread would take as long."""

_TRIED_ROWS = (64, 8, 1)
_STRUCT_NAME = re.compile(r'[^"\\\x00-\x1f]+')


class Served(Frozen):
    """A model under a name.

    Attributes
    ----------
    sha256 : of its file
    rows, columns : decoders of requests, which take what `openapi` describes and nothing else
    quick_rows : so many rows are predicted within `QUICK_S`
    """

    name: str
    model: FittedPipeline
    sha256: str
    quick_rows: int
    rows: Any = field(repr=False, compare=False)
    columns: Any = field(repr=False, compare=False)

    @property
    def n_metrics(self) -> int:
        """How many metrics a row has."""
        return len(self.model.metrics)


def serve_models(files: Mapping[str, bytes]) -> dict[str, Served]:
    """Return the models in some files.

    Parameters
    ----------
    files : the contents of model files, by the names to serve them under

    Raises
    ------
    ModelFileError
        If a file is no model.
    OptionError
        If a name cannot be part of an address.
    """
    return {name: _served(name, raw) for name, raw in files.items()}


def _served(name: str, raw: bytes) -> Served:
    if not name or "/" in name or name in (".", ".."):
        raise OptionError(f"A model cannot be served under the name '{name}'. Give it one: NAME=FILE.")
    model = read_model(raw)
    return Served(name, model, model_sha256(raw), _quick_rows(model), *_decoders(model))


def _decoders(model: FittedPipeline) -> tuple[Any, Any]:
    """Return decoders of {"rows": [{metric: number}]} and {"columns": {metric: [number]}}."""
    row = _record("Row", float | None, model.names)
    column = _record("Columns", list[float | None], model.names)
    several: Any = list
    rows = msgspec.defstruct("Rows", [("rows", several[row])], forbid_unknown_fields=True)
    columns = msgspec.defstruct("InColumns", [("columns", column)], forbid_unknown_fields=True)
    return msgspec.json.Decoder(rows), msgspec.json.Decoder(columns)


def _record(title: str, kind: Any, names: Sequence[str]) -> Any:
    """Return what holds one value per metric: a struct, or a dictionary where a name is none that structs take."""
    if any(not _STRUCT_NAME.fullmatch(name) for name in names):
        return dict[str, kind]
    renamed = {f"m{i}": name for i, name in enumerate(names)}
    return msgspec.defstruct(title, [(key, kind) for key in renamed], rename=renamed, forbid_unknown_fields=True)


def _quick_rows(model: FittedPipeline) -> int:
    """Return the largest of some numbers of rows that are predicted within `QUICK_S`; 0 if none is."""
    middle = np.nan_to_num((model.domain.low + model.domain.high) / 2)
    return next((n for n in _TRIED_ROWS if _seconds(model, np.tile(middle, (n, 1))) <= QUICK_S), 0)


def _seconds(model: FittedPipeline, X: FloatArray) -> float:
    """Return the shortest of three times."""
    found = []
    for _ in range(3):
        begun = time.perf_counter()
        model.predict(X)
        found.append(time.perf_counter() - begun)
    return min(found)


class Said(msgspec.Struct):
    """What the model says of a row."""

    value: float | None
    low: float | None
    high: float | None
    in_domain: bool
    why: str


def predicted(served: Served, X: FloatArray, *, in_columns: bool) -> bytes:
    """Return the answer for rows of shape (n_rows, n_metrics)."""
    columns, response = _columns(served.model.predict(served.model.with_unset(X))), served.model.response
    predictions = columns if in_columns else [Said(*row) for row in zip(*columns.values(), strict=True)]
    told = {"model": served.name, "response": response.name, "unit": response.unit, "predictions": predictions}
    return msgspec.json.encode(told)


def _columns(p: Predictions) -> dict[str, Any]:
    """Return columns for the encoder, which writes null for what is not finite."""
    arrays = {"value": p.value, "low": p.low, "high": p.high, "in_domain": np.asarray(p.in_domain)}
    return {**{name: array.tolist() for name, array in arrays.items()}, "why": p.why}


_FORM = re.compile(rb'\s*\{\s*"(rows|columns)"')
_KINDS = {
    "float | null": "a number or null",
    "array": "a list",
    "object": "an object",
    "str": "a text",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "null": "null",
}
_PATH = re.compile(r" - at `\$\.?(.*)`$")


def read_rows(body: bytes, served: Served, most: int) -> tuple[FloatArray, bool]:
    """Return (array of shape (n_rows, n_metrics), NaN where the request says null; whether it came as columns).

    Raises
    ------
    ProblemError
        400 if the body is not strict JSON; 422 if it is not what the model takes; 413 for more than `most` rows.
    """
    form = _FORM.match(body)
    in_columns = form is not None and form.group(1) == b"columns"
    try:
        found = (served.columns if in_columns else served.rows).decode(body)
    except msgspec.ValidationError as error:
        raise ProblemError(422, _said(str(error), served)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ProblemError(400, f"The body is not JSON: {_first_line(error)}.") from None
    values: list[Any] = [_values(own, served) for own in ((found.columns,) if in_columns else found.rows)]
    values = list(values[0]) if in_columns else values
    n = len(values[0]) if in_columns else len(values)
    _refuse_sizes(served, values if in_columns else [], n, most)
    _refuse_twice(body, served, served.n_metrics if in_columns else n * served.n_metrics, 1 if in_columns else n)
    matrix = np.array(values, dtype=np.float64)
    return (matrix.T if in_columns else matrix), in_columns


def _values(record: Any, served: Served) -> tuple[Any, ...]:
    """Return a record's values in the order of the metrics."""
    if not isinstance(record, dict):
        return msgspec.structs.astuple(record)
    for name in sorted(record.keys() - set(served.model.names)):
        raise ProblemError(422, _unknown(name, served))
    for name in served.model.names:
        if name not in record:
            raise ProblemError(422, _missing(name))
    return tuple(record[name] for name in served.model.names)


def _refuse_sizes(served: Served, columns: list[list[float | None]], n: int, most: int) -> None:
    for name, column in zip(served.model.names, columns, strict=False):
        if len(column) != n:
            raise ProblemError(
                422, f"columns: '{name}' has {len(column)} values and '{served.model.names[0]}' {n}. Give each as many."
            )
    if not n:
        raise ProblemError(422, "There are no rows in the request. Give at least one.")
    if n > most:
        raise ProblemError(413, f"The request has {n:,} rows; at most {most:,} are predicted at once. Split it.")


def _refuse_twice(body: bytes, served: Served, n_keys: int, n_rows: int) -> None:
    """Raise ProblemError if a key is there twice, which the decoder takes for its last value.

    Texts are keys here, so without escapes there are as many colons as keys, and those in names.
    """
    in_names = sum(name.count(":") for name in served.model.names) * n_rows
    if b"\\" in body or body.count(b":") != n_keys + in_names + 1:
        try:
            json.loads(body, object_pairs_hook=once_each)
        except TwiceError as name:
            said = f"The body has '{str(name)[:80]}' twice in one object. Give each metric once."
            raise ProblemError(400, said) from None


def _said(error: str, served: Served) -> str:
    """Return a decoder's sentence in the words of the request."""
    path = _PATH.search(error)
    if path is None:  # at the top
        return _form(served)
    where, what = path.group(1), error[: path.start()]
    place = f"{where}: "
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    if missing:
        return f"{place}{_missing(missing.group(1))}"
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    if unknown:
        return f"{place}{_unknown(unknown.group(1), served)}"
    wrong = re.fullmatch(r"Expected `(.*)`, got `(.*)`", what)
    if wrong:
        return f"{where} must be {_KINDS.get(wrong.group(1), wrong.group(1))}, not {_KINDS.get(wrong.group(2), '')}."
    return f"{place}{what[:1].lower()}{what[1:]}."


def _missing(name: str) -> str:
    return f"the metric '{name}' is missing. Give a number, or null where it is not known."


def _unknown(name: str, served: Served) -> str:
    takes = ", ".join(served.model.names[:8]) + (", …" if served.n_metrics > 8 else "")
    return f"'{name[:80]}' is none of the model's metrics, which are: {takes}."


def _form(served: Served) -> str:
    """Return how a request looks."""
    example = ", ".join(f'"{name}": 1' for name in served.model.names[:2]) + (", …" if served.n_metrics > 2 else "")
    return f'The body must be {{"rows": [{{{example}}}]}} or {{"columns": {{…}}}} with lists, and nothing beside it.'


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["it nests too deep"])[0][:200].rstrip(".")
