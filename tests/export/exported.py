"""Small models of every family behind the usual recipes, for every exporter to say."""

from dataclasses import replace
from functools import cache

import numpy as np

from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.recipes._treated import Treated
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.race.made import host_target

FEWER = {"forest": {"trees": "7"}, "extra_trees": {"trees": "7"}, "gradient_boosting": {"trees": "9"}, "roofline": {"trees": "9"}}
RAW = {"response_scale": "raw", "metric_scale": "raw"}
EIGER = {
    "eiger clusters": {"components": "3", "clusters": "2"},
    "eiger table1": {**RAW, "components": "2", "clusters": "2", "pool": "table1"},
    "eiger quadratic": {**RAW, "components": "2", "clusters": "1", "pool": "quadratic"},
    "eiger-1": {"semantics": "eiger-1", "clusters": "2"},
    "eiger refuses": {"components": "2", "extrapolation": "refuse"},
}
NAMES = [*FAMILIES, *EIGER, "stargazer", "splines of three", "ratio", "rescaled"]


def designs() -> Frame:
    """Three parameters of which one doubles, and a smooth response of them."""
    levels = np.array(np.meshgrid([1, 2, 4, 8, 16], [1, 2, 3, 4], [10, 20, 40])).reshape(3, -1).T.astype(float)
    y = np.exp(0.3 * np.sin(levels[:, 1]) + 0.2 * np.log2(levels[:, 0]) * levels[:, 1] / levels[:, 2] ** 0.3)
    noisy = y * np.exp(0.02 * np.random.default_rng(3).standard_normal(len(y)))
    metrics = [Metric(n, Kind.PARAMETER) for n in ("width", "depth", "cache")]
    return make_frame(levels, noisy, metrics, Metric("time", Kind.RESPONSE, "s"), {"application": [f"a{i}" for i in range(len(y))]})


@cache
def model(name: str) -> FittedPipeline:
    """Return a model by its name, its response called after it."""
    found = _fitted(name)
    return replace(found, response=replace(found.response, name=f"time of {name}"))


def _fitted(name: str) -> FittedPipeline:
    trials = machine_frame(12, 5, noise=0.3)
    if name in EIGER:
        return _trained(make_recipe("eiger", EIGER[name]), trials)
    if name == "stargazer":
        return _trained(make_recipe("stargazer", {}), designs())
    if name == "splines of three":
        return _trained(make_recipe("splines", {"fixed": "0:1:2,0:1,2"}), designs())
    if name in ("ratio", "rescaled"):
        scale = "ratio" if name == "ratio" else "log_ratio"
        found = Treated(family=FAMILIES["ols"](), response_scale=scale, metric_scale="raw").fit(host_target())
        return found if name == "ratio" else found.rescaled(0.7, 1.1)
    return _trained(make_recipe(name, FEWER.get(name, {})), trials)


def _trained(recipe, frame: Frame) -> FittedPipeline:
    """Train with an interval; one split is enough."""
    return train(recipe, frame, parse_folds("holdout:15")).model
