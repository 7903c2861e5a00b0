"""Experiments drawn: held out beside training, best setting marked, far errors told, two options as a map."""

import numpy as np

from core.experiment.run import run
from core.report.experiment.best import bests
from core.report.experiment.results import points
from core.report.figures.experiment import error_boxes, error_curve, error_map
from tests.experiment.made import TEXT, made_grid


def test_the_curve_has_both_errors_and_the_best() -> None:
    grid = made_grid()
    found = [p for p in points(grid, run(grid, {}, lambda new: None)) if p.folds == "kfold:3"]
    best = bests(grid.experiment, found)["", "kfold:3"]
    picture = error_curve(grid, found, "penalty", best)
    traces = {trace.name: trace for trace in picture.figure.data}
    assert np.allclose(traces["held out"].y, [p.error for p in found])
    assert np.allclose(traces["training"].y, [p.training for p in found])
    assert traces["smallest error"].y[0] == best.smallest.error
    assert picture.figure.layout.xaxis.type == "log"
    assert best.sentence() in picture.alt
    assert len(picture.values()) == 3


def test_a_map_and_boxes_of_two_options() -> None:
    grid = made_grid(
        TEXT.replace('recipe = "ridge"', 'recipe = ["ridge", "lasso"]').replace("seeds = 2", "").partition("[vary]")[0]
        + "[vary]\nresponse_scale = ['raw', 'log']"
    )
    found = [p for p in points(grid, run(grid, {}, lambda new: None)) if p.folds == "kfold:3"]
    heat = error_map(grid, found, "recipe", "response_scale").figure.data[0]
    assert (list(heat.x), list(heat.y)) == (["ridge", "lasso"], ["raw", "log"])
    assert np.allclose(np.array(heat.z).T.ravel(), [p.error for p in found])
    boxes = error_boxes(grid, found, "recipe").figure.data
    assert [len(box.y) for box in boxes] == [2, 2]
    curve = error_curve(grid, found, "recipe")
    assert curve.figure.data[0].mode == "markers"
