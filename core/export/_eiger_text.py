"""The original Eiger's files as text: version 2 and later, version 1, and JSON."""

import json
from collections.abc import Sequence
from typing import Any

from core.codec import FloatArray
from core.export._eiger_sum import Code
from core.export._eiger_write import EigerModel
from core.export._lower import CannotSayError

_FUNCTIONS = {0: "identity", 1: "power", 2: "product", 3: "sqrt", 4: "log", 5: "quotient"}
_FIELDS = {
    1: ("index", "exponent"),
    2: ("first_idx", "second_idx"),
    3: ("index",),
    4: ("index",),
    5: ("first_idx", "second_idx"),
}


def text(model: EigerModel) -> str:
    """Return the text of versions 2 to 4."""
    lines = [str(len(model.names)), *model.names, _vector(model.means), _vector(model.deviations)]
    lines.append(_matrix(model.rotation))
    for i, (centre, terms) in enumerate(model.clusters):
        lines += [f"Model {i}", _vector(centre), _vector([w for w, _ in terms]), *(_code(c) for _, c in terms)]
    return "\n".join(lines) + "\n"


def text_1(model: EigerModel) -> str:
    """Return the text of version 1, whose names stand at its end."""
    (_, terms), *more = model.clusters
    if more:
        raise CannotSayError(f"it has {len(model.clusters)} clusters, and version 1 knows none. Use eiger")
    if any(code[0] == 5 for _, code in terms):
        raise CannotSayError("it divides one column by another, and version 1 divides 1 only. Use eiger")
    lines = ["Model 0", _matrix(model.rotation), _vector([w for w, _ in terms]), *(_code(c) for _, c in terms)]
    return "\n".join([*lines, *model.names]) + "\n"


def as_json(model: EigerModel) -> str:
    """Return the JSON of version 4."""
    clusters = [
        {"center": centre.tolist(), "regressors": [{**_fields(code), "weight": w} for w, code in terms]}
        for centre, terms in model.clusters
    ]
    plain = {
        "metric_names": list(model.names),
        "means": model.means.tolist(),
        "std_devs": model.deviations.tolist(),
        "rotation_matrix": model.rotation.tolist(),
        "clusters": clusters,
    }
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _fields(code: Code) -> dict[str, Any]:
    values = dict(zip(_FIELDS.get(int(code[0]), ()), code[1:], strict=False))
    return {"function": _FUNCTIONS[int(code[0])], **{k: _whole(v) for k, v in values.items()}}


def _code(code: Code) -> str:
    return " ".join(str(_whole(v)) for v in code)


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _vector(values: FloatArray | Sequence[float]) -> str:
    return f"[{len(values)}]{_tuple(values)}"


def _matrix(rows: FloatArray) -> str:
    n, p = rows.shape
    return f"[{n},{p}]({','.join(map(_tuple, rows))}{',' if n == 1 else ''})"


def _tuple(values: FloatArray | Sequence[float]) -> str:
    """Return numbers as a tuple of Python, a comma after one alone."""
    return f"({','.join(repr(float(v)) for v in values)}{',' if len(values) == 1 else ''})"
