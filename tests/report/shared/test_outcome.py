"""Predictions beside measurements: every trial once, errors with their sign, groups, the worst."""

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.shared.outcome import (
    by_group,
    held_out_outcome,
    of_group,
    outcome_table,
    training_outcome,
    trial_table,
    worst_rows,
)
from core.trial import Frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from core.validate.scores import score


@pytest.fixture
def recipe():
    return make_recipe("stepwise")


def test_training_outcome_is_the_models_prediction(frame: Frame, recipe) -> None:
    model = recipe.fit(frame)
    value = training_outcome(model, frame)
    assert value.trained
    assert value.log
    assert value.predicted == pytest.approx(model.predict(model.rows(frame)).value)
    assert value.residuals == pytest.approx(np.log(frame.y) - np.log(value.predicted))
    assert value.error_percent == pytest.approx(100 * (value.predicted - frame.y) / frame.y)
    assert value.scores.mape == pytest.approx(np.abs(value.error_percent).mean())
    assert not value.has_intervals


def test_held_out_outcome_has_the_trials_that_were_held_out(frame: Frame, recipe) -> None:
    found = cross_validate(recipe.fit, frame, parse_folds("holdout:8"))
    value = held_out_outcome(found, frame, log=True)
    assert len(value) == 8
    assert value.source == "holdout:8"
    assert (frame.y[value.rows] == value.actual).all()
    assert value.scores == found.scores


def test_groups_partition_the_trials_worst_first(frame: Frame, recipe) -> None:
    value = held_out_outcome(cross_validate(recipe.fit, frame, parse_folds("by:machine")), frame, log=True)
    groups = by_group(value, frame, "application")
    assert sum(g.scores.n for g in groups) == len(frame)
    errors = [g.scores.mape for g in groups]
    assert errors == sorted(errors, reverse=True)
    one = of_group(value, frame, "application", groups[0].name)
    assert {frame.labels["application"][i] for i in one.rows} == {groups[0].name}
    assert one.scores == groups[0].scores == score(one.actual, one.predicted, one.low, one.high)


def test_the_worst_come_first_and_refused_ones_before_them(frame: Frame, recipe) -> None:
    value = training_outcome(recipe.fit(frame), frame)
    size = np.abs(value.error_percent)
    assert list(worst_rows(value, 3)) == list(np.argsort(-size, kind="stable")[:3])
    value.predicted[5] = np.nan
    assert worst_rows(value, 3)[0] == 5


def test_tables_name_roles_units_and_errors(frame: Frame, recipe) -> None:
    value = training_outcome(recipe.fit(frame), frame)
    table = outcome_table(value, frame, [2, 0])
    assert list(table.columns) == ["application", "machine", "measured time (s)", "predicted time (s)", "error (%)"]
    assert list(table["measured time (s)"]) == [frame.y[2], frame.y[0]]
    trials = trial_table(frame, [1])
    assert list(trials.columns)[:3] == ["application", "machine", "time (s)"]
    assert trials["clock"][0] == frame.X[1, 2]


def test_rows_of_the_frame_are_found_again(frame: Frame, recipe) -> None:
    value = held_out_outcome(cross_validate(recipe.fit, frame, parse_folds("holdout:8")), frame, log=True)
    places = value.places_of([int(value.rows[3]), -1])
    assert list(places) == [3]


def test_a_response_of_0_has_no_relative_error(frame: Frame, recipe) -> None:
    value = training_outcome(recipe.fit(frame), frame)
    value.actual.flags.writeable = True
    zero = value.take(np.array([0]))
    zero.actual[0] = 0.0
    assert np.isnan(zero.error_percent[0])
