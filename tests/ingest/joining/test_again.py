"""The same runs in two forms count once; other runs with the same settings are repeats."""

import json

import pytest

from core.ingest import SourceFile, drop, parts_of

ROWS = [(m, n, 4.935 * n * k) for m, k in (("sha", 1), ("md5", 3.6)) for n in (10, 100, 1000)]


def rows_of(*files: tuple[str, str]) -> tuple[list[int], list[str]]:
    """How many rows each table has, and what is told."""
    found = drop(parts_of([SourceFile(name, text.encode()) for name, text in files]))
    warnings = [told for own in found.gathered(missing="keep").imports for told in own.warnings]
    return [table.rows for table in found.recognition.tables], warnings


def csv(scale: float = 1.0) -> str:
    return "method,host,n,time_us\n" + "".join(f"{m},lab,{n},{scale * t:.4f}\n" for m, n, t in ROWS)


def markdown() -> str:
    return "| Method | N | time_us |\n|---|---|---|\n" + "".join(f"| {m} | {n} | {t:.2f} |\n" for m, n, t in ROWS)


def test_a_table_whose_columns_another_has_cell_for_cell_is_left_out_and_told_of() -> None:
    found, told = rows_of(("out/a.csv", csv()), ("out/a.md", markdown()))
    assert found == [6]
    assert any("out/a.md has the same runs again as what lies beside: left out" in own for own in told)
    lines = "".join(
        json.dumps({"method": m, "host": "lab", "config": {"n": n}, "time_us": t}) + "\n" for m, n, t in ROWS
    )
    assert rows_of(("out/a.csv", csv().replace(",n,", ",config/n,")), ("out/a.json", lines))[0] == [6]


@pytest.mark.parametrize(
    "files",
    [
        [("out/a.csv", csv()), ("out/b.csv", csv())],
        [("out/a.csv", csv(1.02)), ("out/a.md", markdown())],
        [("one/a.csv", csv()), ("two/a.md", markdown())],
        [("out/a.csv", csv().replace("49.3500", "1e999")), ("out/a.md", markdown())],
    ],
    ids=["of one form", "others", "elsewhere", "beyond all numbers"],
)
def test_other_runs_and_those_of_the_same_form_are_kept(files: list[tuple[str, str]]) -> None:
    assert sum(rows_of(*files)[0]) == 12
