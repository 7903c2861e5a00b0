"""Tables that programs draw with lines."""

import pytest

from core.ingest import SourceFile, Table, read_table

RICH = """Results
┏━━━━━━━━┳━━━━━━┳━━━━━━━━━━┓
┃ Kernel ┃ Size ┃ Time (s) ┃
┡━━━━━━━━╇━━━━━━╇━━━━━━━━━━┩
│ naive  │ 256  │ 0.12     │
│ tiled  │ 512  │ 0.31     │
└────────┴──────┴──────────┘
"""
FANCY = """╒════════╤══════╤══════════╕
│ Kernel │ Size │ Time (s) │
╞════════╪══════╪══════════╡
│ naive  │  256 │     0.12 │
├────────┼──────┼──────────┤
│ tiled  │  512 │     0.31 │
╘════════╧══════╧══════════╛
"""
DUCKDB = """D from runs;
┌─────────┬───────┬──────────┐
│ Kernel  │ Size  │ Time (s) │
│ varchar │ int32 │  double  │
├─────────┼───────┼──────────┤
│ naive   │   256 │     0.12 │
│    ·    │    ·  │      ·   │
│ tiled   │   512 │     0.31 │
├─────────┴───────┴──────────┤
│ 2 rows           3 columns │
└────────────────────────────┘
"""
POLARS = """shape: (2, 3)
┌────────┬──────┬──────────┐
│ Kernel ┆ Size ┆ Time (s) │
│ ---    ┆ ---  ┆ ---      │
│ str    ┆ i64  ┆ f64      │
╞════════╪══════╪══════════╡
│ naive  ┆ 256  ┆ 0.12     │
│ tiled  ┆ 512  ┆ 0.31     │
└────────┴──────┴──────────┘
"""


def table(text: str) -> Table:
    return read_table(SourceFile("run.log", text.encode()))


@pytest.mark.parametrize("text", [RICH, FANCY, DUCKDB, POLARS], ids=["rich", "tabulate", "duckdb", "polars"])
def test_what_is_drawn_with_lines(text: str) -> None:
    found = table(text)
    assert {name: list(found.columns[i].texts()) for i, name in enumerate(found.names)} == {
        "Kernel": ["naive", "tiled"],
        "Size": ["256", "512"],
        "Time": ["0.12", "0.31"],
    }


def test_names_that_are_types_stay_names() -> None:
    text = POLARS.replace("Kernel", "date  ").replace("Size", "time")
    assert table(text).names[:2] == ("date", "time")
