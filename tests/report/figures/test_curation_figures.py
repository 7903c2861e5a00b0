"""Figures of curation: units, words, names letter for letter, nothing hidden."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from core.curate import RULES
from core.report.figures.draw import Picture
from core.report.figures.trials import repeats_strip, spread_curves
from core.report.trials.curation import SpreadChange, effect, repeat_strip, spread_change
from core.trial import Kind, Measured, Metric
from tests.curate.made import measured

HOSTILE = "<b>gemm</b>&lt;"
SHOWN = "&lt;b&gt;gemm&lt;/b&gt;&amp;lt;"


@pytest.fixture
def m() -> Measured:
    y = np.random.default_rng(0).lognormal(0, 0.1, 24)
    y[3], y[7] = 40.0, np.nan
    metric = Metric(HOSTILE, Kind.RESPONSE, "s")
    excluded = {HOSTILE: ["t1"], "mad": ["t3"]}
    return measured({metric: y}, [0] * 12 + [1] * 12, application=[HOSTILE] * 24, excluded=excluded)


@pytest.fixture
def pictures(m: Measured) -> list[Picture]:
    return [
        repeats_strip(repeat_strip(m, HOSTILE, 0)),
        spread_curves(spread_change(m, effect(m, RULES["mad"](), HOSTILE))),
    ]


def test_each_is_described_and_its_numbers_can_be_taken_away(pictures: list[Picture]) -> None:
    for picture, n in zip(pictures, (12, 4), strict=True):
        assert picture.alt.endswith(".")
        assert len(picture.values()) == n
        for axis in (*picture.figure.select_xaxes(), *picture.figure.select_yaxes()):
            assert axis.title.text


def test_names_are_escaped_letter_for_letter(pictures: list[Picture]) -> None:
    for picture in pictures:
        text = json.dumps(json.loads(picture.figure.to_json()))
        assert "<b>gemm" not in text
        assert SHOWN in text


def test_repeats_in_and_out_are_told_apart_by_shape(pictures: list[Picture]) -> None:
    strip = pictures[0]
    counted, left_out = strip.figure.data
    assert (counted.name, left_out.name) == ("counts", "left out")
    assert list(left_out.x) == [2, 4]
    assert left_out.marker.symbol == "x"
    assert list(left_out.customdata) == ["t1", "t3"]
    assert len(counted.x) == 9
    assert strip.note == "1 of 12 repeats have no value."
    assert "10 count, 2 are left out; the median of those that count is" in strip.alt
    assert strip.figure.layout.yaxis.type == "log"


def test_repeats_that_lie_close_have_a_linear_axis(m: Measured) -> None:
    strip = repeats_strip(repeat_strip(m, HOSTILE, 1))
    assert strip.figure.layout.yaxis.type is None
    assert [t.name for t in strip.figure.data] == ["counts"]
    assert strip.note == ""


def test_the_share_of_configurations_within_a_spread() -> None:
    value = SpreadChange("time", "MAD test", np.array([0.0, 2.0, 30.0]), np.array([0.0, 1.0, 2.0]))
    picture = spread_curves(value)
    before, after = picture.figure.data
    assert list(before.x) == [1.0, 2.0, 30.0]
    assert list(after.y) == pytest.approx([100 / 3, 200 / 3, 100])
    assert picture.figure.layout.xaxis.type == "log"
    assert "the median goes from 2 % to 1 %" in picture.alt


def test_without_repeats_there_is_nothing_to_draw() -> None:
    picture = spread_curves(SpreadChange("time", "MAD test", np.zeros(0), np.zeros(0)))
    assert picture.alt.startswith("No configuration has repeats of time")
    assert len(picture.values()) == 0


def test_many_repeats_are_drawn_with_webgl() -> None:
    many = measured({Metric("t", Kind.RESPONSE): np.arange(6000.0) + 1}, [0] * 6000)
    assert type(repeats_strip(repeat_strip(many, "t", 0)).figure.data[0]) is go.Scattergl
