"""Eiger's SQLite database (version 3 and later), as its library and lwperf write it: `eiger::Connect("trials.db")`.

The file is not trusted: it is read from memory, without its views, triggers, virtual tables, computed columns
or indices; no statement but a plain reading of Eiger's own tables is allowed, within limits of time and size.
See `_eiger/trials.py` for what becomes of the tables.
"""

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.opening import GZIP, MAX_FILE, OpenedText, unpacked
from core.ingest.readers._builder import Builder
from core.ingest.readers._eiger.trials import COLUMNS, UNREAD, Row, Tables, tables_of, trials_of
from core.ingest.readers._text import TextReader
from core.trial import Import

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes of a gzip file's contents."""
MAGIC = b"SQLite format 3\x00"
_MISREAD = MAGIC.decode("utf-16-le").encode()
"""The first bytes where the many zeros of a database in UTF-16 made it look like a text in UTF-16."""
_TELLING = re.compile(rb"(?:non)?deterministic_metrics")
_SECONDS = 20.0
"""For the rows; a schema like Eiger's takes far less than `_SCHEMA_SECONDS`."""
_SCHEMA_SECONDS = 0.5
_LONGEST = 1024 * 1024
"""Bytes of one text."""
_ALLOWED = frozenset((*COLUMNS, *UNREAD, "sqlite_master"))


class _Reading:
    """One database under way; more rows or letters than its file has bytes come of a hostile one."""

    def __init__(self, builder: Builder, raw: bytes, database: sqlite3.Connection) -> None:
        self.builder, self.database, self.left = builder, database, 2 * len(raw)

    def tables(self) -> Tables:
        """Return Eiger's tables."""
        there = self._there()
        columns = {table: self._columns(table) for table in COLUMNS if table in there}
        _limit(self.database, _SECONDS)
        unread = {table: sum(1 for _ in self._rows(table, ("1",))) for table in UNREAD if table in there}
        rows = {table: self._rows(table, own) for table, own in columns.items()}
        other = "no database of Eiger's. Export the table that you need as CSV."
        return tables_of(self.builder, columns, rows, unread, other)

    def _there(self) -> set[str]:
        """Return which known tables are there; what only bears their name is refused."""
        found = set()
        for kind, name, root in self.database.execute("SELECT type, name, rootpage FROM sqlite_master"):
            if (table := _text(self.builder.source, name)) in _ALLOWED and kind in (b"table", b"view"):
                if kind == b"view" or not root:
                    raise ReadError(f"{self.builder.source}: '{table}' is a view or a virtual table, expected a table.")
                found.add(table)
        return found

    def _columns(self, table: str) -> tuple[str, ...]:
        """Return those columns of a table, in lower case, that are read and stored, not computed."""
        rows = self.database.execute(f"PRAGMA main.table_xinfo({table})").fetchall()
        stored = [_text(self.builder.source, row[1]).lower() for row in rows if row[6] == 0]
        return tuple(column.lower() for column in COLUMNS[table] if column.lower() in stored)

    def _rows(self, table: str, cells: Sequence[str]) -> Iterator[Row]:
        """Yield some columns of a table's rows, or constants in place of them."""
        for row in self.database.execute(f"SELECT {', '.join(cells)} FROM main.[{table}] NOT INDEXED"):
            self.left -= 4 + sum(len(cell) for cell in row if isinstance(cell, bytes))
            if self.left < 0:
                raise self.builder.refused("is damaged: it seems to hold more rows than fit into it.")
            where = f"{self.builder.source}: table '{table}'"
            yield tuple(_text(where, cell) if isinstance(cell, bytes) else cell for cell in row)


class EigerDatabase(TextReader):
    """Reads Eiger's own tables of an SQLite file."""

    label = "Eiger's database (SQLite)"

    def sniff(self, head: bytes) -> bool:
        """Whether this is an SQLite database whose first MiB speaks of Eiger's own tables."""
        if not head.startswith((MAGIC, _MISREAD)):
            return False
        narrow = head if head.startswith(MAGIC) else head.decode("utf-8", "ignore").encode("utf-16-le")
        return bool(_TELLING.search(narrow) or _TELLING.search(narrow.replace(b"\x00", b"")))

    def open(self, file: SourceFile) -> OpenedText:
        """Return the bytes of a database.

        Raises
        ------
        ReadError
            If the file is too large, or a damaged gzip file.
        """
        if len(file.content) > MAX_FILE:
            size, most = len(file.content) / 2**20, MAX_FILE // 2**20
            raise ReadError(f"{file.name} has {size:.0f} MiB; at most {most} MiB are read. Compress it with gzip.")
        raw = _unpacked(file) if file.content.startswith(GZIP) else file.content
        return OpenedText(file.name, hashlib.sha256(file.content).hexdigest(), raw, "")

    def fill(self, builder: Builder, raw: bytes) -> Import:
        """Return the trials of a database."""
        _check_header(builder, raw)
        try:
            with closing(_connect(raw)) as database:
                tables = _Reading(builder, raw, database).tables()
        except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as error:
            raise builder.refused(_sentence(error)) from None
        return trials_of(tables)


def _check_header(builder: Builder, raw: bytes) -> None:
    """Refuse what is no whole database; say what was noticed."""
    if not raw.startswith(MAGIC) or len(raw) < 100:
        raise builder.refused("is no SQLite database, which Eiger's are. Choose another format, or none.")
    page = int.from_bytes(raw[16:18], "big")
    whole = (65536 if page == 1 else page) * int.from_bytes(raw[28:32], "big")
    if raw[24:28] == raw[92:96] and whole > len(raw):
        raise builder.refused(
            f"is cut off: it has {len(raw):,} bytes of {whole:,}. Copy it again, whole, while no program writes it."
        )
    if raw[18] == 2:
        builder.warn(
            f"{builder.source} keeps its latest changes in a second file ({builder.source}-wal), which is not read. "
            "Close the program that writes it first."
        )


def _connect(raw: bytes) -> sqlite3.Connection:
    """Return the database in memory, closed to all but plain reading."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        plain = bytearray(raw)
        plain[18:20] = b"\x01\x01"  # a database in memory cannot have the second file of write-ahead logging
        for setting in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "temp_store=MEMORY"):
            database.execute(f"PRAGMA {setting}")
        database.deserialize(bytes(plain))
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        database.text_factory = bytes
        database.set_authorizer(_authorized)
        _limit(database, _SCHEMA_SECONDS)
    except BaseException:
        database.close()
        raise
    return database


def _limit(database: sqlite3.Connection, seconds: float) -> None:
    ends = time.monotonic() + seconds
    database.set_progress_handler(lambda: time.monotonic() > ends, 1_000)


def _authorized(action: int, first: str | None, second: str | None, home: str | None, inner: str | None) -> int:
    """Allow reading columns of known tables, not through views or triggers, and nothing else."""
    if action == sqlite3.SQLITE_READ and first in _ALLOWED and inner is None:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_OK if action == sqlite3.SQLITE_SELECT else sqlite3.SQLITE_DENY


def _text(where: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ReadError(f"{where} holds a text that is no UTF-8 (byte 0x{raw[error.start]:02X}). Correct it.") from None


def _sentence(error: Exception) -> str:
    said = "a name in its schema is no UTF-8" if isinstance(error, UnicodeError) else str(error)
    if said == "interrupted":
        return "takes too long to read for what it should hold; it may be damaged. Copy it again."
    if "too big" in said:
        return f"holds a text of more than {_LONGEST // 2**20} MiB; no name is that long."
    return f"is damaged ({said or 'out of memory'}). Copy it again, whole, while no program writes it."


def _unpacked(file: SourceFile) -> bytes:
    raw = bytearray()
    for piece in unpacked(file.name, (file.content,)):
        raw += piece
        if len(raw) > MAX_UNPACKED:
            raise ReadError(f"{file.name} unpacks to more than {MAX_UNPACKED // 2**20} MiB, which are too many.")
    return bytes(raw)
