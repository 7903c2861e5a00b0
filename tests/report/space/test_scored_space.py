"""A scored space as tables and pictures."""

import numpy as np
import pytest

from core.errors import OptionError
from core.report.figures.scored_space import front_scatter, interaction_bars, space_histogram, variance_shares
from core.report.space.scored_space import cloud, designs_table, shares_table, whole_table
from core.space.pareto import pareto_front
from core.space.sensitivity import sensitivity
from core.space.sweep import sweep
from core.space.wishes import narrowed
from tests.report.space.test_whatif import SPACE, _asked, _model


def test_tables_hold_what_the_model_says() -> None:
    model = _model("stargazer")
    table = whole_table(SPACE, [model])
    assert len(table) == SPACE.n_points
    row = table[(table["width"] == 4) & (table["<b>depth"] == 3) & (table["ports"] == 2)].iloc[0]
    assert row["predicted time (us)"] == pytest.approx(_asked(model, SPACE, (2, 2, 1)))
    best = designs_table(SPACE, sweep(model, SPACE, top=3).best, model.response, second=_model("anova"))
    assert best["predicted time (us)"].iloc[0] == pytest.approx(table["predicted time (us)"].min())
    assert {"low", "high", "width", "predicted time (us), model 2"} <= set(best.columns)


def test_further_conditions_narrow_the_space() -> None:
    assert narrowed(SPACE, ["", "width <= 2 "]).n_points == 2 * 3 * 4
    assert narrowed(SPACE, [" "]) is SPACE
    tied = narrowed(SPACE, ["width <= 2", "ports > 1"])
    assert [c.text for c in tied.constraints] == ["width * ports <= 32"]
    assert tied.shape == (2, 3, 3)
    with pytest.raises(OptionError, match="No design fulfils width > 16 and ports < 2"):
        narrowed(SPACE, ["width > 16", "ports < 2"])
    with pytest.raises(OptionError, match="No design fulfils width > 99"):
        narrowed(SPACE, ["width > 99"])


def test_pictures_say_what_they_show() -> None:
    model, other = _model("stargazer"), _model("anova")
    swept = sweep(model, SPACE)
    histogram = space_histogram(swept, model.response)
    assert histogram.values()["designs"].sum() == SPACE.n_points
    assert histogram.figure.layout.xaxis.title.text == "predicted time (us)"
    assert f"of {SPACE.n_points} designs" in histogram.alt
    front = pareto_front(model, other, SPACE)
    picture = front_scatter(front, cloud(SPACE, model, other), SPACE, model.response, other.response)
    assert len(picture.figure.data[0].x) == SPACE.n_points
    assert len(picture.values()) == len(front)
    assert "of 54 designs that no other beats" in picture.alt


def test_shares_are_in_percent_the_largest_first() -> None:
    found = sensitivity(_model("stargazer"), SPACE)
    table = shares_table(found)
    assert table["parameter"].iloc[0] == "width"
    assert table["in all (%)"].is_monotonic_decreasing
    assert table["alone (%)"].iloc[0] == pytest.approx(100 * found.first["width"].value)
    picture = variance_shares(found)
    assert picture.alt.startswith("Bars of Sobol' indices, the largest total first: width ")
    assert [t.name for t in picture.figure.data] == ["alone (first order)", "with interactions (total)"]
    assert np.isfinite(interaction_bars(found).values()["together (%)"]).all()


def test_what_constraints_do_to_shares_is_said() -> None:
    tied = narrowed(SPACE, ["width * ports >= 8"])
    found = sensitivity(_model("stargazer"), tied)
    assert not found.exact
    shares = shares_table(found)
    beyond = bool((shares["alone (%)"] > shares["in all high (%)"]).any())
    assert ("constraints tie" in variance_shares(found).note) is beyond
    assert variance_shares(found).figure.data[0].error_x.array is not None
    bars = interaction_bars(found)
    assert bars.figure.data[0].error_x.array is not None
    assert "Whiskers are 90 % intervals" in bars.note
