"""Every way to predict a kernel's surface, one file each: the paper's network and what is raced against it."""

from collections.abc import Mapping

from core.registry import discover
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor

SEVERAL = {
    "boosting_classifier": ("boosting_classifier", "forest_classifier"),
    "forest": ("forest", "extra_trees"),
    "mean_surface": ("mean_surface", "median_surface"),
    "network": ("network", "soft_network"),
}
PREDICTORS = discover("core.scaling.predictors", Predictor, "scaling predictor", SEVERAL)
PAPER = "network"
"""The paper's own method."""

__all__ = ["PAPER", "PREDICTORS", "Asked", "Learnt", "Lesson", "Predictor", "make_predictor"]


def make_predictor(name: str, settings: Mapping[str, str] | None = None) -> Predictor:
    """Return a predictor with options given as texts.

    Raises
    ------
    OptionError
        If there is no such predictor or option, or a value is not allowed.
    """
    return PREDICTORS.find(name).parse(dict(settings or {}))
