"""What the last import did: stored, skipped and why, noticed, or already there."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.store import Receipt
from core.trial import Skipped
from pages._ui.charts import table
from pages._ui.text import count, literal, short

_KEY = "_last_import"
_SHOWN_WARNINGS = 8
_SHOWN_FILES = 6
_LONGEST = 200


def leave(dataset: str = "", files: Sequence[tuple[str, Receipt]] = (), refused: Sequence[Skipped] = ()) -> None:
    """Remember a report (imports and receipts, files of a folder that gave nothing) for the next run of the page.

    An empty report clears the last one.
    """
    st.session_state[_KEY] = (dataset, tuple(files), tuple(refused))


def draw_last() -> None:
    """Show the report of the last import of this session until it is dismissed."""
    dataset, files, refused = st.session_state.get(_KEY, ("", (), ()))
    if not files:
        return
    with st.container(border=True):
        _headline(dataset, files)
        for i, (name, receipt) in enumerate(files[:_SHOWN_FILES]):
            _details(name, receipt, i)
        if len(files) > _SHOWN_FILES:
            st.markdown(f"and {count(len(files) - _SHOWN_FILES, 'more file')}, all stored; see “Imported from”.")
        if refused:
            draw_refused(refused, "refused")
        if st.button("Dismiss this report", key="dismiss_report", type="tertiary"):
            leave()
            st.rerun()


def draw_refused(refused: Sequence[Skipped], key: str) -> None:
    """Show the files of a folder that were left out, and why."""
    with st.expander(f"{count(len(refused), 'file')} of the folder left out", key=f"{key}_open"):
        values = pd.DataFrame({"file": [s.where for s in refused], "why": [s.why for s in refused]})
        table(values, key=f"{key}_files", alt="Files of the folder that were left out, and the reasons", download=False)


def draw_report(skipped: Sequence[Skipped], warnings: Sequence[str], key: str) -> None:
    """Show what was skipped with its reason, and what was noticed."""
    if warnings:
        lines = [f"- {literal(text)}" for text in warnings[:_SHOWN_WARNINGS]]
        more = len(warnings) - _SHOWN_WARNINGS
        st.markdown("\n".join([*lines, *([f"- and {more} more"] if more > 0 else [])]))
    if skipped:
        st.markdown(f"**{count(len(skipped), 'place')} skipped**")
        values = pd.DataFrame({"where": [s.where for s in skipped], "why": [s.why for s in skipped]})
        table(values, key=f"{key}_skipped", alt="Skipped places of the file and the reasons")


def _headline(dataset: str, files: Sequence[tuple[str, Receipt]]) -> None:
    stored = sum(receipt.n_trials for _, receipt in files)
    skipped = sum(len(receipt.skipped) for _, receipt in files)
    if not stored and all(receipt.already for _, receipt in files):
        st.info("Nothing new: " + literal("; ".join(str(receipt.already) for _, receipt in files)) + ".")
        return
    said = f"{count(stored, 'trial')} stored in dataset **{literal(dataset)}**"
    said += f", {count(skipped, 'place')} skipped" if skipped else ", nothing skipped"
    st.success(f"{said}.", icon=":material/check_circle:")


def _details(name: str, receipt: Receipt, i: int) -> None:
    if receipt.already:
        st.markdown(f"{literal(receipt.already)}.")
        return
    st.markdown(
        f"**{literal(short(name, _LONGEST))}** ({literal(receipt.format)}): {count(receipt.n_trials, 'trial')}, "
        f"{count(receipt.n_metrics, 'metric')}."
    )
    draw_report(receipt.skipped, receipt.warnings, f"receipt_{i}")
