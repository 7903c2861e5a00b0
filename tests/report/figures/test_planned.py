"""Rings where runs are needed, dots where they are done."""

from core.report.figures.sketch import LIGHT, planned


def test_every_run_has_a_ring_and_those_that_are_done_a_dot() -> None:
    needed = {(0, 0), (0, 1), (1, 1)}
    sketch = planned(["ridge", "a <b>"], ["1", "2"], needed, {(0, 1)}, "folds", LIGHT)
    assert sketch.svg.count("<circle") == 3
    assert sketch.svg.count('fill="none" stroke') == 2
    assert "a &lt;b&gt;" in sketch.svg
    assert sketch.alt == "1 of 3 are done, over 2 folds."


def test_many_columns_are_named_with_room_between_and_many_rows_are_cut() -> None:
    names = [f"level {i}" for i in range(200)]
    needed = {(i, j) for i in range(60) for j in range(200)}
    sketch = planned(names[:60], names, needed, (), "levels")
    assert sketch.svg.count("<circle") == 40 * 200
    assert 2 < sketch.svg.count('text-anchor="middle"') < 12
    assert "the first 40 of 60 rows are drawn" in sketch.alt
