"""Dumps of an Eiger database as SQL: MySQL's of version 2, SQLite's from version 3 on.

`mysqldump eiger > eiger.sql` and `sqlite3 eiger.db .dump > eiger.sql` write them. Where counters belong to
executions (version 2), each execution is a trial; see `_eiger/trials.py` for what becomes of the tables.
"""

import re
from collections import Counter
from collections.abc import Collection

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._eiger.sql_words import SQLITE, Literal, Token, Words
from core.ingest.readers._eiger.trials import COLUMNS, NEEDED, tables_of, trials_of
from core.ingest.readers._text import TextReader
from core.trial import Import

_MOST_WORDS = 10_000
"""Of one statement, without its rows; a dump may be all of one that never ends."""
_SAYS_NOTHING = ("TEMP", "TEMPORARY", "IF", "NOT", "EXISTS")
_NO_COLUMN = ("PRIMARY", "KEY", "UNIQUE", "CONSTRAINT", "FOREIGN", "INDEX", "CHECK", "FULLTEXT", "SPATIAL")


class Dump:
    """What a dump says of the tables that are wanted.

    Attributes
    ----------
    builder : of the import; it is told what is left out or in doubt
    columns : per table, its columns in lower case, in the order of its rows
    rows : per table, its rows; each as wide as the columns
    other : how many rows there are in tables that are not wanted
    """

    def __init__(self, builder: Builder, text: str, wanted: Collection[str]) -> None:
        """Read the rows.

        Raises
        ------
        ReadError
            If the columns of a row are not known, or not as many as its values.
        """
        self.builder, self.words, self.wanted = builder, Words(text), wanted
        self.columns: dict[str, tuple[str, ...]] = {}
        self.rows: dict[str, list[tuple[Literal, ...]]] = {}
        self.other: Counter[str] = Counter()
        self.database, self.filled = "", ""
        while self._statement():
            pass
        _tell_end(builder, text)

    def _statement(self) -> bool:
        """Read one statement; False at the end of the dump."""
        first, *words = self._head()
        if first.says("INSERT", "REPLACE"):
            return self._insert(first.start, words)
        if first.says("CREATE") and words[0].says("TABLE"):
            table, after = _table(words[1:])
            if table in self.wanted and after[0].says("("):
                self.columns[table], _ = _names(after)
        elif first.says("USE"):
            self.database = words[0].plain
        elif first.says("DELETE", "UPDATE"):
            name = words[words[0].says("FROM")].plain
            if name in self.wanted:
                self._skip(first.start, f"{first.text} of '{name}': only rows that are inserted are read")
        return [first, *words][-1].kind != "end"

    def _head(self) -> list[Token]:
        """Return the first words of a statement and its end, or those of an INSERT up to its rows."""
        head, depth, blocks = [token := self.words.next()], 0, 0
        rows = ("VALUES", "VALUE") if token.says("INSERT", "REPLACE") else ()
        said = token.said
        while token.kind != "end" and not (said == ";" and blocks <= 0) and not (said in rows and depth <= 0):
            token = self.words.next()
            said = token.said
            if said not in _SAYS_NOTHING:
                del head[_MOST_WORDS:]
                head.append(token)
            depth += (said == "(") - (said == ")")
            if head[1:2] and head[1].said == "TRIGGER":  # it holds statements of its own
                blocks += (said in ("BEGIN", "CASE")) - (said == "END")
        return head

    def _insert(self, start: int, words: list[Token]) -> bool:
        if (into := next((at for at, word in enumerate(words, 1) if word.says("INTO")), 0)) > 0:
            table, after = _table(words[into:])
            named, after = _names(after) if after[0].says("(") else ((), after)
            if after[0].says("VALUES", "VALUE"):
                return self._rows(table, named, start)
            if table in self.wanted and after[0].kind != "end":
                self._skip(start, f"a statement on '{table}' that holds no plain rows")
        return words[-1].kind != "end"

    def _rows(self, table: str, named: tuple[str, ...], start: int) -> bool:
        """Read the rows of a statement."""
        rows: list[tuple[Literal, ...]] = []
        whole = False
        while not whole and self.words.peek().says("("):
            try:
                if (row := self.words.row()) is None:
                    break
                rows.append(row)
            except ValueError as found:
                self._skip(start, f"a row of '{table}' with more than plain values: {shown(str(found))}")
            token = self.words.next()
            whole = not token.says(",")
        self._keep(table, named, start, rows)
        if not whole or token.kind == "end":
            self._skip(start, f"the dump breaks off in the rows of '{table}' that begin here; {len(rows)} are whole")
            return False
        return token.says(";") or self.words.leave(";")

    def _keep(self, table: str, named: tuple[str, ...], start: int, rows: list[tuple[Literal, ...]]) -> None:
        """Add rows to their table, in the order of its columns."""
        if table not in self.wanted:
            self.other[table] += len(rows)
            return
        self.filled = self.filled or self.database
        if self.database != self.filled:
            raise self._refused(
                start, f"holds the databases '{shown(self.filled)}' and '{shown(self.database)}'. Dump them one by one."
            )
        if not (columns := named or self.columns.get(table)):
            remedy = "Dump the tables' definitions too, or use --complete-insert."
            raise self._refused(start, f"the dump does not say the columns of '{table}'. {remedy}")
        if (odd := next((row for row in rows if len(row) != len(columns)), None)) is not None:
            many = f"{len(odd)} values for {len(columns)} columns ({', '.join(columns)})"
            raise self._refused(start, f"a row of '{table}' has {many}. Write the dump again.")
        known = self.columns.setdefault(table, columns)
        if columns != known:
            places = [columns.index(c) if c in columns else -1 for c in known]
            rows = [tuple((*row, None)[p] for p in places) for row in rows]
        self.rows.setdefault(table, []).extend(rows)

    def _skip(self, start: int, why: str) -> None:
        self.builder.skip(f"line {self.words.line(start)}", why)

    def _refused(self, start: int, why: str) -> ReadError:
        return self.builder.refused(f"line {self.words.line(start)}: {why}")


_TELLING = re.compile(
    rb"^[ \t]*(?:CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?|(?:INSERT|REPLACE)\s+(?:\w+\s+){0,2}?INTO\s+)"
    rb"(?:[`\"\[]?\w+[`\"\]]?\.)?[`\"\[]?(?:datacollections|metric_types|machine_metrics|(?:non)?deterministic_metrics)\b",
    re.IGNORECASE | re.MULTILINE,
)


class EigerDump(TextReader):
    """Reads the rows that a dump inserts; nothing of it is run."""

    label = "Eiger's database as an SQL dump (MySQL or SQLite)"
    signs = (_TELLING,)
    tells = (b"datacollections", b"metric_types", b"machine_metrics", b"deterministic_metrics")

    def fill(self, builder: Builder, raw: bytes) -> Import:
        """Return the trials of a dump."""
        dump = Dump(builder, raw.decode(), COLUMNS)
        if dump.columns.keys() >= {*NEEDED} and not dump.rows.get("trials"):
            cut = f" {builder.skipped[0].where}: {builder.skipped[0].why}." if builder.skipped else ""
            raise builder.refused(f"holds Eiger's tables and no trials.{cut} Dump a database that has some.")
        other = "no whole dump of an Eiger database. Dump all of its tables."
        return trials_of(tables_of(builder, dump.columns, dump.rows, dump.other, other))


def _table(words: list[Token]) -> tuple[str, list[Token]]:
    """Return the table that words name, in lower case and without its database, and the words behind it."""
    while words[1:] and words[1].says("."):
        words = words[2:]
    return words[0].plain, words[1:] or words


def _names(words: list[Token]) -> tuple[tuple[str, ...], list[Token]]:
    """Return the names in brackets, or those that a table's definition begins its lines with, and the words behind."""
    found, depth, begins = list[str](), 0, False
    for at, word in enumerate(words, 1):
        if begins and not word.says(*_NO_COLUMN):
            found.append(word.plain)
        depth += word.says("(") - word.says(")")
        begins = depth == 1 and word.says("(", ",")
        if not depth and words[at:]:
            return tuple(found), words[at:]
    return tuple(found), words[-1:]


def _tell_end(builder: Builder, text: str) -> None:
    """Say where a dump lacks the line that its program writes at the end."""
    tail = text[-2000:].upper()
    if re.search(r"^ROLLBACK", tail, re.MULTILINE):
        builder.note("ends with ROLLBACK: sqlite3 could not read all of its database.")
    elif SQLITE.search(text[:10_000]) and not re.search(r"^(COMMIT|END)", tail, re.MULTILINE):
        builder.note("does not end with COMMIT; it may be cut off.")
    elif re.match(r"\s*-- (MySQL|MariaDB) dump", text) and "-- DUMP COMPLETED" not in tail:
        builder.note("does not end with 'Dump completed'; it may be cut off.")
