"""Pictures of a race: described, escaped, with their numbers; what lies far outside is on the edge and counted."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.race.chosen import failures
from core.race.entry import entry_of
from core.race.race import race
from core.race.result import Race
from core.report.compare.race_table import race_lines
from core.report.compare.side_by_side import chosen_metrics, fold_table, side_by_side, speed_up
from core.report.figures.draw import Picture
from core.report.figures.race import (
    difference_sketch,
    error_map,
    failures_by_size,
    fold_dots,
    parallel_lines,
    race_dots,
    speed_up_points,
    stability_bars,
)
from core.trial import Frame, Metric, make_frame
from core.validate.folds import parse_folds
from tests.report.compare.test_race import workloads
from tests.report.figures.test_figures import HOSTILE, _texts

NAMES = (
    "race_dots",
    "fold_dots",
    "stability_bars",
    "failures",
    "error_map",
    "parallel_lines",
    "speed_up",
)


@pytest.fixture(scope="module")
def hostile() -> Frame:
    frame = workloads()
    labels = {**frame.labels, "application": tuple(f"{HOSTILE}{a}" for a in frame.labels["application"])}
    metrics = [Metric(f"{HOSTILE}{m.name}", unit="s") for m in frame.metrics]
    return make_frame(frame.X, frame.y, metrics, Metric(HOSTILE, unit="s"), labels)


@pytest.fixture(scope="module")
def found(hostile: Frame) -> Race:
    return race(hostile, parse_folds("by:application"), 0, [entry_of(n, hostile) for n in ("nnls", "ridge")])


def _pictures(frame: Frame, found: Race) -> Iterator[tuple[str, Picture]]:
    lines = race_lines(frame, found, found)
    first = found.standing("nnls").validation
    yield "race_dots", race_dots(lines, found.winner)
    yield "fold_dots", fold_dots(fold_table(frame, first, found.standing("nnls")), HOSTILE)
    yield "stability_bars", stability_bars(chosen_metrics(frame, [frame.names[:2], frame.names[:1]]), 2)
    yield "failures", failures_by_size(failures(frame, first), frame, log=True)
    value = side_by_side(frame, [line for line in lines if line.validation is not None])
    yield "error_map", error_map(value, found.winner)
    yield "parallel_lines", parallel_lines(lines, (1,), found.winner)
    yield "speed_up", speed_up_points(speed_up(frame, replace(frame, y=1e4 * frame.y), frame.names[0]))


@pytest.fixture(scope="module")
def pictures(hostile: Frame, found: Race) -> dict[str, Picture]:
    return dict(_pictures(hostile, found))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_described_and_its_numbers_can_be_taken_away(pictures: dict[str, Picture], name: str) -> None:
    picture = pictures[name]
    assert len(picture.alt) > 40
    assert picture.alt.endswith(".")
    assert isinstance(picture.values(), pd.DataFrame)
    assert len(picture.values())


@pytest.mark.parametrize("name", NAMES)
def test_names_are_escaped_wherever_plotly_reads_markup(pictures: dict[str, Picture], name: str) -> None:
    texts = list(_texts(json.loads(pictures[name].figure.to_json())))
    assert texts
    assert not [text for text in texts if "<b>gemm" in text or "<img" in text]


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_says_what_it_is(pictures: dict[str, Picture], name: str) -> None:
    titles = [axis.title.text for axis in pictures[name].figure.select_xaxes()]
    assert titles[-1]


def test_workloads_stand_by_what_was_observed(hostile: Frame, found: Race) -> None:
    figure = failures_by_size(failures(hostile, found.standing("nnls").validation), hostile, log=True).figure
    observed = next(t for t in figure.data if t.name == "observed")
    assert (np.diff(observed.y) >= 0).all()
    assert figure.layout.yaxis.type == "log"


def test_one_far_worse_is_drawn_on_the_edge_and_counted(hostile: Frame, found: Race) -> None:
    lines = race_lines(hostile, found)
    far = replace(
        lines[-1], validation=replace(lines[-1].validation, scores=replace(lines[-1].validation.scores, mape=1e30))
    )
    picture = race_dots([*lines[:-1], far])
    assert picture.note.startswith("1 error is far larger")
    assert max(max(x for x in t.x if x is not None) for t in picture.figure.data) < 1e6


def test_dots_are_called_by_what_the_folds_leave_out(hostile: Frame, found: Race) -> None:
    picture = race_dots(race_lines(hostile, found), found.winner, "5 random folds")
    names = [trace.name for trace in picture.figure.data if trace.mode == "markers"]
    assert names == ["5 random folds"]
    assert "models (5 random folds), best at the top" in picture.alt
    assert "diamond" not in picture.alt
    assert all(text.endswith("%, 5 random folds") for text in picture.figure.data[-1].text)


def test_errors_beyond_the_edge_are_counted(hostile: Frame, found: Race) -> None:
    value = failures(hostile, found.standing("nnls").validation)
    value.ape[-1] = 1e6
    assert "1 error lies above" in failures_by_size(value, hostile, log=False).note


def test_nothing_to_draw_is_a_picture_too() -> None:
    assert race_dots([]).alt.startswith("No model could be run")


def test_models_that_are_kept_stand_out_and_dots_carry_their_model(hostile: Frame, found: Race) -> None:
    lines = race_lines(hostile, found)
    figure = parallel_lines(lines, (2,), found.winner).figure
    wide = [trace for trace in figure.data if trace.line.width > 1]
    assert [set(trace.customdata) for trace in wide] == [{2}]
    assert len(figure.data) == len(lines)
    assert all(0 <= y <= 1 for trace in figure.data for y in trace.y)
    assert all(trace.line.width > 1 for trace in parallel_lines(lines).figure.data)


def test_differences_are_drawn_and_told(hostile: Frame, found: Race) -> None:
    lines = [line for line in race_lines(hostile, found) if line.validation is not None]
    value = side_by_side(hostile, lines)
    sketch, table = difference_sketch(value), value.differences()
    told = re.findall(r">([+-][\d.e+-]+) \(([\d.e+-]+) to ([\d.e+-]+)\)<", sketch.svg)
    assert [float(own[0]) for own in told] == pytest.approx(table["difference"].tolist(), rel=5e-3)
    assert sketch.svg.count("<circle") == len(table) == len(value.lines) - 1
    clear = ((table["95 % low"] > 0) | (table["95 % high"] < 0)).tolist()
    assert [fill != "none" for fill in re.findall(r'<circle[^>]* fill="([^"]*)"', sketch.svg)] == clear
    assert f"{sum(clear)} of the differences are more than noise" in sketch.alt
    assert "<b>" not in sketch.svg


def test_workloads_are_named_where_there_is_room(hostile: Frame, found: Race) -> None:
    lines = [line for line in race_lines(hostile, found) if line.validation is not None]
    value = side_by_side(hostile, lines)
    assert 11 < len(value.workloads) <= 30
    wide, narrow = (error_map(value, narrow=own).figure.layout.xaxis.tickvals for own in (False, True))
    assert (len(wide), len(narrow)) == (len(value.workloads), 0)
