"""What the last import did: stored, skipped and why, noticed, or already there."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.report.shared.naming import columns_of
from core.report.trials.recognised import folded, folded_skips
from core.store.cards import Receipt
from core.store.inbox import Inbox
from core.trial import Skipped
from pages._trials.files import in_page_words
from pages._ui.database import store
from pages._ui.drawn import count, literal, short, table


def draw_inbox() -> None:
    """Say what waits in the inbox and what was set aside; nothing, while it is empty."""
    inbox = Inbox(store().path)
    status = inbox.status()
    if status.n_waiting:
        st.caption(f"{count(status.n_waiting, 'file')} in the inbox, stored within seconds.")
    if not status.bad:
        return
    with st.expander(f"{count(len(status.bad), 'file')} of the inbox set aside", key="inbox_open"):
        st.caption(
            literal(f"They are in {status.folder / 'bad'}, with the reason beside each. Mend them, then try again.")
        )
        values = pd.DataFrame({"file": [name for name, _ in status.bad], "why": [why for _, why in status.bad]})
        table(values, key="inbox_bad", alt="Files of the inbox that were set aside, and why", download=False)
        if st.button("Try them again", key="inbox_retry", icon=":material/replay:"):
            inbox.retry()
            st.rerun()


_KEY = "_last_import"
_SHOWN_WARNINGS = 8
_SHOWN_FILES = 6
_LONGEST = 200
_LONGEST_REMARK = 1500


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
        stored = [(name, receipt) for name, receipt in files if not receipt.already]
        if len(stored) <= _SHOWN_FILES:
            for name, receipt in stored:
                _draw_file(name, receipt)
        else:
            _draw_files(stored)
        if stored:
            known = [name for name, _ in files]
            draw_report([s for _, r in files for s in r.skipped], _remarks(files), "receipt", known)
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


def draw_report(skipped: Sequence[Skipped], warnings: Sequence[str], key: str, files: Sequence[str] = ()) -> None:
    """Show what was skipped with its reason, and what was noticed; alike of several files once.

    Parameters
    ----------
    files : that this is about, by the names that the sentences begin with
    """
    if warnings:
        texts = folded([in_page_words(text) for text in warnings], files)
        lines = [f"- {literal(short(text, _LONGEST_REMARK))}" for text in texts[:_SHOWN_WARNINGS]]
        st.markdown("\n".join(lines))
        if len(texts) > _SHOWN_WARNINGS:
            with st.expander(f"{count(len(texts) - _SHOWN_WARNINGS, 'more remark')}", key=f"{key}_remarks_open"):
                values = pd.DataFrame({"remark": texts[_SHOWN_WARNINGS:]})
                table(values, key=f"{key}_remarks", alt="Further remarks on the files")
    if skipped:
        st.markdown(f"**{count(len(skipped), 'place')} skipped**")
        values = pd.DataFrame(folded_skips(skipped, files), columns=["where", "why"])
        table(values, key=f"{key}_skipped", alt="Skipped places of the file and the reasons")


def _headline(dataset: str, files: Sequence[tuple[str, Receipt]]) -> None:
    stored = sum(receipt.n_trials for _, receipt in files)
    skipped = sum(len(receipt.skipped) for _, receipt in files)
    already = [str(receipt.already) for _, receipt in files if receipt.already]
    told = [literal(text) for text in folded(already, [name for name, _ in files])]
    if not stored and len(already) == len(files):
        st.info("Nothing new: " + "; ".join(told[:_SHOWN_FILES]) + (" and so on." if len(told) > _SHOWN_FILES else "."))
        return
    said = f"{count(stored, 'trial')} stored in dataset **{literal(dataset)}**"
    said += f", {count(skipped, 'place')} skipped" if skipped else ", nothing skipped"
    st.success(f"{said}.", icon=":material/check_circle:")
    for text in told[:_SHOWN_FILES]:
        st.markdown(f"{text}.")


def _draw_file(name: str, receipt: Receipt) -> None:
    st.markdown(
        f"**{literal(short(name, _LONGEST))}** ({literal(receipt.format)}): {count(receipt.n_trials, 'trial')}, "
        f"{count(receipt.n_metrics, 'metric')}, responses included."
    )


def _draw_files(files: Sequence[tuple[str, Receipt]]) -> None:
    with st.expander(f"From {count(len(files), 'file')}", key="receipt_files_open"):
        known = columns_of([r for _, r in files], "format | trials: n_trials | metrics with responses: n_metrics")
        skipped = [len(r.skipped) for _, r in files]
        values = pd.DataFrame({"file": [short(name, _LONGEST) for name, _ in files], **known, "skipped": skipped})
        table(values, key="receipt_files", alt="Files that were imported", download=False)


def _remarks(files: Sequence[tuple[str, Receipt]]) -> list[str]:
    return [warning for _, receipt in files for warning in receipt.warnings]
