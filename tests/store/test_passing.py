"""Batches that a query reads while they are made: what fails says why."""

import duckdb
import pyarrow as pa
import pytest

from core.store._connection import passing


def test_a_query_that_fails_in_a_transaction_says_why() -> None:
    with duckdb.connect() as cursor:
        cursor.execute("CREATE TABLE own (unit VARCHAR NOT NULL)")
        cursor.execute("BEGIN")
        batch = pa.record_batch({"unit": pa.array([None], pa.string())})
        with (
            pytest.raises(duckdb.ConstraintException, match="NOT NULL"),
            passing(cursor, "rows", [batch], batch.schema),
        ):
            cursor.execute("INSERT INTO own SELECT unit FROM rows")
