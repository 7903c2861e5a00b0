"""How tables are written, where it must be said: the sheet, the header, the columns' names, the decimal mark."""

from collections.abc import Sequence

import streamlit as st

from core.ingest import Form, Mapping, SourceFile
from core.ingest.table.converted import sheet_names
from pages._trials.files import generation

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
        st.text_input(
            "Names of the columns",
            key=f"form_names_{at}",
            placeholder=", ".join(columns),
            help="All of them, in order, with commas between: in place of the file's own, or where it has none.",
        )
