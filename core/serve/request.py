"""A request's body to rows of metrics: strict JSON, every metric there, numbers or null and nothing else."""

import json
import re
from typing import Any

import msgspec
import numpy as np

from core.codec import FloatArray, TwiceError, once_each
from core.serve.problem import ProblemError
from core.serve.served import Served

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
