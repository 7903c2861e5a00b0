"""A model in the terms of the original Eiger: weights and functions of columns that are sums of metrics.

There is no offset in its columns. A centre is folded into the weights where only a sum is left of it; where a function
needs one, the file takes one more metric that is always 1.
"""

import numpy as np

from core.codec import FloatArray
from core.export._eiger_file import Code, EigerModel
from core.export._lower import CannotSayError, lower
from core.export._program import Blend, Function, Linear, Logs, Nearest, Node, Program, Round, Terms
from core.passes.kmeans import FittedKMeans
from core.pipeline import FittedPipeline

ONE = "constant_1"
"""The metric that is always 1, where a file needs one."""
FAR_AWAY = 1e150
"""A deviation that takes a column out of the distances to centres."""


class NeedsOneError(Exception):
    """The model needs a metric that is always 1."""


def eiger_model(model: FittedPipeline) -> EigerModel:
    """Return a model in these terms, with `constant_1` only if it cannot be said without.

    Raises
    ------
    CannotSayError
        If it cannot be said at all.
    """
    program = lower(model)
    if reason := _reason_against(program):
        raise CannotSayError(reason)
    columns = _Columns(program)
    nearest, kept = program.nearest, model.partition
    if nearest is None and isinstance(kept, FittedKMeans) and not columns.logs.any() and not columns.seen[:, -1].any():
        nearest = Nearest(kept.mean, kept.scale, kept.centres)  # as a file of this kind told it
    try:
        return columns.model(nearest, one=False)
    except NeedsOneError:
        return columns.model(nearest, one=True)


def _reason_against(program: Program) -> str:
    """Return what no choice of columns can say, or ""."""
    names = [m.name for m in program.metrics]
    broken = [n for n in names if not n.strip() or n != n.strip() or len(n.splitlines()) != 1]
    reasons = {
        "it is a blend of several models, and the format has one sum per cluster. Export a member that it can say": any(
            isinstance(node, Blend) for node in program.models
        ),
        "its family is no sum of the format's functions (1, powers, products, logarithms). Train stepwise "
        "with the pool table1, quadratic or linear, or a linear family": not all(
            isinstance(node, Linear | Terms) for node in program.models
        ),
        "its response is a logarithm, and the format's sum has no exponential. "
        "Train with response_scale=raw": program.log,
        "its predictions are raised to a power, and the format's sum is not": program.power != 1,
        f"the metric {''.join(broken[:1])!r} is no line of text by itself": bool(broken),
        f"a metric is called {ONE}, which means something else in this format": ONE in names,
        f"the metric {names[0]!r} would be read as a part of the file": names[0].startswith(("Model", "[")),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class _Columns:
    """What reaches a program's models as sums of metrics, and the columns of the rotation that are needed of them.

    Attributes
    ----------
    seen : array of shape (n_features, n_metrics + 1), weights of the metrics, and of 1
    logs : array of shape (n_features, n_metrics), weights of the metrics' logarithms of base 2
    ones : array of shape (n_metrics,), what is added to a metric before its logarithm is taken
    rows : the rotation's columns so far, as rows of `seen`
    """

    def __init__(self, program: Program) -> None:
        n = program.n
        self.program, self.one, self.rows = program, False, list[FloatArray]()
        self.seen, self.logs, self.ones = np.eye(n, n + 1), np.zeros((n, n)), np.zeros(n)
        for step in program.steps:
            if isinstance(step, Round):
                raise CannotSayError("it looks at odd parts of whole numbers, for which the format has no word")
            if isinstance(step, Logs):
                self._take_logs(step)
                continue
            if step.offset is not None and step.divisor is not None:
                self.seen[:, -1] -= step.offset
                self.seen, self.logs = self.seen / step.divisor[:, None], self.logs / step.divisor[:, None]
            if step.matrix is not None:
                metrics, offsets, columns = self.seen[:, :-1], self.seen[:, -1].copy(), step.matrix.T
                self.seen = np.array([np.append(metrics.T @ v, offsets @ v) for v in columns])
                self.logs = np.array([self.logs.T @ v for v in columns])

    def _take_logs(self, step: Logs) -> None:
        """Take natural logarithms; the format's are of base 2."""
        for i, scale in enumerate(step.scales):
            if scale == "raw":
                continue
            own = self.seen[i, :-1].copy()
            if self.logs[i].any() or np.count_nonzero(own) != 1 or self.seen[i, -1]:
                raise CannotSayError("it takes logarithms of sums, and the format rotates before it takes logarithms")
            self.seen[i], self.logs[i] = 0.0, own * np.log(2.0)
            self.ones[own != 0] = scale == "log1p"

    def place(self, row: FloatArray) -> int:
        """Return the number of the column Σ weight · metric + offset."""
        if row[-1] and not self.one:
            raise NeedsOneError
        for i, known in enumerate(self.rows):
            if np.array_equal(known, row):
                return i
        self.rows.append(row)
        return len(self.rows) - 1

    def metric(self, j: int, offset: float = 0.0) -> int:
        """Return the number of the column of one metric; of -1 it is 1 itself."""
        row = np.eye(self.program.n + 1)[j]
        row[-1] += offset
        return self.place(row)

    def model(self, nearest: Nearest | None, *, one: bool) -> EigerModel:
        """Return what the file holds, with a metric that is always 1 or without."""
        self.rows, self.one = [], one
        program = self.program
        means, deviations, centres = np.zeros(0), np.zeros(0), np.zeros((1, 0))
        if nearest is not None:
            means, deviations, centres = self._distances(nearest), nearest.divisor, nearest.centres
        terms = [_Sum(self).of(node) for node in program.models]
        if not self.rows:  # a constant model: the format wants a column at least
            self.metric(0)
        more = len(self.rows) - len(means)
        none, beyond = np.zeros(more), np.full(more, FAR_AWAY if len(program.model_of) > 1 else 1.0)
        names = tuple(m.name for m in program.metrics) + ((ONE,) if one else ())
        rotation, scaled = np.array(self.rows)[:, : program.n + one].T, np.concatenate([deviations, beyond])
        pairs = zip(centres, program.model_of, strict=False)
        clusters = tuple((np.concatenate([centre, none]), terms[k]) for centre, k in pairs)
        return EigerModel(names, rotation, np.concatenate([means, none]), scaled, clusters)

    def _distances(self, nearest: Nearest) -> FloatArray:
        """Place the columns that clusters are found by and return their means."""
        if self.logs.any():
            raise CannotSayError(
                "its clusters are of logarithms, and the format's are of rotated metrics. Use one cluster"
            )
        for row in self.seen:
            self.place(np.append(row[:-1], 0.0))
        if len(self.rows) != len(self.seen):
            raise CannotSayError("two of the columns that its clusters are found by are the same")
        means: FloatArray = nearest.offset - self.seen[:, -1]
        return means


_ALONE = {"power": 1, "eiger_power": 1, "eiger_sqrt": 3, "log2": 4, "eiger_log": 4}
"""Codes of functions of one column; powers and logarithms there are of the absolute value."""


class _Sum:
    """One model: its terms, and a sum of metrics, their logarithms and 1 that is written at the end."""

    def __init__(self, columns: _Columns) -> None:
        self.columns, self.program = columns, columns.program
        self.terms: list[tuple[float, Code]] = []
        self.straight, self.logs = np.zeros(self.program.n + 1), np.zeros(self.program.n)

    def of(self, node: Node) -> tuple[tuple[float, Code], ...]:
        """Return the model's weights and codes."""
        if isinstance(node, Linear):
            self.straight[-1] += node.constant
            for c, i, j in zip(node.coefficients.tolist(), node.first.tolist(), node.second.tolist(), strict=True):
                self._product(c, [(self.columns.seen[k], self.columns.logs[k]) for k in (i, j) if k >= 0])
        elif isinstance(node, Terms):
            self.straight[-1] += node.constant
            for c, term in zip(node.coefficients.tolist(), node.terms, strict=True):
                self._term(c, term)
        self._finish()
        return tuple((float(w) * self.program.factor, code) for w, code in self.terms)

    def _term(self, c: float, term: tuple[Function, ...]) -> None:
        names = [f.name for f in term]
        straight = [f for f in term if f.name == "power" and f.exponent == 1]
        if len(straight) == len(term) <= 2:
            self._product(c, [self._argument(f) for f in term])
        elif len(term) == 1:
            self.terms.append((c, self._alone(term[0])))
        elif len(straight) == 1 and sorted(names) == ["eiger_reciprocal", "power"]:
            other = next(f for f in term if f is not straight[0])
            self.terms.append((c, (5, self._column(straight[0]), self._column(other))))
        else:
            raise CannotSayError(f"it has a product of {' and '.join(names)}, which the format has no code for")

    def _product(self, c: float, of: list[tuple[FloatArray, FloatArray]]) -> None:
        """Add c times a product of up to two features."""
        if len(of) == 2:
            self.terms.append((c, (2, *(self._place(*feature) for feature in of))))
        elif of:
            self.straight, self.logs = self.straight + c * of[0][0], self.logs + c * of[0][1]
        else:
            self.straight[-1] += c

    def _alone(self, f: Function) -> Code:
        if f.name == "power" and f.exponent == 2:
            return (2, self._column(f), self._column(f))
        if f.name == "power" and f.floor is None:
            raise CannotSayError(f"it has a power of {f.exponent:g} with a sign, and the format has none")
        if f.name == "eiger_reciprocal":
            return (5, self.columns.metric(-1), self._column(f))
        if f.name not in _ALONE:
            raise CannotSayError(f"it uses {f.name}, which the format has no code for. Train with the pool table1")
        return (_ALONE[f.name], self._column(f), *((f.exponent,) if _ALONE[f.name] == 1 else ()))

    def _argument(self, f: Function) -> tuple[FloatArray, FloatArray]:
        """Return (x - low) / width + shift as weights of metrics and 1, and of logarithms."""
        row = self.columns.seen[f.column].copy()
        row[-1] -= f.low
        row /= f.width
        row[-1] += f.shift
        return row, self.columns.logs[f.column] / f.width

    def _column(self, f: Function) -> int:
        return self._place(*self._argument(f))

    def _place(self, row: FloatArray, logs: FloatArray) -> int:
        if logs.any():
            raise CannotSayError("it has functions of logarithms of metrics, and the format takes one function only")
        return self.columns.place(row)

    def _finish(self) -> None:
        """Write the constant, what is linear in metrics, and what is linear in their logarithms."""
        if self.program.relative:
            self._times_reference()
            return
        if self.straight[-1]:
            self.terms.append((float(self.straight[-1]), (0,)))
        used = np.flatnonzero(self.straight[:-1]).tolist()
        if not self.columns.one and (self.program.reach.low[used] > 0).all():  # a power is of the absolute value
            self.terms += [(float(self.straight[j]), (1, self.columns.metric(j), 1.0)) for j in used]
        elif used:
            self.terms.append((1.0, (2, self._sum(), self.columns.metric(-1))))
        for j in np.flatnonzero(self.logs).tolist():
            self.terms.append((float(self.logs[j]), (4, self.columns.metric(j, self.columns.ones[j]))))

    def _sum(self) -> int:
        return self.columns.place(np.append(self.straight[:-1], 0.0))

    def _times_reference(self) -> None:
        """Write the sum times the reference, which is positive: products, and a power for the constant."""
        if self.terms or self.logs.any():
            raise CannotSayError(
                "it is a ratio to a reference of more than a linear sum, and the format has no products of three"
            )
        reference = self.columns.metric(self.program.reference)
        if self.straight[-1]:
            self.terms.append((float(self.straight[-1]), (1, reference, 1.0)))
        if self.straight[:-1].any():
            self.terms.append((1.0, (2, self._sum(), reference)))
