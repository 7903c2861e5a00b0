"""What each column of an uploaded table is: guessed, shown with the reason, changeable."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.ingest import ColumnGuess
from pages._ui.charts import table
from pages._ui.text import literal

_LABELS = {
    "application": ("Application", "Columns that say what ran, such as benchmark and kernel."),
    "input": ("Input", "Columns that say on which problem: size, input file, arguments."),
    "machine": ("Machine", "The column that says where it ran."),
    "response": ("Responses", "What to predict: run time, energy, cycles. A response never predicts another one."),
    "parameter": ("Parameters", "What was set before the run: threads, clock, block size."),
    "label": ("Labels", "Texts to keep for filters and folds; no model uses them."),
    "ignore": ("Left out", "Columns that are not stored."),
}
_KINDS = {
    "number": "numbers",
    "text": "texts",
    "identifier": "identifiers",
    "mixed": "numbers and words",
    "ambiguous": "numbers with a comma that may be decimal",
    "empty": "nothing",
}


def choose_roles(columns: Sequence[ColumnGuess], key: str) -> tuple[ColumnGuess, ...]:
    """Let the user say what each column is, and return the columns with the roles chosen.

    Parameters
    ----------
    columns : as guessed
    key : of this table; choices belong to it
    """
    st.markdown("**What the columns are.** A guess: change it where it is wrong. Every other column is a metric.")
    names = [c.name for c in columns]
    chosen: dict[str, str] = {}
    with st.grid(3, min_column_width=240):
        for role, (label, meaning) in _LABELS.items():
            picked = st.multiselect(
                label, names, default=[c.name for c in columns if c.role == role],
                key=f"{key}_{role}", help=meaning, placeholder="none", select_all=False,
                max_selections=1 if role == "machine" else None,
                on_change=_claim, args=(key, role),
            )  # fmt: skip
            chosen |= dict.fromkeys(picked, role)
    decided = tuple(replace(c, role=chosen.get(c.name, "metric" if c.role in _LABELS else c.role)) for c in columns)
    return _choose_units(decided, key)


def draw_columns(columns: Sequence[ColumnGuess], key: str) -> None:
    """Show each column with its role, what it holds, and why it was guessed so."""
    table(
        pd.DataFrame({
            "Column": [c.name for c in columns],
            "Unit": [c.unit for c in columns],
            "Role": [c.role for c in columns],
            "Holds": [_KINDS.get(c.kind, c.kind) for c in columns],
            "Examples": [", ".join(c.examples) for c in columns],
            "Empty cells": [c.n_empty for c in columns],
            "Not numbers": [c.n_bad for c in columns],
            "Guessed because": [c.reason for c in columns],
        }),
        key=f"{key}_columns", alt="Columns of the uploaded table with their roles", download=False,
    )  # fmt: skip


def _choose_units(columns: tuple[ColumnGuess, ...], key: str) -> tuple[ColumnGuess, ...]:
    """Ask for the unit of each response; the other units are those of the header."""
    responses = [i for i, c in enumerate(columns) if c.role == "response"]
    if not responses:
        return columns
    units = {}
    with st.grid(3, min_column_width=240):
        for i in responses:
            units[i] = st.text_input(
                f"Unit of {literal(columns[i].name)}", columns[i].unit, key=f"{key}_unit_{i}", max_chars=24,
                help="As the numbers are: s, us, J, cycles. Empty if it has none.",
            )  # fmt: skip
    return tuple(replace(c, unit=(units[i] or "").strip()) if i in units else c for i, c in enumerate(columns))


def _claim(key: str, role: str) -> None:
    """A column has one role: the one that it was given last."""
    taken = set(st.session_state[f"{key}_{role}"])
    for other in _LABELS:
        if other != role:
            held = st.session_state.get(f"{key}_{other}", [])
            st.session_state[f"{key}_{other}"] = [name for name in held if name not in taken]
