"""Experiments worth making on given trials: each paper's figure, with values that suit how much there is."""

from dataclasses import field
from typing import Any

import numpy as np

from core.frozen import Frozen
from core.recipes import RECIPES
from core.trial import Frame, Kind
from core.validate.folds import FoldPlan, dealt, default_folds

OWN = "An experiment of my own"
_MOST_FOLDS = 10


class Preset(Frozen):
    """The beginning of an experiment, in the words of its TOML; everything can be changed.

    Attributes
    ----------
    about : what it asks, in a sentence
    plain : recipe, folds, seeds, sizes, each, predictions, options and vary
    """

    name: str
    about: str
    plain: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its name as a part of URL parameters."""
        return "".join(c if c.isalnum() else "_" for c in self.name.lower())


def presets(frame: Frame) -> tuple[Preset, ...]:
    """Return the experiments that suit a frame; those of its own kind of trials come first."""
    design = all(m.kind == Kind.PARAMETER for m in frame.metrics)
    honest, random = str(quick_folds(frame)), random_folds(frame)
    folds = list(dict.fromkeys([honest, random]))
    most = max(1, min(24, len(frame.metrics)))
    former = {"variant": "ridgeline-1"}  # one number of terms and clusters as given, as in the paper's figures
    eiger: dict[str, Any] = {"recipe": "eiger", "folds": folds, "options": former}
    dimensions = {**eiger, "vary": {"components": {"from": 1, "to": most}}}
    clusters = {**eiger, "options": {**former, "restarts": 5}, "vary": {"clusters": [1, 2, 3, 4, 6, 8, 12]}}
    threshold = {**eiger, "vary": {"threshold": {"from": 1e-5, "to": 0.1, "count": 9, "scale": "log"}}}
    groups = "How many groups of alike trials should have a model each (Eiger, figure 3)."
    found = [
        Preset("Error against dimensions", "How many principal components predict best (Eiger, figure 2).", dimensions),
        Preset("Error against clusters", groups, clusters),
        Preset("Error against threshold", "How much a term must gain to be let in (Eiger, figure 4).", threshold),
        *_left_out(frame),
    ]
    learning = _learning(frame, design)
    vary: dict[str, Any] = {"response_scale": ["raw", "log"] if frame.y.min() > 0 else ["raw"]}
    every = {"recipe": ["ols", "ridge", "lasso", "forest"], "folds": [honest], "vary": vary}
    asked = "Which kind of model, on which scale of the response, predicts best."
    families = Preset("Families and response scales", asked, every)
    vary = {"theta": [0.0, 0.001, 0.01]} if design else {"max_terms": [5, 10, 20, 40]}
    plain = {"recipe": "stargazer" if design else "eiger", "folds": [honest], "vary": vary}
    own = Preset(OWN, "Any option of any recipe, on any folds.", plain)
    return (*([learning, *found] if design else [*found, learning]), families, own)


def quick_folds(frame: Frame) -> FoldPlan:
    """Return the honest folds of a frame, dealt into ten where they would be many more."""
    return dealt(frame, default_folds(frame), 2 * _MOST_FOLDS, _MOST_FOLDS)


def random_folds(frame: Frame) -> str:
    """Return few folds at random."""
    n = len(np.unique(frame.configuration))
    return str(FoldPlan("kfold", min(5, n))) if n >= 2 else "loo"


def offered_folds(frame: Frame) -> tuple[str, ...]:
    """Return the folds worth offering for many fits, honest ones first."""
    by = [role for role in ("application", "machine", "input") if len(set(frame.labels[role])) >= 3]
    dealt = [str(FoldPlan("by", _MOST_FOLDS, role)) for role in by if len(set(frame.labels[role])) > _MOST_FOLDS]
    texts = [str(quick_folds(frame)), *dealt, *(f"by:{role}" for role in by), random_folds(frame), "kfold:10"]
    n = len(np.unique(frame.configuration))
    return tuple(dict.fromkeys([*texts, *([f"holdout:{n // 5}"] if n >= 10 else [])]))


def recipes_offered() -> tuple[str, ...]:
    """Return recipes, then families."""
    from core.models import FAMILIES

    return (*RECIPES, *(name for name in FAMILIES if name not in RECIPES))


def _left_out(frame: Frame) -> list[Preset]:
    found = []
    for role, figure in (("application", 5), ("machine", 6)):
        if len(set(frame.labels[role])) >= 3:
            plain = {"recipe": "eiger", "folds": [f"by:{role}"], "predictions": True}
            about = f"Each {role} predicted by models that were trained on all the others (Eiger, figure {figure})."
            found.append(Preset(f"Every {role} left out", about, plain))
    return found


def _learning(frame: Frame, design: bool) -> Preset:
    apart = design and 2 <= len(set(frame.labels["application"])) <= 30
    n = _smallest(frame) if apart else len(np.unique(frame.configuration))
    n_test = max(1, min(200, n // 4))
    top = max(1, min(300, n - n_test))
    step = max(1, top // 10)
    plain: dict[str, Any] = {
        "recipe": "stargazer" if design else "eiger",
        "folds": [f"holdout:{n_test}"],
        "seeds": 5,
        "sizes": {"from": max(step, min(5, top)), "to": top, "step": step},
        **({"each": "application"} if apart else {}),
    }
    about = "How many trials are enough: the error on unseen ones over the number learnt from (Stargazer, figure 5)."
    return Preset("Error against the number of trials", about, plain)


def _smallest(frame: Frame) -> int:
    """Return how many configurations the application with fewest has."""
    names = np.array(frame.labels["application"], dtype=object)
    return min(len(np.unique(frame.configuration[names == name])) for name in set(names))
