"""The schema's version, and how an older database becomes one of today."""

from importlib import resources

import duckdb

from core import __version__
from core.errors import StoreError
from core.store._connection import Connection, Cursor, one
from core.store.backup import back_up

VERSION = 4
MIGRATIONS: dict[int, str] = {
    2: """
        ALTER TABLE dataset ADD COLUMN revision INTEGER DEFAULT 0;
        ALTER TABLE dataset ALTER COLUMN revision SET NOT NULL;
        ALTER TABLE metric ADD COLUMN original VARCHAR DEFAULT '';
        ALTER TABLE metric ALTER COLUMN original SET NOT NULL;
        ALTER TABLE metric ADD COLUMN rule VARCHAR DEFAULT '';
        ALTER TABLE metric ALTER COLUMN rule SET NOT NULL;
        CREATE TABLE hidden_metric (
            metric INTEGER NOT NULL, rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, made TIMESTAMP NOT NULL
        );
        CREATE TABLE audit (
            id INTEGER NOT NULL, made TIMESTAMP NOT NULL, dataset INTEGER NOT NULL, action VARCHAR NOT NULL,
            rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, n_trials INTEGER NOT NULL, n_metrics INTEGER NOT NULL,
            lifted VARCHAR NOT NULL, metrics VARCHAR NOT NULL
        );
    """,
    3: """
        CREATE TABLE race_run (
            dataset INTEGER NOT NULL, race VARCHAR NOT NULL, entry VARCHAR NOT NULL, fold INTEGER NOT NULL,
            made TIMESTAMP NOT NULL, document VARCHAR NOT NULL
        );
    """,
    4: """
        CREATE TABLE model_version (
            model VARCHAR NOT NULL, version INTEGER NOT NULL, note VARCHAR NOT NULL, changed TIMESTAMP NOT NULL
        );
        INSERT INTO model_version
            SELECT id, row_number() OVER (PARTITION BY name ORDER BY created, id), '', created FROM model;
        CREATE TABLE folder (
            dataset INTEGER PRIMARY KEY, url VARCHAR NOT NULL, added TIMESTAMP NOT NULL, fingerprint VARCHAR NOT NULL,
            n_trials BIGINT NOT NULL, n_applications INTEGER NOT NULL, n_inputs INTEGER NOT NULL,
            n_machines INTEGER NOT NULL, roles VARCHAR NOT NULL, files VARCHAR NOT NULL, summary VARCHAR NOT NULL
        );
        CREATE TABLE experiment (
            id VARCHAR PRIMARY KEY, dataset INTEGER NOT NULL, name VARCHAR NOT NULL, made TIMESTAMP NOT NULL,
            n_fits INTEGER NOT NULL, document VARCHAR NOT NULL
        );
        CREATE TABLE experiment_result (
            fit VARCHAR PRIMARY KEY, dataset INTEGER NOT NULL, made TIMESTAMP NOT NULL, document VARCHAR NOT NULL
        );
    """,
}
"""SQL that leads from version n - 1 to n; plain statements only."""


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
        cursor.execute(resources.files("core.store").joinpath("schema.sql").read_text(encoding="utf-8"))
        cursor.execute("INSERT INTO meta VALUES ('made_by', ?)", [__version__])
    else:
        for version in range(found + 1, VERSION + 1):
            cursor.execute(MIGRATIONS[version])
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", [str(VERSION)])


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
