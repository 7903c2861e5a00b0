"""A DuckDB database in memory: it can reach no file, load nothing, and nobody can change that."""

import duckdb


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
