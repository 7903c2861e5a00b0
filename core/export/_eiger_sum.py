"""One model as weights and function codes of the original Eiger, over columns that are sums of metrics."""

from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray
from core.export._lower import CannotSayError
from core.export._program import Affine, Function, Linear, Logs, Node, Program, Terms
from core.models.parts.columns import BoolArray


@dataclass
class Columns:
    """Columns of the rotation as they are found to be needed, each a sum of metrics (and of 1)."""

    width: int
    one: bool
    rows: list[FloatArray] = field(default_factory=list)

    def place(self, weights: FloatArray, offset: float) -> int:
        """Return the number of the column Σ weight · metric + offset."""
        if offset and not self.one:
            raise NeedsOneError
        full = np.concatenate([weights, [offset]])
        for i, row in enumerate(self.rows):
            if np.array_equal(row, full):
                return i
        self.rows.append(full)
        return len(self.rows) - 1

    def constant(self) -> int:
        """Return the number of the column that is always 1."""
        if not self.one:
            raise NeedsOneError
        return self.place(np.zeros(self.width), 1.0)


class NeedsOneError(Exception):
    """The model needs a metric that is always 1."""


@dataclass(frozen=True)
class Feature:
    """A column that reaches the models: offset + Σ weight · metric + Σ log · log2(metric + shift)."""

    weights: FloatArray
    offset: float
    logs: FloatArray
    ones: FloatArray

    @property
    def affine(self) -> bool:
        """Whether no logarithm is in it."""
        return not self.logs.any()


def features_of(program: Program) -> list[Feature]:
    """Return the columns that reach the models, as sums."""
    zero = np.zeros(program.n)
    found = [Feature(unit, 0.0, zero, zero) for unit in np.eye(program.n)]
    for step in program.steps:
        if isinstance(step, Logs):
            found = [_logged(f, s) for f, s in zip(found, step.scales, strict=True)]
        else:
            found = _mixed(found, step)
    return found


def _logged(feature: Feature, scale: str) -> Feature:
    """Return ln of a column; the format's logarithm is of base 2."""
    if scale == "raw":
        return feature
    if not feature.affine or np.count_nonzero(feature.weights) != 1 or feature.offset:
        raise CannotSayError("it takes logarithms of sums, and the format rotates before it takes logarithms")
    zero, place = np.zeros_like(feature.weights), feature.weights * np.log(2.0)
    return Feature(zero, 0.0, place, (feature.weights != 0) * float(scale == "log1p"))


def _mixed(features: list[Feature], step: Affine) -> list[Feature]:
    scaled = features
    if step.offset is not None and step.divisor is not None:
        given = zip(features, step.offset, step.divisor, strict=True)
        scaled = [Feature(f.weights / d, (f.offset - m) / d, f.logs / d, f.ones) for f, m, d in given]
    if step.matrix is None:
        return scaled
    W, o = np.array([f.weights for f in scaled]), np.array([f.offset for f in scaled])
    L, ones = np.array([f.logs for f in scaled]), np.sum([f.ones for f in scaled], axis=0)
    return [Feature(W.T @ v, float(o @ v), L.T @ v, ones) for v in step.matrix.T]


Code = tuple[float, ...]
"""A function as the file's codes: (0,), (1, i, n), (2, i, j), (3, i), (4, i), (5, i, j)."""


class Sum:
    """Turns one model into weights and codes over shared columns."""

    def __init__(self, program: Program, features: list[Feature], columns: Columns, positive: BoolArray) -> None:
        self.program, self.features, self.columns, self.positive = program, features, columns, positive
        self.terms: list[tuple[float, Code]] = []
        self.constant = 0.0
        self.linear = np.zeros(program.n)
        self.logs, self.ones = np.zeros(program.n), np.zeros(program.n)

    def of(self, node: Node) -> tuple[tuple[float, Code], ...]:
        """Return the model's terms."""
        if isinstance(node, Linear):
            self._linear(node)
        elif isinstance(node, Terms):
            self._terms(node)
        self._finish()
        return tuple((float(w) * self.program.factor, code) for w, code in self.terms)

    def _linear(self, node: Linear) -> None:
        self.constant += node.constant
        for c, i, j in zip(node.coefficients.tolist(), node.first.tolist(), node.second.tolist(), strict=True):
            if j < 0:
                self._add(c, self.features[i])
            else:
                self._product(c, self.features[i], self.features[j])

    def _terms(self, node: Terms) -> None:
        self.constant += node.constant
        for c, term in zip(node.coefficients.tolist(), node.terms, strict=True):
            self._term(c, term)

    def _term(self, c: float, term: tuple[Function, ...]) -> None:
        names = [f.name for f in term]
        straight = [f for f in term if f.name == "power" and f.exponent == 1]
        if not term:
            self.constant += c
        elif len(term) == len(straight) == 1:
            self._add(c, self._argument(term[0]))
        elif len(term) == len(straight) == 2:
            self._product(c, self._argument(term[0]), self._argument(term[1]))
        elif len(term) == 1:
            self._single(c, term[0])
        elif len(straight) == 1 and sorted(names) == ["eiger_reciprocal", "power"]:
            other = next(f for f in term if f is not straight[0])
            self.terms.append((c, (5, self._column(straight[0]), self._column(other))))
        else:
            raise CannotSayError(f"it has a product of {' and '.join(names)}, which the format has no code for")

    def _single(self, c: float, f: Function) -> None:
        """Add a function of one column. Powers and logarithms there are of the absolute value."""
        if f.name == "power" and f.exponent == 2:
            i = self._column(f)
            self.terms.append((c, (2, i, i)))
        elif f.name in ("power", "eiger_power"):
            if f.name == "power" and f.floor is None:
                raise CannotSayError(f"it has a power of {f.exponent:g} with a sign, and the format has none")
            self.terms.append((c, (1, self._column(f), f.exponent)))
        elif f.name in ("log2", "eiger_log"):
            self.terms.append((c, (4, self._column(f))))
        elif f.name == "eiger_sqrt":
            self.terms.append((c, (3, self._column(f))))
        elif f.name == "eiger_reciprocal":
            self.terms.append((c, (5, self.columns.constant(), self._column(f))))
        else:
            raise CannotSayError(f"it uses {f.name}, which the format has no code for. Train with the pool table1")

    def _argument(self, f: Function) -> Feature:
        x = self.features[f.column]
        return Feature(x.weights / f.width, (x.offset - f.low) / f.width + f.shift, x.logs / f.width, x.ones)

    def _column(self, f: Function) -> int:
        return self._place(self._argument(f))

    def _place(self, x: Feature) -> int:
        if not x.affine:
            raise CannotSayError("it has functions of logarithms of metrics, and the format takes one function only")
        return self.columns.place(x.weights, x.offset)

    def _add(self, c: float, x: Feature) -> None:
        self.constant += c * x.offset
        self.linear = self.linear + c * x.weights
        self.logs, self.ones = self.logs + c * x.logs, np.maximum(self.ones, x.ones)

    def _product(self, c: float, a: Feature, b: Feature) -> None:
        self.terms.append((c, (2, self._place(a), self._place(b))))

    def _finish(self) -> None:
        """Write the constant, what is linear in metrics, and what is linear in their logarithms."""
        if self.program.relative:
            self._times_reference()
            return
        if self.constant:
            self.terms.append((self.constant, (0,)))
        self._straight()
        for j in np.flatnonzero(self.logs).tolist():
            column = self.columns.place(np.eye(self.program.n)[j], float(self.ones[j]))
            self.terms.append((float(self.logs[j]), (4, column)))

    def _straight(self) -> None:
        """Write Σ weight · metric: metric by metric where all are positive, else as a product with 1."""
        used = np.flatnonzero(self.linear).tolist()
        if not used:
            return
        if not all(self.positive[used]):
            product = (2, self.columns.place(self.linear, 0.0), self.columns.constant())
            self.terms.append((1.0, product))
            return
        for j in used:
            self.terms.append((float(self.linear[j]), (1, self.columns.place(np.eye(self.program.n)[j], 0.0), 1.0)))

    def _times_reference(self) -> None:
        """Write the sum times the reference, which is positive: products, and a power for the constant."""
        if self.terms or self.logs.any():
            raise CannotSayError(
                "it is a ratio to a reference of more than a linear sum, and the format has no products of three"
            )
        reference = self.columns.place(np.eye(self.program.n)[self.program.reference], 0.0)
        if self.constant:
            self.terms.append((self.constant, (1, reference, 1.0)))
        if self.linear.any():
            self.terms.append((1.0, (2, self.columns.place(self.linear, 0.0), reference)))
