"""Experiments on kernels: the numbers of the scaling validation, base by base."""

import numpy as np
import pytest

from core.errors import OptionError
from core.experiment.experiment import Scaling
from core.experiment.grid import Grid, make_grid
from core.experiment.run import run
from core.experiment.toml_text import read_experiment
from core.experiment.trials import KernelsSubject
from core.report.experiment.best import bests
from core.report.experiment.results import points
from core.scaling.lesson import make_task
from core.scaling.race import predictor_named
from core.scaling.validation import mean_of, validate_scaling
from tests.scaling.made import made_study

TEXT = 'dataset = "d"\nresponse = "time"\nrecipe = "network"\nfolds = "kfold:3"\n'


def grid_of(text: str) -> Grid:
    experiment = read_experiment(TEXT + text)
    assert experiment.scaling is not None
    study = made_study(18, (2, 2, 2))
    return make_grid(experiment, [KernelsSubject("", study, study.responses[0].name, experiment.scaling)])


def test_errors_are_those_of_the_scaling_validation() -> None:
    grid = grid_of('[vary]\nn_clusters = [2]\n[scaling]\nbases = ["lowest", "highest"]')
    found = points(grid, run(grid, {}, lambda results: None))
    study = made_study(18, (2, 2, 2))
    response = study.responses[0].name
    assert len(found) == 2
    task = make_task(study, response, study.n_configurations - 1)
    said = validate_scaling(study, task, predictor_named("network", {"n_clusters": "2"}), "kfold:3", 0)
    assert found[-1].error == pytest.approx(said.mape)
    of_folds = [mean_of(said.error[said.fold_of_kernel == i]) for i in range(3)]
    assert found[-1].by_fold == pytest.approx(of_folds)
    assert found[-1].standard_error == pytest.approx(np.std(of_folds, ddof=1) / np.sqrt(3), rel=0.05)
    assert all(p.training is not None and p.error is not None and p.training < p.error for p in found)
    assert bests(grid.experiment, found)["", "kfold:3"].smallest.error == min(p.error for p in found)


def test_bases() -> None:
    study = made_study(18, (2, 2, 2))
    grid = grid_of('[scaling]\nbases = "all"')
    assert len(grid.settings) == study.n_configurations
    assert set(grid.settings[0].values) == {f"base {axis.name}" for axis in study.axes}
    name, value = study.axes[0].name, study.grid[0, 0]
    some = grid_of(f'[scaling]\nbases = "{name}={value:g}"')
    assert len(some.settings) == int((study.grid[:, 0] == value).sum())
    assert f"base {name}" not in some.settings[0].values
    with pytest.raises(OptionError, match="No configuration has"):
        grid_of(f'[scaling]\nbases = "{name}=-5"')
    with pytest.raises(OptionError, match="sizes are of trials"):
        grid_of("[scaling]\n".replace("[", "sizes = [3]\n[", 1))
    assert Scaling().bases == ("highest",)
