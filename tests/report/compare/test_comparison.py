"""Two models side by side: what differs is listed, and only that; predictions are the models' own."""

import re

import numpy as np
import pytest

from core.recipes import make_recipe, train
from core.report.compare.versus import against, compare
from core.report.document.charts import scatter
from core.report.figures.outcome import models_agreement
from core.report.model.why import dials, row_of
from core.report.shared.naming import LONGEST_LINE, MOST_LINES, preview
from core.report.shared.svg import axis_for
from core.validate.folds import parse_folds
from tests.conftest import machine_frame


@pytest.fixture(scope="module")
def models():
    frame = machine_frame(12, 5)
    plan = parse_folds("kfold:4")
    made = [
        train(make_recipe("eiger", {"max_terms": n, "variant": "ridgeline-1"}), frame, plan, dataset="d").model
        for n in ("1", "3")
    ]
    return frame, *made


def test_only_what_differs_differs(models) -> None:
    _, first, second = models
    found = compare(first, second, ("a", "b"))
    assert [t.name for t in found.options if t.differs] == ["Most terms"]
    assert [t.name for t in found.traits if t.differs] == ["Interval"]
    interval = next(t for t in found.traits if t.name == "Interval")
    assert re.fullmatch(r".+ to .+ mid-range, held \d+ %", interval.first)
    assert len(interval.first) < 60
    assert found.same_response
    assert found.same_folds
    assert len(found.shared) == 1
    assert found.only_first == ()
    assert found.scores is not None
    assert found.scores.columns == ("a", "b")
    assert found.scores.row("mape").values == (first.validation["scores"]["mape"], second.validation["scores"]["mape"])


def test_a_model_compared_with_itself_has_no_differences(models) -> None:
    _, first, _ = models
    found = compare(first, first, ("a", "b"))
    assert not [t for t in (*found.traits, *found.options) if t.differs]
    assert (found.only_first, found.only_second) == ((), ())


def test_components_of_other_trials_are_other_words(models) -> None:
    frame, first, _ = models
    other = make_recipe("eiger", {"max_terms": "1", "variant": "ridgeline-1"}).fit(frame.take(np.arange(40)))
    assert set(first.clusters[0].model.terms(first.features)) == set(other.clusters[0].model.terms(other.features))
    found = compare(first, other, ("a", "b"))
    assert not found.same_words
    assert found.shared == ()
    assert len(found.only_first) == 1
    assert re.search(r"RC\d+\[\S", found.only_first[0])


def test_predictions_against_each_other(models) -> None:
    frame, first, second = models
    said = against(first, second, frame, ("a", "b"))
    a, b = (m.predict(m.rows(frame)).value for m in (first, second))
    assert np.array_equal(said.first, a)
    assert said.apart == pytest.approx(np.median(100 * np.abs(b / a - 1)))
    assert said.within_10 == pytest.approx(100 * np.mean(np.abs(b / a - 1) <= 0.1))
    assert said.n_refused == 0
    assert said.table()["second over first (%)"].tolist() == pytest.approx((100 * (b / a - 1)).tolist())
    picture = models_agreement(said)
    assert len(picture.figure.data[0].x) == len(frame)
    assert "60 trials" in picture.alt


def test_a_row_by_hand_is_what_the_model_says(models) -> None:
    _, _, model = models
    offered = dials(model)
    assert {d.metric.name for d in offered} == set(model.names)
    for dial in offered:
        assert dial.low <= dial.start <= dial.high
    row = np.array([next(d.start for d in offered if d.number == j) for j in range(len(model.metrics))])
    said = model.predict(row_of(model, {})[None])
    assert said.value[0] == model.predict(row[None, :]).value[0]
    row[0] = model.domain.high[0] * 3
    other = model.predict(row_of(model, {0: row[0]})[None])
    assert other.value[0] == model.predict(row[None, :]).value[0]
    assert (said.why[0], bool(other.why[0])) == ("", True)


def test_a_preview_is_the_beginning() -> None:
    raw = "\n".join(["x" * 500, *(str(i) for i in range(1000))]).encode()
    shown = preview(raw, ".py")
    lines = shown.text.splitlines()
    assert (len(lines), shown.n_lines, shown.n_bytes, shown.language) == (MOST_LINES, 1001, len(raw), "python")
    assert lines[0] == "x" * LONGEST_LINE + " …"
    assert shown.shortened
    assert preview(b"a\nb", ".h").text == "a\nb"
    assert not preview(b"a\nb", ".h").shortened
    assert preview(b"\x08\xff\xfe", ".onnx").n_lines == 0


@pytest.mark.parametrize(
    "values", [[1.0, 2.0], [1e-9, 1e9], [-3.0, 5.0], [7.0, 7.0], [0.0, 0.0], [1e-140, 1e140], [99.0, 1001.0]]
)
def test_an_axis_holds_its_values_and_has_round_ticks(values: list[float]) -> None:
    axis = axis_for("x", np.array(values))
    share = axis.share(np.array(values))
    assert (share >= 0).all()
    assert (share <= 1).all()
    assert 2 <= len(axis.ticks()) <= 16
    assert all(axis.low <= t <= axis.high for t in axis.ticks())
    picture = scatter(np.array(values), np.array(values), axis, axis, "a < b", ((1.0, 0.0),)).svg
    assert picture.count("<circle") == 2
    assert "a &lt; b" in picture
