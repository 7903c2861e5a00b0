"""The model in view, the cluster that a view tells of, and the answer in one row: how far it is off."""

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.frozen import Frozen
from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.report.model.summary import FitSummary, fit_summary, words_on_scale
from core.report.shared.outcome import Outcome
from core.report.shared.scorecard import fold_spread, honest_sentence, unseen
from core.trial import Frame
from core.validate.folds import FoldPlan
from core.validate.scores import Scores
from core.validate.verdict import WHOLE
from pages._model.values import Tested, fit_key, held_out_of, hold_out, hold_out_along, outcome_of, untold_of
from pages._ui.choices import WHERE, in_url, pick, set_url, switch
from pages._ui.database import kept
from pages._ui.drawn import count, literal, number, percent

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
            st.caption("Training trials, as no test on held-out ones has ended.", width="content")
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


def say_alike(frame: Frame) -> None:
    """Say that trials of several names are alike in every metric, and offer to model those of one name."""
    found = untold_of(frame)
    if found is None:
        return
    names = list(found.names)
    st.info(
        literal(
            f"These are trials of {count(len(names), found.role)} with the same metrics, so no model can tell them "
            f"apart: it predicts something between them. Model one {found.role} at a time."
        ),
        icon=":material/filter_alt:",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(f"One {found.role}", names, key="untold", width=320) or names[0]
        if st.button("Model it alone", key="model_one", type="primary"):
            set_url(WHERE, [*in_url(WHERE), f"{found.role}={chosen}"])
            st.rerun()


@kept(lambda shown: shown.key, 64)
def _summary(shown: Shown) -> FitSummary:
    return fit_summary(shown.model, shown.frame)


def draw_headline(shown: Shown) -> DeltaGenerator:
    """Draw the error on held-out trials in three measures and that of the trained ones; return a place beside them."""
    model, frame, tested = shown.model, shown.frame, shown.tested
    summary, chosen = _summary(shown), tested.chosen
    held_out, new = (None if chosen is None else chosen.scores), unseen(str(tested.plan))
    spread = None if chosen is None else fold_spread(s.mape for s in chosen.by_fold(frame.y))
    apart = "" if spread is None else f" The folds differ by {percent(spread)} (standard deviation)."
    with st.grid(6, min_column_width=108, gap="small"):
        _card("Mean error", held_out, "mape", f"MAPE over {new}.{apart}")
        _card("Median error", held_out, "median_ape", f"Over {new}: half of the predictions are closer.")
        factor = None if held_out is None or held_out.log_error is None else math.exp(held_out.log_error)
        _figure(
            "Typical factor",
            "…" if held_out is None else "–" if factor is None else f"× {factor:,.{2 if factor < WHOLE else 0}f}",
            f"Between predicted and measured, over {new}; too high and too low count alike.",
        )
        _card("In training", shown.training.scores, "mape", "MAPE over the trials that the model learnt from.")
        more = f"{summary.counted} {_explained(model, summary)}"
        _figure(f"{summary.noun.capitalize()}s", str(summary.n_terms), more)
        return st.container()


def sentence(shown: Shown) -> str:
    """Return in words how good the model is on what it has not seen; "" while nobody knows."""
    chosen = shown.tested.chosen
    return "" if chosen is None else honest_sentence(str(shown.tested.plan), chosen.scores, shown.training.scores)


def _explained(model: FittedPipeline, summary: FitSummary) -> str:
    made_of = count(len(model.features), "component" if model.loadings.size else "metric")
    verb = "explains" if summary.n_terms == 1 else "explain"
    of = f"of {len(model.features)}" if summary.noun == "metric" else f"of {made_of}"
    return (
        f"{count(summary.n_terms, summary.noun)} {of} {verb} {number(100 * summary.r2, 3)} % of the variance of "
        f"{words_on_scale(model)} over {count(summary.n_trials, 'trial')} (training R²)."
    )


def _card(label: str, scores: Scores | None, field: str, help: str) -> None:
    _figure(label, "…" if scores is None else percent(getattr(scores, field)), help)


def _figure(label: str, value: str, help: str) -> None:
    st.metric(label, value, help=literal(help))
