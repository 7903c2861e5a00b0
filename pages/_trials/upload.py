"""Uploads: files of the user's own, read strictly, shown before anything is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReadError
from core.ingest import (
    READERS,
    ColumnGuess,
    Gathered,
    Mapping,
    Part,
    SourceFile,
    Table,
    explain,
    guess,
    read_table,
)
from core.progress import Progress
from core.trial import Skipped
from pages._trials.files import (
    as_source,
    choose_files,
    generation,
    next_generation,
    reader_of,
    refuse_too_much,
    sha256,
)
from pages._trials.importing import Chosen, draw_import
from pages._trials.receipts import draw_refused
from pages._trials.recognised import (
    draw_recognised,
    forget_recognised,
    on_machine,
    read_recognised,
    unnamed_machine,
)
from pages._trials.roles import choose_roles, draw_columns
from pages._ui import jobs
from pages._ui.charts import table
from pages._ui.columns import short_texts
from pages._ui.page import guard
from pages._ui.text import count, file_name, listed, literal

_LARGE_BYTES = 8 * 1024 * 1024
_PREVIEW_ROWS = 8
_MISSING = {
    "refuse": "Refuse the file",
    "drop": "Leave out the trial",
    "keep": "Keep the trial without that value",
}


@dataclass(frozen=True)
class _Read:
    """A plain table's file and the table."""

    file: SourceFile
    table: Table


@dataclass(frozen=True)
class _Common:
    """What holds for all files of an upload."""

    dataset: str
    machine_name: str
    missing: str

    def mapping(self, columns: Sequence[ColumnGuess]) -> Mapping:
        """Return the mapping of a table with these columns."""
        return Mapping.from_columns(columns, machine_name=self.machine_name, missing=self.missing)


def draw_upload() -> None:
    """Let the user upload files or a folder, say what is still unknown of them, and import them."""
    st.markdown(
        "Drop what your tool wrote, as it wrote it: Nsight Compute, nvprof, rocprof, perf stat, Kernel Tuner, "
        "simulators' logs and more are recognised by their content. Any other table works too: one row per trial, "
        "a row of column names. Nothing is stored before you press Import."
    )
    files, folder = choose_files()
    if not files:
        _draw_formats()
        return
    with guard():
        refuse_too_much(files)
        parts = [Part(file, reader_of(sha256(file), file)) for file in files]
        known = [part for part in parts if not part.plain]
        plain = [part.file for part in parts if part.plain]
        if folder and known:
            known, plain = parts, []
        gathered = read_recognised(known, folder=folder) if known else None
        tables = _read(plain, folder=folder)
        if tables is None or (known and gathered is None):
            return
        try:
            draw_import(_ask(gathered, tables), on_done=partial(_start_afresh, files, known, folder))
        except ReadError as error:
            raise ReadError(_in_page_words(str(error))) from None


def _draw_formats() -> None:
    with st.expander("What is recognised", key="formats_open"):
        values = pd.DataFrame({"format": [cls.label for name, cls in READERS.items() if name != "csv"]})
        table(values.sort_values("format"), key="formats", alt="Formats that are recognised", download=False)


def _in_page_words(sentence: str) -> str:
    """Name the choice of this page where the reader's sentence names the command line's."""
    return sentence.replace("import with --missing drop", f"choose “{_MISSING['drop']}” for such cells")


def _read(files: Sequence[SourceFile], *, folder: bool) -> list[_Read] | None:
    """Return the plain tables, or None while one is being read; what is none in a folder is left out and named."""
    found: list[_Read] = []
    refused: list[Skipped] = []
    waiting = False
    for file in files:
        try:
            read = _read_one(file)
        except ReadError as error:
            if not folder or len(files) == 1:
                raise
            refused.append(Skipped(file.name, str(error).removeprefix(f"{file.name} ")))
            continue
        waiting = read is None or waiting
        found += [_Read(file, read)] if read is not None else []
    if refused and not found and not waiting:
        first = f"{refused[0].where}: {refused[0].why}"
        raise ReadError(f"None of the {len(files)} files of the folder holds measurements. {first}")
    if refused:
        draw_refused(refused, "plain")
    return None if waiting else found


def _read_one(file: SourceFile) -> Table | None:
    if len(file.content) <= _LARGE_BYTES:
        return _table(sha256(file), file.name, file)
    job = jobs.submit("read", f"Reading {file.name}", partial(_work, file), f"read:{sha256(file)}")
    if not jobs.watch(job, key=f"read_{sha256(file)[:12]}"):
        return None
    read: Table = job.result
    return read


def _work(file: SourceFile, progress: Progress) -> Table:
    return read_table(file)


@st.cache_resource(max_entries=8, ttl="1h", show_spinner="Reading …")
def _table(sha256: str, name: str, _file: SourceFile) -> Table:
    return read_table(_file)


def _ask(gathered: Gathered | None, tables: Sequence[_Read]) -> Chosen:
    """Show what was recognised, and every kind of table with its columns; ask what import needs to know."""
    if gathered is not None:
        gathered = draw_recognised(gathered, f"recognised_{generation()}")
    groups: dict[Any, list[_Read]] = {}
    for read in tables:
        groups.setdefault((read.table.names, read.table.units), []).append(read)
    columns = {kind: _ask_columns(group, i, len(groups)) for i, (kind, group) in enumerate(groups.items())}
    unnamed = not all(any(c.role == "machine" for c in roles) for roles in columns.values())
    first = tables[0].file.name if tables else gathered.imports[0].source if gathered else ""
    common = _ask_common(first, unnamed or bool(gathered and unnamed_machine(gathered)), bool(tables))
    machines, inputs = _ask_more()
    return Chosen(
        dataset=common.dataset,
        tables=tuple(
            Part(read.file, READERS["csv"](), common.mapping(columns[kind]), read.table)
            for kind, group in groups.items() for read in group
        ),
        gathered=on_machine(gathered, common.machine_name) if gathered else None,
        machines=machines,
        inputs=inputs,
        missing=common.missing,
    )  # fmt: skip


def _ask_columns(group: Sequence[_Read], i: int, n: int) -> tuple[ColumnGuess, ...]:
    """Show the first rows of tables that are alike, and ask what their columns are."""
    if n > 1:
        st.subheader(f"Table {i + 1} of {n}", anchor=False)
    names, first = listed([read.file.name for read in group], 12), group[0].table
    rows = sum(len(read.table) for read in group)
    st.markdown(f"**{literal(names)}**: {count(rows, 'row')}, {count(len(first.names), 'column')}")
    key = f"map_{sha256(group[0].file)[:12]}"
    _preview(first, key)
    columns = choose_roles(explain(first, guess(first)), key)
    with st.expander("Every column, with the reason for the guess", key=f"{key}_why"):
        draw_columns(columns, key)
    return columns


def _preview(first: Table, key: str) -> None:
    heads = [f"{n} ({u})" if u else n for n, u in zip(first.names, first.units, strict=True)]
    if len(set(heads)) < len(heads):
        heads = list(first.headers)
    table(
        short_texts(pd.DataFrame(first.head(_PREVIEW_ROWS), columns=heads)), key=f"{key}_preview", download=False,
        alt=f"The first rows of {first.source}",
    )  # fmt: skip
    for warning in first.warnings:
        st.caption(literal(warning))


def _ask_common(file: str, unnamed: bool, tables: bool) -> _Common:
    """Ask for what holds for all files of this upload; the machine only if no column says it."""
    at = generation()
    with st.grid(3, min_column_width=240):
        dataset = st.text_input(
            "Dataset", _suggested(file), key=f"dataset_name_{at}", max_chars=120,
            help="A new name makes a dataset; an existing one takes the trials in addition.",
        )  # fmt: skip
        missing = tables and st.selectbox(
            "A cell that should be a number but is not", list(_MISSING), format_func=_MISSING.__getitem__,
            key=f"missing_{at}",
            help="Each such cell is counted and listed. An empty cell is a missing value in any case.",
        )  # fmt: skip
        machine_name = unnamed and st.text_input(
            "Machine, as the file does not name it", "", key=f"machine_name_{at}", max_chars=200,
            help="Such as the host name or the GPU: all these trials ran on it. May stay empty.",
        )  # fmt: skip
    return _Common((dataset or "").strip(), (machine_name or "").strip(), missing or "refuse")


def _suggested(file: str) -> str:
    """Return a dataset's name made of a file's: its folder's where it came in one, else its stem."""
    first = file.partition(" + ")[0]
    folder = first.partition("/")[0] if "/" in first else ""
    return file_name(folder or first.removesuffix(".gz").rpartition(".")[0] or first, "")


def _ask_more() -> tuple[SourceFile | None, SourceFile | None]:
    """Offer to join machine metrics and deterministic metrics from further files."""
    at = generation()
    with st.expander("More metrics from other files", key=f"more_files_{at}"):
        machines = st.file_uploader(
            "Machine metrics: one row per machine", key=f"upload_machines_{at}",
            help="A column with the machine's name as in the trials; every other column describes it.",
        )  # fmt: skip
        inputs = st.file_uploader(
            "Deterministic metrics: one row per application and input",
            key=f"upload_inputs_{at}",
            help="Columns with application and input as in the trials; every other column belongs to these. "
            "Or another profiler's file about the same kernels.",
        )  # fmt: skip
    return as_source(machines), as_source(inputs)


def _start_afresh(files: Sequence[SourceFile], known: Sequence[Part], folder: bool) -> None:
    """Let go of what was read, and let the next upload start empty."""
    for file in files:
        jobs.forget(f"read:{sha256(file)}")
    forget_recognised(known, folder=folder)
    next_generation()
