"""Columns of one plain table beside those of another, row by row as a key says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import IntArray
from core.ingest.names import shown
from core.ingest.table.cells import Cells
from core.ingest.table.columns import study
from core.ingest.table.table import Table


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
    new = [place for place in taken if facts or other.names[place] not in both]
    return replace(
        kept,
        names=(*kept.names, *(other.names[i] for i in new)),
        units=(*kept.units, *(other.units[i] for i in new)),
        headers=(*kept.headers, *(other.headers[i] for i in new)),
        columns=(*kept.columns, *(taken[i] for i in new)),
        trimmed=(*kept.trimmed, *(0 for _ in new)),
        skipped=(*table.skipped, *(replace(s, where=f"{other.source} {s.where}") for s in other.skipped)),
        warnings=(*table.warnings, *other.warnings, *_told(table, other, differing, facts=facts)),
        memo={},
    )


def _spread(cells: Cells, rows: IntArray) -> Cells:
    """Return the cells of rows in any order, empty where there is none (-1)."""
    codes, texts = cells.encoded()
    return Cells.coded(np.where(rows < 0, len(texts), codes[rows]), (*texts, ""))


def with_column(table: Table, name: str, text: str) -> Table:
    """Return the table with a column that holds one text."""
    return replace(
        table,
        names=(*table.names, name),
        units=(*table.units, ""),
        headers=(*table.headers, name),
        columns=(*table.columns, Cells.of([text]).take(np.zeros(len(table), dtype=np.int64))),
        trimmed=(*table.trimmed, 0),
        memo={},
    )


def widened(table: Table, others: Sequence[Table]) -> Table:
    """Return the table with the columns of others, empty where it lacks them, in one order for all of them."""
    names = list(dict.fromkeys(name for other in others for name in other.names))
    found = table
    for other in others:
        for i, name in enumerate(other.names):
            if name not in found.names:
                found = with_column(found, name, "")
                found = replace(found, units=(*found.units[:-1], other.units[i]))
    return found if list(found.names) == names else found.of([found.names.index(name) for name in names])


def averaged(table: Table, keys: IntArray) -> tuple[Table, IntArray]:
    """Return (a row for each key, its key): numbers averaged over the rows of the key, texts where they agree."""
    different, first, group = np.unique(keys, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    columns = []
    for column, cells in zip(study(table).columns, table.columns, strict=True):
        numbers = column.kind == "number"
        texts = _means(column.numbers.values, group, len(first)) if numbers else _agreeing(cells, group, first)
        columns.append(Cells.of(texts))
    told = f"{table.source}: repeats of one key were averaged, {len(table)} rows to {len(first)}."
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
    return sum(there and a != b and bool(a) and bool(b) and not _same(a, b) for a, b, there in pairs)


def _same(a: str, b: str) -> bool:
    try:
        return float(a) == float(b)
    except ValueError:
        return False


def _told(table: Table, other: Table, differing: dict[str, int], *, facts: bool) -> list[str]:
    if not differing:
        return []
    named = ", ".join(f"'{shown(name)}' in {n} rows" for name, n in list(differing.items())[:5])
    counts = other.source if facts else table.source
    return [f"{table.source} and {other.source} differ in {named}: {counts} counts."]
