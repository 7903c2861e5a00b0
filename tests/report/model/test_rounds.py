"""The rounds of a selection of splines: every number in them is that of a least-squares fit."""

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.figures.selection import contributions_table, rounds_table
from core.report.model.rounds import has_rounds, rounds
from core.trial import Frame, Metric, make_frame
from tests.report.designs import NAMES, designs

PAPER = {"variant": "paper"}


def told(settings: dict[str, str] | None = None, frame: Frame | None = None, name: str = "stargazer"):
    recipe = make_recipe(name, settings)
    return rounds(recipe.fit(frame or designs()), 0, recipe.limits())


def _fit(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    A = np.column_stack([np.ones(len(y)), X])
    left = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    r2 = 1 - left @ left / ((y - y.mean()) ** 2).sum()
    rank = np.linalg.matrix_rank(A)
    return float(r2), float(1 - (1 - r2) * (len(y) - 1) / (len(y) - rank))


def test_the_first_round_is_r2_and_the_next_adjusted_r2_of_a_fit_per_candidate() -> None:
    frame = designs()
    recipe = make_recipe("stargazer", PAPER)
    model = recipe.fit(frame)
    axes = model.clusters[0].model.axes
    value = rounds(model, 0, recipe.limits())
    blocks = {NAMES[a.column]: a.basis(frame.X) for a in axes}
    first, second = value.rounds[0], next(r for r in value.rounds[1:] if not r.newest)
    for name, r2 in zip(first.terms, first.values, strict=True):
        assert r2 == pytest.approx(_fit(blocks[name], frame.y)[0], abs=1e-9)
    before = [blocks[first.term]]
    for name, adjusted in zip(second.terms, second.values, strict=True):
        assert adjusted == pytest.approx(_fit(np.column_stack([*before, blocks[name]]), frame.y)[1], abs=1e-9)


def test_each_round_begins_where_the_one_before_ended() -> None:
    value = told(PAPER)
    assert value.rounds[0].before == 0
    for before, after in zip(value.rounds, value.rounds[1:], strict=False):
        assert after.before == before.r2
    for r in value.rounds:
        assert (r.r2 > r.before) == r.taken
        assert r.term == r.terms[int(np.argmax(r.values))]
        if r.needed is not None:
            assert (r.values[r.best] > r.needed) == r.taken
    assert sum(contributions_table(value)["adds to R²"]) == pytest.approx(value.rounds[-1].r2)


def test_the_table_has_a_column_per_parameter_and_marks_what_was_taken() -> None:
    value = told(PAPER)
    table = value.table()
    assert list(table.columns) == ["round", "values are", *NAMES, "taken", "R² then"]
    assert value.columns == NAMES
    assert [table.loc[row, "taken"] for row, _ in value.marks()] == [r.term for r in value.taken]
    crossed = next(r for r in value.rounds if r.newest)
    row = table.iloc[crossed.number - 1]
    partner = crossed.places[crossed.best]
    assert row[partner] == crossed.values[crossed.best]
    assert np.isnan(row[crossed.newest])
    assert crossed.term == f"{crossed.newest}:{partner}"
    assert table["taken"].iloc[-1] == "nothing"
    assert "font-weight: bold" in rounds_table(value).to_html()


def test_a_parameter_called_like_a_column_has_a_column_of_its_own() -> None:
    frame = designs()
    named = [Metric("taken" if m.name == "simd" else m.name, m.kind) for m in frame.metrics]
    value = told(frame=make_frame(frame.X, frame.y, named, frame.response))
    assert "taken (parameter)" in value.table().columns
    assert all(column in value.table().columns for _, column in value.marks())


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_terms": "2"}, "It stopped at 2 terms, the most that were allowed."),
        ({"target_r2": "0.5"}, "R² has reached 0.5."),
        ({**PAPER, "theta": "0.003"}, "by more than 0.003 (θ)."),
        ({"variant": "original", "theta": "0.01"}, "by more than 1 % of it."),
        ({"criterion": "aic", "level": "0.05"}, ""),
        ({"criterion": "t_test", "level": "0.001"}, ""),
        ({"theta": "0", "phi": "0", "order": "1"}, ""),
    ],
)
def test_why_it_stopped(settings: dict[str, str], sentence: str) -> None:
    value = told(settings)
    assert sentence in value.stopped
    assert value.stopped.startswith("It stopped ")
    last = value.rounds[-1]
    if not last.taken and not last.newest:
        assert last.term in value.stopped


@pytest.mark.parametrize(("criterion", "measure"), [("aic", "AICc"), ("t_test", "p-value")])
def test_other_criteria_say_what_their_values_are_and_the_smallest_wins(criterion: str, measure: str) -> None:
    value = told({"criterion": criterion, "level": "0.01"})
    later = value.rounds[1:]
    assert value.rounds[0].measure == "R²"
    assert {r.measure for r in later} == {measure}
    assert all(r.lower_is_better and r.values[r.best] == r.values.min() for r in later)


def test_three_way_interactions_have_columns_of_their_own() -> None:
    frame = designs()
    y = frame.y + frame.X[:, 0] * frame.X[:, 1] * frame.X[:, 2] * 5
    value = told(
        {**PAPER, "order": "3", "theta": "0", "phi": "0"}, make_frame(frame.X, y, frame.metrics, frame.response)
    )
    assert any(place.count(":") == 1 for place in value.columns)
    assert any(r.term.count(":") == 2 for r in value.taken)


def test_thresholds_that_cross_validation_chose_draw_no_line() -> None:
    ends = make_recipe("stargazer", {"choose_thresholds": "true"}).limits()
    assert ends is not None
    assert ends.theta is None
    assert all(r.needed is None for r in rounds(make_recipe("stargazer").fit(designs()), 0, ends).rounds)


def test_terms_that_were_given_are_told_as_such() -> None:
    value = told({"fixed": "0,1,0:1"}, name="splines")
    assert [r.term for r in value.rounds] == ["simd", "blocks", "simd:blocks"]
    assert {r.tried for r in value.rounds} == {"a term that was given"}
    assert value.stopped == "Its 3 terms were given, so nothing was chosen."


def test_parameters_that_could_not_be_used_are_named() -> None:
    value = told({"variant": "original"})
    assert dict(value.left_out).keys() == {"cache"}


def test_only_splines_have_rounds() -> None:
    assert make_recipe("eiger").limits() is None
    assert not has_rounds(make_recipe("forest", {"trees": "5"}).fit(designs()))
    with pytest.raises(TypeError, match="was not selected in rounds"):
        rounds(make_recipe("stepwise").fit(designs()))
