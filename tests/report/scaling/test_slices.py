"""Surfaces cut into curves and maps, on whole grids and on irregular ones."""

import numpy as np
import pytest

from core.report.figures.scaling_panel import legend_sketch, panel_sketch
from core.report.scaling.kernels import (
    Line,
    Panel,
    behaviour_counts,
    behaviour_table,
    ends_of,
    kernel_map,
    kernel_panels,
    moving,
    panels_table,
    relative,
    slice_along,
    slice_over,
    texts_of,
)
from core.space.design_space import Parameter
from core.trial import Metric
from tests.scaling.made import made_study

GRID = np.array([[1.0, 10.0], [1.0, 20.0], [2.0, 10.0], [4.0, 10.0], [4.0, 20.0]])
STUDY = made_study(12, (3, 3, 2), noise=0.0)


def test_a_slice_differs_in_one_axis_alone() -> None:
    assert slice_along(GRID, 2, 0).tolist() == [0, 2, 3]
    assert slice_along(GRID, 2, 1).tolist() == [2]
    assert slice_along(GRID, 4, 1).tolist() == [3, 4]


def test_a_map_leaves_holes_where_nothing_was_measured() -> None:
    places, a, b = slice_over(GRID, 0, 0, 1)
    assert (a.tolist(), b.tolist()) == ([1, 2, 4], [10, 20])
    assert places.tolist() == [[0, 2, 3], [1, -1, 4]]


def test_only_axes_that_vary_move() -> None:
    assert moving(np.array([[1.0, 5.0], [2.0, 5.0]])) == (0,)
    assert texts_of(GRID[:1], (Metric("cores"), Metric("mhz"))) == ("cores=1, mhz=10",)


def test_kernels_are_one_at_the_base_and_more_is_faster() -> None:
    found = relative(STUDY, "time_s", 17)
    values = found.values(0)
    assert values[17] == 1
    assert values.max() == pytest.approx(1)
    assert str(found.what) == "performance, times the base"
    assert relative(STUDY, "power_w", 17).what.name == "power_w, times the base"


def test_panels_follow_the_study() -> None:
    found = relative(STUDY, "time_s", 17)
    panels = kernel_panels(found, ("compute_0", "mixed_2"), 17)
    assert [p.axis.name for p in panels] == ["cores", "clock_mhz", "mem_gbs"]
    along = slice_along(STUDY.grid, 17, 0)
    assert panels[0].lines[0].values == pytest.approx(STUDY.values[0, 0, 17] / STUDY.values[0, 0, along])
    assert len(panels_table(panels)) == 2 * (3 + 3 + 2)
    assert kernel_map(found, "compute_0", 17, 0, 2).said == "measured"


def test_behaviours_are_counted() -> None:
    found = relative(STUDY, "time_s", 17)
    rows = behaviour_table(found)
    assert rows["kernel"].tolist() == list(STUDY.kernels)
    assert sum(behaviour_counts(found).values()) == 12
    assert rows.loc[0, "largest ÷ smallest"] == pytest.approx(np.exp(np.ptp(np.log(STUDY.values[0, 0]))))
    assert "behaviour" not in behaviour_table(relative(STUDY, "power_w", 17)), "no time, nothing that binds it"


def test_a_panel_is_drawn_and_described() -> None:
    axis = Parameter("cl<ock", (1.0, 2.0, 4.0), "GHz")
    line = Line("a&b", np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 2.0]), np.array([2.0, 3.0, 5.0]))
    panel = Panel("first", axis, "speed", (line,), 3.0, (2.5, 1.5, 4.0))
    sketch = panel_sketch(panel)
    assert sketch.alt == "speed over cl<ock (GHz), first: a&b from 1 at 1 to 3 at 4; here 3."
    assert "<polygon" in sketch.svg
    assert "cl&lt;ock" in sketch.svg
    assert panel.ends == (0.5, 5.0)
    assert panels_table([panel])[["90 % low", "90 % high"]].values.tolist() == [[0.5, 2.0], [1.0, 3.0], [2.0, 5.0]]
    assert ends_of([panel, Panel("", axis, "", ())]) == (0.0, 5.0)
    assert "a&amp;b" in legend_sketch(("a&b", "c")).svg


def test_a_narrow_panel_has_fewer_letters_of_the_same_size() -> None:
    panel = Panel("a title of more than thirty letters", Parameter("x", (1.0, 2.0)), "y", ())
    wide, narrow = panel_sketch(panel).svg, panel_sketch(panel, width=190).svg
    assert 'viewBox="0 0 190 146"' in narrow
    assert 'font-size="10.5"' in wide
    assert 'font-size="10.5"' in narrow
    assert panel.title in wide
    assert panel.title not in narrow


def test_a_panel_without_values_is_drawn_too() -> None:
    line = Line("gone", np.array([np.nan]))
    assert "nothing known" in panel_sketch(Panel("", Parameter("x", (1.0,)), "y", (line,))).alt
