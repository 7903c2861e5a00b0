"""A scored space as tables and pictures."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.report.figures.surface import front_scatter, interaction_bars, space_histogram, variance_shares
from core.report.space.decision import told_of
from core.report.space.design_points import cloud, offered_table, shares_table, whole_table
from core.space.believed import believe_in
from core.space.designs import Decision, decide, one_more
from core.space.offered import Question
from core.space.plans import Evidence
from core.space.sensitivity import sensitivity
from core.space.sweep import over, sweep
from core.space.wishes import narrowed, read_wishes
from tests.report.space.test_whatif import SPACE, _asked, _model


def decided(goals: dict[str, str], limits: tuple[str, ...] = ()) -> Decision:
    wishes = read_wishes(goals, limits, ("time", "other"), SPACE)
    models = {"time": _model("stargazer"), "other": _model("anova")}
    asked = {n: believe_in(Evidence(m), wishes.space) for n, m in models.items() if n in wishes.names}
    return decide(Question(wishes, asked))


def test_tables_hold_what_the_model_says() -> None:
    model = _model("stargazer")
    table = whole_table(SPACE, [model])
    assert len(table) == SPACE.n_points
    row = table[(table["width"] == 4) & (table["<b>depth"] == 3) & (table["ports"] == 2)].iloc[0]
    assert row["predicted time (us)"] == pytest.approx(_asked(model, SPACE, (2, 2, 1)))
    found = decided({"time": "low"}, ("other < 1e9",))
    best = offered_table(found, 3)
    assert len(best) == 3
    assert len(offered_table(found)) == found.offered.n_feasible > 3
    same = (table[list(SPACE.names)] == best[list(SPACE.names)].iloc[0]).all(axis=1)
    assert best["time (us), lowest"].tolist() == pytest.approx(
        [*table["predicted time (us)"][same], *best["time (us), lowest"][1:]]
    )
    assert best["time (us), lowest"].is_monotonic_increasing
    assert {"time, 90 % low", "time, 90 % high", "width", "other"} <= set(best.columns)


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
    model = _model("stargazer")
    swept = sweep(*over(SPACE, [model]))
    histogram = space_histogram(swept, model.response)
    assert histogram.values()["designs"].sum() == SPACE.n_points
    assert histogram.figure.layout.xaxis.title.text == "predicted time (us)"
    assert f"of {SPACE.n_points} designs" in histogram.alt
    front = decided({"time": "low", "other": "high", "width": "low"})
    codes = front.offered.codes
    chosen = one_more(front, codes[-1])
    picture = front_scatter(front, cloud(front.question), chosen)
    traces = {trace.name: trace for trace in picture.figure.data}
    behind = sum(len(trace.x) for name, trace in traces.items() if name.startswith("may "))
    assert behind == SPACE.n_points
    assert list(traces["front"].customdata) == list(range(len(codes)))
    assert list(traces["front"].marker.color) == front.offered.worth[2].tolist()
    assert traces["chosen"].x[0] == traces["front"].x[-1]
    assert len(picture.values()) == len(codes)
    assert f"{len(codes)} of {front.offered.n_feasible} designs that no other beats in every goal" in picture.alt


def test_any_design_of_a_front_is_told_of_and_none_that_may_not_be_offered() -> None:
    front = decided({"time": "low", "other": "high"}, ("width * ports <= 16",))
    shown = {tuple(one.codes) for one in front.alternatives}
    other = next(codes for codes in front.offered.codes if tuple(codes) not in shown)
    np.testing.assert_array_equal(one_more(front, other).codes, other)
    assert "at least as good" not in told_of(front, one_more(front, other))
    worse = replace(front.alternatives[0], goals=np.add(front.alternatives[0].goals, [1.0, -1.0]))
    assert told_of(front, worse).endswith("at least as good in every goal: 1.")
    assert one_more(front, front.alternatives[1].codes) is front.alternatives[1]
    broken = Decision(
        Question(read_wishes({"time": "low"}, ("time < 1e-9",), ("time",), SPACE), front.question.responses),
        (),
        front.beats,
        front.offered,
    )
    with pytest.raises(OptionError, match="breaks a limit"):
        one_more(broken, other)


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
    beyond = bool((shares["alone (%)"] > shares["in all, 90 % high (%)"]).any())
    assert ("constraints tie" in variance_shares(found).note) is beyond
    assert variance_shares(found).figure.data[0].error_x.array is not None
    bars = interaction_bars(found)
    assert bars.figure.data[0].error_x.array is not None
    assert "Whiskers are 90 % intervals" in bars.note
