"""Backups made by the database itself, consistent while others write."""

from datetime import datetime
from pathlib import Path

from core.errors import StoreError
from core.store._connection import Connection, one


def back_up(connection: Connection, folder: Path) -> Path:
    """Copy the database into a new file in a folder and return its path.

    Raises
    ------
    StoreError
        If the folder is not the one that the database was opened with.
    """
    target = folder.resolve() / f"{connection.path.stem}-{datetime.now():%Y%m%d-%H%M%S-%f}.duckdb"
    if target.parent != connection.backups:
        raise StoreError(f"Backups of this database go to {connection.backups}, not to {folder}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    quoted = str(target).replace("'", "''")
    with connection.reading() as cursor:
        name = one(cursor, "SELECT current_database()")
        cursor.execute(f"ATTACH '{quoted}' AS backup")
        try:
            cursor.execute(f'COPY FROM DATABASE "{name[0] if name else "main"}" TO backup')
        finally:
            cursor.execute("DETACH backup")
    return target
