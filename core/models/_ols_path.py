"""Least squares over many columns: of least norm, forward and backward selection, no solve per candidate."""

import numpy as np
from scipy import linalg

from core.codec import FloatArray, Frozen, IntArray
from core.models._forward import NEARLY_EQUAL, SOLVED, Search, first_best
from core.models._linear_design import Design
from core.models._solve import Criterion, not_aliased
from core.models.parts.columns import Columns
from core.models.parts.linear import LinearStep
from core.progress import Progress, silent

SINGULAR = 1e-10
"""Reciprocal condition number under which a triangle is not solved with."""
INDEPENDENT = 1e-5
"""Share of a column's length that has to be new, where columns are picked by how much of them is."""


class Selected(Frozen):
    """What a selection ended with.

    Attributes
    ----------
    chosen : columns of the design; forward selection has them in the order they came
    theta : their coefficients in the design
    steps : the story, from the model that it started with on
    aliased : columns of the design that could not take part, as others say the same
    note : how it had to start, or ""
    free : whether the intercept is free; else it is held at 0
    """

    chosen: IntArray
    theta: FloatArray
    steps: tuple[LinearStep, ...]
    aliased: tuple[int, ...] = ()
    note: str = ""
    free: bool = True


def least_norm(d: Design) -> FloatArray:
    """Return the coefficients of least squares; where many fit alike, those of least Euclidean norm.

    With more columns than trials the transposed columns are factored, Zᵀ = (QR)ᵀ, so that θ = Q R⁻ᵀ y. The
    direction of the constant, which nothing is along, is turned away first, as R would have no inverse.
    Trials or columns that say the same as others are met by a complete orthogonal factorisation.
    """
    if d.p < d.n - 1:
        Q, R = np.linalg.qr(d.Z.T)
        if _regular(R):
            return np.asarray(linalg.solve_triangular(R, Q.T @ d.y))
        return _any_rank(d.Z.T, d.y)
    v = d.a.copy()
    v[0] += np.copysign(1.0, v[0])
    turn = 2 / float(v @ v)
    A = d.Z - np.outer(turn * (d.Z @ v), v)
    y = d.y - turn * float(d.y @ v) * v
    Q, R = np.linalg.qr(A[:, 1:])
    if _regular(R):
        return np.asarray(Q @ linalg.solve_triangular(R, y[1:], trans="T"))
    return _any_rank(A[:, 1:].T, y[1:])


def forward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Add the column that takes most off the residual sum of squares, while the criterion falls.

    One pass over the columns per step updates what the model leaves of each and its product with the residual (see
    `_forward`); columns that could tie are orthogonalised exactly, and of equals the first is taken.
    """
    everyone = np.ones(d.p, dtype=bool)
    search = Search(Columns(np.zeros(d.p), np.ones(d.p), np.ones(d.p), d.Z), d.y, everyone, intercept=False)
    square = search.unit**2
    now = criterion.value(d.total, 0)
    steps = [_step((), (), 0, 0.0, now)]
    while len(search.chosen) < max_terms and search.left * square > SOLVED * d.total:
        k = len(search.chosen)
        progress(k / max_terms, f"term {k + 1}")
        contenders = search.next()[1]
        if not contenders:
            break
        winner = first_best(contenders)
        rss = max(search.left - winner.gain, 0.0) * square
        value = criterion.value(rss, k + 1)
        if not value < now:
            break
        search.add(winner)
        now = value
        steps.append(_step(d.numbers([winner.candidate]), (), k + 1, 1 - rss / d.total, value))
    chosen = np.array(search.chosen, dtype=np.int64)
    collinear = tuple(j for j, _ in search.collinear)
    return Selected(chosen, search.solution[: len(chosen)] * search.unit, tuple(steps), collinear)


def backward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Start with all columns and take out the one that is missed least, while the criterion falls.

    Where all columns and the intercept leave no degree of freedom the start is the n - 2 columns that column pivoting
    picks. With Z = QR, S = R⁻¹ and c = Qᵀy the coefficients are S c, and without column j the residual sum of squares
    grows by (S c)ⱼ² / |Sⱼ|². A reflection that turns row j of S into a multiple of the last unit vector takes j out
    of S and c alike: no solve per candidate, and nothing but orthogonal transformations.

    Parameters
    ----------
    max_terms : columns are taken out, until there are no more than these and the criterion has a value
    """
    start, aliased, note = _start(d)
    Q, R = np.linalg.qr(d.Z[start].T)
    columns = start.copy()
    S = np.asarray(linalg.solve_triangular(R, np.eye(len(start))))
    c = Q.T @ d.y
    rss = max(d.total - float(c @ c), 0.0) if len(c) > d.n - 3 else float(np.sum((d.y - Q @ c) ** 2))
    now = criterion.value(rss, len(columns))
    steps = [_step(d.numbers(columns), (), len(columns), 1 - rss / d.total, now)]
    while len(columns):
        progress(1 - len(columns) / len(start), f"{len(columns)} terms")
        missed = (S @ c) ** 2 / np.vecdot(S, S)
        i = _least(missed, columns)
        value = criterion.value(rss + float(missed[i]), len(columns) - 1)
        if len(columns) <= max_terms and np.isfinite(now) and not value < now:
            break
        steps.append(_step((), d.numbers([columns[i]]), len(columns) - 1, 1 - (rss + missed[i]) / d.total, value))
        rss, now = rss + float(missed[i]), value
        S, c, columns = _without(S, c, columns, i)
    order = np.argsort(columns)
    return Selected(columns[order], (S @ c)[order], tuple(steps), aliased, note)


def _without(S: FloatArray, c: FloatArray, columns: IntArray, i: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Take column i out, in place; the last one moves to its place."""
    v = S[i].copy()
    length = float(np.linalg.norm(v))
    last = abs(float(v[-1]))
    v[-1] += np.copysign(length, v[-1])
    turn = 1 / (length * (length + last))
    S -= np.outer(turn * (S @ v), v)
    c -= turn * float(c @ v) * v
    S[i], columns[i] = S[-1], columns[-1]
    return S[:-1, :-1], c[:-1], columns[:-1]


def _start(d: Design) -> tuple[IntArray, tuple[int, ...], str]:
    """Return the columns that elimination starts with, those that are aliased, and what had to be done."""
    if d.p < d.n - 1:
        fresh = not_aliased(d.Z.T, np.asarray(np.linalg.qr(d.Z.T, mode="r")))
        return np.flatnonzero(fresh).astype(np.int64), tuple(np.flatnonzero(~fresh).tolist()), ""
    R, order = linalg.qr(d.Z.T * (1 - 1e-9 * np.arange(d.p) / d.p), mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > INDEPENDENT * diagonal[0]).sum())
    start = np.sort(order[: min(rank, d.n - 2)]).astype(np.int64)
    note = (
        f"{d.n} trials do not determine {d.p} columns; elimination started with {len(start)} of them, "
        "chosen by pivoting for having most that is new."
    )
    return start, (), note


def _least(missed: FloatArray, columns: IntArray) -> int:
    """Return the place of the smallest, of nearly equal ones that of the first column."""
    near = np.flatnonzero(missed <= missed.min() * (1 + NEARLY_EQUAL))
    return int(near[np.argmin(columns[near])])


def _step(added: tuple[int, ...], removed: tuple[int, ...], n_terms: int, r2: float, criterion: float) -> LinearStep:
    return LinearStep(added, removed, n_terms, r2, criterion if np.isfinite(criterion) else None)


def _regular(R: FloatArray) -> bool:
    return bool(linalg.lapack.dtrcon(R)[0] > SINGULAR)


def _any_rank(A: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(linalg.lstsq(A, y, cond=SINGULAR, lapack_driver="gelsy")[0])
