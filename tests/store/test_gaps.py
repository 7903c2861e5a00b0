"""Blanks in metrics of the default choice: what keeps most stays, and that is said and can be changed."""

import numpy as np
import pytest

from core.store._gaps import kept, named

NAN = np.nan
MACHINES = ["a"] * 30


def gapped(n: int = 30, p: int = 4, **gaps: int) -> np.ndarray:
    """Return n × p ones; `c1=3` has gaps in the first three rows of column 1."""
    X = np.ones((n, p))
    for column, rows in gaps.items():
        X[:rows, int(column[1:])] = NAN
    return X


@pytest.mark.parametrize(
    ("X", "rows", "columns"),
    [
        (gapped(), 30, [0, 1, 2, 3]),
        (gapped(c1=1), 29, [0, 1, 2, 3]),  # 29 × 4 values are more than 30 × 3
        (gapped(c1=3, c2=3), 27, [0, 1, 2, 3]),
        (gapped(c1=4), 30, [0, 2, 3]),  # more than a tenth of the trials
        (gapped(c1=30), 30, [0, 2, 3]),
        (gapped(p=40, c1=1), 30, [0, *range(2, 40)]),  # 39 × 30 are more than 40 × 29
        (gapped(c1=2, c3=20), 28, [0, 1, 2]),
        (gapped(c0=20, c1=20, c2=20, c3=20), 10, [0, 1, 2, 3]),  # no column is whole: repeats without counters
        (gapped(c0=4, c1=20, c2=20, c3=20), 10, [0, 1, 2, 3]),
        (gapped(c0=4, c1=28, c2=29, c3=30), 26, [0]),
    ],
)
def test_what_keeps_most_values_stays(X: np.ndarray, rows: int, columns: list[int]) -> None:
    found_rows, found_columns = kept(X, "most", [MACHINES])
    assert (len(found_rows), found_columns.tolist()) == (rows, columns)
    assert not np.isnan(X[np.ix_(found_rows, found_columns)]).any()


def test_no_machine_is_lost() -> None:
    rows, columns = kept(gapped(c1=1), "most", [["alone", *MACHINES[1:]]])
    assert (len(rows), columns.tolist()) == (30, [0, 2, 3])


def test_it_can_be_said() -> None:
    X = gapped(c1=1, c2=30)
    assert [len(part) for part in kept(X, "metrics", [])] == [30, 2]
    assert [len(part) for part in kept(X, "trials", [])] == [29, 3]


def test_the_order_of_rows_changes_nothing() -> None:
    X = gapped(c1=2, c2=3, c3=1)
    assert kept(X, "most", [])[1].tolist() == kept(X[::-1], "most", [])[1].tolist()


def test_many_names_are_folded() -> None:
    assert named([f"m{i}" for i in range(14)]).endswith("m11 and 2 more")
    assert named(["a", "b"]) == "a, b"
