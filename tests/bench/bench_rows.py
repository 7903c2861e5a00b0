"""Predictions of 2 million rows, Parquet to Parquet, against the same model's exported SQL in DuckDB: same values first.

Run by hand: python -m tests.bench.bench_rows [ROWS]
"""

import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from core.export import EXPORTERS, write_model
from core.export._names import identifier
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from tests.bench.bench_large import run
from tests.bench.bench_stepwise import trials
from tests.bench.record import share

PREDICT = """
from core.cli import main
assert main(["predict", {model!r}, {rows!r}, "--out", {out!r}]) == 0
"""
SQL = """
import duckdb
duckdb.execute("SET threads = {threads}")
duckdb.execute({script!r})
"""


def main(n: int) -> None:
    frame = trials(2_000, 20)
    model = make_recipe("eiger", {"components": "none", "max_terms": "8"}).fit(frame)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, own, theirs = (folder / f"{what}.parquet" for what in ("rows", "own", "theirs"))
        (folder / "model.json").write_bytes(write_model(model))
        picked = frame.X[np.random.default_rng(1).integers(len(frame), size=n)]
        columns = {m: picked[:, j] for j, m in enumerate(frame.names)}
        pd.DataFrame(columns).to_parquet(rows, row_group_size=100_000)
        ours = run(PREDICT.format(model=str(folder / "model.json"), rows=str(rows), out=str(own)))
        sql = run(SQL.format(script=in_sql(model, rows, theirs), threads=2))
        value = [
            column.to_numpy() for column in (pd.read_parquet(own)["prediction"], pd.read_parquet(theirs)["prediction"])
        ]
        assert np.allclose(*value, rtol=1e-9, equal_nan=True), "not the same predictions"
    share(f"predict {n:,} × 20, Parquet to Parquet", ours.cpu, sql.cpu, "its SQL in DuckDB", 0.8)


def in_sql(model: FittedPipeline, rows: Path, out: Path) -> str:
    """Return the exported script with a view of the file in place of the table of rows."""
    script = EXPORTERS["sql"]().write(model).decode()
    name = identifier(model.response.name)
    view = f"CREATE VIEW {name}_rows AS SELECT file_row_number AS id, * EXCLUDE (file_row_number) FROM read_parquet('{rows}', file_row_number=true);"
    script = re.sub(rf"CREATE TABLE {name}_rows \(.*?\);", lambda found: view, script, flags=re.DOTALL)
    return f"{script}\nCOPY (SELECT * FROM {name}_prediction ORDER BY id) TO '{out}' (FORMAT parquet);"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
