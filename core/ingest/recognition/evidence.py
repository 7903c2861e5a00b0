"""What the cells of a table show: levels, what depends on what, what is alike in groups of rows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Entries
from dataclasses import field, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from core.arrow import plain
from core.codec import FloatArray, IntArray
from core.frozen import Frozen
from core.ingest._lookup import by_key, once
from core.ingest._units import dimension
from core.ingest.base import Mapping, SideBySide
from core.ingest.recognition.words import MOST_SPELLINGS, are_switched, speaks
from core.ingest.table.cells import Strings
from core.ingest.table.columns import Column
from core.ingest.table.table import Table
from core.texts import combined

MOST_ROWS = 20_000
_BLOCKS = 10
FEW = 64
"""A setting has at most so many levels."""
_FACTOR = 2
"""By how much a column differs that was set."""
_EVENLY = 1.5
"""Times that one level comes more often than another where both were planned."""
_MET = 0.001
"""Share by which whole numbers differ that nobody would set beside each other."""
_AGAIN = 0.03
"""Of a measured number, the share by which it differs when it is measured again."""
SAME = 0.01
"""Share by which what follows from other columns may miss it, as a speed-up the quotient of two times."""
WIDE = 40
"""From so many columns of numbers on, a table is taken for a profiler's."""


class Evidence(Frozen, eq=False):
    """The columns of a table and the rows that are looked at: all, or blocks of rows that follow each other.

    Attributes
    ----------
    columns : those that hold anything
    rows : array of shape (n,)
    """

    table: Table
    columns: tuple[Column, ...]
    rows: IntArray
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Column:
        """Return the column called `name`."""
        return self._named[name]

    @cached_property
    def _named(self) -> dict[str, Column]:
        return {c.name: c for c in reversed(self.columns)}

    def codes(self, name: str) -> IntArray:
        """Return which of its levels a column has in each row."""
        return self._encoded(name)[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the different texts of a column, in order of appearance."""
        return once(self.memo, ("texts", name), lambda: tuple(self._encoded(name)[1].array.to_pylist()))

    def values(self, name: str) -> FloatArray:
        """Return the numbers of a column, NaN where there is none."""
        found: FloatArray = self.column(name).numbers.values[self.rows]
        return found

    def levels(self, name: str) -> int:
        """Return how many different values a column has, an empty cell not counted."""
        return self.different(name) - (not self.whole(name))

    def different(self, name: str) -> int:
        """Return how many different values a column has, an empty cell as one of them."""
        return len(self._encoded(name)[1])

    def switched(self, name: str) -> bool:
        """Whether the different texts of a column are the two positions of a switch."""
        return self.different(name) <= MOST_SPELLINGS and are_switched(self.texts(name))

    def whole(self, name: str) -> bool:
        """Whether no cell of a column is empty, or a word among its numbers."""
        return self.column(name).kind != "mixed" and not self._encoded(name)[1].has_empty()

    def unique(self, name: str) -> bool:
        """Whether no value of a column comes twice."""
        return len(self) > 1 and self.whole(name) and self.levels(name) == len(self)

    def groups(self, names: Iterable[str]) -> IntArray:
        """Return the group of each row, where rows of a group agree in all of these columns."""
        one, of = np.zeros(len(self), dtype=np.int64), tuple(names)
        return once(self.memo, ("groups", *of), lambda: reduce(combined, map(self.codes, of), one))

    def settled(self, name: str, by: Sequence[str], *, groups: IntArray | None = None) -> bool:
        """Whether a column has one value wherever these columns agree, and some of their groups have several rows."""
        of = self.groups(by) if groups is None else groups
        n = int(of.max(initial=-1)) + 1
        return n < len(self) and int(combined(of, self.codes(name)).max(initial=-1)) + 1 == n

    def one_to_one(self, one: str, other: str) -> bool:
        """Whether each value of a column goes with one value of another, and the other way round."""
        n = int(combined(self.codes(one), self.codes(other)).max(initial=-1)) + 1
        return n == self.different(one) == self.different(other)

    def same_texts(self, one: str, other: str) -> bool:
        """Whether two columns have the same different texts, one of a column for each of the other's."""
        return self.texts(one) == self.texts(other) and self.one_to_one(one, other)

    def spells_out(self, name: str, number: str, then: str = r"(?!\d)") -> bool:
        """Whether each text of a column holds its row's number of another, one text for each number."""
        if not 2 <= self.levels(number) <= FEW or not self.one_to_one(name, number):
            return False
        return all(re.search(rf"(?<!\d){re.escape(its)}{then}", own) for own, its in self._beside(name, number))

    def quotes(self, name: str, other: str) -> bool:
        """Whether each text of a column has in it its row's text of another one."""
        return self.different(other) > 1 and all(its in own for own, its in self._beside(name, other))

    def _beside(self, one: str, other: str) -> Iterator[tuple[str, str]]:
        """Yield the different pairs of texts that two columns have in a row."""
        for a, b in {*zip(self.codes(one).tolist(), self.codes(other).tolist(), strict=True)}:
            yield self.texts(one)[a], self.texts(other)[b]

    def leveled(self, name: str) -> bool:
        """Whether a column is complete and has few levels, each several times on average, as a setting has."""
        if (n := self.levels(name)) < 2 or not self.whole(name):
            return False
        return (n <= FEW and 2 * n <= len(self)) or (4 * n <= len(self) and self.integers(name))

    def leveled_beside(self, name: str) -> list[str]:
        """Return the other columns that have few levels."""
        return [c.name for c in self.columns if c.name != name and self.leveled(c.name)]

    def rises(self, name: str) -> bool:
        """Whether a column stands first and its whole numbers grow from row to row."""
        first = self.column(name).place == 0 and self.integers(name)
        return first and len(self) > 3 and bool((np.diff(self.values(name)) > 0).all())

    def doubles(self, name: str) -> bool:
        """Whether a column has four values or more, all of them powers of two."""
        few = self.levels(name) < 4 or not self.integers(name)
        return not few and bool((np.frexp(self.values(name))[0] == 0.5).all())

    def geometric(self, name: str) -> bool:
        """Whether three whole numbers or more, each the same times the one before, come again and equally often.

        In rows without any of them it was not set.
        """
        own = self.values(name)[np.isfinite(self.values(name))]
        if self.levels(name) < 3 or not self.column(name).numeric or (own != np.round(own)).any():
            return False
        there, times = np.unique(own, return_counts=True)
        ratios = there[1:] / np.maximum(there[:-1], 1)
        return bool(len(there) > 2 and there[0] > 0 and np.ptp(ratios) < 1e-9 and times.min() == times.max() > 1)

    def nearly_met(self, name: str) -> bool:
        """Whether some of a column's whole numbers nearly meet, as 1404 and 1405, and others not: they were counted."""
        if not self.integers(name) or self.levels(name) < 3:
            return False
        steps = np.diff(there := np.unique(self.values(name)))
        return bool((steps <= _MET * np.abs(there[1:])).any() and np.ptp(steps) > 0)

    def crossed(self, name: str, groups: IntArray) -> bool:
        """Whether each of several groups of rows has the same levels of a column, as a sweep has."""
        n_groups, n_levels = int(groups.max(initial=-1)) + 1, self.different(name)
        pairs = int(combined(groups, self.codes(name)).max(initial=-1)) + 1
        return n_groups > 1 and pairs == n_groups * n_levels

    def swept(self, name: str, groups: IntArray) -> bool:
        """Whether a column is crossed with three groups or more, or would be had one of them been finished."""
        n_groups, n_levels = int(groups.max()) + 1, self.different(name)
        pairs = np.unique(np.column_stack([groups, self.codes(name)]), axis=0)
        whole = int((np.bincount(pairs[:, 0]) == n_levels).sum())
        return self.crossed(name, groups) or (n_groups > 2 and n_levels > 2 and whole == n_groups - 1)

    def crossed_evenly(self, name: str, other: str) -> bool:
        """Whether each level of a column comes with each of another, and hardly more often than with any other."""
        groups = self.groups([other])
        times = np.bincount(combined(groups, self.codes(name)))
        return self.crossed(name, groups) and bool(times.max() <= _EVENLY * times.min())

    def varied(self, name: str, others: Iterable[str]) -> bool:
        """Whether each of three levels or more of a column comes with each of three or more of another."""
        if self.levels(name) < 3 or not self.leveled(name):
            return False
        there = (n for n in others if n != name and self.levels(n) > 2 and self.leveled(n))
        return any(self.crossed(name, self.groups([n])) for n in there)

    def numbered(self, name: str) -> bool:
        """Whether a column is 1, 2, 3 … or 0, 1, 2 …, each equally often."""
        if not self.column(name).numeric or not self.whole(name):
            return False
        there, times = np.unique(self.values(name), return_counts=True)
        return np.array_equal(there, np.arange(len(there)) + min(there[0], 1)) and 1 < times[0] == times.max()

    def balanced(self, name: str, groups: IntArray) -> bool:
        """Whether a column has few levels, and in each of several groups of rows all of them, equally often.

        Of fractions they are four at least: fewer may come so by chance.
        """
        told = self.integers(name) or not self.column(name).numeric or self.levels(name) > 3
        if not self.leveled(name) or not told or not self.crossed(name, groups):
            return False
        times = np.bincount(combined(groups, self.codes(name))).reshape(-1, self.levels(name))
        return bool((times == times[:, :1]).all())

    def _extremes(self, name: str, groups: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest number of a column in each group of rows."""
        n = int(groups.max(initial=-1)) + 1
        low, high = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(low, groups, self.values(name))
        np.maximum.at(high, groups, self.values(name))
        return low, high

    def differs(self, name: str, groups: IntArray) -> bool:
        """Whether a column's numbers, none of them negative, differ by factors in most groups of several rows."""
        low, high = self._extremes(name, groups)
        several = np.bincount(groups) > 1
        return bool((low >= 0).all() and 2 * (high > _FACTOR * low)[several].sum() > several.sum())

    def steady(self, name: str, groups: IntArray) -> bool:
        """Whether a column differs in groups of rows, but by hundredths at most, as what is measured again does."""
        low, high = self._extremes(name, groups)
        return bool((high > low).any() and (high - low <= _AGAIN * np.abs(high)).all())

    def integers(self, name: str) -> bool:
        """Whether a column is complete and all its numbers are whole."""
        values = self.values(name)
        return self.column(name).kind == "number" and bool((values == np.round(values)).all())

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The columns of numbers."""
        return tuple(c.name for c in self.columns if c.numeric)

    @property
    def wide(self) -> bool:
        """Whether a table has as many columns of numbers as a profiler writes."""
        return len(self.numeric) > WIDE

    def _encoded(self, name: str) -> tuple[IntArray, Strings]:
        """Return (codes, the different texts), in order of appearance."""

        def made() -> tuple[IntArray, Strings]:
            coded = self.table.columns[self.column(name).place].some(self.rows).array.dictionary_encode()
            return plain(coded.indices).astype(np.int64), Strings(coded.dictionary)

        return once(self.memo, name, made)


def rows_seen(table: Table) -> IntArray:
    """Return the rows of a table that are looked at."""
    if (n := len(table)) <= MOST_ROWS:
        return np.arange(n)
    size = MOST_ROWS // _BLOCKS
    starts = np.linspace(0, n - size, _BLOCKS).astype(np.int64)
    return (starts[:, None] + np.arange(size)).ravel()


class Verdict(Frozen):
    """What one column was taken for, and why; see `RecognisedColumn`; a dimension only if no name says it."""

    role: str
    why: str
    sure: float = 0.9
    formula: str = ""
    unit: str | None = None
    dimension: str = ""


Verdicts = dict[str, Verdict]


class Known(Evidence, eq=False):
    """A table's evidence, what a user said, the verdicts so far, and outcomes whose columns stand beside each other."""

    given: Mapping = field(default_factory=Mapping)
    verdicts: Entries[str, Verdict] = field(default_factory=dict)
    beside: tuple[SideBySide, ...] = ()

    def with_(self, found: Verdicts) -> "Known":
        """Return the same with further verdicts; a column keeps the first that it gets."""
        return replace(self, verdicts={**found, **self.verdicts})

    def instead(self, found: Verdicts) -> "Known":
        """Return the same with verdicts in place of earlier ones."""
        old = self.verdicts
        kept = {n: replace(v, unit=old[n].unit) if n in old and v.unit is None else v for n, v in found.items()}
        return replace(self, verdicts={**old, **kept})

    @property
    def free(self) -> tuple[str, ...]:
        """The columns without a verdict."""
        return tuple(c.name for c in self.columns if c.name not in self.verdicts)

    @property
    def free_numbers(self) -> tuple[str, ...]:
        """The columns of numbers without a verdict."""
        return tuple(c.name for c in self.columns if c.name not in self.verdicts and c.numeric)

    def named(self, *roles: str) -> tuple[str, ...]:
        """Return the columns with these roles, in the table's order."""
        places = sorted(place for role in {*roles} for place in self._places.get(role, ()))
        return tuple(self.columns[place].name for place in places)

    def numbers(self, *roles: str) -> tuple[str, ...]:
        """Return the columns of numbers with these roles."""
        return tuple(name for name in self.named(*roles) if self.column(name).numeric)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the columns of each role stand."""
        verdicts = ((self.verdicts.get(column.name), place) for place, column in enumerate(self.columns))
        return by_key((verdict.role, place) for verdict, place in verdicts if verdict)

    @property
    def machine(self) -> str | None:
        """The column that names the machine."""
        return next(iter(self.named("machine")), None)

    @property
    def machines(self) -> str | None:
        """The column that names the machines, where there are several: what is the same in all rows says nothing."""
        machine = self.machine
        return machine if machine is not None and self.levels(machine) > 1 else None

    def of_machine(self, name: str) -> bool:
        """Whether the machine settles a column, where there are several."""
        return self.machines is not None and self.settled(name, [self.machines])

    @property
    def what_ran(self) -> tuple[str, ...]:
        """The columns that name application and input."""
        return self.named("application", "input")

    def unit(self, name: str) -> str:
        """Return the unit that the file states for a column, "" if none."""
        verdict = self.verdicts.get(name)
        return verdict.unit if verdict and verdict.unit is not None else self.column(name).unit

    def dimension(self, name: str) -> str:
        """Return what a column is one of by its unit or name; a slack, of which more is better, is no time."""
        return "count" if speaks(name, "slack") else dimension(self.unit(name), name)
