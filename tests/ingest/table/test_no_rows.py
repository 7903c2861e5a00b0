"""What stands between and below the rows of a table and is none of them: names again, remarks, words for no result."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import SourceFile, apply, read_table
from core.ingest.table.columns import study
from core.ingest.table.table import Table, stream_table

REPEATED = "app,n,t\n" + "".join(f"a{i},{i},{i}.5\n" + ("app, n ,t\n" if i % 4 == 3 else "") for i in range(20))


def read(raw: str) -> Table:
    return read_table(SourceFile("run.csv", raw.encode()))


def test_names_that_come_again_are_no_row() -> None:
    table = read(REPEATED)
    assert table.columns[0].texts() == [f"a{i}" for i in range(20)]
    assert [s.where for s in table.skipped if "repeats the names" in s.why] == [f"line {i}" for i in range(6, 27, 5)]


def test_names_that_come_again_are_no_row_of_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(REPEATED)
    parts = [*stream_table(path, block=40)]
    assert len(parts) > 2
    assert [text for part in parts for text in part.columns[0].texts()] == [f"a{i}" for i in range(20)]


def test_remarks_below_a_blank_line_may_hold_numbers() -> None:
    table = read("app,n,t\na,1,2.5\nb,2,3.5\n\n* at 22 degrees\nNote: turbo off, 3 runs each\nQuelle: Labor 3\n")
    assert table.columns[1].texts() == ["1", "2"]
    assert [s.where for s in table.skipped] == ["line 5", "line 6", "line 7"]


@pytest.mark.parametrize(
    "below", ["Note: turbo was off", "\nMeasured on node 7, GCC 13.2", "\nall runs on one socket of 2"]
)
def test_a_sentence_below_a_blank_line_and_a_note_are_no_rows(below: str) -> None:
    table = read(f"app,n,t\na,1,2.5\nb,2,3.5\n{below}\n")
    assert table.columns[1].texts() == ["1", "2"]
    assert "below the table" in table.skipped[0].why


@pytest.mark.parametrize("below", ["c", "\nc,3", "\nlong name of one,3"])
def test_a_row_that_lacks_cells_is_no_sentence(below: str) -> None:
    with pytest.raises(ReadError):
        read(f"app,n,t\na,1,2.5\nb,2,3.5\n{below}\n")


def test_a_word_among_means_with_spreads_is_no_result() -> None:
    cells = ["0.82 ± 0.02", "2.40 ± 0.05", "8.5", "3.5 ± 1", "7 ± 2", "OOM"]
    rows = (f"| {i} | {cell} |\n" for i, cell in enumerate(cells))
    table = read("| n | t (ms) |\n|--|--|\n" + "".join(rows))
    found = study(table).columns[1].numbers.values
    assert np.array_equal(found, [0.82, 2.4, 8.5, 3.5, 7, np.nan], equal_nan=True)
    assert any("the spread behind ± is left out" in warning for warning in table.warnings)


def test_a_run_without_a_result_leaves_durations_numbers() -> None:
    found = study(read("n,time\n1,50m\n2,1h 9m\n3,2h 1m\n4,3h\n5,OOM\n")).columns[1]
    assert found.unit == "s"
    assert np.array_equal(found.numbers.values, [3000, 4140, 7260, 10800, np.nan], equal_nan=True)


@pytest.mark.parametrize("word", ["(unknown)", "<unknown>", "n/a"])
def test_what_a_tool_does_not_know_is_missing(word: str) -> None:
    found = apply(read(f"n,freq,time (s)\n1,{word},0.5\n2,2.1,0.7\n3,2.2,0.9\n4,2.3,1.1\n"))
    assert len(found.trials.application) == 4
    assert np.isnan(found.trials.values[0, [m.name for m in found.trials.metrics].index("freq")])
