"""Databases in memory that see no file: for samples of folders, and for SQL that was made here, tried out."""

import duckdb
import numpy as np

from core.arrow import numbers
from core.codec import FloatArray
from core.errors import StoreError

DUCKDB = f"DuckDB {duckdb.__version__}"


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


def tried_out(script: str, test: str, table: str, X: FloatArray, query: str) -> list[dict[str, FloatArray]]:
    """Run a script in an empty database and return the numbers of two queries by column, NaN for what is nothing.

    Parameters
    ----------
    test : the query that is asked before there are rows
    table : what the rows go into: ids from 0 on, then the columns of X, of shape (n_rows, n_columns)
    query : the one that is asked after

    Raises
    ------
    StoreError
        With what the database says.
    """
    import pyarrow as pa

    rows = {"id": numbers(np.arange(len(X)))} | {f"c{j}": numbers(x, nan_is_null=True) for j, x in enumerate(X.T)}
    try:
        with duckdb.connect(":memory:", config={"enable_external_access": False, "threads": 1}) as database:
            database.execute(script)
            tested = database.execute(test).fetchnumpy()
            database.register("given", pa.RecordBatch.from_pydict(rows))
            database.execute(f"INSERT INTO {table} SELECT * FROM given")
            found = database.execute(query).fetchnumpy()
    except duckdb.Error as error:
        raise StoreError(f"DuckDB cannot run it: {str(error).splitlines()[0]}") from None
    return [
        {name: np.ma.filled(np.ma.asarray(column).astype(np.float64), np.nan) for name, column in one.items()}
        for one in (tested, found)
    ]
