"""Model files of the original Eiger, read and written: text of version 1, of versions 2 to 4, and JSON.

What stands in one is y = Σ weight · f(x), x = metrics · rotation, in the cluster whose centre is nearest to
(x - means) / deviations.
"""

import ast
import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import __version__
from core.codec import FloatArray, Frozen, digest
from core.errors import ModelFileError
from core.export._lower import CannotSayError
from core.models.parts.pool import Factor, Term
from core.models.stepwise import imported_model
from core.passes.kmeans import FittedKMeans
from core.passes.rotations import FittedEigerRotation
from core.pipeline import FLAG, ClusterModel, FittedPipeline, Provenance
from core.scale import ResponseScale
from core.trial import Kind, Metric
from core.validate.domain import Domain

UNBOUNDED = 1e300
"""The original's files say nothing of the trained range."""
Code = tuple[float, ...]
"""A function's number and what it is of, columns as whole numbers: (0,), (1, i, exponent), (2, i, j), (3, i), …"""
_FUNCTIONS: Mapping[int, tuple[str, tuple[str, ...]]] = {
    0: ("identity", ()),
    1: ("power", ("index", "exponent")),
    2: ("product", ("first_idx", "second_idx")),
    3: ("sqrt", ("index",)),
    4: ("log", ("index",)),
    5: ("quotient", ("first_idx", "second_idx")),
}
"""By their numbers: what functions are called in JSON, and what they are of."""
_NUMBERS = {name: number for number, (name, _) in _FUNCTIONS.items()}
_HEAD = re.compile(r"\[\s*\d+\s*(?:,\s*\d+\s*)?\]")
_LONGEST_LINE = 4_000_000


class EigerModel(Frozen):
    """What a file of the original program holds.

    Attributes
    ----------
    rotation : array of shape (n_metrics, n_columns)
    means, deviations : arrays of shape (n_columns,)
    clusters : per cluster its centre, and (weight, code) per term
    """

    names: tuple[str, ...]
    rotation: FloatArray
    means: FloatArray
    deviations: FloatArray
    clusters: tuple[tuple[FloatArray, tuple[tuple[float, Code], ...]], ...]


def is_eiger_text(raw: bytes) -> bool:
    """Whether the bytes begin like a text model file: a number of metrics, or `Model 0`."""
    return re.match(rb"\s*(\d{1,5}\s*\r?\n|Model\b)", raw[:200]) is not None


def is_eiger_json(plain: Any) -> bool:
    """Whether parsed JSON has the fields of the original's model file."""
    return isinstance(plain, dict) and {"metric_names", "rotation_matrix", "clusters"} <= plain.keys()


def read_eiger_text(raw: bytes) -> FittedPipeline:
    """Return the model in a text file of the original program.

    Evaluated by the rule of its consumers: x = metrics · rotation, the cluster nearest to
    (x - means) / stds, and Σ weight · function(x).

    Raises
    ------
    ModelFileError
        With the line, if the file is not as the format says.
    """
    try:
        lines = _Lines(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise ModelFileError("The file is not UTF-8 text, so it is no model file of Eiger.") from None
    return _pipeline(lines.version_1() if lines.peek().startswith("Model") else lines.version_2())


def read_eiger_json(plain: Mapping[str, Any]) -> FittedPipeline:
    """Return the model in a JSON file of the original program (version 4)."""
    try:
        names = tuple(map(str, plain["metric_names"]))
        clusters = tuple((_array(c["center"]), tuple(map(_regressor, c["regressors"]))) for c in plain["clusters"])
        rotation, means, deviations = (_array(plain[name]) for name in ("rotation_matrix", "means", "std_devs"))
        return _pipeline(EigerModel(names, rotation, means, deviations, clusters))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ModelFileError(f"The model file of Eiger does not hold together: {error!r}.") from None


def _regressor(r: Mapping[str, Any]) -> tuple[float, Code]:
    number = _NUMBERS[r["function"]]
    return float(r["weight"]), (number, *(_whole(float(r[name])) for name in _FUNCTIONS[number][1]))


def _array(values: Any) -> FloatArray:
    return np.array(values, dtype=np.float64)


class _Lines:
    """The lines of a text file, read one after another."""

    def __init__(self, text: str) -> None:
        numbered = ((at, line.strip()) for at, line in enumerate(text.splitlines(), 1))
        self.left, self.at = deque((at, line) for at, line in numbered if line), 0

    def peek(self) -> str:
        return self.left[0][1] if self.left else ""

    def take(self, what: str) -> str:
        if not self.left:
            raise ModelFileError(f"The model file of Eiger ends before its {what}.")
        self.at, line = self.left.popleft()
        return line

    def version_2(self) -> EigerModel:
        """Versions 2 to 4: metrics, means, deviations, rotation, then one block per cluster."""
        count = self.take("number of metrics")
        if not count.isdigit():
            raise self._wrong("a number of metrics")
        names = tuple(self.take("metric names") for _ in range(int(count)))
        means, deviations, rotation = self._vector("means"), self._vector("standard deviations"), self._matrix()
        clusters = []
        while self.peek().startswith("Model"):
            self.take("model")
            clusters.append((self._vector("centre"), self._terms()))
        self._end()
        return EigerModel(names, rotation, means, deviations, tuple(clusters))

    def version_1(self) -> EigerModel:
        """Version 1: rotation, weights, functions, and the metrics' names at the end."""
        self.take("model")
        rotation, terms = self._matrix(), self._terms()
        names = tuple(self.take("metric names") for _ in rotation)
        self._end()
        none, one = np.zeros(rotation.shape[1]), np.ones(rotation.shape[1])
        return EigerModel(names, rotation, none, one, ((none, terms),))

    def _terms(self) -> tuple[tuple[float, Code], ...]:
        return tuple((weight, self._code()) for weight in self._vector("weights").tolist())

    def _vector(self, what: str) -> FloatArray:
        return np.atleast_1d(self._numbers(what))

    def _matrix(self) -> FloatArray:
        found = self._numbers("rotation matrix")
        return found if found.ndim > 1 else found.reshape(-1, 1)

    def _numbers(self, what: str) -> FloatArray:
        """Parse `[size](values)`: the values alone, as a Python literal, which runs nothing."""
        line = self.take(what)
        head = _HEAD.match(line)
        if head is None or len(line) > _LONGEST_LINE:
            raise self._wrong(what)
        try:
            return _array(ast.literal_eval(line[head.end() :]))
        except (ValueError, TypeError, OverflowError, SyntaxError, MemoryError, RecursionError):
            raise self._wrong(what) from None

    def _code(self) -> Code:
        try:
            code = tuple(_whole(float(word)) for word in self.take("functions").split())
            _term(code)
        except ValueError:
            raise self._wrong("a function such as '1 0 2'") from None
        return code

    def _end(self) -> None:
        for at, _ in self.left:
            raise ModelFileError(f"Line {at} of the model file of Eiger should be the end, or 'Model'.")

    def _wrong(self, what: str) -> ModelFileError:
        return ModelFileError(f"Line {self.at} of the model file of Eiger should be {what}.")


def _term(code: Code) -> Term:
    """Return what a code means; a quotient of version 1 has one column, which 1 is divided by."""
    match code:
        case (0, *_):
            return Term(())
        case (1, int(i), exponent, *_):
            return Term((Factor(f"eiger_power:{float(exponent)!r}", i),))
        case (2, int(i), int(j), *_):
            return Term((Factor("power:1", i), Factor("power:1", j)))
        case (3, int(i), *_):
            return Term((Factor("eiger_sqrt", i),))
        case (4, int(i), *_):
            return Term((Factor("eiger_log", i),))
        case (5, int(i)):
            return Term((Factor("eiger_reciprocal", i),))
        case (5, int(i), int(j), *_):
            return Term((Factor("power:1", i), Factor("eiger_reciprocal", j)))
    raise ValueError(f"{code} is no function")


def _pipeline(file: EigerModel) -> FittedPipeline:
    """Return the model that a file holds."""
    R, n = file.rotation, len(file.names)
    if R.ndim != 2 or len(R) != n or not file.clusters:
        raise ModelFileError(f"The model file of Eiger has a rotation of shape {R.shape} for {n} metrics.")
    if not np.isfinite(R).all():
        raise ModelFileError("The model file of Eiger has a rotation with a number that is not finite.")
    p = R.shape[1]
    scale = _row(file.deviations, p, "standard deviations")
    clusters = []
    for _, terms in file.clusters:
        weights = _row([w for w, _ in terms], len(terms), "weights")
        clusters.append(ClusterModel(imported_model(weights, tuple(_term(code) for _, code in terms), p), 0))
    partition = FittedKMeans(
        mean=_row(file.means, p, "means"),
        scale=np.where(scale > 0, scale, 1.0),
        centres=np.array([_row(centre, p, "centre") for centre, _ in file.clusters]),
        sizes=np.zeros(len(clusters), dtype=np.int64),
        inertia=0.0,
    )
    return FittedPipeline(
        metrics=tuple(Metric(name, Kind.COUNTER) for name in file.names),
        response=Metric("response", Kind.RESPONSE),
        scale=ResponseScale("raw"),
        extrapolation=FLAG,
        passes=(FittedEigerRotation(R),),
        features=tuple(f"x{i}" for i in range(p)),
        loadings=R,
        partition=partition,
        clusters=tuple(clusters),
        domain=Domain(np.full(n, -UNBOUNDED), np.full(n, UNBOUNDED)),
        notes=("read from a model file of the original Eiger, which says nothing of the trained range",),
        provenance=Provenance("eiger", {"semantics": "eiger-1"}, 0, __version__, digest([R.tolist()]), 0, ""),
    )


def _row(values: FloatArray | Sequence[float], n: int, what: str) -> FloatArray:
    row = _array(values)
    if row.shape != (n,) or not np.isfinite(row).all():
        raise ModelFileError(f"The model file of Eiger has {row.size} {what}, expected {n} finite numbers.")
    return row


def text(model: EigerModel) -> str:
    """Return the text of versions 2 to 4."""
    lines = [str(len(model.names)), *model.names, _vector(model.means), _vector(model.deviations)]
    lines.append(_matrix(model.rotation))
    for i, (centre, terms) in enumerate(model.clusters):
        lines += [f"Model {i}", _vector(centre), *_weights_and_codes(terms)]
    return "\n".join(lines) + "\n"


def text_1(model: EigerModel) -> str:
    """Return the text of version 1, whose names stand at its end."""
    (_, terms), *more = model.clusters
    if more:
        raise CannotSayError(f"it has {len(model.clusters)} clusters, and version 1 knows none. Use eiger")
    if any(code[0] == 5 for _, code in terms):
        raise CannotSayError("it divides one column by another, and version 1 divides 1 only. Use eiger")
    return "\n".join(["Model 0", _matrix(model.rotation), *_weights_and_codes(terms), *model.names]) + "\n"


def as_json(model: EigerModel) -> str:
    """Return the JSON of version 4."""
    clusters = [
        {"center": centre.tolist(), "regressors": [{**_named(code), "weight": w} for w, code in terms]}
        for centre, terms in model.clusters
    ]
    arrays = {"means": model.means, "std_devs": model.deviations, "rotation_matrix": model.rotation}
    numbers = {name: array.tolist() for name, array in arrays.items()}
    plain = {"metric_names": list(model.names), **numbers, "clusters": clusters}
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _named(code: Code) -> dict[str, Any]:
    name, fields = _FUNCTIONS[int(code[0])]
    return {"function": name, **dict(zip(fields, map(_whole, code[1:]), strict=True))}


def _weights_and_codes(terms: Sequence[tuple[float, Code]]) -> list[str]:
    return [_vector([w for w, _ in terms]), *(" ".join(str(_whole(v)) for v in code) for _, code in terms)]


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
