"""Two saved models against each other on the same trials: which errs less, and whether that is more than noise."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.race.versus import Versus, as_they_are, needed, on_folds
from core.report.compare.versus import versus_basis, versus_sentence, versus_table
from core.report.shared.scorecard import folds_in_words
from core.store.cards import ModelCard
from core.trial import Frame
from core.validate.folds import default_folds, parse_folds, possible_folds
from pages._models.values import label_of, saved_model
from pages._ui.cached import frame
from pages._ui.charts import table
from pages._ui.choices import pick
from pages._ui.text import literal
from pages._ui.work import computed, key_of

_AS_THEY_ARE = "Do not learn again"


def draw_versus(first: ModelCard, second: ModelCard, dataset: str) -> None:
    """Say which of two models errs less on trials of a dataset that neither has seen."""
    st.header("Which errs less on what neither has seen", anchor=False)
    names = (label_of(first), label_of(second))
    models = (saved_model(first.id), saved_model(second.id))
    trials = frame(dataset, models[0].response.name, needed(models))
    offered = [str(default_folds(trials)), *(str(p) for p in possible_folds(trials)), _AS_THEY_ARE]
    help = (
        "Both recipes are learnt again without what is held out, so neither has seen it. For trials that neither "
        "model was trained on, compare them as they are."
    )
    how = pick("Tested by", list(dict.fromkeys(offered)), "versus_folds", help, words=_folds_said)
    key = key_of(first.id, second.id, trials.digest(), how)
    found = as_they_are(*models, trials) if how == _AS_THEY_ARE else _on_folds(models, trials, how, key)
    if found is None:
        return
    st.markdown(literal(versus_sentence(found, *names)))
    table(versus_table(found, names), "versus", alt="Both models with their scores on the same trials")
    st.caption(literal(versus_basis(found)))


def _folds_said(text: str) -> str:
    return text if text == _AS_THEY_ARE else folds_in_words(text)


def _on_folds(models: tuple[FittedPipeline, FittedPipeline], trials: Frame, folds: str, key: str) -> Versus | None:
    """Return the comparison on folds, None while a job makes it."""
    first, second = models
    plan = parse_folds(folds)
    return computed("versus", "Comparing two models", key, lambda p: on_folds(first, second, trials, plan, 0, p))
