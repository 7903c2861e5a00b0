"""Uploads: files of the user's own, read once per content, recognised and shown before anything is stored."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.errors import ReadError, RidgelineError
from core.ingest import READERS, Dropped, Part, Recognition, Remembered, SourceFile, drop
from core.report.shared.naming import dataset_name
from core.report.trials.recognised import Askable, askable
from pages._trials import files as uploads
from pages._trials.receipts import Chosen, draw_import
from pages._trials.recognised import draw_columns, draw_tables, unnamed_machine
from pages._ui import jobs
from pages._ui.database import kept, store
from pages._ui.drawn import count, table
from pages._ui.jobs import key_of as short_key
from pages._ui.page import guard

_LARGE_BYTES = 8 * 1024 * 1024
_MANY_FILES = 100


def key_of(parts: Sequence[Part], *, folder: bool) -> str:
    """Return a text that is the same for the same files of which the same is said."""
    path = remembered().path
    said = [(part.file.name, part.mapping, uploads.sha256(part.file)) for part in parts]
    return f"recognised-{short_key(folder, said, path.read_bytes() if path.exists() else b'')}"


def remembered() -> Remembered:
    """Return what was said of earlier tables."""
    return Remembered.beside(store().path)


def is_large(parts: Sequence[Part]) -> bool:
    """Whether reading takes so long that the page does not wait for it."""
    return len(parts) > _MANY_FILES or sum(len(part.file.content) for part in parts) > _LARGE_BYTES


def read_dropped(key: str, parts: Sequence[Part], *, folder: bool) -> Dropped | None:
    """Return what files are taken for; None while they are being read."""
    if not is_large(parts):
        return _dropped(key, list(parts), folder)
    known, title = remembered(), f"Reading {count(len(parts), 'file')}"
    job = jobs.submit("read", title, lambda p: drop(parts, folder=folder, progress=p, remembered=known), key)
    if not jobs.watch(job, key=f"watch_{key[-12:]}"):
        return None
    found: Dropped = job.result
    return found


@kept(lambda key, roles, dropped, found: (key, roles), 16, "Looking at what can be asked …")
def what_can_be_asked(key: str, roles: str, dropped: Dropped, found: Recognition) -> tuple[Askable, ...]:
    """Return what can be asked of files as they were corrected; `key` and `roles` say which these are."""
    return askable(found, dropped.gathered(found, missing="keep").imports)


@kept(lambda key, parts, folder: key, 4, "Reading …")
def _dropped(key: str, parts: list[Part], folder: bool) -> Dropped:
    return drop(parts, folder=folder, remembered=remembered())


TITLE, PLACE = "Upload", 3

_MISSING = {"refuse": "Refuse the file", "drop": "Leave out the trial", "keep": "Keep the trial without that value"}


def draw(_: str | None) -> None:
    """Let the user upload files or a folder, show what they were taken for, and import them."""
    files, folder = uploads.choose_files()
    if not files:
        st.markdown(
            "Drop what your tool wrote, as it wrote it: Nsight Compute, nvprof, rocprof, perf stat, Kernel Tuner, "
            "simulators' logs and more are recognised by their content. Any other table works too: one row per "
            "trial, a row of column names. Nothing is stored before you press Import."
        )
        _draw_formats()
        return
    draw_files(files, folder=folder)


def draw_files(files: Sequence[SourceFile], *, folder: bool) -> None:
    """Show what files were taken for, and import them."""
    with guard():
        uploads.refuse_too_much(files)
        form = uploads.said_form()
        parts = [Part(file, uploads.reader_of(file), form) for file in files]
        key = key_of(parts, folder=folder)
        try:
            dropped = read_dropped(key, parts, folder=folder)
        except RidgelineError:
            uploads.draw_form(files)  # what was said of it may be what is wrong
            raise
        if dropped is None:
            return
        own = f"recognised_{uploads.generation()}_{key[-12:]}"
        top, below = st.container(), st.container()
        with below:
            found = draw_columns(dropped, own)
            if any(part.plain for part in parts):
                uploads.draw_form(files, [c.name for c in dropped.recognition.tables[0].columns])
            machines, inputs = uploads.choose_facts(uploads.generation())
        left, right = top.columns([11, 9])
        with left, st.container(gap="xsmall"):
            draw_tables(dropped, found, own)
        with right, st.container(gap="xsmall"), guard():
            try:
                chosen = replace(_ask(key, dropped, found), machines=machines, inputs=inputs)
                offered = _offered(key, dropped, found) if not is_large(parts) else ()
                draw_import(chosen, offered, on_done=partial(_start_afresh, dropped, found, key))
            except ReadError as error:
                raise ReadError(uploads.in_page_words(str(error))) from None


def _draw_formats() -> None:
    with st.expander("What is recognised", key="formats_open"):
        values = pd.DataFrame({"format": [cls.label for name, cls in READERS.items() if name != "csv"]})
        table(values.sort_values("format"), key="formats", alt="Formats that are recognised", download=False)


def _offered(key: str, dropped: Dropped, found: Recognition) -> tuple[Askable, ...]:
    """Return what can be asked; nothing where the files cannot be imported like this, which the import says."""
    try:
        return what_can_be_asked(key, short_key(found), dropped, found)
    except ReadError:
        return ()


def _ask(key: str, dropped: Dropped, found: Recognition) -> Chosen:
    """Ask for what holds for all files; the machine only if no column says it."""
    at = uploads.generation()
    unnamed = unnamed_machine(found)
    cells = iter(st.columns(2) if unnamed else [st.container()])
    help = "A new name makes a dataset; an existing one takes the trials in addition."
    usual = dataset_name(*found.tables[0].files)
    name = next(cells).text_input("Dataset", usual, key=f"dataset_name_{at}", max_chars=120, help=help)
    help = "Such as the host name or the GPU: all these trials ran on it. May stay empty."
    machine = unnamed and next(cells).text_input(
        "Machine", key=f"machine_name_{at}", max_chars=200, placeholder="not in the file", help=help
    )
    words = any(c.n_bad for t in found.tables for c in t.columns)
    missing = words and st.selectbox(
        "A cell that should be a number but is not",
        list(_MISSING),
        format_func=_MISSING.__getitem__,
        key=f"missing_{at}",
        help="Each such cell is counted and listed. An empty cell is a missing value in any case, and so is a word "
        "such as N/A, unless the trial is left out.",
    )
    dataset, machine = (name or "").strip(), (machine or "").strip()
    return Chosen(key, dataset, dropped, found, machine_name=machine, missing=missing or "refuse")


def _start_afresh(dropped: Dropped, found: Recognition, key: str) -> None:
    """Remember what was said, let go of what was read, and let the next upload start empty."""
    dropped.remember(found, remembered())
    jobs.forget(key)
    uploads.next_generation()
