"""A saved model in other forms: a look at the code, the proof that it says the same, and the file to take away."""

import streamlit as st

from core.export import EXPORTERS, Exporter, Proof, prove
from core.pipeline import FittedPipeline
from core.report.shared.naming import file_name, preview
from core.store.cards import ModelCard
from pages._models.values import exported, label_of, why_not_exported
from pages._ui import jobs
from pages._ui.choices import pick
from pages._ui.drawn import count, download, literal

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
