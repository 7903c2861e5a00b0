"""An empty database in memory that sees no file: SQL that was made here, tried out."""

from typing import Self

import duckdb
import numpy as np
import pandas as pd

from core.codec import FloatArray, IntArray
from core.errors import StoreError


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
        columns: dict[str, FloatArray | IntArray] = {"id": ids}
        columns |= {f"c{j}": X[:, j] for j in range(X.shape[1])}
        self._connection.register("given", pd.DataFrame(columns))
        self.run(f"INSERT INTO {table} SELECT * FROM given")

    def columns(self, query: str) -> dict[str, FloatArray]:
        """Return a query's columns of numbers; NaN for what is nothing."""
        try:
            found = self._connection.execute(query).fetchnumpy()
        except duckdb.Error as error:
            raise StoreError(f"DuckDB cannot run it: {str(error).splitlines()[0]}") from None
        return {name: np.ma.filled(np.ma.asarray(v).astype(np.float64), np.nan) for name, v in found.items()}
