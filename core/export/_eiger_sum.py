"""One model as weights and function codes of the original Eiger, over shared columns."""

import numpy as np

from core.export._eiger_columns import Columns, Feature
from core.export._lower import CannotSayError
from core.export._program import Function, Linear, Node, Program, Terms
from core.models._columns import BoolArray

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
