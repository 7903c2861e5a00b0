"""The order of a pool's candidates, and which rows of their matrix each function fills."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.codec import IntArray

PRODUCT = "product"
IDENTITY = "identity"


@dataclass(frozen=True)
class Layout:
    """Candidates by number: what each is, and where each function's stand.

    Attributes
    ----------
    function, first, second : arrays of shape (n_candidates,): which element of the pool, of which
        columns; -1 where there is none
    single : per element that is a function of one column, its rows, one per column in order
    products : per column a, the first column b of its products a·b, a·(b+1), …, and their rows
    constant : row of the constant 1, or -1
    """

    function: IntArray
    first: IntArray
    second: IntArray
    single: tuple[tuple[str, slice | IntArray], ...]
    products: tuple[tuple[int, int, slice], ...]
    constant: int


@lru_cache(maxsize=16)
def lay_out(elements: tuple[str, ...], n: int) -> Layout:
    """Return the order of candidates that pool elements and n columns give.

    With the constant in the pool it is the original program's order: the constant, then per
    column its functions and its products from itself on. Without, it is element by element,
    and products are of different columns.
    """
    make = _original_order if IDENTITY in elements else _plain_order
    table = np.asarray(make(elements, n), dtype=np.int64).reshape(-1, 3)
    function, first, second = (np.ascontiguousarray(column) for column in table.T)
    for array in (function, first, second):
        array.flags.writeable = False
    single = tuple(
        (e, _as_slice(np.flatnonzero(function == i))) for i, e in enumerate(elements) if e not in (PRODUCT, IDENTITY)
    )
    products = _products(np.flatnonzero(second >= 0), first, second)
    return Layout(function, first, second, single, products, 0 if IDENTITY in elements else -1)


def _plain_order(elements: tuple[str, ...], n: int) -> IntArray:
    pairs, alone = np.column_stack(np.triu_indices(n, 1)), np.column_stack([np.arange(n), np.full(n, -1)])
    columns = [pairs if element == PRODUCT else alone for element in elements]
    return np.column_stack([np.repeat(np.arange(len(elements)), [len(c) for c in columns]), np.concatenate(columns)])


def _original_order(elements: tuple[str, ...], n: int) -> list[tuple[int, int, int]]:
    rows = [(elements.index(IDENTITY), -1, -1)]
    for a in range(n):
        rows += [(i, a, -1) for i, e in enumerate(elements) if e not in (IDENTITY, PRODUCT)]
        rows += [(elements.index(PRODUCT), a, b) for b in range(a, n)] if PRODUCT in elements else []
    return rows


def _products(rows: IntArray, first: IntArray, second: IntArray) -> tuple[tuple[int, int, slice], ...]:
    """Return the products of each column with the later ones: they stand one after another."""
    starts = rows[np.diff(first[rows], prepend=-1) > 0].tolist()
    sizes = np.unique(first[rows], return_counts=True)[1].tolist()
    return tuple((int(first[r]), int(second[r]), slice(r, r + m)) for r, m in zip(starts, sizes, strict=True))


def _as_slice(rows: IntArray) -> slice | IntArray:
    """Return rows that follow each other as a slice, which is filled without a copy."""
    whole = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
