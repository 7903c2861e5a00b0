"""Hosts and targets made by numbers: what the tests of the race share."""

import numpy as np

from core.models import FAMILIES
from core.race.entry import Entry
from core.recipes.base import Treated
from core.trial import Frame, Kind, Metric, make_frame

TIME = "time on host"


def host_target(n_apps: int = 6, n_inputs: int = 8, noise: float = 0.05, seed: int = 0, change: float = 1.0) -> Frame:
    """Workloads whose target time is the host's times a factor that their counters tell."""
    rng = np.random.default_rng(seed)
    n = n_apps * n_inputs
    app = np.repeat(np.arange(n_apps), n_inputs)
    loads = 10 ** rng.uniform(3, 7, n)
    share = rng.uniform(0.1, 0.9, n_apps)[app] + 0.05 * rng.standard_normal(n)
    noise_counter = rng.lognormal(0, 1, n)
    host = 1e-6 * loads * (1 + share) * np.exp(noise * rng.standard_normal(n))
    ratio = change * (0.5 + 0.4 * share) * np.exp(noise * rng.standard_normal(n))
    X = np.column_stack([loads, 3 * loads, share, noise_counter, host])
    names = ("loads", "bytes", "share", "other", TIME)
    return make_frame(
        X,
        host * ratio,
        [Metric(name, Kind.COUNTER, "s" if name == TIME else "") for name in names],
        Metric("time", Kind.RESPONSE, "s"),
        labels={
            "application": [f"app{a}" for a in app],
            "input": [f"in{i}" for i in range(n)],
            "machine": ["target"] * n,
        },
        reference=TIME,
    )


def entry(name: str, *scales: str, **options: object) -> Entry:
    """An entry of a family with a treatment per scale."""
    family = FAMILIES[name](**options)
    return Entry(name, name, {s: Treated(family=family, response_scale=s) for s in scales})


def quick() -> tuple[Entry, ...]:
    return (
        entry("ridge", "log_ratio", "raw"),
        entry("ols", "log_ratio"),
        entry("extra_trees", "ratio", trees=5),
    )
