"""Tables of different columns below titles that a spreadsheet padded: the first is read, and the others are told."""

import pytest

from core.ingest.table.aligned import padded_tables
from core.ingest.table.table import Table
from tests.ingest.table.test_pairs import columns, table

PRODUCTS = "Products,,,\nsize,threads,time (ms),check\n256,1,12.5,1\n256,2,6.5,1\n512,1,99.5,1\n"
SORTING = "Speed,,,\nSorting,,,\nelements,order,mib,\n1000,up,15,\n2000,down,9,\n"


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_of_tables_below_padded_titles_the_first_is_read(mark: str) -> None:
    found = table(f"{PRODUCTS},,,\n{SORTING}".replace(",", mark))
    assert columns(found)["size"] == ["256", "256", "512"]
    assert found.names == ("size", "threads", "time", "check")
    assert found.warnings == ("run7.log: the table at line 2 was read; 1 more below it were not.",)
    assert found.place(2) == "run7.log line 5"


def test_titles_stand_before_the_names_of_each_table() -> None:
    first, second = padded_tables(PRODUCTS + SORTING)
    assert (first.heading, second.heading) == ("Products", "Speed, Sorting")
    assert (second.names, second.rows[0]) == (["elements", "order", "mib"], (9, ["1000", "up", "15"]))


@pytest.mark.parametrize(
    "text",
    [
        PRODUCTS,
        PRODUCTS + SORTING.replace("elements", "1000"),
        PRODUCTS + SORTING + "3000,up,15,1\n",
        PRODUCTS + PRODUCTS,
        PRODUCTS + SORTING + "Nothing,,,\na,b,c,\n",
        "size,time\n1,2\n",
    ],
)
def test_one_table_or_what_is_none_is_left_to_others(text: str) -> None:
    assert padded_tables(text) == []


def test_a_run_without_numbers_is_no_title() -> None:
    found: Table = table("kernel,n,time\ncopy,1,2.5\nscale,,\nadd,2,3.5\ntriad,3,4.5\n")
    assert columns(found)["kernel"] == ["copy", "scale", "add", "triad"]
