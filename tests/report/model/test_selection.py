"""The story of a selection: every number in it is that of a least-squares fit."""

from dataclasses import replace

import numpy as np
import pytest

from core.codec import to_plain
from core.recipes import make_recipe
from core.report.figures.selection import terms_curve
from core.report.model.selection import along, candidates, coefficients, cut, is_stepwise, selection
from core.trial import Frame


@pytest.fixture
def recipe():
    return make_recipe("stepwise", {"threshold": "0.0005"})


def _adjusted(columns: np.ndarray, z: np.ndarray) -> float:
    A = np.column_stack([np.ones(len(z)), columns])
    left = z - A @ np.linalg.lstsq(A, z, rcond=None)[0]
    n, k = len(z), columns.shape[1]
    return 1 - (left @ left) / ((z - z.mean()) ** 2).sum() * (n - 1) / (n - k - 1)


def test_steps_gains_and_runners_up_are_consistent(frame: Frame, recipe) -> None:
    model = recipe.fit(frame)
    told = selection(model, 0, 0.0005, 40)
    assert told.n_terms == len(told.steps) == len(model.clusters[0].model.chosen)
    assert sum(s.gain for s in told.steps) == pytest.approx(told.steps[-1].adjusted_r2)
    for step in told.steps:
        tried = candidates(model, step.number, 0, 0.0005)
        assert tried.terms[tried.winner] == step.term
        assert tried.gain[tried.winner] == pytest.approx(step.gain)
        assert tried.winner == 0
        assert (np.diff(tried.adjusted_r2) <= 1e-12).all()
        assert step.runner_up == tried.terms[1]
        assert step.runner_up_gain == pytest.approx(tried.gain[1])
        assert step.n_candidates == len(tried.terms)


def test_each_candidate_would_have_given_what_a_fit_gives(frame: Frame) -> None:
    model = make_recipe("stepwise", {"threshold": "0", "max_terms": "3"}).fit(frame)
    fitted = model.clusters[0].model
    scores, z = model.scores(model.rows(frame)), np.log(frame.y)
    before = np.column_stack([t.evaluate(scores) for t in fitted.chosen[:1]])
    tried = candidates(model, 2)
    pool = {fitted.pool.formula(i, model.features): fitted.pool.term(i) for i in range(len(fitted.pool))}
    for term, adjusted in zip(tried.terms, tried.adjusted_r2, strict=True):
        column = pool[term].evaluate(scores)
        assert adjusted == pytest.approx(_adjusted(np.column_stack([before, column]), z), abs=1e-9)


def test_coefficients_of_the_last_step_are_the_models(frame: Frame, recipe) -> None:
    model = recipe.fit(frame)
    fitted = model.clusters[0].model
    rows = coefficients(model, len(fitted.steps))
    assert rows["term"][0] == "1"
    assert rows["coefficient"][0] == fitted.intercept
    assert rows["coefficient"][1:].tolist() == pytest.approx(list(fitted.coefficients))
    assert len(coefficients(model, 1)) == 2


def test_what_a_threshold_of_0_would_add_is_shown_after_the_last_term(frame: Frame, recipe) -> None:
    model, whole = recipe.fit(frame), recipe.stopping().whole.fit(frame)
    told = selection(model, 0, 0.0005, 40, whole)
    later = [s for s in told.steps if not s.accepted]
    assert later
    assert later[0].number == told.n_terms + 1
    assert later[0].gain <= 0.0005
    assert later[0].term in told.stopped
    assert "less than the threshold of 0.0005" in told.stopped


def test_why_it_stopped(frame: Frame, recipe) -> None:
    model = make_recipe("stepwise", {"threshold": "0", "max_terms": "2"}).fit(frame)
    assert selection(model, 0, 0.0, 2).stopped == "It stopped at 2 terms, the most that were allowed."
    assert "no candidate left gains more" in selection(recipe.fit(frame), 0, 0.0005, 40).stopped


def test_every_cluster_tells_its_own(frame: Frame) -> None:
    model = make_recipe("eiger", {"clusters": "2", "least_cluster_trials": "5"}).fit(frame)
    assert is_stepwise(model)
    told = [selection(model, i) for i in range(len(model.clusters))]
    assert len(told) == 2
    assert sum(t.n_trials for t in told) == len(frame)


def test_errors_by_number_of_terms_are_told_of_a_formula_too(frame: Frame) -> None:
    model = make_recipe("formula").fit(frame)
    told = along(model, frame)
    choice = model.clusters[0].model.judged()
    assert told is not None
    assert choice is not None
    assert told.held_out.tolist() == choice.errors.tolist()
    assert len(told.training) == 0
    drawn = terms_curve(told, 3)
    assert "in training" not in drawn.svg
    assert "held out" in drawn.svg
    level = terms_curve(replace(told, held_out=told.held_out * 0 + np.log([1.5, *[1.501] * (len(told.sizes) - 1)])), 3)
    assert [">1.46<" in level.svg, ">1.5<" in level.svg, ">1.54<" in level.svg] == [True] * 3
    assert along(make_recipe("ridge").fit(frame), frame) is None


@pytest.mark.parametrize(
    ("name", "settings", "threshold"),
    [
        ("eiger", {}, 0.0),
        ("stepwise", {"threshold": "0.05"}, 0.05),
        ("eiger", {"race": "signed,linear"}, 0.0),
        ("eiger", {"threshold": "0.01"}, 0.01),
    ],
)
def test_what_ends_a_recipe(name: str, settings: dict[str, str], threshold: float) -> None:
    ends = make_recipe(name, settings).stopping()
    assert ends is not None
    assert ends.threshold == threshold
    assert (ends.whole is None) == ("race" in settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("eiger", {"pool": "table1", "max_terms": "12"}),
        ("eiger", {"components": "none", "clusters": "2", "least_cluster_trials": "12"}),
        ("eiger", {"variant": "paper", "components": "none"}),
        ("stepwise", {}),
    ],
)
def test_every_threshold_is_a_cut_of_one_selection(frame: Frame, name: str, settings: dict[str, str]) -> None:
    twins = np.column_stack([frame.X, 2 * frame.X[:, 0]])  # which fall out as collinear, after some step
    frame = replace(frame, X=twins, metrics=(*frame.metrics, replace(frame.metrics[0], name="twin")))
    whole = make_recipe(name, settings | {"threshold": "0.5"}).stopping().whole.fit(frame)
    gains = [step.gain for one in whole.clusters for step in one.model.steps[1:]]
    numbers = set()
    for threshold in (0.0, *gains, *(gain * (1 + 1e-15) for gain in gains), 0.003, 0.3, 1.0):
        recipe = make_recipe(name, settings | {"threshold": repr(max(threshold, 0.0))})
        found, direct = cut(whole, recipe.stopping().threshold, recipe.provenance(frame)), recipe.fit(frame)
        assert to_plain(found) == to_plain(direct)
        numbers.add(len(found.clusters[0].model.steps))
    assert len(numbers) > 1
    assert not make_recipe("eiger").stopping().cuts
