"""Which end of an option is the simpler model, so that of settings that are as good the simplest can be taken."""

from collections.abc import Mapping
from types import MappingProxyType

from core.experiment.experiment import LARGE, SIZE, SMALL, Experiment, Value

_FEWER = "components explained clusters n_clusters max_terms knots order degree trees leaves max_features level cost"
_MORE = "threshold theta phi penalty min_leaf"
KNOWN: Mapping[str, str] = MappingProxyType(
    dict.fromkeys((SIZE, *_FEWER.split(), "target_r2", "interactions"), SMALL) | dict.fromkeys(_MORE.split(), LARGE)
)
"""Fewer configurations to measure count as simpler, as every one of them is a run to wait for."""
_ALL_OF_THEM = {"components": (None, 0)}
"""Values that stand for as many as there are."""


def ends(experiment: Experiment) -> dict[str, str]:
    """Return towards which end each swept thing is simpler, where that is known."""
    known = {**KNOWN, **experiment.simpler}
    return {name: known[name] for name in experiment.swept if name in known}


def complexity(values: Mapping[str, Value], towards: Mapping[str, str]) -> tuple[float, ...]:
    """Return how far a setting is from the simplest, swept thing by swept thing; smaller is simpler."""
    return tuple(_complexity(name, values[name], end) for name, end in towards.items() if name in values)


def _complexity(name: str, value: Value, end: str) -> float:
    if value in _ALL_OF_THEM.get(name, ()) or not isinstance(value, int | float):
        return float("inf")
    return float(value) if end == SMALL else -float(value)
