"""The files of an upload, what tells them from the next upload's, and how tables are written where it must be said."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.errors import ReadError
from core.ingest import Form, Mapping, SourceFile, find_reader
from core.ingest.files import unzipped
from core.ingest.table.workbook import sheet_names
from pages._ui.database import kept
from pages._ui.drawn import count, listed, literal, short

_KINDS = _FILES, _FOLDER = "Files", "Folder"
_MOST_BYTES = 256 * 1024 * 1024
_MOST_FILES = 1000
_GENERATION = "_upload_generation"


def choose_files() -> tuple[list[SourceFile], bool]:
    """Let the user choose files; return them, and whether they came as a folder or a zip archive."""
    left, right = st.columns([5, 1], vertical_alignment="top")
    with right:
        kind = st.segmented_control(
            "What to upload", _KINDS, default=_FILES, required=True, key="upload_kind", label_visibility="collapsed"
        )
    with left:
        uploads = _uploader(folder=kind == _FOLDER)
    files = [SourceFile(upload.name, upload.getvalue()) for upload in uploads or ()]
    if kind == _FOLDER:
        _say_what_a_drop_loses(files)
    files, archives = unzipped(files)
    return files, kind == _FOLDER or archives


def _uploader(*, folder: bool) -> Sequence[Any]:
    if folder:
        return st.file_uploader(
            "A folder with all that is in it",
            accept_multiple_files="directory",
            label_visibility="collapsed",
            key=f"upload_folder_{generation()}",
            help="Such as a profiler's output folder: passes are joined, the machine's description is found, "
            "and what is no measurement is left out and listed. Up to 64 MiB per file, and "
            "1,000 files; the command line (ridgeline import FOLDER) takes any number.",
        )
    return st.file_uploader(
        "Files of trials",
        accept_multiple_files=True,
        key=f"upload_trials_{generation()}",
        label_visibility="collapsed",
        help="Up to 64 MiB per file; larger ones compress well with gzip, and the command line "
        "(ridgeline import) takes files of any size.",
    )


def _say_what_a_drop_loses(files: Sequence[SourceFile]) -> None:
    """Say that files of a dropped folder come without their folders' names; chosen with the button they have them."""
    if len(files) < 2 or any("/" in file.name for file in files):
        return
    again = [name for name, n in Counter(file.name for file in files).items() if n > 1]
    if not again:
        st.caption(
            "A folder that is dropped comes without the names of its folders. Choose it with the button if "
            "they matter, as where it holds several runs."
        )
        return
    st.warning(
        f"{literal(listed(map(short, again), 3))} came more than once: a folder that is dropped comes without the "
        "names of its folders, so files are taken for passes of one run. If it holds several runs or machines, "
        "remove it and choose it with the Upload button instead, which keeps the names.",
        icon=":material/folder_off:",
    )


def refuse_too_much(files: Sequence[SourceFile]) -> None:
    """Refuse more than is read at once.

    Raises
    ------
    ReadError
        If the files are too many, or too many bytes.
    """
    if len(files) > _MOST_FILES:
        # Chromium gives up some of thousands of requests, and the server is not told of them.
        raise ReadError(
            f"{len(files):,} files came, and some may have been lost on the way (marked red above): a browser sends "
            f"{_MOST_FILES:,} reliably. Import the folder with ridgeline import, or in parts."
        )
    size = sum(len(file.content) for file in files)
    if size > _MOST_BYTES:
        raise ReadError(
            f"These {count(len(files), 'file')} have {size >> 20} MiB together; {_MOST_BYTES >> 20} MiB are read at "
            "once. Import some of them first, compress them with gzip, or use the command line: ridgeline import."
        )


def as_source(upload: Any) -> SourceFile | None:
    """Return an uploaded file as readers take it; None stays None."""
    return None if upload is None else SourceFile(upload.name, upload.getvalue())


def choose_facts(of: object) -> tuple[SourceFile | None, SourceFile | None]:
    """Let the user choose further files: of metrics of machines, and of metrics of applications with their inputs.

    Parameters
    ----------
    of : what the files go with; the widgets' keys end in it
    """
    with st.expander("More metrics from other files", key=f"more_files_{of}"):
        help = "A column with the machine's name as in the trials; every other column describes it."
        machines = st.file_uploader("Machine metrics: one row per machine", key=f"upload_machines_{of}", help=help)
        title = "Input metrics: one row per application and input"
        help = (
            "Columns with application and input as in the trials; every other column belongs to these. "
            "Or another profiler's file about the same kernels."
        )
        inputs = st.file_uploader(title, key=f"upload_inputs_{of}", help=help)
    return as_source(machines), as_source(inputs)


def sha256(file: SourceFile) -> str:
    """Return what a file's content is known by."""
    return hashlib.sha256(file.content).hexdigest()


reader_of = kept(sha256, 4096, "Recognising …")(find_reader)
"""The reader that a file's content asks for."""


def generation() -> int:
    """Return which upload of this session it is; the keys of its widgets carry it."""
    return int(st.session_state.get(_GENERATION, 0))


def next_generation() -> None:
    """Give the uploaders new keys, so that the next upload starts empty and the files are let go of."""
    st.session_state[_GENERATION] = generation() + 1


_HEADERS = {"": "As found", "yes": "First row names columns", "no": "No header"}
_DECIMALS = {"": "As found", "point": "1,234.5", "comma": "1.234,5"}


_HERE = {
    " (--response COL:UNIT)": " above",
    "(--decimal point or comma)": "in “How the table is written”",
    "with --sheet": "in “How the table is written”",
    "with --names": "in “How the table is written”",
    " (--missing drop or keep)": ", as chosen beside the file",
    "import with --missing drop": "choose “Leave out the trial” for such cells",
}


def in_page_words(sentence: str) -> str:
    """Name the choice of this page where a reader's sentence names the command line's."""
    for flag, choice in _HERE.items():
        sentence = sentence.replace(flag, choice)
    return sentence


def said_form() -> Mapping:
    """Return what the user says of the tables' form; it is drawn below what it changes."""
    at = generation()

    def said(name: str) -> str:
        return str(st.session_state.get(f"form_{name}_{at}") or "")

    names = tuple(part.strip() for part in said("names").split(",") if part.strip())
    return Mapping(form=Form(said("header"), names, said("sheet")), decimal=said("decimal"))


def draw_form(files: Sequence[SourceFile], columns: Sequence[str] = ()) -> None:
    """Draw the choices of how tables are written.

    Parameters
    ----------
    columns : names as they were found
    """
    at = generation()
    with st.expander("How the table is written", key=f"form_{at}"):
        left, right = st.columns(2)
        left.selectbox("Header", list(_HEADERS), format_func=_HEADERS.__getitem__, key=f"form_header_{at}")
        right.selectbox("Numbers", list(_DECIMALS), format_func=_DECIMALS.__getitem__, key=f"form_decimal_{at}")
        sheets = list(dict.fromkeys(name for file in files for name in sheet_names(file)))
        if len(sheets) > 1:
            st.selectbox("Sheet", ["", *sheets], format_func=lambda name: name or "As found", key=f"form_sheet_{at}")
        help = "All of them, in order, with commas between: in place of the file's own, or where it has none."
        st.text_input("Names of the columns", key=f"form_names_{at}", placeholder=", ".join(columns), help=help)
