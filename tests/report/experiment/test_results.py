"""What an experiment found: pooled errors, standard errors, and the simplest setting that is as good."""

from dataclasses import replace

import numpy as np
import pytest

from core.experiment.grid import Setting
from core.experiment.run import run
from core.experiment.toml_text import read_experiment
from core.report.experiment.best import best_of, bests, complexity, panels
from core.report.experiment.results import (
    AVERAGE,
    Point,
    averaged,
    fits_table,
    points,
    points_table,
    pooled,
    standard_error,
)
from core.validate.scores import score
from tests.experiment.made import TEXT, made_grid

HEAD = 'dataset = "d"\nresponse = "y"\nrecipe = "eiger"\n'


def scores(n: int, mape: float):
    return replace(score(np.ones(n), np.ones(n)), mape=mape)


def point(error: float | None, se: float | None = None, n_refused: int = 0, **values: object) -> Point:
    setting = Setting("eiger", values, values)
    return Point("", "kfold:5", setting, error, 1.0, se, (1.0,), 100 - n_refused, n_refused, 5, 5)


def test_pooled_is_over_trials() -> None:
    assert pooled([scores(1, 10.0), scores(3, 2.0)], "mape") == pytest.approx(4.0)
    assert pooled([], "mape") is None


def test_the_standard_error_of_equal_folds_is_the_textbooks() -> None:
    errors = [3.0, 5.0, 4.0, 8.0]
    found = standard_error([(0, scores(7, e)) for e in errors], "mape")
    assert found == pytest.approx(np.std(errors, ddof=1) / 2)
    again = standard_error([(seed, scores(7, e)) for seed in range(3) for e in errors], "mape")
    assert again == pytest.approx(found)  # dealing the same trials out again is no new evidence
    draws = standard_error([(i, scores(7, e)) for i, e in enumerate(errors)], "mape")
    assert draws == pytest.approx(found)
    assert standard_error([(0, scores(7, 1.0))], "mape") is None


def test_the_simplest_within_one_standard_error() -> None:
    e = read_experiment(HEAD + "[vary]\ncomponents = [1, 2, 3, 4]")
    found = [
        point(9.0, 1, components=1),
        point(5.9, 1, components=2),
        point(5.0, 1, components=3),
        point(5.5, 1, components=4),
    ]
    best = best_of(e, found)
    assert (best.smallest.setting.values["components"], best.chosen.setting.values["components"]) == (3, 2)
    assert "5.00 % ± 1.0 %, with components = 3" in best.sentence()
    assert "the simplest is components = 2" in best.sentence()
    assert "fewer components" in best.sentence()


def test_which_end_is_simpler() -> None:
    e = read_experiment(HEAD + "[vary]\nthreshold = [0.001, 0.1]\ncomponents = [0, 2]")
    found = [point(5.0, 1, threshold=t, components=c) for t in (0.001, 0.1) for c in (0, 2)]
    assert best_of(e, found).chosen.setting.values == {"threshold": 0.1, "components": 2}
    other = read_experiment(HEAD + "[vary]\nthreshold = [0.001, 0.1]\n[simpler]\nthreshold = 'small'")
    assert best_of(other, found).chosen.setting.values["threshold"] == 0.001
    unknown = read_experiment(HEAD + '[vary]\nrotation = ["none", "varimax"]')
    best = best_of(unknown, [point(5.0, 1, rotation="none"), point(4.9, 1, rotation="varimax")])
    assert best.chosen is best.smallest
    assert "No setting is known to be simpler" in best.sentence()
    assert complexity({"components": None}, {"components": "small"}) == (float("inf"),)


def test_what_refuses_too_much_or_cannot_run_is_not_chosen() -> None:
    e = read_experiment(HEAD + "[vary]\ncomponents = [1, 2, 3]")
    found = [point(1.0, 1, n_refused=6, components=1), point(None, components=2), point(5.0, 1, components=3)]
    best = best_of(e, found)
    assert (best.chosen.setting.values["components"], best.n_left_out) == (3, 2)
    assert "2 settings cannot run or refuse" in best.sentence()
    assert best_of(e, found[:2]) is None


def test_tables_and_averages() -> None:
    grid = made_grid(TEXT.replace(', "by:application"', ""), each="application")
    results = run(grid, {}, lambda new: None)
    found = points(grid, results)
    (first, *_) = averaged(found)
    assert first.subject == AVERAGE
    assert first.error == pytest.approx(np.mean([p.error for p in found if p.setting is first.setting]))
    assert len(points_table(grid, found)) == len(found) == 15
    assert len(fits_table(grid, results)) == len(grid.fits)
    assert list(bests(grid.experiment, found)) == [(AVERAGE, "kfold:3"), *((f"a{i}", "kfold:3") for i in range(5))]


def test_panels_are_the_held_out_predictions() -> None:
    grid = made_grid(TEXT.replace("seeds = 2", "predictions = true"))
    results = run(grid, {}, lambda new: None)
    found = [p for p in points(grid, results) if p.folds == "by:application"]
    drawn = panels(grid, results, found[0])
    assert list(drawn) == [f"a{i}" for i in range(5)]
    for outcome in drawn.values():
        assert outcome.scores.mape == pytest.approx(np.mean(outcome.error_percent.__abs__()))
    assert panels(made_grid(), run(made_grid(), {}, lambda new: None), found[0]) == {}
