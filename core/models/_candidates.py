"""The candidates of a pool for a selection: written out where they are few, else from the columns."""

import numpy as np

from core.basis.base import Basis
from core.blocks import extremes, row_blocks
from core.codec import FloatArray, IntArray
from core.models._unwritten import LOSS, Base, Unwritten, base_of, measure
from core.models.parts.columns import BLOCK, PRODUCT, SMALLEST, Candidates, Columns, Layout, columns, lay_out
from core.models.parts.pool import LINEAR, Pool, basis_of, build_pool, coordinates, elements

SQUARE = "power:2"
CROSSED = 1000
"""Columns that have products: half a million. Of more, those that explain most one by one."""
FEW = 1 << 20
"""Numbers that candidates are written out as."""
_MOST_LOSING = 0.25
"""Share of the candidates that may have to be written out for their digits, before all are."""


def candidates_of(
    X: FloatArray, pool: tuple[str, ...], *, intercept: bool = True, crossed: tuple[int, ...] | None = None
) -> tuple[Pool, Candidates]:
    """Return the pool that columns give, and its candidates, centred where there is an intercept.

    Products of columns, their squares and they themselves need not be written out; functions of one column are.

    Parameters
    ----------
    X : array of shape (n_trials, n_columns)
    pool : names of pools or elements
    crossed : columns that have products, in order; all if None
    """
    named = elements(pool)
    layout = lay_out(named, X.shape[1], crossed)
    if intercept and len(layout.function) * len(X) > FEW and layout.constant < 0:
        base = base_of(X)
        found = _unwritten(base, named, layout) if base.in_range else None
        if found is not None:
            return found
    made, values = build_pool(X, pool, layout)
    return made, columns(values, intercept=intercept)


def most_explaining(X: FloatArray, y: FloatArray) -> tuple[int, ...] | None:
    """Return the `CROSSED` columns that explain most of y, by themselves or squared about their means; None of fewer.

    References
    ----------
    Fan, Lv 2008, Sure independence screening for ultrahigh dimensional feature space.
    """
    n, p = X.shape
    if p <= CROSSED:
        return None
    mean = X.mean(axis=0)
    low, high = extremes(X)
    scale = np.maximum(np.maximum(high - mean, mean - low), SMALLEST)
    along, square, curved, fourth = np.zeros((4, p))
    r = y - y.mean()
    for rows in row_blocks(n, p):
        Z = (X[rows] - mean) / scale
        along += r[rows] @ Z
        Z *= Z
        square += Z.sum(axis=0)
        curved += r[rows] @ Z
        fourth += np.einsum("ij,ij->j", Z, Z)
    explained = np.maximum(
        along**2 / np.maximum(square, 1e-12), curved**2 / np.maximum(fourth - square**2 / n, 1e-12 * n)
    )
    return tuple(np.sort(np.argsort(-explained, kind="stable")[:CROSSED]).tolist())


def _unwritten(base: Base, named: tuple[str, ...], layout: Layout) -> tuple[Pool, Candidates] | None:
    """Return the candidates, or None where too many would lose too many digits."""
    low, width, shift, floor = coordinates(base.low + base.shift, base.high + base.shift)
    made = Pool(named, layout.function, layout.first, layout.second, low, width, shift, floor)
    p, m = base.B.shape[1], len(layout.crossed)
    few, place = base.of(layout.crossed), np.zeros(p, dtype=np.int64)
    place[layout.crossed] = np.arange(m)
    summed = (LINEAR, PRODUCT, SQUARE) if few is base else (LINEAR, PRODUCT)
    implied = [i for i, e in enumerate(named) if e in summed]
    rows = np.flatnonzero(np.isin(layout.function, implied))
    first = layout.first[rows]
    squared = [i for i in implied if named[i] == SQUARE]
    second = np.where(np.isin(layout.function[rows], squared), first, layout.second[rows])
    own = measure(base, few, place, first, second)
    stay = own[3] <= LOSS
    if (~stay).sum() > _MOST_LOSING * len(layout.function):
        return None
    others = np.flatnonzero(~np.isin(layout.function, implied))
    written = [(others, _functions(base, made, layout, summed))] if len(others) else []
    shift = np.where(second < 0, base.shift[first], base.shift[first] * base.shift[second])
    if not stay.all():
        exact = base.product(first[~stay], second[~stay])
        exact += shift[~stay, None]
        written.append((rows[~stay], columns(exact)))
    told, kept = np.ones((4, len(made))), rows[stay]
    for every, known in zip(told, own, strict=True):
        every[kept] = known[stay]
    told[0, kept] += shift[stay]
    for places, c in written:
        told[:3, places] = c.means, c.norms, c.peaks
    (means, norms, peaks, lost), a, b = told, first[stay], second[stay]
    pairs = np.where(b < 0, a, p + place[a] * m + place[b])
    implicit = (kept, a, b, pairs, own[0, stay], tuple(written), lost)
    return made, Unwritten(means, norms, peaks, base, layout.crossed, few, *implicit)


def _functions(base: Base, pool: Pool, layout: Layout, summed: tuple[str, ...]) -> Columns:
    """Return the functions of one column that have to be written out, in the order of the candidates."""
    n, p = base.B.shape
    made: list[tuple[Basis, IntArray]] = [
        (basis_of(e), np.arange(len(layout.function))[rows]) for e, rows in layout.single if e not in summed
    ]
    order = np.argsort(np.concatenate([rows for _, rows in made]), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    values, step = np.empty((len(order), n)), max(1, BLOCK // n)
    positive = any(basis.positive for basis, _ in made)
    with np.errstate(all="ignore"):
        for some in (slice(start, min(start + step, p)) for start in range(0, p, step)):
            S = base.B.T[some] + base.shift[some, None]
            U = (S - pool.low[some, None]) / pool.width[some, None] + pool.shift[some, None] if positive else S
            for i, (basis, _) in enumerate(made):
                values[place[i * p : (i + 1) * p][some]] = basis.evaluate(U if basis.positive else S)
    return columns(values)
