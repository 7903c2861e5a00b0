"""The model in view, which `pages/model.py` makes at each move of a control, and the cluster that a view tells of."""

import streamlit as st

from core.frozen import Frozen
from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.report.shared.outcome import Outcome
from core.trial import Frame
from core.validate.folds import FoldPlan
from pages._model.values import Tested, fit_key, held_out_of, hold_out, hold_out_along, outcome_of
from pages._ui.choices import pick, switch
from pages._ui.drawn import literal

_FOLDS = FoldPlan("kfold", 5)
_HELD_OUT, _TRAINING = "held out", "training"
_SEEN = "Held out: each predicted by a model that has not seen its fold. Training: predicted by the model itself."


class Shown(Frozen):
    """A fitted model: what it learnt from, how, and how well.

    Attributes
    ----------
    frame : the trials that it learnt from
    fit_s : seconds that a fit takes
    interval : how 90 % intervals are made
    """

    frame: Frame
    recipe: Recipe
    model: FittedPipeline
    fit_s: float
    tested: Tested
    interval: str

    @property
    def key(self) -> str:
        """What the fitted model is known by."""
        return fit_key(self.frame, self.recipe)

    @property
    def training(self) -> Outcome:
        """What the model says of the trials that it learnt from."""
        return outcome_of(self.frame, self.recipe, self.model)

    def on_random_folds(self) -> Tested | None:
        """Return the test on random folds, drawn while it runs; None where the chosen one is that, or they are few.

        The automatic model has the folds inside which everything was chosen, and no others.
        """
        few = len(set(self.frame.configuration.tolist())) < _FOLDS.count
        if few or self.tested.plan.how == _FOLDS.how or isinstance(self.recipe, Auto):
            return None
        tested = hold_out(self.frame, self.recipe, _FOLDS, self.fit_s, self.tested.seed, self.interval)
        hold_out_along(self.frame, self.recipe, tested, self.interval)
        return tested

    def choose_outcome(self) -> Outcome:
        """Let the user look at held-out trials (where a test is there) or at training ones."""
        if self.tested.chosen is None:
            st.caption("Training trials, until the test on held-out ones has ended.", width="content")
            return self.training
        look: dict[str, str] = {"label_visibility": "collapsed", "width": "content"}
        if switch("Trials", (_HELD_OUT, _TRAINING), "seen", _SEEN, **look) == _TRAINING:
            return self.training
        return held_out_of(self.frame, self.tested.chosen, self.tested.key, self.model.scale.log)


def choose_cluster(model: FittedPipeline) -> int:
    """Let the user choose a cluster, counted from 0; a model without clusters asks nothing."""
    if len(model.clusters) == 1:
        return 0
    names = _names(model)
    cluster = names.index(pick("Cluster", names, "story_cluster"))
    member = model.clusters[cluster]
    if member.note:
        st.caption(literal(f"Cluster {cluster + 1}: {member.note}."))
    return cluster


def cluster_in_view(model: FittedPipeline) -> int:
    """Return the cluster that was chosen, counted from 0; the first where none was, or it is gone."""
    names, chosen = _names(model), st.session_state.get("story_cluster")
    return names.index(chosen) if chosen in names else 0


def choose_place(label: str, n: int, key: str) -> int:
    """Let the user step through 1 to n; one that is past the end is the last."""
    if n == 1:
        return 1
    if not 1 <= int(st.session_state.get(key, 1)) <= n:
        st.session_state[key] = n
    return int(st.slider(label, 1, n, key=key, bind="query-params"))


def _names(model: FittedPipeline) -> list[str]:
    return [f"cluster {i + 1}" for i in range(len(model.clusters))]
