"""The schema's version, and how an older database becomes one of today."""

from importlib import resources

import duckdb

from core import __version__
from core.errors import StoreError
from core.store._connection import Connection, Cursor, one
from core.store.backup import back_up

VERSION = 4
"""`to_version_4.sql` and its like lead from one version to the next, in plain statements only."""


def prepare(connection: Connection) -> None:
    """Create the schema in a new file, or bring an older one up to date after a backup.

    Raises
    ------
    StoreError
        If the file is of a newer version, or is a database of something else.
    """
    with connection.reading() as cursor:
        found = _version(cursor)
    if found == VERSION:
        return
    if found > VERSION:
        raise StoreError(
            f"The database {connection.path} has version {found}, and Ridgeline {__version__} knows {VERSION}. "
            "Install a newer Ridgeline, or use another --db."
        )
    if connection.read_only:
        raise StoreError(
            f"The database {connection.path} has version {found}, and Ridgeline {__version__} reads {VERSION}; here it "
            "can only be read. Copy it to where you may write; opened there it is brought up to date."
        )
    if found > 0:
        back_up(connection, connection.backups)
    connection.write(lambda cursor: _advance(cursor, found))
    with connection.reading() as cursor:
        cursor.execute("CHECKPOINT")


def _advance(cursor: Cursor, found: int) -> None:
    if found == 0:
        cursor.execute(_sql("schema.sql"))
        cursor.execute("INSERT INTO meta VALUES ('made_by', ?)", [__version__])
    else:
        for version in range(found + 1, VERSION + 1):
            cursor.execute(_sql(f"to_version_{version}.sql"))
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", [str(VERSION)])


def _sql(name: str) -> str:
    return resources.files("core.store").joinpath(name).read_text(encoding="utf-8")


def _version(cursor: Cursor) -> int:
    try:
        row = one(cursor, "SELECT value FROM meta WHERE key = 'schema_version'")
    except duckdb.CatalogException:  # to list the tables first takes five times as long as this
        if one(cursor, "SELECT 1 FROM duckdb_tables() LIMIT 1") is None:
            return 0
        raise StoreError("The file is a DuckDB database, but not one of Ridgeline. Use another --db.") from None
    if row is None:
        raise StoreError("The file is a DuckDB database without a schema version. Use another --db.")
    return int(row[0])
