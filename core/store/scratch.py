"""Databases in memory that see no file: for samples of folders, and for SQL that was made here, tried out."""

from typing import Self

import duckdb
import numpy as np

from core.arrow import numbers
from core.codec import FloatArray, IntArray
from core.errors import StoreError


def in_memory(limit: str) -> duckdb.DuckDBPyConnection:
    """Open one that may take so much memory, such as "512MB"."""
    database = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": limit,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_external_access": "false",
            "temp_directory": "",
        },
    )
    database.execute("SET enable_progress_bar = false")
    database.execute("SET lock_configuration = true")
    return database


class Scratch:
    """A database of its own, gone when it is closed."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config={"enable_external_access": False, "threads": 1})
        self.version = f"DuckDB {duckdb.__version__}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self._connection.close()

    def run(self, script: str) -> None:
        """Run statements.

        Raises
        ------
        StoreError
            With what the database says.
        """
        try:
            self._connection.execute(script)
        except duckdb.Error as error:
            raise StoreError(f"DuckDB cannot run it: {str(error).splitlines()[0]}") from None

    def fill(self, table: str, ids: IntArray, X: FloatArray) -> None:
        """Add rows of an id and numbers, in the order of the table's columns."""
        import pyarrow as pa

        columns = {"id": numbers(ids)} | {f"c{j}": numbers(X[:, j], nan_is_null=True) for j in range(X.shape[1])}
        self._connection.register("given", pa.RecordBatch.from_pydict(columns))
        self.run(f"INSERT INTO {table} SELECT * FROM given")

    def columns(self, query: str) -> dict[str, FloatArray]:
        """Return a query's columns of numbers; NaN for what is nothing."""
        try:
            found = self._connection.execute(query).fetchnumpy()
        except duckdb.Error as error:
            raise StoreError(f"DuckDB cannot run it: {str(error).splitlines()[0]}") from None
        return {name: np.ma.filled(np.ma.asarray(v).astype(np.float64), np.nan) for name, v in found.items()}
