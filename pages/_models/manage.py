"""What people do to a saved model: name it, look through its versions, take it away in other forms, delete it."""

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.export import EXPORTERS, Exporter, Proof, prove
from core.pipeline import FittedPipeline
from core.report.scaling.race import SCALING
from core.report.shared.naming import file_name, preview
from core.store.cards import ModelCard
from pages._models.values import SCORES, card_columns, counterpart, exported, label_of, why_not_exported
from pages._models.view import COMPARE_VIEW, FIRST, PREDICT_VIEW, SECOND, SOURCE, choose_model, show_view
from pages._ui import jobs
from pages._ui.choices import pick
from pages._ui.database import store
from pages._ui.drawn import count, download, literal, table

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
    if st.button("Delete for good", key=f"delete_model_{card.id}", type="primary"):
        store().models.delete(card.id)
        _after_delete()
    every = f"Delete all {len(versions)} versions for good"
    if len(versions) > 1 and st.button(every, key=f"delete_versions_{card.id}"):
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
        asked = "What should others know of this version?"
        hint = "What it is for, who uses it, what to be careful about. It stands on the model card, too."
        written = st.text_area(asked, card.note, key=f"note_{card.id}", max_chars=LONGEST_NOTE, placeholder=hint)
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
