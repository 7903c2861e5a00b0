"""The rows of some tables of an SQL dump: of sqlite3's `.dump`, of mysqldump, of phpMyAdmin and their like."""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.readers._eiger.sql_tokens import Literal, Token, Tokens, Unreadable
from core.trial import Skipped

_SQLITE = re.compile(r"^[ \t]*(PRAGMA\b|BEGIN TRANSACTION\b)", re.IGNORECASE | re.MULTILINE)
_MYSQL = re.compile(
    r"^[ \t]*/\*!\d{5}|^-- (?:MySQL|MariaDB|phpMyAdmin)|`|\bENGINE\s*=|\bAUTO_INCREMENT\b|^LOCK TABLES",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST_INSERT = re.compile(r"^[ \t]*(?:INSERT|REPLACE)\b[^(]{0,200}\(", re.IGNORECASE | re.MULTILINE)
_NO_COLUMN = ("PRIMARY", "KEY", "UNIQUE", "CONSTRAINT", "FOREIGN", "INDEX", "CHECK", "FULLTEXT", "SPATIAL")


@dataclass
class Dump:
    """What a dump says of the tables that were asked for.

    Attributes
    ----------
    columns : per table, its columns in lower case, in the order of its rows
    rows : per table, its rows; each as wide as the columns
    other : how many rows there are in tables that were not asked for
    """

    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[str, list[tuple[Literal, ...]]] = field(default_factory=dict)
    other: dict[str, int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_dump(source: str, text: str, wanted: Collection[str]) -> Dump:
    """Return the rows of some tables.

    Raises
    ------
    ReadError
        If the columns of a row are not known, or not as many as its values.
    """
    reading = _Reading(source, Tokens(text, _has_backslashes(text)), wanted)
    while reading.statement():
        pass
    _tell_end(source, text, reading.dump)
    return reading.dump


def _has_backslashes(text: str) -> bool:
    """Whether texts are written in MySQL's way, as the statements before the first row show."""
    first = _FIRST_INSERT.search(text)
    head = text[: first.end() if first else len(text)]
    return not _SQLITE.search(head) and bool(_MYSQL.search(head))


def _tell_end(source: str, text: str, dump: Dump) -> None:
    """Say where a dump lacks the line that its program writes at the end."""
    tail = text[-2000:].upper()
    if re.search(r"^ROLLBACK", tail, re.MULTILINE):
        dump.warnings.append(f"{source}: ends with ROLLBACK: sqlite3 could not read all of its database.")
    elif _SQLITE.search(text[:10_000]) and not re.search(r"^(COMMIT|END)", tail, re.MULTILINE):
        dump.warnings.append(f"{source}: does not end with COMMIT; it may be cut off.")
    elif re.match(r"\s*-- (MySQL|MariaDB) dump", text) and "-- DUMP COMPLETED" not in tail:
        dump.warnings.append(f"{source}: does not end with 'Dump completed'; it may be cut off.")


class _Reading:
    """One dump under way."""

    def __init__(self, source: str, tokens: Tokens, wanted: Collection[str]) -> None:
        self.source, self.tokens, self.wanted, self.dump = source, tokens, wanted, Dump()
        self.database, self.filled = "", ""

    def statement(self) -> bool:
        """Read one statement; False at the end of the dump."""
        with suppress(Unreadable):
            if quick := self.tokens.insert():
                return self._keep(quick[0].lower(), (), self.tokens.place, [quick[1]])
        first = self.tokens.next()
        if first.kind == "end":
            return False
        if first.says("INSERT", "REPLACE"):
            return self._insert(first)
        if first.says("CREATE"):
            return self._create()
        if first.says("USE"):
            self.database = _plain(self.tokens.next())
        if first.says("DELETE", "UPDATE"):
            self._tell_change(first)
        return first.says(";") or self.tokens.skip_statement()

    # --- CREATE ---

    def _create(self) -> bool:
        token = self.tokens.next()
        while token.says("TEMP", "TEMPORARY"):
            token = self.tokens.next()
        if token.says("TRIGGER"):
            return self._skip_trigger()
        if not token.says("TABLE"):
            return self.tokens.skip_statement()
        table, after = self._table()
        if table in self.wanted and after.says("("):
            self.dump.columns[table] = self._columns()
        return self.tokens.skip_statement()

    def _skip_trigger(self) -> bool:
        """Step over a trigger, which holds statements of its own."""
        depth, began = 0, False
        while (token := self.tokens.next()).kind != "end":
            depth += token.says("BEGIN", "CASE") - token.says("END")
            began = began or token.says("BEGIN")
            if token.says(";") and (depth <= 0 or not began):
                return True
        return False

    def _columns(self) -> tuple[str, ...]:
        """Return the names that a table's definition begins its lines with."""
        found: list[str] = []
        depth, begins = 1, True
        while depth and (token := self.tokens.next()).kind != "end":
            if begins and not token.says(*_NO_COLUMN):
                found.append(_plain(token))
            depth += token.says("(") - token.says(")")
            begins = depth == 1 and token.says(",")
        return tuple(found)

    # --- INSERT ---

    def _insert(self, first: Token) -> bool:
        while not (token := self.tokens.next()).says("INTO"):
            if token.kind == "end" or token.says(";"):
                return token.kind != "end"
        table, token = self._table()
        named: tuple[str, ...] = ()
        if token.says("("):
            named, token = self._columns(), self.tokens.next()
        if token.says("VALUES", "VALUE"):
            return self._rows(table, named, first.start)
        if table in self.wanted and token.kind != "end":
            self._skip(first.start, f"a statement on '{table}' that holds no plain rows")
        return token.says(";") or self.tokens.skip_statement()

    def _rows(self, table: str, named: tuple[str, ...], start: int) -> bool:
        """Read the rows of a statement."""
        rows: list[tuple[Literal, ...]] = []
        whole = False
        while self.tokens.peek().says("("):
            try:
                row = self.tokens.row()
            except Unreadable as found:
                self._skip(start, f"a row of '{table}' with more than plain values: {shown(str(found))}")
            else:
                if row is None:
                    break
                rows.append(row)
            token = self.tokens.next()
            whole = not token.says(",")
            if whole:
                break
        self._keep(table, named, start, rows)
        if not whole or token.kind == "end":
            self._skip(start, f"the dump breaks off in the rows of '{table}' that begin here; {len(rows)} are whole")
            return False
        return token.says(";") or self.tokens.skip_statement()

    def _keep(self, table: str, named: tuple[str, ...], start: int, rows: list[tuple[Literal, ...]]) -> bool:
        """Add rows to their table, in the order of its columns."""
        if table not in self.wanted:
            self.dump.other[table] = self.dump.other.get(table, 0) + len(rows)
            return True
        self._refuse_two_databases(start)
        columns = named or self.dump.columns.get(table)
        if not columns:
            raise ReadError(
                f"{self._place(start)}: the dump does not say the columns of '{table}'. "
                "Dump the tables' definitions too, or use --complete-insert."
            )
        for row in rows:
            if len(row) != len(columns):
                raise ReadError(
                    f"{self._place(start)}: a row of '{table}' has {len(row)} values for "
                    f"{len(columns)} columns ({', '.join(columns)}). Write the dump again."
                )
        known = self.dump.columns.setdefault(table, columns)
        if columns != known:
            places = [columns.index(c) if c in columns else -1 for c in known]
            rows = [tuple((*row, None)[p] for p in places) for row in rows]
        self.dump.rows.setdefault(table, []).extend(rows)
        return True

    # --- both ---

    def _table(self) -> tuple[str, Token]:
        """Return a table's name in lower case, without its database, and the word behind it."""
        token = self.tokens.next()
        while token.says("IF", "NOT", "EXISTS"):
            token = self.tokens.next()
        name, after = _plain(token), self.tokens.next()
        while after.says("."):
            name, after = _plain(self.tokens.next()), self.tokens.next()
        return name, after

    def _refuse_two_databases(self, start: int) -> None:
        self.filled = self.filled or self.database
        if self.database != self.filled:
            raise ReadError(
                f"{self._place(start)}: holds the databases '{shown(self.filled)}' and "
                f"'{shown(self.database)}'. Dump them one by one."
            )

    def _tell_change(self, first: Token) -> None:
        name = _plain(self.tokens.next())
        name = _plain(self.tokens.next()) if name == "from" else name
        if name in self.wanted:
            self._skip(first.start, f"{first.text} of '{name}': only rows that are inserted are read")

    def _skip(self, start: int, why: str) -> None:
        self.dump.skipped.append(Skipped(f"line {self.tokens.line(start)}", why))

    def _place(self, start: int) -> str:
        return f"{self.source} line {self.tokens.line(start)}"


def _plain(token: Token) -> str:
    """Return a name in lower case without its quotes."""
    text = token.text
    if token.kind in ("name", "text"):
        text = text[1:-1].replace(text[0] * 2, text[0])
    return text.lower()
