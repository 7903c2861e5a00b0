"""Eiger's tables as rows of plain values, whichever file they stand in, and the names that their ids mean."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from core.errors import ReadError, count
from core.frozen import Frozen
from core.ingest._vocabulary import in_order
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED

Cell: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Cell, ...]

COLUMNS: Mapping[str, tuple[str, ...]] = {table: in_order(columns) for table, columns in DECLARED["eiger"].items()}
"""What is read of each table."""

MAY_LACK = frozenset(
    ("metrics.type", "nondeterministic_metrics.trialID", "nondeterministic_metrics.executionID", "executions.machineID")
)
"""Columns that not every version of Eiger has."""

NEEDED = ("applications", "machines", "metrics", "trials", "nondeterministic_metrics")
"""Tables without which a file is none of Eiger's."""

UNREAD = ("models", "properties")
"""Tables of Eiger's that hold no measurements."""


class Tables(Frozen):
    """The tables of one file.

    Attributes
    ----------
    builder : of the file's import; it is told what of the file was left out or is in doubt
    rows : per table of `COLUMNS`, its rows; a column that the file lacks is None in each
    where : per id of a trial (or of an execution), where it stands in the file
    by_execution : whether counters belong to executions
    """

    builder: Builder
    rows: Mapping[str, Sequence[Row]]
    where: Mapping[int, str] = field(default_factory=dict)
    by_execution: bool = False

    @cached_property
    def by_id(self) -> Mapping[str, Mapping[int, Row]]:
        """The rows of each table that has ids, in the order of the ids.

        Raises
        ------
        ReadError
            If an id is none, or stands for two different rows.
        """
        return {table: self._indexed(table) for table, columns in COLUMNS.items() if columns[0] == "ID"}

    @cached_property
    def names(self) -> Mapping[str, Mapping[int, str]]:
        """The names in each table that has some, by id; a row without a name gets one from its id."""
        named = [table for table, columns in COLUMNS.items() if "name" in columns]
        return {table: {key: self._name(table, key, row) for key, row in self.by_id[table].items()} for table in named}

    @property
    def runs(self) -> str:
        """The table whose rows are executions."""
        return "executions" if self.by_execution else "trials"

    def _indexed(self, table: str) -> dict[int, Row]:
        found: dict[int, Row] = {}
        for row in self.rows.get(table, ()):
            if (key := identifier(row[0])) < 0:
                raise ReadError(
                    f"{self.builder.source}: table '{table}' has the id {said(row[0])}, expected a whole number."
                )
            if found.setdefault(key, row) != row:
                raise ReadError(
                    f"{self.builder.source}: table '{table}' has the id {key} twice, with different rows. "
                    "Two databases may be in one file; import them one by one."
                )
        return dict(sorted(found.items()))

    def _name(self, table: str, key: int, row: Row) -> str:
        cell = row[COLUMNS[table].index("name")]
        if isinstance(cell, bytes):
            raise ReadError(f"{self.builder.source}: a name in table '{table}' is {said(cell)}, expected a text.")
        text = "" if cell is None else unicodedata.normalize("NFC", str(cell)).strip()
        return text or f"{table.removesuffix('s')} {key}"


def tables_of(
    builder: Builder,
    columns: Mapping[str, Sequence[str]],
    rows: Mapping[str, Iterable[Row]],
    n_rows: Mapping[str, int],
    otherwise: str,
) -> Tables:
    """Return Eiger's tables from those of a file.

    Parameters
    ----------
    columns : per table, its columns in lower case, in the order of its rows
    rows : per table, its rows; none is taken of a file that is refused
    n_rows : how many rows there are of tables that hold no measurements, which is told
    otherwise : what the file is where it is none of Eiger's

    Raises
    ------
    ReadError
        If a table is missing without which a file is none of Eiger's, or a column that every version of Eiger has.
    """
    if missing := [table for table in NEEDED if table not in columns]:
        raise builder.refused(f"has no table '{missing[0]}', so it is {otherwise}")
    places: dict[str, list[int]] = {}
    for table, known in ((table, columns[table]) for table in COLUMNS if table in columns):
        for column in COLUMNS[table]:
            if column.lower() not in known and f"{table}.{column}" not in MAY_LACK:
                raise builder.refused(f"has no column '{column}' in its table '{table}', as Eiger's databases have.")
        places[table] = [known.index(c.lower()) if c.lower() in known else -1 for c in COLUMNS[table]]
    for table in UNREAD:
        if n := n_rows.get(table):
            builder.note(f"{count(n, 'row')} of table '{table}', left out.")
    found = {t: [tuple((*row, None)[p] for p in own) for row in rows.get(t, ())] for t, own in places.items()}
    return Tables(builder, found, by_execution="executionid" in columns["nondeterministic_metrics"])


def identifier(cell: Cell) -> int:
    """Return the id that a cell refers to; -1, which no row has, if it is none."""
    if isinstance(cell, str):
        text = cell.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and cell >= 0 else -1
    return cell if isinstance(cell, int) and cell >= 0 else -1


def said(cell: Cell) -> str:
    """Return a cell as a sentence shows it."""
    if isinstance(cell, bytes):
        return f"{len(cell)} raw bytes"
    return "NULL" if cell is None else f"'{shown(str(cell))}'"
