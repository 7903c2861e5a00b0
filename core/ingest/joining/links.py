"""Which columns two plain tables share as a key, which row of one each row of the other means; both side by side."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.codec import IntArray
from core.errors import count
from core.frozen import Frozen
from core.ingest._lookup import first_by_key
from core.ingest.names import shown
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.tools import outcomes_of_tool
from core.ingest.table.cells import Cells
from core.ingest.table.columns import study
from core.ingest.table.table import Table

_SHARE = 0.5
"""Of the keys of the trials, how many the other table has at least."""
_NEARLY_ALL = 0.9
"""The same for keys that are numbers alone, or where both tables have outcomes: any two sweeps share a size."""
_WORD = re.compile(r"[^\W_]+")
_ROLES = (frozenset(lexicon.MACHINE), lexicon.APPLICATION, lexicon.INPUT)

Pair = tuple[int, int]
"""The places of a column in the one table and in the other."""


class Link(Frozen):
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
    """Return the columns that are called like an outcome, or as a tool calls its own."""
    own = outcomes_of_tool(table.names)
    return [c.name for c in study(table).columns if c.numeric and (c.name in own or lexicon.is_outcome(c.name))]


def find_link(table: Table, other: Table) -> Link | None:
    """Return the key by which a table's rows find the other's; None if the two share none.

    One column that tells the other table's rows apart is enough; else all columns that both have and
    whose cells meet. Keys of numbers alone must be there for nearly all rows. Where nothing meets, names
    of what was measured find the facts whose name has the same words and more or fewer: `/data/web.mtx`
    finds `web`, and `NVIDIA A100-SXM4` finds `A100`.
    """
    ranked = sorted(_pairs(table, other), key=lambda pair: _rank(table, pair[0]))
    singles = [link for pair in ranked if (link := _link(table, other, [pair])).unique and _holds(table, other, link)]
    if singles:
        return singles[0]
    meeting = [pair for pair in ranked if _link(table, other, [pair]).share >= _SHARE]
    whole = _link(table, other, meeting) if meeting else None
    return whole if whole and _holds(table, other, whole) else _loose_link(table, other)


def _pairs(table: Table, other: Table) -> Iterator[Pair]:
    """Yield the columns that may mean the same: called alike, or by words of one role."""
    left = [lexicon.key(name) for name in table.names]
    both = bool(outcomes(table) and outcomes(other))
    for j, name in enumerate(other.names):
        word = lexicon.key(name)
        if lexicon.is_outcome(name) or lexicon.is_run(name) or (both and study(other).columns[j].numeric):
            continue  # the numbers of two measurements meet by chance
        same = [i for i, own in enumerate(left) if own == word]
        role = next((words for words in _ROLES if word in words), None)
        alike = [i for i, own in enumerate(left) if role and own in role and own not in map(lexicon.key, other.names)]
        yield from ((i, j) for i in same or alike)


def _rank(table: Table, place: int) -> tuple[int, bool, int]:
    word = lexicon.key(table.names[place])
    role = next((r for r, words in enumerate(_ROLES) if word in words), len(_ROLES))
    return role, study(table).columns[place].numeric, place


def _holds(table: Table, other: Table, link: Link) -> bool:
    """Whether a key is one: words that meet, or numbers of which nearly all do."""
    both, _, extra = link.counts
    if not both or (both == 1 and extra + len(table) == 1) or (both == 1 and not (extra or link.unique)):
        return False  # what all rows of the other table have tells none of them apart
    words = [pair for pair in link.pairs if not study(table).columns[pair[0]].numeric]
    if not words and all(lexicon.is_setting(table.names[i]) for i, _ in link.pairs):
        return False  # a plot over the threads says what came out, and nothing that a trial could be told by
    two_outcomes = bool(outcomes(table) and outcomes(other))
    named = any(_rank(table, i)[0] < len(_ROLES) for i, _ in words) and not two_outcomes
    return named or link.share >= (_SHARE if words and not two_outcomes else _NEARLY_ALL)


def _loose_link(table: Table, other: Table) -> Link | None:
    """Return the names of a table with outcomes that nearly all mean one row each of a table without; None if none."""
    if not outcomes(table) or not all(map(lexicon.is_machine_fact, outcomes(other))):
        return None
    for j, facts in enumerate(other.columns):
        rows, called = facts.encoded()
        words = [_words(text) for text in called]
        if len({*called}) < max(2, len(other)) or study(other).columns[j].numeric or not all(words):
            continue
        for i, cells in enumerate(table.columns):
            codes, texts = cells.encoded()
            if len(texts) < 2 or study(table).columns[i].numeric:
                continue
            meant = np.array([_meant(_words(text), words) for text in texts], dtype=np.int64)
            if np.mean(meant >= 0) >= _NEARLY_ALL and len({*meant.tolist()} - {-1}) > 1:
                return Link((table.names[i],), ((i, j),), meant[codes], np.asarray(rows, dtype=np.int64))
    return None


def _words(text: str) -> frozenset[str]:
    """Return the words and numbers of a name; none if it is of numbers alone."""
    words = frozenset(_WORD.findall(text.casefold()))
    return frozenset[str]() if all(map(str.isdecimal, words)) else words


def _meant(words: frozenset[str], called: Sequence[frozenset[str]]) -> int:
    """Return which of some names has the same words, more or fewer; -1 if none, or several as well."""
    shared = [len(words & own) if words and (words <= own or own <= words) else 0 for own in called]
    best = max(shared)
    return shared.index(best) if best and shared.count(best) == 1 else -1


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
        numbered = np.array([known.setdefault(as_number(text), len(known) - 1) for text in texts], dtype=np.int64)
        found.append(numbered[codes])
    return found[0], found[1]


def as_number(text: str) -> str:
    """Return the number that a text is, in one way of writing it; else the text."""
    try:
        return repr(float(text) + 0.0)  # -0 is 0
    except ValueError:
        return text


def beside(table: Table, other: Table, places: Sequence[int], rows: IntArray, *, facts: bool) -> Table:
    """Return the table with columns of another at the end; empty cells where the other has no row.

    Parameters
    ----------
    places : which columns of the other
    rows : array of shape (n_rows,): the other's row for each row of the table, -1 if none
    facts : whether the other's cells count where both have a column of one name; else the table's own do
    """
    plain = (place for place in places if study(other).columns[place].kind != "empty")
    taken = {place: _spread(other.columns[place], rows) for place in plain}
    both = {other.names[place]: place for place in taken if other.names[place] in table.names}
    differing = {name: n for name, place in both.items() if (n := _n_differing(table, name, taken[place], rows))}
    gone = [table.names.index(name) for name in both] if facts else []
    kept = table.of([i for i in range(len(table.names)) if i not in gone])
    new = [(i, cells) for i, cells in taken.items() if facts or other.names[i] not in both]
    return replace(
        _with_columns(kept, [(other.names[i], other.units[i], other.headers[i], cells) for i, cells in new]),
        skipped=(*table.skipped, *(replace(s, where=f"{other.source} {s.where}") for s in other.skipped)),
        warnings=(*table.warnings, *other.warnings, *_told(table, other, differing, facts=facts)),
    )


def _with_columns(table: Table, added: Sequence[tuple[str, str, str, Cells]]) -> Table:
    """Return the table with further columns: name, unit, header and cells of each."""
    return replace(
        table,
        names=(*table.names, *(name for name, _, _, _ in added)),
        units=(*table.units, *(unit for _, unit, _, _ in added)),
        headers=(*table.headers, *(header for _, _, header, _ in added)),
        columns=(*table.columns, *(cells for _, _, _, cells in added)),
        trimmed=(*table.trimmed, *(0 for _ in added)),
        memo={},
    )


def _spread(cells: Cells, rows: IntArray) -> Cells:
    """Return the cells of rows in any order, empty where there is none (-1)."""
    codes, texts = cells.encoded()
    return Cells.coded(np.where(rows < 0, len(texts), codes[rows]), (*texts, ""))


def with_column(table: Table, name: str, text: str, unit: str = "") -> Table:
    """Return the table with a column that holds one text."""
    return _with_columns(table, [(name, unit, name, Cells.of([text]).take(np.zeros(len(table), dtype=np.int64)))])


def widened(tables: Sequence[Table]) -> list[Table]:
    """Return tables each with the columns of all, empty where it lacks them, in one order."""
    units = first_by_key(pair for table in tables for pair in zip(table.names, table.units, strict=True))

    def wide(table: Table) -> Table:
        for name in units.keys() - {*table.names}:
            table = with_column(table, name, "", units[name])
        return table if table.names == (*units,) else table.of([table.names.index(name) for name in units])

    return [*map(wide, tables)]


def averaged(table: Table, keys: IntArray) -> tuple[Table, IntArray]:
    """Return (a row for each key, its key): numbers averaged over the rows of the key, texts where they agree."""
    different, first, group = np.unique(keys, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    columns = []
    for column, cells in zip(study(table).columns, table.columns, strict=True):
        numbers = column.kind == "number"
        texts = _means(column.numbers.values, group, len(first)) if numbers else _agreeing(cells, group, first)
        columns.append(Cells.of(texts))
    told = f"{table.source}: repeats of one key were averaged, {count(len(table), 'row')} to {len(first)}."
    one = replace(table, columns=tuple(columns), lines=table.lines[first], warnings=(*table.warnings, told), memo={})
    return one, different


def _means(values: np.ndarray[tuple[int], np.dtype[np.float64]], group: IntArray, n: int) -> list[str]:
    known = ~np.isnan(values)
    total = np.bincount(group[known], weights=values[known], minlength=n)
    count = np.bincount(group[known], minlength=n)
    return [repr(t / c) if c else "" for t, c in zip(total.tolist(), count.tolist(), strict=True)]


def _agreeing(cells: Cells, group: IntArray, first: IntArray) -> list[str]:
    codes, texts = cells.encoded()
    differ = np.unique(group[codes != codes[first][group]])
    return ["" if i in set(differ.tolist()) else texts[codes[row]] for i, row in enumerate(first.tolist())]


def _n_differing(table: Table, name: str, cells: Cells, rows: IntArray) -> int:
    """Return in how many rows a column of both tables has another number or text; empty cells do not count."""
    own = table.columns[table.names.index(name)]
    pairs = zip(own.texts(), cells.texts(), (rows >= 0).tolist(), strict=True)
    return sum(there and a != b and "" not in (a, b) and as_number(a) != as_number(b) for a, b, there in pairs)


def _told(table: Table, other: Table, differing: dict[str, int], *, facts: bool) -> list[str]:
    if not differing:
        return []
    named = ", ".join(f"'{shown(name)}' in {count(n, 'row')}" for name, n in list(differing.items())[:5])
    counts = other.source if facts else table.source
    return [f"{table.source} and {other.source} differ in {named}: {counts} counts."]
