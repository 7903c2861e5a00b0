"""Every way to predict a kernel's surface, alike ones in one file: the paper's network and what is raced against it."""

from core.registry import discover
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor

SEVERAL = {
    "few": ("measure_next", "roofline"),
    "network": ("network", "soft_network"),
    "regressions": ("gaussian_process", "ridge"),
    "trees": ("blend", "boosting", "boosting_classifier", "extra_trees", "forest", "forest_classifier"),
    "typical": ("mean_surface", "median_surface", "nearest_kernels", "shared_leaves"),
}
PREDICTORS = discover("core.scaling.predictors", Predictor, "scaling predictor", SEVERAL)
PAPER = "network"
"""The paper's own method."""

__all__ = ["PAPER", "PREDICTORS", "Asked", "Learnt", "Lesson", "Predictor"]
