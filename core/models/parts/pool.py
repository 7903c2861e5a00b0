"""The pool: which basis functions of which columns may become terms, and how a term is evaluated."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from core.basis import BASES
from core.basis.base import Basis
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import ModelFileError, OptionError, holder
from core.models.base import within
from core.models.parts.columns import IDENTITY, PRODUCT, Layout, lay_out
from core.option import specs

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

hold = holder("The stepwise model")


class Factor(Frozen):
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
        with np.errstate(over="ignore", invalid="ignore"):
            u = self._argument(X)
            if self.floor is not None:
                u = np.where(u >= self.floor, u, np.nan)
            return basis_of(self.function).evaluate(u)

    def too_low(self, X: FloatArray) -> BoolArray:
        """Return which rows are below the floor, and so evaluate to NaN."""
        return self._argument(X) < (-np.inf if self.floor is None else self.floor)

    def _argument(self, X: FloatArray) -> FloatArray:
        x = X[:, self.variable]
        return x if self.plain else (x - self.low) / self.width + self.shift

    def check(self, width: int) -> None:
        """Raise ModelFileError unless the factor can be evaluated on `width` columns."""
        positive = _known(self.function).positive
        hold(0 <= self.variable < width, "has a term of a column that is not there")
        hold(self.width > 0, "has a term of a column without a range")
        hold(not positive or (self.floor or 0.0) > 0, "has a term without a floor above its pole")

    @property
    def plain(self) -> bool:
        """Whether the function acts on the column itself."""
        return self.low == 0 and self.width == 1 and self.shift == 0

    @property
    def limit(self) -> float:
        """The column's value at the floor, for reasons."""
        return self.low + ((self.floor or 0.0) - self.shift) * self.width

    def formula(self, names: Sequence[str]) -> str:
        """Return the factor as a person reads it; u(x) is x shifted into the positive."""
        name = names[self.variable]
        argument = self.written(name) or f"u({name})"
        bare = self.function == LINEAR and not self.plain
        return basis_of(self.function).formula(f"({argument})" if bare else argument)

    def written(self, name: str) -> str:
        """Return what the function acts on in terms of the column; "" where that is told apart, as u(x)."""
        if self.shift not in (0.0, 1.0):
            return ""
        moved = name if self.low == 0 else f"{name} {'−' if self.low > 0 else '+'} {abs(self.low):.4g}"
        if self.width != 1:
            moved = f"{f'({moved})' if self.low else moved}/{self.width:.4g}"
        return f"1 + {moved}" if self.shift else moved


class Term(Frozen):
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
        first = self.factors[0] if self.factors else None
        if first is not None and self.factors == (first, first) and not first.plain:
            return f"{first.formula(names)}^2"
        return "·".join(f.formula(names) for f in self.factors) or "1"


class Pool(Frozen):
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
        learnt = (self.low, self.width, self.shift, self.floor) if basis_of(function).positive else ()
        return Term((Factor(function, a, *(float(v[a]) for v in learnt)),))

    def formula(self, i: int, names: Sequence[str]) -> str:
        """Return candidate i as a person reads it."""
        return self.term(i).formula(names)

    def only(self, candidates: IntArray) -> "Pool":
        """Return the pool of some of the candidates."""
        function, first, second = (v[candidates] for v in (self.function, self.first, self.second))
        return replace(self, function=function, first=first, second=second)

    def check(self, width: int) -> None:
        """Raise ModelFileError unless the arrays fit each other and `width` columns."""
        n, whole = len(self), "has a pool that does not hold together"
        hold(all(v.shape == (n,) for v in (self.function, self.first, self.second)), whole)
        hold(all(v.shape == (width,) for v in (self.low, self.width, self.shift, self.floor)), whole)
        hold(within(self.function, len(self.functions)), "has a pool with an unknown function")
        for element in self.functions:
            if element not in (PRODUCT, IDENTITY):
                _known(element)
        kinds = np.array([{IDENTITY: 0, PRODUCT: 2}.get(e, 1) for e in self.functions], dtype=np.int64)
        n_columns = kinds[self.function]
        for column, needed in ((self.first, n_columns > 0), (self.second, n_columns > 1)):
            hold(within(column[needed], width), "has a pool of a column that is not there")


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


def _known(element: str) -> Basis:
    """Return the function that a model file names."""
    try:
        return basis_of(element)
    except OptionError as error:
        raise ModelFileError(str(error)) from None


def build_pool(X: FloatArray, pool: tuple[str, ...], layout: Layout | None = None) -> tuple[Pool, FloatArray]:
    """Return the candidates that these columns give, and their values, one candidate per row.

    Functions that need a positive argument act on a column itself if all its values are
    positive, else on u = (x - lo) / (hi - lo) + 0.1 over its range lo to hi, so that the pole
    is a tenth of the range below the data.

    Parameters
    ----------
    X : array of shape (n_trials, n_columns)
    pool : names of pools or elements
    layout : which candidates; all that the pool gives if None

    Returns
    -------
    pool, array of shape (n_candidates, n_trials)
    """
    named = elements(pool)
    S = np.ascontiguousarray(X.T)
    layout = layout or lay_out(named, len(S))
    low, width, shift, floor = coordinates(S.min(axis=1), S.max(axis=1))
    positive = any(basis_of(element).positive for element, _ in layout.single)
    U = (S - low[:, None]) / width[:, None] + shift[:, None] if positive else S
    values = np.empty((len(layout.function), len(X)))
    with np.errstate(all="ignore"):
        for element, rows in layout.single:
            basis = basis_of(element)
            values[rows] = basis.evaluate(U if basis.positive else S)
        crossed = S if len(layout.crossed) == len(S) else S[layout.crossed]
        for column, start, block in layout.products:
            np.multiply(crossed[column], crossed[start:], out=values[block])
    if layout.constant >= 0:
        values[layout.constant] = 1.0
    return Pool(named, layout.function, layout.first, layout.second, low, width, shift, floor), values


def coordinates(lo: FloatArray, hi: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return low, width, shift and floor of columns (see `Factor`) from their smallest and largest values."""
    natural = lo > 0
    span = np.where(hi > lo, hi - lo, 1.0)
    return (
        np.where(natural, 0.0, lo),
        np.where(natural, 1.0, span),
        np.where(natural, 0.0, SHIFT),
        np.where(natural, lo / 2, FLOOR),
    )
