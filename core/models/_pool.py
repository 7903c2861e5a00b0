"""The pool: which basis functions of which columns may become terms, and how a term is evaluated."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.basis import BASES
from core.basis.base import Basis
from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.option import specs

PRODUCT = "product"
IDENTITY = "identity"
LINEAR = "power:1"
SHIFT = 0.1
FLOOR = 0.05
TABLE_1 = ("power:-2", "power:-1", "power:-0.5", "log2", "power:0.5", "power:1", "power:2", PRODUCT)
ORIGINAL = tuple(e.replace("power", "eiger_power").replace("log2", "eiger_log") for e in TABLE_1)

POOLS: dict[str, tuple[str, ...]] = {
    "signed": ("power:1", "power:2", "asinh", "signed_power:0.5", PRODUCT),
    "table1": TABLE_1,
    "linear": (LINEAR,),
    "quadratic": (LINEAR, "power:2", PRODUCT),
    "eiger1": (IDENTITY, *ORIGINAL),
}
"""Named pools: `signed` is defined everywhere; `table1` is the paper's Table I."""


@dataclass(frozen=True)
class Factor:
    """A basis function of one column: function(u) with u = (x - low) / width + shift.

    Attributes
    ----------
    function : pool element, such as "log2" or "power:-2"
    variable : number of the column
    floor : smallest u that is answered; below it there is a pole too near. None if all will do
    """

    function: str
    variable: int
    low: float = 0.0
    width: float = 1.0
    shift: float = 0.0
    floor: float | None = None

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Return the factor for rows of shape (n, n_columns), NaN where u is below the floor."""
        x = X[:, self.variable]
        u = x if self.plain else (x - self.low) / self.width + self.shift
        if self.floor is not None:
            u = np.where(u >= self.floor, u, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            return basis_of(self.function).evaluate(u)

    @property
    def plain(self) -> bool:
        """Whether the function acts on the column itself."""
        return self.low == 0 and self.width == 1 and self.shift == 0

    @property
    def limit(self) -> float:
        """The column's value at the floor."""
        return self.low + ((self.floor or 0.0) - self.shift) * self.width

    def formula(self, names: Sequence[str]) -> str:
        """Return the factor as a person reads it; u(x) is x shifted into the positive."""
        name = names[self.variable]
        return basis_of(self.function).formula(name if self.plain else f"u({name})")


@dataclass(frozen=True)
class Term:
    """A product of factors; with no factors, the constant 1."""

    factors: tuple[Factor, ...]

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Return the term for rows of shape (n, n_columns)."""
        value = np.ones(len(X))
        for factor in self.factors:
            value = value * factor.evaluate(X)
        return value

    def formula(self, names: Sequence[str]) -> str:
        """Return the term as a person reads it."""
        return "·".join(f.formula(names) for f in self.factors) or "1"


@dataclass(frozen=True)
class Pool:
    """The candidates of one selection, in order, as numbers rather than objects.

    Attributes
    ----------
    functions : the elements that occur
    function : array of shape (n_candidates,), which of `functions`
    first, second : arrays of shape (n_candidates,), columns; -1 where there is none
    low, width, shift, floor : arrays of shape (n_columns,), what functions act on that need a
        positive argument
    """

    functions: tuple[str, ...]
    function: IntArray
    first: IntArray
    second: IntArray
    low: FloatArray
    width: FloatArray
    shift: FloatArray
    floor: FloatArray

    def __len__(self) -> int:
        return len(self.function)

    def term(self, i: int) -> Term:
        """Return candidate i as data."""
        function, a, b = self.functions[self.function[i]], int(self.first[i]), int(self.second[i])
        if function == IDENTITY:
            return Term(())
        if function == PRODUCT:
            return Term((Factor(LINEAR, a), Factor(LINEAR, b)))
        factor = Factor(function, a)
        if basis_of(function).positive:
            numbers = (float(v[a]) for v in (self.low, self.width, self.shift, self.floor))
            factor = Factor(function, a, *numbers)
        return Term((factor,))

    def formula(self, i: int, names: Sequence[str]) -> str:
        """Return candidate i as a person reads it."""
        return self.term(i).formula(names)


@cache
def elements(pool: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pool elements that names of pools and of elements stand for, each once.

    Raises
    ------
    OptionError
        If a name is neither.
    """
    found: dict[str, None] = {}
    for name in pool:
        for element in POOLS.get(name, (name,)):
            if element not in (PRODUCT, IDENTITY):
                basis_of(element)
            found[element] = None
    if not found:
        raise OptionError(f"The pool is empty; choose from {', '.join(POOLS)} or single functions.")
    return tuple(found)


@cache
def basis_of(element: str) -> Basis:
    """Return the basis function that an element such as `power:-2` names."""
    name, _, value = element.partition(":")
    if name not in BASES:
        known = ", ".join([*POOLS, *BASES, PRODUCT])
        raise OptionError(f"There is no pool or function '{element}'; there are: {known}.")
    cls = BASES[name]
    options = [spec.name for spec in specs(cls)]
    if value and not options:
        raise OptionError(f"The function '{name}' takes no number, got '{element}'.")
    return cls.parse({options[0]: value} if value else {})


def build_pool(X: FloatArray, pool: tuple[str, ...]) -> tuple[Pool, FloatArray]:
    """Return the candidates that these columns give, and their values, one candidate per row.

    Functions that need a positive argument act on a column itself if all its values are
    positive, else on u = (x - lo) / (hi - lo) + 0.1 over its range lo to hi, so that the pole
    is a tenth of the range below the data.

    Parameters
    ----------
    X : array of shape (n_trials, n_columns)
    pool : names of pools or elements

    Returns
    -------
    pool, array of shape (n_candidates, n_trials)
    """
    named = elements(pool)
    S = np.ascontiguousarray(X.T)
    low, width, shift, floor = _coordinates(S)
    U = (S - low[:, None]) / width[:, None] + shift[:, None]
    if IDENTITY in named:
        function, first, second = _original_order(named, len(S))
    else:
        function, first, second = _plain_order(named, len(S))
    values = np.empty((len(function), len(X)))
    with np.errstate(all="ignore"):
        for i, element in enumerate(named):
            rows = np.flatnonzero(function == i)
            whole = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
            where = slice(rows[0], rows[-1] + 1) if whole else rows
            _fill(values, where, element, S, U, first[where], second[where])
    return Pool(named, function, first, second, low, width, shift, floor), values


def _coordinates(S: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    lo, hi = S.min(axis=1), S.max(axis=1)
    natural = lo > 0
    span = np.where(hi > lo, hi - lo, 1.0)
    return (
        np.where(natural, 0.0, lo),
        np.where(natural, 1.0, span),
        np.where(natural, 0.0, SHIFT),
        np.where(natural, lo / 2, FLOOR),
    )


def _fill(
    values: FloatArray, where: slice | IntArray, element: str, S: FloatArray, U: FloatArray,
    first: IntArray, second: IntArray,
) -> None:  # fmt: skip
    """Write the candidates of one element into their rows."""
    if element == IDENTITY:
        values[where] = 1.0
    elif element == PRODUCT and isinstance(where, slice):
        for row, a, b in zip(values[where], first, second, strict=True):
            np.multiply(S[a], S[b], out=row)
    elif element == PRODUCT:
        values[where] = S[first] * S[second]
    else:
        basis = basis_of(element)
        argument = U if basis.positive else S
        values[where] = basis.evaluate(argument if isinstance(where, slice) else argument[first])


def _plain_order(named: tuple[str, ...], n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Functions in the pool's order, each of all columns; products of different columns."""
    a, b = (np.array([]), np.array([])) if PRODUCT not in named else np.triu_indices(n, 1)
    first = [a if e == PRODUCT else np.arange(n) for e in named]
    second = [b if e == PRODUCT else np.full(n, -1) for e in named]
    function = [np.full(len(f), i) for i, f in enumerate(first)]
    whole = (np.concatenate(parts).astype(np.int64) for parts in (function, first, second))
    made, one, two = whole
    return made, one, two


def _original_order(named: tuple[str, ...], n: int) -> tuple[IntArray, IntArray, IntArray]:
    """The original's order: the constant, then per column its functions and its products from itself on."""
    rows = [(named.index(IDENTITY), -1, -1)]
    for a in range(n):
        rows += [(i, a, -1) for i, e in enumerate(named) if e not in (IDENTITY, PRODUCT)]
        rows += [(named.index(PRODUCT), a, b) for b in range(a, n)] if PRODUCT in named else []
    table = np.array(rows, dtype=np.int64)
    return table[:, 0], table[:, 1], table[:, 2]
