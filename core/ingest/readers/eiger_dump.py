"""Dumps of an Eiger database as SQL: MySQL's of version 2, SQLite's from version 3 on.

`mysqldump eiger > eiger.sql` and `sqlite3 eiger.db .dump > eiger.sql` write them. Where counters belong to
executions (version 2), each execution is a trial; see `_eiger/trials.py` for what becomes of the tables.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.opening import open_text
from core.ingest.readers._eiger.sql_dump import Dump, read_dump
from core.ingest.readers._eiger.tables import COLUMNS, Row, Tables, left_out, places_of, refuse_other
from core.ingest.readers._eiger.trials import trials_of
from core.trial import Import

_TELLING = re.compile(
    rb"^[ \t]*(?:CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?|(?:INSERT|REPLACE)\s+(?:\w+\s+){0,2}?INTO\s+)"
    rb"(?:[`\"\[]?\w+[`\"\]]?\.)?[`\"\[]?(?:datacollections|metric_types|machine_metrics|(?:non)?deterministic_metrics)\b",
    re.IGNORECASE | re.MULTILINE,
)


class EigerDump(Reader):
    """Reads the rows that a dump inserts; nothing of it is run."""

    label: ClassVar[str] = "Eiger's database as an SQL dump (MySQL or SQLite)"
    signs = (_TELLING,)
    tells = (b"datacollections", b"metric_types", b"machine_metrics", b"deterministic_metrics")

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a dump."""
        text = open_text(file)
        dump = read_dump(text.name, text.raw.decode(), COLUMNS)
        refuse_other(text.name, dump.columns, "no whole dump of an Eiger database. Dump all of its tables.")
        if not dump.rows.get("trials"):
            cut = f" {dump.skipped[0].where}: {dump.skipped[0].why}." if dump.skipped else ""
            raise ReadError(f"{text.name} holds Eiger's tables and no trials.{cut} Dump a database that has some.")
        tables = Tables(
            source=text.name,
            sha256=text.sha256,
            format="eiger_dump",
            rows={table: _rows(text.name, table, dump) for table in COLUMNS if table in dump.columns},
            by_execution="executionid" in dump.columns.get("nondeterministic_metrics", ()),
            skipped=tuple(dump.skipped),
            warnings=(*text.warnings, *dump.warnings, *left_out(text.name, dump.other)),
        )
        return trials_of(tables)


def _rows(name: str, table: str, dump: Dump) -> Sequence[Row]:
    """Return a table's rows with just the columns that are read."""
    places = places_of(name, table, dump.columns[table])
    return [tuple((*row, None)[place] for place in places) for row in dump.rows.get(table, ())]
