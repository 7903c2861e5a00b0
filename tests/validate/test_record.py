"""What a model keeps of its validation: bounded, the same whatever the order, and read back with doubt."""

from dataclasses import replace

import numpy as np
import pytest

from core.codec import dumps
from core.recipes import make_recipe
from core.trial import Kind, Metric, make_frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from core.validate.record import MOST_GROUPS, MOST_POINTS, Record, made_record, recorded
from core.validate.scores import score
from tests.conftest import machine_frame


def validated(folds: str):
    frame = machine_frame(12, 5)
    return frame, cross_validate(make_recipe("eiger", {"max_terms": "2"}).fit, frame, parse_folds(folds))


def test_a_record_comes_back_as_it_was() -> None:
    frame, validation = validated("kfold:4")
    training = score(frame.y, frame.y)
    found = recorded(made_record(validation, 3, frame, training))
    assert (found.folds, found.seed, found.scores) == ("kfold:4", 3, validation.scores)
    assert found.training == training
    assert [g.name for g in found.by_fold] == list(validation.fold_names)
    assert {g.name for g in found.groups} == set(frame.labels["application"])
    assert found.trained_on["machine"].names == tuple(sorted(set(frame.labels["machine"])))
    assert found.points is not None
    held = np.isfinite(validation.predicted)
    np.testing.assert_allclose(np.sort(found.points.observed), np.sort(frame.y[held]), rtol=1e-5)
    np.testing.assert_allclose(np.sort(found.points.predicted), np.sort(validation.predicted[held]), rtol=1e-5)


def test_errors_without_a_square_can_be_written() -> None:
    frame, validation = validated("kfold:4")
    with np.errstate(over="ignore"):
        wild = score(frame.y, 1e200 * np.ones(len(frame)))
    assert wild.rmse == np.inf
    found = made_record(replace(validation, scores=wild, groups={"all": wild}), 0, frame, wild)
    dumps(found)
    kept = recorded(found).scores
    assert kept is None or (kept.n, kept.rmse) == (wild.n, None)


def test_groups_that_are_the_folds_are_kept_once() -> None:
    frame, validation = validated("by:application")
    found = recorded(made_record(validation, 0, frame, None))
    assert len(found.groups) == 12
    assert found.by_fold == ()


@pytest.mark.slow
def test_a_record_is_bounded() -> None:
    frame = machine_frame(130, 5)
    validation = cross_validate(make_recipe("ols").fit, frame, parse_folds("by:application"))
    found = recorded(made_record(validation, 0, frame, None))
    assert found.points is not None
    assert len(frame) > MOST_POINTS == len(found.points.observed)
    assert len(found.groups) == MOST_GROUPS == len(found.trained_on["application"].names)
    assert found.trained_on["application"].n == 130


def test_the_sample_does_not_depend_on_the_order_of_trials() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.normal(size=600)
    metrics, response = (Metric("a"), Metric("b")), Metric("y", Kind.RESPONSE)
    records = []
    for order in (np.arange(600), rng.permutation(600)):
        frame = make_frame(X[order], y[order], metrics, response)
        validation = cross_validate(make_recipe("ols").fit, frame, parse_folds("kfold:3"))
        records.append(made_record(validation, 0, frame, None)["points"])
    assert len(records[0]["observed"]) == MOST_POINTS
    assert set(records[0]["observed"]) <= {float(f"{v:.6g}") for v in y}


@pytest.mark.parametrize(
    "points",
    [
        {"observed": [1.0], "predicted": [1.0, 2.0]},
        {"observed": [1e200], "predicted": [1.0]},
        {"observed": [], "predicted": []},
        {"observed": [[1.0]], "predicted": [[1.0]]},
        {"observed": ["x"], "predicted": [1.0]},
        [],
        None,
        {"observed": [1e-200], "predicted": [0.0]},
    ],
)
def test_points_that_cannot_be_drawn_are_none(points: object) -> None:
    assert recorded({"points": points}).points is None


@pytest.mark.parametrize(
    "plain", [{}, {"folds": 3}, {"scores": {"n": "x"}}, {"groups": [1]}, {"trained_on": {"machine": 3}}, {"seed": "1"}]
)
def test_what_is_not_as_it_should_be_is_empty(plain: dict) -> None:
    assert recorded(plain) == Record()
