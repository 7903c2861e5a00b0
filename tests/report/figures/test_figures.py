"""Every figure: units on its axes, its meaning in words, names letter for letter, and not too many points."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.recipes import make_recipe
from core.report.figures.components import _with_room, cluster_curves, loadings_map, scores_scatter, scree
from core.report.figures.draw import Picture, log_axis, names, rows, width
from core.report.figures.effects import _apart, effect_curve, effect_surface, importance_bars, score_bars
from core.report.figures.outcome import annotation, application_panel, group_errors, predicted_actual, residuals
from core.report.figures.selection import candidate_strip, round_bars, rounds_curve, selection_curve
from core.report.figures.trials import correlation_map, histogram, response_bars
from core.report.model.effects import effects, surface
from core.report.model.rounds import rounds
from core.report.model.selection import candidates, selection
from core.report.model.summary import importance
from core.report.shared.naming import Grouping, group, group_by_label, shade_by_response, trial_names
from core.report.shared.outcome import Outcome, by_group, held_out_outcome, training_outcome
from core.report.shared.scorecard import score_card
from core.report.trials.components import ComponentOptions, cluster_choice, components
from core.report.trials.metrics import correlation, distribution
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds

HOSTILE = "<b>gemm</b>&lt;<img src=x>"
SHOWN = "&lt;b&gt;gemm&lt;/b&gt;&amp;lt;&lt;img src=x&gt;"


@pytest.fixture(scope="module")
def hostile() -> Frame:
    """Trials whose metrics, response and applications have names that are markup."""
    rng = np.random.default_rng(0)
    X = np.exp(rng.standard_normal((40, 5)))
    y = np.exp(X @ rng.uniform(0.2, 1, 5))
    metrics = [Metric(f"{HOSTILE}{j}", Kind.COUNTER, "MB") for j in range(5)]
    labels = {"application": [f"{HOSTILE}{i % 4}" for i in range(40)], "machine": [f"m{i % 3}" for i in range(40)]}
    return make_frame(X, y, metrics, Metric(HOSTILE, Kind.RESPONSE, "s"), labels=labels)


def _pictures(frame: Frame) -> Iterator[tuple[str, Picture]]:
    found, correlated = components(frame), correlation(frame)
    yield "correlation_map", correlation_map(correlated)
    yield "response_bars", response_bars(correlated)
    yield "scree", scree(found)
    yield "loadings_map", loadings_map(found)
    yield "scores_scatter", scores_scatter(found, 0, 1, trial_names(frame), group_by_label(frame, "application"))
    yield "cluster_curves", cluster_curves(cluster_choice(found.scores, 4), 2)
    yield "histogram", histogram(distribution(frame.y, frame.response))
    recipe = make_recipe("stepwise", {"threshold": "0.001"})
    model = recipe.fit(frame)
    whole = recipe.stopping().whole.fit(frame)
    yield "selection_curve", selection_curve(selection(model, 0, 0.001, 20, whole), 1)
    yield "candidate_strip", candidate_strip(candidates(model, 2, 0, 0.001))
    validation = cross_validate(recipe.fit, frame, parse_folds("kfold:5"))
    value = held_out_outcome(validation, frame, log=True)
    yield "predicted_actual", predicted_actual(value, group_by_label(frame, "application"), intervals=True)
    yield "residuals", residuals(value, shade_by_response(frame))
    yield "group_errors", group_errors(by_group(value, frame, "application"), "application")
    yield "application_panel", application_panel(value, frame.labels["application"][0])
    stargazer = make_recipe("stargazer", {"theta": "0.0001", "phi": "0.0001"})
    spline = stargazer.fit(frame)
    told = rounds(spline, 0, stargazer.limits())
    yield "rounds_curve", rounds_curve(told, 1)
    yield "round_bars", round_bars(told.rounds[1])
    curves = effects(spline, spline.rows(frame))
    yield "effect_curve", effect_curve(curves, curves.curves[0])
    pair = (curves.curves[0].metric.name, curves.curves[1].metric.name)
    yield "effect_surface", effect_surface(surface(spline, spline.rows(frame), pair))
    yield "effect_surface alone", effect_surface(surface(spline, spline.rows(frame), pair), "interaction alone")
    for name in ("anova", "forest", "gaussian_process"):
        found = importance(make_recipe(name).fit(frame))
        assert found is not None
        yield f"importance_bars {name}", importance_bars(found)
    training = training_outcome(model, frame).scores
    yield "score_bars", score_bars(score_card({"training": training, "5 random folds": value.scores}, frame.response))


def _texts(spec: object) -> Iterator[str]:
    """Every text in a figure, wherever it stands."""
    if isinstance(spec, str):
        yield spec
    children = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ()
    for child in children:
        yield from _texts(child)


@pytest.fixture(scope="module")
def pictures(hostile: Frame) -> dict[str, Picture]:
    return dict(_pictures(hostile))


NAMES = (
    "correlation_map",
    "response_bars",
    "scree",
    "loadings_map",
    "scores_scatter",
    "cluster_curves",
    "histogram",
    "selection_curve",
    "candidate_strip",
    "predicted_actual",
    "residuals",
    "group_errors",
    "application_panel",
    "score_bars",
    "rounds_curve",
    "round_bars",
    "effect_curve",
    "effect_surface",
    "effect_surface alone",
    "importance_bars anova",
    "importance_bars forest",
    "importance_bars gaussian_process",
)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_described_and_its_numbers_can_be_taken_away(pictures: dict[str, Picture], name: str) -> None:
    picture = pictures[name]
    assert len(picture.alt) > 40
    assert picture.alt.endswith(".")
    assert isinstance(picture.values(), pd.DataFrame)
    assert len(picture.values())
    assert picture.figure.data


@pytest.mark.parametrize("name", NAMES)
def test_names_are_escaped_wherever_plotly_reads_markup(pictures: dict[str, Picture], name: str) -> None:
    texts = list(_texts(json.loads(pictures[name].figure.to_json())))
    assert texts
    assert not [text for text in texts if "<b>gemm" in text or "<img" in text]


@pytest.mark.parametrize("name", ["response_bars", "predicted_actual", "histogram", "scores_scatter", "effect_curve"])
def test_names_are_there_letter_for_letter(pictures: dict[str, Picture], name: str) -> None:
    assert [text for text in _texts(json.loads(pictures[name].figure.to_json())) if SHOWN in text]


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("correlation_map", "loadings_map")])
def test_every_axis_says_what_and_in_which_unit(pictures: dict[str, Picture], name: str) -> None:
    titles = [axis.title.text for axis in pictures[name].figure.select_xaxes() if axis.showticklabels is not False]
    assert titles[-1]
    if name in ("predicted_actual", "residuals", "application_panel", "histogram"):
        assert titles[-1].endswith("(s)")
    if name.startswith("effect_"):
        assert titles[-1].endswith("(MB)")
    if name == "effect_curve":
        assert next(iter(pictures[name].figure.select_yaxes())).title.text.endswith("(s)")


def test_the_bar_of_colours_lies_above_the_titles_of_the_panels(pictures: dict[str, Picture]) -> None:
    figure = pictures["loadings_map"].figure
    assert [title.text for title in figure.layout.annotations] == ["after", "before"]
    assert (figure.data[-1].colorbar.y - 1) * figure.layout.height >= 24
    assert pictures["correlation_map"].figure.data[0].colorbar.y == 1


def test_colours_are_left_to_the_theme_but_for_grey(pictures: dict[str, Picture]) -> None:
    for name, picture in pictures.items():
        for trace in picture.figure.data:
            colour = getattr(getattr(trace, "marker", None), "color", None)
            assert colour is None or not isinstance(colour, str) or colour.startswith("#8a"), name


def test_colours_of_a_logarithm_have_no_middle(pictures: dict[str, Picture]) -> None:
    """Where predictions pass 1 s, seconds were dark there and milliseconds were not."""
    together, alone = (pictures[f"effect_surface{part}"].figure.data[0] for part in ("", " alone"))
    assert (together.autocolorscale, alone.autocolorscale) == (False, True)


def test_a_squared_error_has_the_digits_of_other_numbers() -> None:
    value = _outcome(20)
    scores = replace(value.scores, mape=744.0, mse=138_571.0)
    assert annotation(replace(value, scores=scores)) == "MAPE 744 %, MSE 138,571 s²"


def _outcome(n: int, far: float = 1.0) -> Outcome:
    rng = np.random.default_rng(1)
    y = np.exp(rng.standard_normal(n))
    frame = make_frame(y[:, None], y, [Metric("x")], Metric("time", unit="s"), parameters=[str(i) for i in range(n)])
    model = make_recipe("stepwise").fit(frame)
    value = training_outcome(model, frame)
    value.predicted[0] *= far
    return value


@pytest.mark.parametrize("colour", [None, group("half", tuple("ab"[i % 2] for i in range(25_000)))])
def test_trials_that_lie_on_each_other_are_one_point_which_knows_them_all(colour: Grouping | None) -> None:
    picture = predicted_actual(_outcome(25_000), colour)
    drawn = [trace for trace in picture.figure.data if trace.customdata is not None]
    n = sum(len(trace.x) for trace in drawn)
    assert n < 1000
    assert picture.note.startswith(f"25,000 trials, neighbours drawn as one point, the larger the more: {n:,} points")
    assert sorted(int(row) for trace in drawn for rows in trace.customdata for row in rows.split()) == list(
        range(25_000)
    )
    assert sum("and" in text for trace in drawn for text in trace.text) == sum(
        " " in rows for trace in drawn for rows in trace.customdata
    )
    assert len(picture.values()) == 25_000


@pytest.mark.parametrize(
    ("places", "shown"),
    [
        ([0.0, 32, 64, 128, 168, 192, 224, 256], [0, 32, 64, 128, 168, 224, 256]),
        ([0.0, 1, 2, 4, 8], [0, 1, 2, 4, 8]),
        ([1.0, 2, 98, 99, 100], [1, 100]),
        ([3.0], [3]),
    ],
)
def test_ticks_leave_room_for_their_texts_and_keep_both_ends(places: list[float], shown: list[float]) -> None:
    at = np.array(places)
    assert at[_apart(at)].tolist() == shown


def test_few_trials_are_a_point_each_and_no_colour_hides_another() -> None:
    few = predicted_actual(_outcome(500))
    assert len(few.figure.data[0].x) == 500
    same = tuple("ab"[i % 2] for i in range(600))
    y = np.repeat([1.0, 2.0], 300)
    value = replace(_outcome(600), actual=y, predicted=y)
    assert [len(trace.x) for trace in predicted_actual(value, group("half", same)).figure.data[:2]] == [2, 2]


def test_a_point_knows_its_row(hostile: Frame) -> None:
    validation = cross_validate(make_recipe("stepwise").fit, hostile, parse_folds("holdout:9"))
    value = held_out_outcome(validation, hostile, log=True)
    figure = predicted_actual(value, group_by_label(hostile, "machine").take(value.rows)).figure
    carried = [own for trace in figure.data if trace.customdata is not None for own in trace.customdata]
    assert sorted(int(row) for own in carried for row in own.split()) == sorted(value.rows)


@pytest.mark.parametrize("draw", [predicted_actual, residuals])
def test_what_lies_far_outside_is_drawn_on_the_edge_and_counted(draw: Callable[[Outcome], Picture]) -> None:
    assert draw(_outcome(100)).note == ""
    picture = draw(_outcome(100, far=1e9))
    assert "1 of 100" in picture.note
    assert "far outside" in picture.note
    assert max(max(t.y) for t in picture.figure.data if t.customdata is not None) < 1e5


def test_intervals_are_of_at_most_600_trials_and_it_says_so() -> None:
    value = _outcome(900)
    value.low[:], value.high[:] = value.predicted / 2, value.predicted * 2
    picture = predicted_actual(value, group("a", tuple("xy"[i % 2] for i in range(900))), intervals=True)
    assert sum(len(t.x) for t in picture.figure.data if t.customdata is not None) == 600
    assert "600 of 900" in picture.note


def test_more_metrics_than_can_be_read_are_the_strongest_ones() -> None:
    X = np.random.default_rng(0).standard_normal((90, 70))
    frame = make_frame(X, X[:, 0], [Metric(f"m{j}") for j in range(70)], Metric("y"))
    picture = loadings_map(components(frame, ComponentOptions(components=3)))
    assert len(picture.figure.data[0].z) == 60
    assert "60 of 70" in picture.note
    assert len(picture.values()) == 70
    assert "grouped" in correlation_map(correlation(frame)).note


@pytest.mark.parametrize("n", [2, 15, 40])
def test_rows_of_a_map_of_correlations_have_room_for_their_names(n: int) -> None:
    X = np.random.default_rng(0).standard_normal((90, n))
    frame = make_frame(X, X[:, 0], [Metric(f"m{j}") for j in range(n)], Metric("y"))
    beside = 170  # pixels of its bar and of names that are slanted
    assert (correlation_map(correlation(frame)).figure.layout.height - beside) / n >= 15


def test_selection_tells_what_a_threshold_of_0_would_add(hostile: Frame) -> None:
    recipe = make_recipe("stepwise", {"threshold": "0.05"})
    told = selection(recipe.fit(hostile), 0, 0.05, 20, recipe.stopping().whole.fit(hostile))
    names = [t.name for t in selection_curve(told).figure.data]
    assert names == ["in the model", "taken", "with a threshold of 0", "not taken", "threshold 0.05"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.04, 3, ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]),
        (20, 9_000, ["10", "30", "100", "300", "1,000", "3,000", "10,000", "30,000"]),
        (1e3, 1e7, ["1,000", "10,000", "10<sup>5</sup>", "10<sup>6</sup>", "10<sup>7</sup>"]),
        (0.058, 0.115, ["0.06", "0.08", "0.1"]),
        (12_100, 13_900, ["12,500", "13,000", "13,500"]),
        (2e-6, 9e-6, ["10<sup>-6</sup>", "2·10<sup>-6</sup>", "5·10<sup>-6</sup>", "10<sup>-5</sup>"]),
    ],
    ids=["two decades", "three", "many", "a factor of 2", "15 %", "tiny"],
)
def test_each_tick_of_a_logarithmic_axis_is_a_whole_number_of_its_own(
    low: float, high: float, texts: list[str]
) -> None:
    axis = log_axis(np.array([low, high, np.nan, -1.0]))
    assert axis["type"] == "log"
    assert axis["ticktext"][: len(texts)] == texts
    assert len(axis["tickvals"]) == len(axis["ticktext"])


def test_many_decades_have_few_ticks() -> None:
    assert len(log_axis(np.array([1e-20, 1e20]))["tickvals"]) <= 10


def test_names_beside_loadings_never_lie_on_each_other() -> None:
    x, y = np.array([0.1, 0.12, 0.5, -1.0, 0.1]), np.array([0.0, 0.03, 0.02, 0.0, 0.5])
    names = ["first of all", "second", "third", "far away", "above"]
    assert _with_room(x, y, np.arange(5), names) == {0, 2, 3, 4}
    assert _with_room(x, y, np.array([1, 0]), names) == {1}


def test_names_that_would_be_cut_alike_keep_what_tells_them_apart() -> None:
    assert names(["matmul_row_layout_fast", "<b>"], 10) == ["matmul…ast", "&lt;b&gt;"]
    assert names([f"matmul_{way}_layout_fast" for way in ("row", "<col>")], 10) == ["…row…", "…col…"]
    assert names(["a" * 20, "a" * 20], 10) == ["aaaaaa…aaa"] * 2


def test_ticks_of_a_pair_of_metrics_are_numbers_as_people_write_them() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([2_637_000 * rng.integers(1, 9, 60), rng.integers(1, 9, 60)]).astype(float)
    metrics = [Metric("bytes", Kind.PARAMETER), Metric("cores", Kind.PARAMETER)]
    frame = make_frame(X, X[:, 0] / X[:, 1], metrics, Metric("t", Kind.RESPONSE, "s"))
    drawn = effect_surface(surface(make_recipe("eiger").fit(frame), frame.X, ("bytes", "cores"))).figure.data[0]
    assert "2,637,000" in drawn.x
    assert not any("e+" in text for text in (*drawn.x, *drawn.y))


def test_rows_have_room_for_their_longest_label() -> None:
    assert width("&lt;b&gt;") == width("<b>")
    assert width("mmmm") > 4 * 9.9  # pixels of an m of the page's letters, at the size of axes
    short, long = (rows(["sdot", label], 90, 22, "error (%)").layout for label in ("saxpy", "brighten_u8 ★"))
    assert long.margin.l - short.margin.l == round(width("brighten_u8 ★")) - round(width("saxpy"))
    assert not long.yaxis.automargin
