"""What the Models page keeps of saved models, the ways to its views, and what people do to a model."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.export import EXPORTERS, Exporter, Proof, prove, read_model
from core.pipeline import FittedPipeline
from core.recipes import recipe_label
from core.report.model.card import tested_with
from core.report.scaling.race import SCALING
from core.report.shared.naming import columns_of, file_name, preview
from core.scaling.model_file import read_scaling
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._ui import jobs
from pages._ui.choices import pick
from pages._ui.database import kept, store
from pages._ui.drawn import count, download, literal, table
from pages._ui.page import turn_to

SCORES = {
    "median error (%)": "median_ape",
    "MAPE (%)": "mape",
    "R²": "r2",
    "in 90 % interval (% of trials)": "coverage_90",
}
"""Titles of the columns that compare models, and the scores that they show."""


def folds_of(card: ModelCard) -> str:
    """Return the folds that a saved model was tested with; "" if it never was."""
    return str(card.scores.get("folds", ""))


def score_of(card: ModelCard, name: str) -> float | None:
    """Return a saved model's score on unseen trials, None if there is none."""
    scores = card.scores.get("scores")
    found = scores.get(name) if isinstance(scores, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def card_columns(cards: Sequence[ModelCard]) -> dict[str, list[Any]]:
    """Return what tables of saved models choose from: columns by their titles, a row per model."""
    return {
        **columns_of(cards, "name | version | response | dataset | trials: n_trials | note"),
        "recipe": [recipe_label(c.recipe) for c in cards],
        "saved": [f"{c.created:%Y-%m-%d %H:%M}" for c in cards],
        "tested with": [tested_with(folds_of(c)) for c in cards],
        **{title: [score_of(c, field) for c in cards] for title, field in SCORES.items()},
    }


def label_of(card: ModelCard) -> str:
    """Return a text that names one saved model and no other."""
    return f"{card.name} · v{card.version}"


def latest(cards: Sequence[ModelCard]) -> list[ModelCard]:
    """Return the last version of each model, in the same order."""
    last: dict[str, int] = {}
    for card in cards:
        last[card.name] = max(card.version, last.get(card.name, 0))
    return [card for card in cards if card.version == last[card.name]]


def counterpart(card: ModelCard, cards: Sequence[ModelCard]) -> ModelCard:
    """Return what a model is best compared with: another version, else one of its response, else any."""
    others = [c for c in cards if c.id != card.id]
    alike = [c for c in others if (c.response, c.dataset) == (card.response, card.dataset)]
    return ([c for c in others if c.name == card.name] or alike or others)[0]


def matching(cards: Sequence[ModelCard], text: str) -> list[ModelCard]:
    """Return the models in which every word of a text occurs, in the same order."""
    words = text.lower().split()
    return [card for card in cards if all(word in _searched(card) for word in words)]


def _searched(card: ModelCard) -> str:
    return "\n".join(
        (card.name, card.dataset, card.response, card.recipe, recipe_label(card.recipe), card.note)
    ).lower()


def _here(*of: str) -> Hashable:
    """Return the key of something made of a saved model: the file behind an id never changes."""
    return (str(store().path), *of)


@kept(_here, 16)
def saved_model(id: str) -> FittedPipeline:
    """Return a saved model."""
    return read_model(store().models.get(id))


@kept(_here, 4)
def saved_scaling(id: str) -> ScalingModel:
    """Return a saved scaling model."""
    return read_scaling(store().models.get(id))


@kept(_here, 256)
def why_not_exported(id: str, to: str) -> str:
    """Return why a form cannot say what a saved model says, "" if it can."""
    return EXPORTERS[to]().can_express(saved_model(id)) or ""


@kept(_here, 8, "Writing …")
def exported(id: str, to: str) -> bytes:
    """Return a saved model in another form."""
    return EXPORTERS[to]().write(saved_model(id))


SAVED_VIEW, COMPARE_VIEW = "Saved models", "Compare two"
PREDICT_VIEW, UPLOAD_VIEW = "Predict from a file", "Upload a model"
KEY, MODEL, SOURCE, FIRST, SECOND = "models_view", "model", "predict_with", "first_model", "second_model"

show_view = partial(turn_to, KEY)
"""Run the page again with a view, and models in its widgets."""


def choose_model(label: str) -> None:
    """Run the page again with this model in detail."""
    show_view(SAVED_VIEW, **{MODEL: label})


LONGEST_NOTE = 4000


def _rename(card: ModelCard) -> None:
    """Let the user give a model, with its versions, another name."""
    name = st.text_input("New name", card.name, key=f"new_name_{card.id}", max_chars=120)
    if st.button("Rename", key="rename_model", type="primary"):
        store().models.rename(card.id, name or "")
        choose_model(label_of(next(c for c in store().models.all() if c.id == card.id)))


def _delete(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Ask before a model is deleted: this version of it, or all."""
    versions = [c for c in cards if c.name == card.name]
    this = f"Version {card.version} of **{literal(card.name)}**" if len(versions) > 1 else f"**{literal(card.name)}**"
    st.markdown(f"{this} is deleted for good. Downloaded files of it go on working.")
    if st.button("Delete for good", key="delete_model", type="primary"):
        store().models.delete(card.id)
        _after_delete()
    if len(versions) > 1 and st.button(f"Delete all {len(versions)} versions for good", key="delete_versions"):
        for version in versions:
            store().models.delete(version.id)
        _after_delete()


def _after_delete() -> None:
    """Look at another model: whoever deleted one need not be told that it is gone."""
    left = store().models.all()
    if left:
        choose_model(label_of(left[0]))
    st.rerun()


def draw_actions(card: ModelCard, cards: Sequence[ModelCard], page: Callable[[], bytes], reopen: str) -> bool:
    """Offer what can be done with a saved model; return whether it is to be opened again on the page of such models.

    Parameters
    ----------
    cards : of all models
    page : makes the model's card
    reopen : what opening it again is called
    """
    with st.container(horizontal=True):
        raw, name = partial(store().models.get, card.id), label_of(card)
        download("Download JSON", raw, f"{name}.json", "download_model")
        help = "One HTML file to send to a colleague: what the model was trained on, where it holds, how good it is."
        download("Model card", page, f"{name} card.html", "download_card", icon=":material/badge:", help=help)
        if st.button("Predict with it", key="predict_with_it", icon=":material/play_arrow:"):
            show_view(PREDICT_VIEW, **{SOURCE: label_of(card)})
        two = card.recipe != SCALING and len(cards) > 1
        if two and st.button("Compare …", key="compare_it", icon=":material/compare_arrows:"):
            show_view(COMPARE_VIEW, **{FIRST: label_of(card), SECOND: label_of(counterpart(card, cards))})
        opened = st.button(reopen, key="open_model", icon=":material/tune:")
        with st.popover("Rename …", icon=":material/edit:", key="rename_open"):
            _rename(card)
        with st.popover("Delete …", icon=":material/delete:", key="delete_open"):
            _delete(card, cards)
    return opened


def draw_note(card: ModelCard) -> None:
    """Show what people say of a model, to be changed."""
    title = "Note" if card.note else "Add a note"
    with st.expander(title, key=f"note_open_{card.id}", icon=":material/edit_note:", expanded=bool(card.note)):
        written = st.text_area(
            "What should others know of this version?",
            card.note,
            key=f"note_{card.id}",
            max_chars=LONGEST_NOTE,
            placeholder="What it is for, who uses it, what to be careful about. It stands on the model card, too.",
        )
        if st.button("Keep the note", key="keep_note", icon=":material/save:"):
            store().models.note(card.id, written or "")
            st.toast("The note is kept.", icon=":material/check:")
            st.rerun()


def draw_versions(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Show all versions of a model's name, where there are several."""
    versions = sorted((c for c in cards if c.name == card.name), key=lambda c: -c.version)
    if len(versions) < 2:
        return
    with st.expander(f"All {count(len(versions), 'version')} of {literal(card.name)}", key="versions_open"):
        order = ["version", "saved", "dataset", "trials", "recipe", *SCORES, "note"]
        values = pd.DataFrame(card_columns(versions))[order]
        three = st.column_config.NumberColumn(format="%.3g")
        alt = "Versions of this model, the newest first"
        table(values, key="model_versions", alt=alt, column_config=dict.fromkeys(SCORES, three))
        others = [c for c in versions if c.id != card.id]
        with st.container(horizontal=True):
            for other in others[:8]:
                if st.button(f"Look at version {other.version}", key=f"version_{other.version}"):
                    choose_model(label_of(other))


_PROVEN = 10_000
_PAGE_HEIGHT = 640


def draw_export(card: ModelCard, model: FittedPipeline) -> None:
    """Let the user choose a form, look at what would be written, have it proven, and download it."""
    reasons = {name: why_not_exported(card.id, name) for name in EXPORTERS}
    offered = [name for name, why in reasons.items() if not why]
    words = {name: f"{EXPORTERS[name].label} ({EXPORTERS[name].suffix})" for name in offered}
    to = pick("Form", offered, "export_to", usual="c", words=words.__getitem__)
    _draw_refused(reasons)
    exporter = EXPORTERS[to]()
    st.caption(literal(f"For {exporter.says}." + (f" {said}" if (said := exporter.caveat(model)) else "")))
    raw = exported(card.id, to)
    name = file_name(label_of(card), exporter.suffix)
    with st.container(horizontal=True, vertical_alignment="center"):
        download(f"Download {name}", raw, name, "download_export", type="primary")
        help = f"Compiles or runs the file on {_PROVEN:,} rows and compares it with the model's own predictions."
        runs = type(exporter).run is not Exporter.run
        asked = runs and st.button("Prove it", key="prove_export", icon=":material/verified:", help=help)
    _draw_proof(card, to, model, asked=asked)
    _draw_look(raw, exporter.suffix)


def _draw_refused(reasons: dict[str, str]) -> None:
    refused = {name: why for name, why in reasons.items() if why}
    if refused:
        with st.expander(f"{count(len(refused), 'form')} that cannot say what this model says", key="export_refused"):
            for name, why in refused.items():
                st.markdown(f"**{literal(EXPORTERS[name].label)}**: {literal(why)}")


def _draw_proof(card: ModelCard, to: str, model: FittedPipeline, *, asked: bool) -> None:
    """Start the proof where it is asked for, and show how it goes and what came of it."""
    key = f"prove-{card.id}-{to}"
    job = jobs.find(key)
    if asked:
        if job is not None and job.ended:
            jobs.forget(key)
        title = f"Proving {EXPORTERS[to].label} of {card.name}"
        job = jobs.submit("prove", title, lambda _: prove(EXPORTERS[to](), model, _PROVEN), key)
    if job is not None and jobs.watch(job, f"{key}_job"):
        _say(job.result)


def _say(proof: Proof) -> None:
    if proof.why_not:
        st.info(literal(f"It was not proven: {proof.why_not}."), icon=":material/help:")
    elif proof.holds:
        st.success(literal(f"It says the same as the model: {proof.sentence}."), icon=":material/verified:")
    else:
        st.error(literal(f"It does not say the same as the model: {proof.sentence}."), icon=":material/report:")


def _draw_look(raw: bytes, suffix: str) -> None:
    if suffix == ".html":
        st.iframe(raw.decode(), height=_PAGE_HEIGHT)
        return
    shown = preview(raw, suffix)
    if not shown.n_lines:
        st.caption(f"A binary file of {shown.n_bytes:,} bytes: nothing to look at.")
        return
    if shown.shortened:
        st.caption(
            f"The beginning of {count(shown.n_lines, 'line')}, {shown.n_bytes:,} bytes; long lines are cut. The "
            "download has all."
        )
    st.code(shown.text, language=shown.language, height=420)
