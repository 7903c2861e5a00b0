"""Model files of the original Eiger, read as models: text of version 1, of versions 2 to 4, and JSON."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core import __version__
from core.codec import FloatArray, digest
from core.errors import ModelFileError
from core.models.parts.pool import Factor, Term
from core.models.stepwise import imported_model
from core.passes.eiger_rotation import FittedEigerRotation
from core.passes.kmeans import FittedKMeans
from core.pipeline import FLAG, ClusterModel, FittedPipeline, Provenance
from core.scale import ResponseScale
from core.trial import Kind, Metric
from core.validate.domain import Domain

UNBOUNDED = 1e300
"""The original's files say nothing of the trained range."""

_HEAD = re.compile(r"\[\s*\d+\s*(?:,\s*\d+\s*)?\]")
Block = tuple[list[float], list[float], list[Term]]
"""Centre, weights and terms of one cluster."""


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
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ModelFileError("The file is not UTF-8 text, so it is no model file of Eiger.") from None
    lines = _Lines(text)
    return lines.version_1() if lines.peek().startswith("Model") else lines.version_2()


def read_eiger_json(plain: Mapping[str, Any]) -> FittedPipeline:
    """Return the model in a JSON file of the original program (version 4)."""
    try:
        names = [str(n) for n in plain["metric_names"]]
        blocks = [
            (
                [float(v) for v in c["center"]],
                [float(r["weight"]) for r in c["regressors"]],
                [_json_term(r) for r in c["regressors"]],
            )
            for c in plain["clusters"]
        ]
        rotation = [[float(v) for v in row] for row in plain["rotation_matrix"]]
        return _model(names, plain["means"], plain["std_devs"], rotation, blocks)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ModelFileError(f"The model file of Eiger does not hold together: {error!r}.") from None


class _Lines:
    """The lines of a text file, read one after another."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0

    def peek(self) -> str:
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1
        return self.lines[self.at].strip() if self.at < len(self.lines) else ""

    def take(self, what: str) -> str:
        line = self.peek()
        if not line:
            raise ModelFileError(f"The model file of Eiger ends before its {what}.")
        self.at += 1
        return line

    def version_2(self) -> FittedPipeline:
        """Versions 2 to 4: metrics, means, deviations, rotation, then one block per cluster."""
        names = [self.take("metric names") for _ in range(self._count())]
        means, stds = self._vector("means"), self._vector("standard deviations")
        rotation = self._matrix()
        blocks = []
        while self.peek().startswith("Model"):
            self.take("model")
            centre, weights = self._vector("centre"), self._vector("weights")
            blocks.append((centre, weights, [self._term(version=2) for _ in weights]))
        self._end()
        return _model(names, means, stds, rotation, blocks)

    def version_1(self) -> FittedPipeline:
        """Version 1: rotation, weights, functions, and the metrics' names at the end."""
        self.take("model")
        rotation, weights = self._matrix(), self._vector("weights")
        terms = [self._term(version=1) for _ in weights]
        names = [self.take("metric names") for _ in rotation]
        self._end()
        p = len(rotation[0]) if rotation else 0
        return _model(names, [0.0] * p, [1.0] * p, rotation, [([0.0] * p, weights, terms)])

    def _count(self) -> int:
        line = self.take("number of metrics")
        if not line.isdigit():
            raise self._wrong("a number of metrics")
        return int(line)

    def _vector(self, what: str) -> list[float]:
        value = self._literal(what)
        items = value if isinstance(value, tuple | list) else (value,)
        if not all(isinstance(v, int | float) for v in items):
            raise self._wrong(what)
        return [float(v) for v in items]

    def _matrix(self) -> list[list[float]]:
        value = self._literal("rotation matrix")
        rows = value if isinstance(value, tuple | list) else (value,)
        matrix = [list(r) if isinstance(r, tuple | list) else [r] for r in rows]
        if not all(isinstance(v, int | float) for r in matrix for v in r) or len({len(r) for r in matrix}) > 1:
            raise self._wrong("a rotation matrix")
        return [[float(v) for v in r] for r in matrix]

    def _literal(self, what: str) -> Any:
        """Parse `[size](values)`: the values alone, as a Python literal, which runs nothing."""
        line = self.take(what)
        head = _HEAD.match(line)
        if head is None or len(line) > 4_000_000:
            raise self._wrong(what)
        try:
            return ast.literal_eval(line[head.end() :])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise self._wrong(what) from None

    def _term(self, version: int) -> Term:
        words = self.take("functions").split()
        try:
            return _text_term(words, version)
        except (ValueError, IndexError):
            raise self._wrong("a function such as '1 0 2'") from None

    def _end(self) -> None:
        if self.peek():
            raise ModelFileError(f"Line {self.at + 1} of the model file of Eiger should be the end, or 'Model'.")

    def _wrong(self, what: str) -> ModelFileError:
        return ModelFileError(f"Line {self.at} of the model file of Eiger should be {what}.")


def _text_term(words: Sequence[str], version: int) -> Term:
    code, i = words[0], int(words[1]) if len(words) > 1 else 0
    makers: dict[str, Callable[[], Term]] = {
        "0": lambda: Term(()),
        "1": lambda: Term((Factor(f"eiger_power:{float(words[2])!r}", i),)),
        "2": lambda: Term((Factor("power:1", i), Factor("power:1", int(words[2])))),
        "3": lambda: Term((Factor("eiger_sqrt", i),)),
        "4": lambda: Term((Factor("eiger_log", i),)),
        "5": lambda: _quotient(i, None if version == 1 else int(words[2])),
    }
    if code not in makers:
        raise ValueError(code)
    return makers[code]()


def _json_term(r: Mapping[str, Any]) -> Term:
    code = {"identity": "0", "power": "1", "product": "2", "sqrt": "3", "log": "4", "quotient": "5"}[r["function"]]
    first = r.get("index", r.get("first_idx", 0))
    second = r.get("exponent", r.get("second_idx", 0))
    return _text_term([code, str(int(first)), str(second)], version=2)


def _quotient(i: int, j: int | None) -> Term:
    if j is None:
        return Term((Factor("eiger_reciprocal", i),))
    return Term((Factor("power:1", i), Factor("eiger_reciprocal", j)))


def _model(
    names: Sequence[str],
    means: Sequence[float],
    stds: Sequence[float],
    rotation: Sequence[Sequence[float]],
    blocks: Sequence[Block],
) -> FittedPipeline:
    R = np.array(rotation, dtype=np.float64)
    if R.ndim != 2 or R.shape[0] != len(names) or not len(blocks):
        raise ModelFileError(f"The model file of Eiger has a rotation of shape {R.shape} for {len(names)} metrics.")
    p = R.shape[1]
    centre, scale = _row(means, p, "means"), _row(stds, p, "standard deviations")
    clusters = tuple(ClusterModel(imported_model(_row(w, len(t), "weights"), tuple(t), p), 0) for _, w, t in blocks)
    partition = FittedKMeans(
        mean=centre,
        scale=np.where(scale > 0, scale, 1.0),
        centres=np.array([_row(c, p, "centre") for c, _, _ in blocks]),
        sizes=np.zeros(len(blocks), dtype=np.int64),
        inertia=0.0,
    )
    return FittedPipeline(
        metrics=tuple(Metric(n, Kind.COUNTER) for n in names),
        response=Metric("response", Kind.RESPONSE),
        scale=ResponseScale("raw"),
        extrapolation=FLAG,
        passes=(FittedEigerRotation(R),),
        features=tuple(f"x{i}" for i in range(p)),
        loadings=R,
        partition=partition,
        clusters=clusters,
        domain=Domain(np.full(len(names), -UNBOUNDED), np.full(len(names), UNBOUNDED)),
        notes=("read from a model file of the original Eiger, which says nothing of the trained range",),
        provenance=Provenance(
            "eiger", {"semantics": "eiger-1"}, 0, __version__, digest([list(map(list, rotation))]), 0, ""
        ),
    )


def _row(values: Sequence[float], n: int, what: str) -> FloatArray:
    row = np.array(values, dtype=np.float64)
    if row.shape != (n,) or not np.isfinite(row).all():
        raise ModelFileError(f"The model file of Eiger has {len(row)} {what}, expected {n} finite numbers.")
    return row
