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
    crossed : array of shape (n_crossed,), the columns that have products, in order
    products : per column a, the first column b of its products a·b, a·(b+1), …, and their rows; columns are places in
        `crossed`
    constant : row of the constant 1, or -1
    """

    function: IntArray
    first: IntArray
    second: IntArray
    single: tuple[tuple[str, slice | IntArray], ...]
    crossed: IntArray
    products: tuple[tuple[int, int, slice], ...]
    constant: int


@lru_cache(maxsize=16)
def lay_out(elements: tuple[str, ...], n: int, some: tuple[int, ...] | None = None) -> Layout:
    """Return the order of candidates that pool elements and n columns give; products are of `some` columns alone.

    With the constant in the pool it is the original program's order: the constant, then per
    column its functions and its products from itself on. Without, it is element by element,
    and products are of different columns.
    """
    crossed = np.arange(n) if some is None else np.array(some, dtype=np.int64)
    table = _original_order(elements, n) if IDENTITY in elements else _plain_order(elements, n, crossed)
    function, first, second = (np.ascontiguousarray(column) for column in table.T)
    for array in (function, first, second, crossed):
        array.flags.writeable = False
    single = tuple(
        (e, _as_slice(np.flatnonzero(function == i))) for i, e in enumerate(elements) if e not in (PRODUCT, IDENTITY)
    )
    rows = np.flatnonzero(second >= 0)
    products = _products(rows, *(np.searchsorted(crossed, column[rows]) for column in (first, second)))
    return Layout(function, first, second, single, crossed, products, 0 if IDENTITY in elements else -1)


def _plain_order(elements: tuple[str, ...], n: int, crossed: IntArray) -> IntArray:
    alone = np.column_stack([np.arange(n), np.full(n, -1)])
    pairs = crossed[np.column_stack(np.triu_indices(len(crossed), 1))]
    columns = [pairs if element == PRODUCT else alone for element in elements]
    return np.column_stack([np.repeat(np.arange(len(elements)), [len(c) for c in columns]), np.concatenate(columns)])


def _original_order(elements: tuple[str, ...], n: int) -> IntArray:
    rows = [(elements.index(IDENTITY), -1, -1)]
    for a in range(n):
        rows += [(i, a, -1) for i, e in enumerate(elements) if e not in (IDENTITY, PRODUCT)]
        rows += [(elements.index(PRODUCT), a, b) for b in range(a, n)] if PRODUCT in elements else []
    return np.array(rows, dtype=np.int64)


def _products(rows: IntArray, first: IntArray, second: IntArray) -> tuple[tuple[int, int, slice], ...]:
    """Return the products of each column with the later ones: they stand one after another."""
    starts = np.flatnonzero(np.diff(first, prepend=-1) > 0)
    sizes = np.unique(first, return_counts=True)[1].tolist()
    blocks = [slice(r, r + m) for r, m in zip(rows[starts].tolist(), sizes, strict=True)]
    return tuple(zip(first[starts].tolist(), second[starts].tolist(), blocks, strict=True))


def _as_slice(rows: IntArray) -> slice | IntArray:
    """Return rows that follow each other as a slice, which is filled without a copy."""
    whole = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
