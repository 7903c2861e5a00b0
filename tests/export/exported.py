"""Small models of every family behind the usual recipes, for every exporter to say."""

from dataclasses import replace
from functools import cache

import numpy as np

from core.blend import MEAN, SUM, Mixture, blend
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.recipes.base import Treated
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from core.validate.intervals import LEVERAGE, Interval
from tests.conftest import machine_frame
from tests.race.made import host_target

FEWER = {
    "forest": {"trees": "7"},
    "extra_trees": {"trees": "7"},
    "gradient_boosting": {"trees": "9"},
    "trended": {"trees": "7"},
    "roofline": {"trees": "9"},
}
RAW = {"response_scale": "raw", "metric_scale": "raw"}
EIGER = {
    "eiger clusters": {"components": "3", "clusters": "2"},
    "eiger table1": {**RAW, "components": "2", "clusters": "2", "pool": "table1"},
    "eiger quadratic": {**RAW, "components": "2", "clusters": "1", "pool": "quadratic"},
    "eiger-1": {"semantics": "eiger-1", "clusters": "2"},
    "eiger refuses": {"components": "2", "extrapolation": "refuse"},
    "clusters refuse": {"components": "3", "clusters": "2", "extrapolation": "refuse"},
}
MEMBERS = {
    "ridge": ("ridge", "log_ratio", "clamp", {}),
    "components": ("splines", "log_ratio", "flag", {"explained": "0.95"}),
    "nnls": ("nnls", "ratio", "refuse", {}),
    "forest": ("forest", "log", "clamp", {"trees": "5"}),
    "stepwise": ("stepwise", "raw", "flag", {"max_terms": "4"}),
    "kernels": ("support_vectors", "log", "flag", {}),
    "boosted": ("gradient_boosting", "raw", "clamp", {"trees": "5"}),
    "held": ("ridge", "log_ratio", "flag", {}),
}
"""What blends are made of: family, response scale, extrapolation, options of the family or the treatment."""
BLENDS = {
    "blend": (("ridge", "components", "nnls", "forest", "stepwise"), (0.3, 0.2, 0.2, 0.15, 0.15), MEAN, True, 0.02),
    "blend of two": (("ridge", "forest"), (0.5, 0.5), MEAN, True, 0.1),
    "blend as it is": (("stepwise", "kernels", "boosted"), (0.4, 0.3, 0.3), MEAN, False, 0.01),
    "blend of held": (("held", "forest"), (0.6, 0.4), MEAN, True, float("inf")),
    "blend unbounded": (("nnls", "forest"), (0.7, 0.3), MEAN, True, float("inf")),
    "stack": (("ridge", "nnls", "boosted"), (0.4, 0.35, 0.3), SUM, True, float("inf")),
    "stack as it is": (("nnls", "stepwise"), (0.8, 0.1), SUM, False, float("inf")),
}
"""Members, weights, how, log, bound; the bounds are narrow, so that members are held."""
PROCESSES = {
    "process of order 3/2": ("gaussian_process", {"order": "3/2"}),
    "process told": ("gaussian_process", {"order": "3/2", "most_trials": "20", "inducing": "15"}),
    "anova told": ("anova", {"most_trials": "20", "inducing": "15"}),
}
ON_DESIGNS = {
    "stargazer": make_recipe("stargazer", {}),
    "splines of three": make_recipe("splines", {"fixed": "0:1:2,0:1,2"}),
    "trees on products": make_recipe("gradient_boosting", {"trees": "9"}),
    "process on products": make_recipe("gaussian_process", {"order": "3/2"}),
    "trees on whole numbers": make_recipe("gradient_boosting", {"trees": "9"}),
    "process on whole numbers": make_recipe("gaussian_process", {"order": "3/2"}),
}
GOING_ON = ("process goes on", "clusters go on", "blend goes on")
"""What predicts beyond the trained range as inside."""
NAMES = [
    *FAMILIES,
    *EIGER,
    *ON_DESIGNS,
    *PROCESSES,
    "ratio",
    "rescaled",
    "held",
    "held clusters",
    "held clusters refuse",
    *BLENDS,
    *GOING_ON,
]


def designs() -> Frame:
    """Three parameters of which one doubles, and a smooth response of them."""
    levels = np.array(np.meshgrid([1, 2, 4, 8, 16], [1, 2, 3, 4], [10, 20, 40])).reshape(3, -1).T.astype(float)
    y = np.exp(0.3 * np.sin(levels[:, 1]) + 0.2 * np.log2(levels[:, 0]) * levels[:, 1] / levels[:, 2] ** 0.3)
    noisy = y * np.exp(0.02 * np.random.default_rng(3).standard_normal(len(y)))
    metrics = [Metric(n, Kind.PARAMETER) for n in ("width", "depth", "cache")]
    return make_frame(
        levels, noisy, metrics, Metric("time", Kind.RESPONSE, "s"), {"application": [f"a{i}" for i in range(len(y))]}
    )


@cache
def model(name: str) -> FittedPipeline:
    """Return a model by its name, its response called after it."""
    found = _fitted(name)
    return replace(found, response=replace(found.response, name=f"time of {name}"))


def _fitted(name: str) -> FittedPipeline:
    trials = machine_frame(12, 5, noise=0.3)
    if name in EIGER:
        return _trained(make_recipe("eiger", EIGER[name]), trials)
    if name in ON_DESIGNS:
        recipe = ON_DESIGNS[name]
        scale = next((scale for scale in ("products", "whole") if scale in name), None)
        return _trained(replace(recipe, metric_scale=scale) if scale else recipe, designs())
    if name in PROCESSES:
        return _trained(make_recipe(*PROCESSES[name]), trials)
    if name in ("ratio", "rescaled"):
        scale = "ratio" if name == "ratio" else "log_ratio"
        found = Treated(family=FAMILIES["ols"](), response_scale=scale, metric_scale="raw").fit(host_target())
        return found if name == "ratio" else found.rescaled(0.7, 1.1)
    if name in BLENDS:
        return blended(name)
    if name in GOING_ON:
        return going_on(name, trials)
    if name == "held":
        return member(name)
    if name == "held clusters":
        return held(_trained(make_recipe("eiger", EIGER["eiger clusters"]), trials), trials)
    if name == "held clusters refuse":
        return held(_trained(make_recipe("eiger", EIGER["clusters refuse"]), trials), trials)
    return _trained(make_recipe(name, FEWER.get(name, {})), trials)


def going_on(name: str, trials: Frame) -> FittedPipeline:
    """Return a model that goes on below its first two metrics and above its second and third."""
    if name == "blend goes on":
        found = blended("blend as it is")
    else:
        clusters = name == "clusters go on"
        recipe = make_recipe("eiger", EIGER["eiger clusters"]) if clusters else make_recipe("gaussian_process")
        found = _trained(replace(recipe, extrapolation="flag"), trials)
    names = found.names
    return replace(found, extrapolation="flag", continued=(names[:2], names[1:3]))


def blended(name: str) -> FittedPipeline:
    """Return a blend whose members see the same trials in different ways, with an interval by leverage."""
    members, weights, how, log, bound = BLENDS[name]
    frame = host_target(4, 10)
    mixture = Mixture(dict(zip(members, weights, strict=True)), how, log, bound)
    found = blend({m: member(m) for m in members}, mixture, frame, name)
    knots = np.linspace(0.2, 0.9, 3) * found.domain.furthest
    interval = Interval(np.array([0.1]), LEVERAGE, knots, np.array([0.8, 1.0, 1.7]), 0.9, len(frame), "made")
    return replace(found, interval=interval, validation={})


@cache
def member(name: str) -> FittedPipeline:
    """Return a model that blends are made of."""
    family, scale, extrapolation, options = MEMBERS[name]
    own = {k: int(v) for k, v in options.items() if k != "explained"}
    explained = float(options["explained"]) if "explained" in options else None
    treated = Treated(
        family=FAMILIES[family](**own), response_scale=scale, extrapolation=extrapolation, explained=explained
    )
    found = treated.fit(host_target(4, 10))
    return held(found, host_target(4, 10)) if name == "held" else found


def held(model: FittedPipeline, frame: Frame) -> FittedPipeline:
    """Return a model that holds half of its predictions."""
    low, high = np.quantile(model.predict_scaled(model.rows(frame)), [0.25, 0.75]).tolist()
    return replace(model, clusters=tuple(replace(one, bounds=(low, high)) for one in model.clusters))


def _trained(recipe, frame: Frame) -> FittedPipeline:
    """Train with an interval; one split is enough."""
    return train(recipe, frame, parse_folds("holdout:15")).model
