"""Two saved models side by side: what differs, how good they are, which errs less on the same trials."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import RidgelineError
from core.pipeline import FittedPipeline
from core.race.versus import Versus, as_they_are, needed, on_folds
from core.report.compare import versus
from core.report.figures.outcome import models_agreement
from core.report.model.formula import formula
from core.report.scaling.race import SCALING
from core.report.shared.scorecard import ScoreCard, folds_in_words
from core.store.cards import ModelCard
from core.trial import Frame
from core.validate.folds import default_folds, parse_folds, possible_folds
from pages._models.values import counterpart, label_of, saved_model
from pages._models.view import COMPARE_VIEW, FIRST, SECOND
from pages._ui.choices import pick, toggle
from pages._ui.database import frame, indicator_names, metric_names, store
from pages._ui.drawn import count, literal, number, percent, short, short_distinct, show, table
from pages._ui.jobs import computed, key_of
from pages._ui.page import guard, pick_known

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
    said = {text: text if text == _AS_THEY_ARE else folds_in_words(text) for text in offered}
    how = pick("Tested by", list(said), "versus_folds", help, words=said.__getitem__)
    key = key_of(first.id, second.id, trials.digest(), how)
    found = as_they_are(*models, trials) if how == _AS_THEY_ARE else _on_folds(models, trials, how, key)
    if found is None:
        return
    st.markdown(literal(versus.versus_sentence(found, *names)))
    table(versus.versus_table(found, names), "versus", alt="Both models with their scores on the same trials")
    st.caption(literal(versus.versus_basis(found)))


def _on_folds(models: tuple[FittedPipeline, FittedPipeline], trials: Frame, folds: str, key: str) -> Versus | None:
    """Return the comparison on folds, None while a job makes it."""
    first, second = models
    plan = parse_folds(folds)
    return computed("versus", "Comparing two models", key, lambda p: on_folds(first, second, trials, plan, 0, p))


TITLE, PLACE = COMPARE_VIEW, 2

_LONGEST_TRAIT, _LONGEST_HEAD = 120, 14
_TITLE_PX, _SCORE_PX = 160, 98
"""Narrow enough for both models to be seen in a window of 390 pixels."""


def draw(cards: Sequence[ModelCard]) -> None:
    """Let the user choose two models, and show what they have in common and what not."""
    cards = [card for card in cards if card.recipe != SCALING]
    if len(cards) < 2:
        st.info("Two saved models are needed to compare. Save another one on the Model page, or upload a file.")
        return
    labels = {label_of(card): card for card in cards}
    left, right = st.columns(2)
    first_label = pick_known("First", list(labels), FIRST, "saved model", on=left)
    usual = label_of(counterpart(labels[first_label], cards))
    chosen = first_label, pick_known("Second", list(labels), SECOND, "saved model", usual=usual, on=right)
    if chosen[0] == chosen[1]:
        st.info("Both are the same model. Choose another one to compare.")
        return
    first, second = (saved_model(labels[label].id) for label in chosen)
    found = versus.compare(first, second, chosen)
    _draw_scores(found)
    _draw_traits(found)
    _draw_terms(found)
    _draw_against(found, first, second, (labels[chosen[0]], labels[chosen[1]]))
    _draw_formulas(found, first, second)


def _draw_scores(found: versus.Comparison) -> None:
    st.header("How good they are", anchor=False)
    if found.scores is None:
        st.caption("Neither was tested on unseen trials.")
        return
    if not found.same_response:
        st.warning("The two predict different responses, so that errors in a unit cannot be compared.")
    elif len(found.scores.columns) == 2 and not found.same_folds:
        st.caption("They were tested on different trials or folds, so that a small difference may say little.")
    _draw_card(found.scores, found.names, "compared_scores", "Scores of both on trials that they had not seen")


def _draw_traits(found: versus.Comparison) -> None:
    st.header("What differs", anchor=False)
    everything = toggle("Show what is the same, too", "compare_all")
    for title, traits in (("", found.traits), ("Options", found.options)):
        shown = [trait for trait in traits if everything or trait.differs]
        if title:
            st.markdown(f"**{title}**")
        if shown:
            st.table(_trait_table(found, shown), border="horizontal")
        else:
            st.caption("No differences.")


def _trait_table(found: versus.Comparison, traits: Sequence[versus.Trait]) -> pd.DataFrame:
    first, second = found.names
    columns = {literal(first): [t.first for t in traits], literal(second): [t.second for t in traits]}
    said = {name: [literal(short(text, _LONGEST_TRAIT)) for text in texts] for name, texts in columns.items()}
    return pd.DataFrame(said, index=[t.name for t in traits])


def _draw_terms(found: versus.Comparison) -> None:
    st.header("Terms", anchor=False)
    if not found.same_words:
        st.caption("Each made its own components from the metrics, so that RC1 of the one is not that of the other.")
    only = [(f"Only in {found.names[0]}", found.only_first), (f"Only in {found.names[1]}", found.only_second)]
    for place, (title, terms) in zip(st.columns(3), [*only, ("In both", found.shared)], strict=True):
        with place:
            st.markdown(f"**{literal(short(title))}** · {len(terms)}")
            st.caption("\n".join(f"- {literal(term)}" for term in terms[:15]) or "none")
            if len(terms) > 15:
                st.caption(f"and {len(terms) - 15:,} more")


def _draw_against(
    found: versus.Comparison, first: FittedPipeline, second: FittedPipeline, cards: tuple[ModelCard, ModelCard]
) -> None:
    st.header("What they say of the same trials", anchor=False)
    if not found.same_response:
        st.caption("They predict different responses.")
        return
    needed = {*first.names, *second.names, first.response.name}
    datasets = [
        d for d in store().datasets.names() if needed <= {*(m.name for m in metric_names(d)), *indicator_names(d)}
    ]
    if not datasets:
        st.caption(f"No dataset here has the {count(len(needed), 'column')} that both need.")
        return
    dataset = pick("Trials of", datasets, "compare_dataset", usual=cards[0].dataset)
    with guard():
        metrics = tuple(dict.fromkeys((*first.names, *second.names)))
        trials = frame(dataset, first.response.name, metrics)
        _draw_said(versus.against(first, second, trials, found.names), dataset)
    with guard():
        draw_versus(*cards, dataset)


def _draw_said(said: versus.Against, dataset: str) -> None:
    st.markdown(
        f"For half of the {count(len(said.first), 'trial')} they are within **{percent(said.apart)}** of each other, "
        f"and for {number(said.within_10, 3)} % of them within 10 %."
        + (f" {count(said.n_refused, 'trial')} got no prediction from one of them." if said.n_refused else "")
    )
    show(models_agreement(said), "models_agreement")
    with st.expander("How far both are from what was measured there", key="compare_measured"):
        st.caption(
            literal(
                "The models may have learnt from these trials, so this is no test: the scores above are. It shows how "
                f"they do on all of {dataset}."
            )
        )
        _draw_card(said.scores, said.models, "compared_on", "Scores of both on these trials")


def _draw_card(card: ScoreCard, names: Sequence[str], key: str, alt: str) -> None:
    """Draw scores with four digits, under names cut to what tells them apart."""
    words = [name.split(" ") for name in names]
    alike = next((k for k, pair in enumerate(zip(*words, strict=False)) if len(set(pair)) > 1), 0)
    heads = short_distinct((" ".join(own[alike:]) for own in words), _LONGEST_HEAD).values()
    values = card.table()
    shown = values.assign(**{name: [number(v, 4) for v in values[name]] for name in card.columns})
    look: dict[str, Any] = {"width": _SCORE_PX, "alignment": "right"}
    texts = {name: st.column_config.TextColumn(head, **look) for name, head in zip(names, heads, strict=False)}
    table(
        shown, key, alt, values=values, column_config={"score": st.column_config.TextColumn(width=_TITLE_PX), **texts}
    )


def _draw_formulas(found: versus.Comparison, *models: FittedPipeline) -> None:
    st.header("Formulae", anchor=False)
    for place, name, model in zip(st.columns(2), found.names, models, strict=True):
        with place:
            st.markdown(f"**{literal(name)}**")
            try:
                st.code(formula(model).text(limit=4), language=None, wrap_lines=True)
            except RidgelineError as error:
                st.caption(literal(error))
