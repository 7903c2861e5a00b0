"""Uploads: files of the user's own, read strictly, shown before anything is stored."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReadError
from core.ingest import Mapping, SourceFile, Table, explain, find_reader, guess, read_table
from core.ingest.csv import Csv
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


def draw_upload() -> None:
    """Let the user upload files, say what their columns are, and import them."""
    st.markdown(
        "A table with one row per trial and a row of column names: comma, semicolon or tab between cells, "
        "gzip or not. Units may stand in the header, as in `time (us)`. Nothing is stored before you press Import."
    )
    uploads = st.file_uploader(
        "Trials", type=_TYPES, accept_multiple_files=True, key=f"upload_trials_{_generation()}",
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
        draw_import(_ask(files, parts), on_done=_start_afresh)


def _read(files: Sequence[SourceFile]) -> list[tuple[SourceFile, Table | None]] | None:
    """Return each file with its table (None for a profiler's format), or None while one is being read."""
    found: list[tuple[SourceFile, Table | None]] = []
    waiting = False
    for file in files:
        if not isinstance(find_reader(file), Csv):
            found.append((file, None))
        elif len(file.content) <= _LARGE_BYTES:
            found.append((file, _table(_sha256(file), file.name, file)))
        else:
            job = jobs.submit("read", f"Reading {file.name}", lambda _, f=file: read_table(f), f"read:{_sha256(file)}")
            done = jobs.watch(job, key=f"read_{_sha256(file)[:12]}")
            waiting = waiting or not done
            found.append((file, job.result))
    return None if waiting else found


@st.cache_resource(max_entries=8, ttl="1h", show_spinner="Reading …")
def _table(sha256: str, name: str, _file: SourceFile) -> Table:
    return read_table(_file)


def _ask(files: Sequence[SourceFile], parts: Sequence[tuple[SourceFile, Table | None]]) -> Chosen:
    """Show every kind of table with its columns, and ask what import needs to know."""
    groups: dict[Any, list[tuple[SourceFile, Table | None]]] = {}
    for file, own in parts:
        groups.setdefault((own.names, own.units) if own else file.name, []).append((file, own))
    answers: list[Part] = []
    common = _common(files)
    for i, group in enumerate(groups.values()):
        if len(groups) > 1:
            st.subheader(f"Table {i + 1} of {len(groups)}", anchor=False)
        answers += _part(group, common)
    return Chosen(dataset=common["dataset"], parts=tuple(answers), machines=common["machines"], inputs=common["inputs"])


def _part(group: Sequence[tuple[SourceFile, Table | None]], common: dict[str, Any]) -> list[Part]:
    file, first = group[0]
    names = ", ".join(f.name for f, _ in group)
    if first is None:
        st.markdown(f"**{literal(names)}**: {literal(find_reader(file).label)}; its columns are known.")
        return [Part(file, None, Mapping(machine_name=common["machine_name"], missing=common["missing"]))]
    key = f"map_{_sha256(file)[:12]}"
    st.markdown(f"**{literal(names)}**: {count(sum(len(t) for _, t in group if t), 'row')}, "
                f"{count(len(first.names), 'column')}")  # fmt: skip
    _preview(first, key)
    columns = choose_roles(explain(first, guess(first)), key)
    with st.expander("Every column, with the reason for the guess", key=f"{key}_why"):
        draw_columns(columns, key)
    mapping = Mapping.from_columns(columns, machine_name=common["machine_name"], missing=common["missing"])
    return [Part(f, t, mapping) for f, t in group]


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


def _common(files: Sequence[SourceFile]) -> dict[str, Any]:
    """Ask for what holds for all files of this upload."""
    generation = _generation()
    suggested = file_name(files[0].name.removesuffix(".gz").rpartition(".")[0] or files[0].name, "")
    with st.grid(3, min_column_width=240):
        dataset = st.text_input(
            "Dataset", suggested, key=f"dataset_name_{generation}", max_chars=120,
            help="A new name makes a dataset; an existing one takes the trials in addition.",
        )  # fmt: skip
        machine_name = st.text_input(
            "Machine, if no column names it", "", key=f"machine_name_{generation}", max_chars=200,
            help="Such as the host name or the GPU: all these trials ran on it.",
        )  # fmt: skip
        missing = st.selectbox(
            "A cell that should be a number but is not", list(_MISSING), format_func=_MISSING.__getitem__,
            key=f"missing_{generation}",
            help="Each such cell is counted and listed. An empty cell is a missing value in any case.",
        )  # fmt: skip
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
    return {
        "dataset": (dataset or "").strip(), "machine_name": (machine_name or "").strip(),
        "missing": missing or "refuse", "machines": _source(machines), "inputs": _source(inputs),
    }  # fmt: skip


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


def _start_afresh() -> None:
    """Give the uploaders new keys, so that the next upload starts empty and the files are let go of."""
    st.session_state[_GENERATION] = _generation() + 1
