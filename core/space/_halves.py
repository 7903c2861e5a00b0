"""A sum of tables over two halves of the parameters: value(A, B) = a(A) + b(B) + Σ u_k(A)·v_k(B)."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.space.design_space import DesignSpace
from core.space.sums import Sum, Table

_ALL_SPLITS = 14
"""Parameters up to which every split is weighed; of more, as many splits as these have."""
_MOST_ROWS = 1 << 21
_TINY = 1e-15


class Half(Frozen):
    """One half of the parameters with all combinations of their levels.

    Attributes
    ----------
    parameters : their numbers, ascending
    codes : array of shape (n, n_parameters of this half)
    ranks : array of shape (n,), what each combination adds to the rank of a point
    """

    parameters: tuple[int, ...]
    codes: IntArray
    ranks: IntArray

    def take(self, keep: BoolArray) -> "Half":
        """Return the half with some combinations only."""
        return Half(self.parameters, self.codes[keep], self.ranks[keep])

    def index(self, parameters: Sequence[int]) -> tuple[IntArray, ...]:
        """Return the codes of some of its parameters."""
        return tuple(self.codes[:, self.parameters.index(i)] for i in parameters)

    def joint(self, parameters: Sequence[int], sizes: "Mapping[int, int] | Sequence[int]") -> IntArray:
        """Return the number of the level combination that some parameters have in each combination of the half."""
        found = np.zeros(len(self.ranks), dtype=np.int64)
        for i, codes in zip(parameters, self.index(parameters), strict=True):
            found = found * sizes[i] + codes
        return found


class Factors(Frozen):
    """A sum as products of two halves: left @ right, array of shape (n_A, n_B), NaN where refused.

    Attributes
    ----------
    left : array of shape (n_A, rank + 2), u with a and 1 beside it
    right : array of shape (rank + 2, n_B), v with 1 and b below it
    """

    left: FloatArray
    right: FloatArray


def make_half(space: DesignSpace, parameters: Sequence[int]) -> Half:
    """Return all combinations of some parameters, the last varying fastest."""
    strides = space.ranks(np.eye(len(space.shape), dtype=np.int64))
    own = tuple(sorted(parameters))
    part = space.part(own, ())
    codes = part.codes(np.arange(part.n_combinations, dtype=np.int64))
    return Half(own, codes, codes @ strides[list(own)] if own else np.zeros(1, dtype=np.int64))


def factor(sums: Sum, a: Half, b: Half) -> Factors:
    """Return a sum over two halves, the interactions across them by the singular values of their tables."""
    in_a = set(a.parameters)
    alone_a, alone_b, crossing = np.full(len(a.ranks), sums.constant), np.zeros(len(b.ranks)), []
    for table in sums.tables:
        sides = {i in in_a for i in table.parameters}
        if sides == {True}:
            alone_a += table.values[a.index(table.parameters)]
        elif sides == {False}:
            alone_b += table.values[b.index(table.parameters)]
        else:
            crossing.append(table)
    u, v = _crossed(crossing, a, b)
    for half, alone in ((a, alone_a), (b, alone_b)):
        for i in half.parameters:
            if sums.refused[i].any():
                alone[sums.refused[i][half.index((i,))[0]]] = np.nan
    left = np.column_stack([u, alone_a, np.ones(len(alone_a))])
    return Factors(np.ascontiguousarray(left), np.ascontiguousarray(np.vstack([v, np.ones(len(alone_b)), alone_b])))


def _crossed(tables: Sequence[Table], a: Half, b: Half) -> tuple[FloatArray, FloatArray]:
    """Return u of shape (n_A, rank) and v of shape (rank, n_B) of the terms that have parameters in both halves.

    All tables together are one matrix between the level combinations that their left parts have and
    those that their right parts have; its singular value decomposition has the fewest products.
    """
    in_a = set(a.parameters)
    parts = [
        (tuple(i for i in t.parameters if i in in_a), tuple(i for i in t.parameters if i not in in_a), t)
        for t in tables
    ]
    rows, columns = _places([(p, t) for p, _, t in parts]), _places([(q, t) for _, q, t in parts])
    n_rows, n_columns = sum(s for _, s in rows.values()), sum(s for _, s in columns.values())
    if not parts:
        return np.zeros((len(a.ranks), 0)), np.zeros((0, len(b.ranks)))
    G = np.zeros((n_rows, n_columns))
    for p, q, t in parts:
        order = [t.parameters.index(i) for i in (*p, *q)]
        (r, n), (c, m) = rows[p], columns[q]
        G[r : r + n, c : c + m] += t.values.transpose(order).reshape(n, m)
    sizes = {i: t.values.shape[k] for t in tables for k, i in enumerate(t.parameters)}
    U, s, Vt = np.linalg.svd(G, full_matrices=False)
    rank = int((s > _TINY * s[0]).sum()) if s[0] > 0 else 0
    left, right = U[:, :rank] * s[:rank], Vt[:rank]
    u = sum((left[start + a.joint(p, sizes)] for p, (start, _) in rows.items()), np.zeros((len(a.ranks), rank)))
    v = sum((right.T[start + b.joint(q, sizes)] for q, (start, _) in columns.items()), np.zeros((len(b.ranks), rank)))
    return u, np.ascontiguousarray(v.T)


def _places(parts: Sequence[tuple[tuple[int, ...], Table]]) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return per set of parameters where its level combinations begin, and how many there are."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    start = 0
    for own, table in parts:
        if own not in found:
            size = int(np.prod([table.values.shape[table.parameters.index(i)] for i in own]))
            found[own] = (start, size)
            start += size
    return found


def best_split(sums: Sequence[Sum], space: DesignSpace) -> tuple[int, ...]:
    """Return the parameters of the half A so that scoring all points takes the least work.

    The work of the matrix product, combinations × products, and of making the halves is weighed
    over all splits, or where there are many parameters over some drawn by chance, in which those of one
    level take no part, so that the others of any space that can be numbered have a bit each.
    """
    n = len(space.shape)
    moving = tuple(i for i, size in enumerate(space.shape) if size > 1 or n <= _ALL_SPLITS)
    if len(moving) <= 1:
        return moving or (0,)
    shape, most = [space.shape[i] for i in moving], 2 ** len(moving) - 1
    if len(moving) <= _ALL_SPLITS:
        masks = np.arange(1, most, dtype=np.int64)
    else:
        masks = np.random.default_rng(0).integers(1, most, 2**_ALL_SPLITS)
    best = int(masks[np.argmin(_work(masks, _links(sums, moving), shape))])
    return tuple(i for bit, i in enumerate(moving) if best >> bit & 1)


Links = Mapping[tuple[int, ...], int]
"""By the parameters of a term, the rank that its table may have between two halves."""


def _links(sums: Sequence[Sum], moving: Sequence[int]) -> Links:
    """Return the terms of two or more of some parameters, by their places among these."""
    bits, found = {i: bit for bit, i in enumerate(moving)}, dict[tuple[int, ...], int]()
    for table in (t for one in sums for t in one.tables):
        own = {bits[i]: size for i, size in zip(table.parameters, table.values.shape, strict=True) if i in bits}
        if len(own) > 1:
            found[(*own,)] = found.get((*own,), 0) + min(own.values())
    return found


def _work(masks: IntArray, links: Links, shape: Sequence[int]) -> FloatArray:
    """Return about how much work splits are; a mask has a bit for each parameter of the half A."""
    rows, columns = np.ones(len(masks)), np.ones(len(masks))
    for i, size in enumerate(shape):
        rows, columns = np.where(masks >> i & 1, rows * size, rows), np.where(masks >> i & 1, columns, columns * size)
    summed = np.zeros(len(masks))
    present: dict[int, BoolArray] = {}
    for own, rank in links.items():
        whole = sum(1 << i for i in own)
        inside = masks & whole
        crossing = (inside != 0) & (inside != whole)
        summed += rank * crossing
        for part in _parts(own):
            here = present.setdefault(part, np.zeros(len(masks), dtype=bool))
            here |= crossing & ((inside == part) | (whole - inside == part))
    left, right = np.zeros(len(masks)), np.zeros(len(masks))
    for part, here in present.items():
        width = np.prod([size for i, size in enumerate(shape) if part >> i & 1])
        in_a = (masks & part) == part
        left += width * (here & in_a)
        right += width * (here & ~in_a)
    products = np.minimum(summed, np.minimum(left, right)) + 2
    work = rows * columns * (4 + products) + 40 * (rows + columns) * (products + len(links) / 2 + len(shape))
    largest = np.maximum(rows, columns)
    return np.where(largest > _MOST_ROWS, 1e30 * largest, work)


def _parts(own: tuple[int, ...]) -> list[int]:
    """Return all parts of some parameters but none and all, as masks."""
    chosen = [c for k in range(1, len(own)) for c in combinations(own, k)]
    return [sum(1 << i for i in c) for c in chosen]
