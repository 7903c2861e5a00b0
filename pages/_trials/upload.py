"""Uploads: files of the user's own, read strictly, shown before anything is stored."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReadError
from core.ingest import ColumnGuess, Mapping, SourceFile, Table, explain, find_reader, guess, read_table
from core.ingest.csv import Csv
from core.progress import Progress
from pages._trials.importing import Chosen, Part, draw_import
from pages._trials.roles import choose_roles, draw_columns
from pages._ui import jobs
from pages._ui.charts import table
from pages._ui.page import guard
from pages._ui.text import count, file_name, literal

_TYPES = ["csv", "tsv", "txt", "gz"]
_MOST_BYTES = 256 * 1024 * 1024
_LARGE_BYTES = 8 * 1024 * 1024
_PREVIEW_ROWS = 8
_GENERATION = "_upload_generation"
_MISSING = {
    "refuse": "Refuse the file",
    "drop": "Leave out the trial",
    "keep": "Keep the trial without that value",
}


@dataclass(frozen=True)
class _Read:
    """A file and its table; None where a profiler's reader knows what the columns are."""

    file: SourceFile
    table: Table | None


@dataclass(frozen=True)
class _Common:
    """What holds for all files of an upload."""

    dataset: str
    machine_name: str
    missing: str

    def mapping(self, columns: Sequence[ColumnGuess]) -> Mapping:
        """Return the mapping of a table with these columns, or of a file whose columns are known."""
        if not columns:
            return Mapping(machine_name=self.machine_name, missing=self.missing)
        return Mapping.from_columns(columns, machine_name=self.machine_name, missing=self.missing)


def draw_upload() -> None:
    """Let the user upload files, say what their columns are, and import them."""
    st.markdown(
        "A table with one row per trial and a row of column names: comma, semicolon or tab between cells, "
        "gzip or not. Units may stand in the header, as in `time (us)`. Nothing is stored before you press Import."
    )
    uploads = st.file_uploader(
        "Files of trials", type=_TYPES, accept_multiple_files=True, key=f"upload_trials_{_generation()}",
        help="Up to 64 MiB per file; larger ones compress well with gzip.",
    )  # fmt: skip
    if not uploads:
        return
    files = [SourceFile(upload.name, upload.getvalue()) for upload in uploads]
    with guard():
        _refuse_too_much(files)
        parts = _read(files)
        if parts is None:
            return
        try:
            draw_import(_ask(parts), on_done=partial(_start_afresh, files))
        except ReadError as error:
            raise ReadError(_in_page_words(str(error))) from None


def _in_page_words(sentence: str) -> str:
    """Name the choice of this page where the reader's sentence names the command line's."""
    return sentence.replace("import with --missing drop", f"choose “{_MISSING['drop']}” for such cells")


def _read(files: Sequence[SourceFile]) -> list[_Read] | None:
    """Return each file with its table, or None while one is being read."""
    found: list[_Read] = []
    waiting = False
    for file in files:
        if not isinstance(find_reader(file), Csv):
            found.append(_Read(file, None))
        elif len(file.content) <= _LARGE_BYTES:
            found.append(_Read(file, _table(_sha256(file), file.name, file)))
        else:
            job = jobs.submit("read", f"Reading {file.name}", partial(_work, file), f"read:{_sha256(file)}")
            waiting = not jobs.watch(job, key=f"read_{_sha256(file)[:12]}") or waiting
            found.append(_Read(file, job.result))
    return None if waiting else found


def _work(file: SourceFile, progress: Progress) -> Table:
    return read_table(file)


@st.cache_resource(max_entries=8, ttl="1h", show_spinner="Reading …")
def _table(sha256: str, name: str, _file: SourceFile) -> Table:
    return read_table(_file)


def _ask(parts: Sequence[_Read]) -> Chosen:
    """Show every kind of table with its columns, and ask what import needs to know."""
    groups: dict[Any, list[_Read]] = {}
    for part in parts:
        kind = (part.table.names, part.table.units) if part.table else part.file.name
        groups.setdefault(kind, []).append(part)
    columns = {kind: _ask_columns(group, i, len(groups)) for i, (kind, group) in enumerate(groups.items())}
    unnamed = not all(any(c.role == "machine" for c in roles) for roles in columns.values())
    common = _ask_common(parts[0].file.name, unnamed)
    machines, inputs = _ask_more()
    return Chosen(
        dataset=common.dataset,
        parts=tuple(
            Part(part.file, part.table, common.mapping(columns[kind]))
            for kind, group in groups.items() for part in group
        ),
        machines=machines,
        inputs=inputs,
    )  # fmt: skip


def _ask_columns(group: Sequence[_Read], i: int, n: int) -> tuple[ColumnGuess, ...]:
    """Show the first rows of tables that are alike, and ask what their columns are."""
    if n > 1:
        st.subheader(f"Table {i + 1} of {n}", anchor=False)
    names, first = ", ".join(part.file.name for part in group), group[0].table
    if first is None:
        st.markdown(f"**{literal(names)}**: {literal(find_reader(group[0].file).label)}; its columns are known.")
        return ()
    rows = sum(len(part.table) for part in group if part.table)
    st.markdown(f"**{literal(names)}**: {count(rows, 'row')}, {count(len(first.names), 'column')}")
    key = f"map_{_sha256(group[0].file)[:12]}"
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
        pd.DataFrame(first.head(_PREVIEW_ROWS), columns=heads), key=f"{key}_preview", download=False,
        alt=f"The first rows of {first.source}",
    )  # fmt: skip
    for warning in first.warnings:
        st.caption(literal(warning))


def _ask_common(file: str, unnamed: bool) -> _Common:
    """Ask for what holds for all files of this upload; the machine only if no column says it."""
    generation = _generation()
    suggested = file_name(file.removesuffix(".gz").rpartition(".")[0] or file, "")
    with st.grid(3, min_column_width=240):
        dataset = st.text_input(
            "Dataset", suggested, key=f"dataset_name_{generation}", max_chars=120,
            help="A new name makes a dataset; an existing one takes the trials in addition.",
        )  # fmt: skip
        missing = st.selectbox(
            "A cell that should be a number but is not", list(_MISSING), format_func=_MISSING.__getitem__,
            key=f"missing_{generation}",
            help="Each such cell is counted and listed. An empty cell is a missing value in any case.",
        )  # fmt: skip
        machine_name = unnamed and st.text_input(
            "Machine, as no column names it", "", key=f"machine_name_{generation}", max_chars=200,
            help="Such as the host name or the GPU: all these trials ran on it. May stay empty.",
        )  # fmt: skip
    return _Common((dataset or "").strip(), (machine_name or "").strip(), missing or "refuse")


def _ask_more() -> tuple[SourceFile | None, SourceFile | None]:
    """Offer to join machine metrics and deterministic metrics from further files."""
    generation = _generation()
    with st.expander("More metrics from other files", key=f"more_files_{generation}"):
        machines = st.file_uploader(
            "Machine metrics: one row per machine", type=_TYPES, key=f"upload_machines_{generation}",
            help="A column with the machine's name as in the trials; every other column describes it.",
        )  # fmt: skip
        inputs = st.file_uploader(
            "Deterministic metrics: one row per application and input", type=_TYPES,
            key=f"upload_inputs_{generation}",
            help="Columns with application and input as in the trials; every other column belongs to these.",
        )  # fmt: skip
    return _source(machines), _source(inputs)


def _source(upload: Any) -> SourceFile | None:
    return None if upload is None else SourceFile(upload.name, upload.getvalue())


def _refuse_too_much(files: Sequence[SourceFile]) -> None:
    size = sum(len(file.content) for file in files)
    if size > _MOST_BYTES:
        raise ReadError(
            f"These files have {size >> 20} MiB together; {_MOST_BYTES >> 20} MiB are read at once. "
            "Import some of them first, or compress them with gzip."
        )


def _sha256(file: SourceFile) -> str:
    return hashlib.sha256(file.content).hexdigest()


def _generation() -> int:
    return int(st.session_state.get(_GENERATION, 0))


def _start_afresh(files: Sequence[SourceFile]) -> None:
    """Give the uploaders new keys, so that the next upload starts empty and the files are let go of."""
    for file in files:
        jobs.forget(f"read:{_sha256(file)}")
    st.session_state[_GENERATION] = _generation() + 1
