"""Which columns two plain tables share as a key, and which row of the one each row of the other means."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import IntArray
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, is_outcome, is_run, key
from core.ingest.table.cells import Cells
from core.ingest.table.columns import study
from core.ingest.table.table import Table

_SHARE = 0.5
"""Of the keys of the trials, how many the other table has at least."""
_NEARLY_ALL = 0.9
"""The same for keys that are numbers alone, or where both tables have outcomes: any two sweeps share a size."""
_ROLES = (frozenset(MACHINE), APPLICATION, INPUT)

Pair = tuple[int, int]
"""The places of a column in the one table and in the other."""


@dataclass(frozen=True)
class Link:
    """How a table's rows find those of another.

    Attributes
    ----------
    by : the columns of the key, as the first table calls them
    pairs : their places in both tables
    own, other : the key of each row, as a number that both tables share; -1 where a cell of it is empty
    unique : whether no two rows of the other table have one key
    """

    by: tuple[str, ...]
    pairs: tuple[Pair, ...]
    own: IntArray
    other: IntArray

    @property
    def unique(self) -> bool:
        """Whether each key stands once in the other table."""
        return len(np.unique(self.other)) == len(self.other)

    @property
    def one_to_one(self) -> bool:
        """Whether no two rows of either table have one key."""
        return self.unique and len(np.unique(self.own)) == len(self.own) > 1

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many keys both tables have, the first alone, and the other alone."""
        own, other = (np.unique(keys[keys >= 0]) for keys in (self.own, self.other))
        both = len(np.intersect1d(own, other))
        return both, len(own) - both, len(other) - both

    @property
    def share(self) -> float:
        """Of the first table's keys, how many the other has."""
        both, missing, _ = self.counts
        return both / max(both + missing, 1)


def outcomes(table: Table) -> list[str]:
    """Return the columns that are called like an outcome."""
    return [column.name for column in study(table).columns if column.numeric and is_outcome(column.name)]


def find_link(table: Table, other: Table) -> Link | None:
    """Return the key by which a table's rows find the other's; None if the two share none.

    One column that tells the other table's rows apart is enough; else all columns that both have and
    whose cells meet. Keys of numbers alone must be there for nearly all rows.
    """
    ranked = sorted(_pairs(table, other), key=lambda pair: _rank(table, pair[0]))
    singles = [link for pair in ranked if (link := _link(table, other, [pair])).unique and _holds(table, other, link)]
    if singles:
        return singles[0]
    meeting = [pair for pair in ranked if _link(table, other, [pair]).share >= _SHARE]
    whole = _link(table, other, meeting) if meeting else None
    return whole if whole and _holds(table, other, whole) else None


def _pairs(table: Table, other: Table) -> Iterator[Pair]:
    """Yield the columns that may mean the same: called alike, or by words of one role."""
    left = [key(name) for name in table.names]
    both = bool(outcomes(table) and outcomes(other))
    for j, name in enumerate(other.names):
        word = key(name)
        if is_outcome(name) or is_run(name) or (both and study(other).columns[j].numeric):
            continue  # the numbers of two measurements meet by chance
        same = [i for i, own in enumerate(left) if own == word]
        role = next((words for words in _ROLES if word in words), None)
        alike = [i for i, own in enumerate(left) if role and own in role and own not in map(key, other.names)]
        yield from ((i, j) for i in same or alike)


def _rank(table: Table, place: int) -> tuple[int, bool, int]:
    word = key(table.names[place])
    role = next((r for r, words in enumerate(_ROLES) if word in words), len(_ROLES))
    return role, study(table).columns[place].numeric, place


def _holds(table: Table, other: Table, link: Link) -> bool:
    """Whether a key is one: words that meet, or numbers of which nearly all do."""
    both, _, extra = link.counts
    if not both or (both == 1 and extra + len(table) == 1):
        return False
    words = [pair for pair in link.pairs if not study(table).columns[pair[0]].numeric]
    two_outcomes = bool(outcomes(table) and outcomes(other))
    named = any(_rank(table, i)[0] < len(_ROLES) for i, _ in words) and not two_outcomes
    return named or link.share >= (_SHARE if words and not two_outcomes else _NEARLY_ALL)


def _link(table: Table, other: Table, pairs: Sequence[Pair]) -> Link:
    own, others = np.zeros(len(table), dtype=np.int64), np.zeros(len(other), dtype=np.int64)
    for i, j in pairs:
        left, right = _joint(table.columns[i], other.columns[j])
        n = 1 + max(int(left.max(initial=0)), int(right.max(initial=0)))
        codes = np.concatenate([own * n + left, others * n + right])
        empty = np.concatenate([(own < 0) | (left < 0), (others < 0) | (right < 0)])
        codes = np.where(empty, -1, np.unique(codes, return_inverse=True)[1].reshape(-1))
        own, others = codes[: len(own)], codes[len(own) :]
    return Link(tuple(table.names[i] for i, _ in pairs), tuple(pairs), own, others)


def _joint(left: Cells, right: Cells) -> tuple[IntArray, IntArray]:
    """Return the cells of both columns as numbers, alike where the texts or the numbers in them are; -1 if empty."""
    known = {"": -1}
    found = []
    for cells in (left, right):
        codes, texts = cells.encoded()
        numbered = np.array([known.setdefault(_plain(text), len(known) - 1) for text in texts], dtype=np.int64)
        found.append(numbered[codes])
    return found[0], found[1]


def _plain(text: str) -> str:
    try:
        return repr(float(text))
    except ValueError:
        return text
