"""Experiments from TOML: the ready-made ones of the papers' figures, or a file of one's own."""

from pathlib import Path

import streamlit as st

from core.errors import ReadError
from core.experiment.experiment import Experiment
from core.experiment.toml_text import read_experiment
from core.workspace import EXPERIMENTS
from pages._ui.choices import pick

OWN = "A file of my own"


def choose() -> Experiment | None:
    """Let the user choose a ready-made experiment or upload one; None until there is one."""
    shipped = {e.name: e for e in (read_experiment(p.read_text(encoding="utf-8"), p.stem) for p in _shipped())}
    names = list(shipped)
    help = "Figures of the four papers, on the samples that come with Ridgeline; load a sample on the Trials page."
    chosen = pick("Experiment", [*names, OWN], "ready_made", help)
    if chosen != OWN:
        return shipped[chosen]
    uploaded = st.file_uploader("Experiment (TOML)", key="experiment_file", max_upload_size=1)
    if uploaded is None:
        st.caption("The same file as `ridgeline experiment FILE.toml` takes; any experiment here can be downloaded.")
        return None
    try:
        text = uploaded.getvalue().decode()
    except UnicodeDecodeError:
        raise ReadError(f"{uploaded.name} is not UTF-8 text, so it is no experiment.") from None
    return read_experiment(text, Path(uploaded.name).stem)


def _shipped() -> list[Path]:
    return sorted(EXPERIMENTS.glob("*.toml"))
