"""Where the design space comes from: the trials themselves, a file, a table filled in here, or an example."""

import streamlit as st

from core.errors import OptionError, ReadError
from core.frozen import Frozen
from core.report.space.design_points import trial_holes
from core.space.design_space import DesignSpace
from core.space.holes import Holes
from core.space.table import read_space, write_space
from core.workspace import SPACES
from pages._design_space.model import Chosen
from pages._ui.choices import in_url, pick, set_choice, set_url
from pages._ui.database import kept
from pages._ui.page import guard

TRIALS, FILE, BUILT = "From the trials", "A TOML file", "Built here"
WITHOUT = "space_without"
KEY, TEXT, BUILT_TEXT, FILE_NAME = "space", "_space_file_text", "_space_built_text", "_space_file_name"
_START = '[parameters.simd]\nunit = "count"\nlevels = [8, 16, 32]\n\n[parameters.mshr]\nrange = [1, 3]\nstep = 1\n'


class Source(Frozen):
    """A design space (None if there is none yet) and where it comes from.

    Attributes
    ----------
    why : what is missing
    holes : constraints inferred from trials, those that were switched off included
    """

    kind: str
    space: DesignSpace | None
    why: str = ""
    holes: Holes | None = None


def choose_source(chosen: Chosen | None) -> str:
    """Let the user choose where the design space comes from."""
    offered = [*([TRIALS] if chosen is not None else []), FILE, BUILT, *examples()]
    said = "The parameters, their levels and what constraints leave of them. See the Space view."
    return pick("Design space", offered, KEY, said)


def space_of(kind: str, chosen: Chosen | None) -> Source:
    """Return the design space of a source."""
    try:
        if kind == TRIALS and chosen is not None:
            return _of_trials(chosen)
        return Source(kind, _space(kind))
    except (OptionError, ReadError) as error:
        return Source(kind, None, str(error))


def examples() -> dict[str, str]:
    """Return the spaces that come with the program: title and TOML."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SPACES.glob("*.toml"))]
    return {f"Example: {read_space(text).name}": text for text in texts}


def ask_file() -> None:
    """Let the user give a design space as a file."""
    help = "A TOML file: a table per parameter with levels, range or values, and a list of constraints."
    upload = st.file_uploader("Design space, a TOML file", key="space_upload", help=help)
    if upload is None:
        return
    with guard():
        text = upload.getvalue().decode("utf-8-sig", errors="replace")
        if text != st.session_state.get(TEXT):
            read_space(text, upload.name)
            st.session_state[TEXT], st.session_state[FILE_NAME] = text, upload.name
            st.rerun()


def edit_instead(space: DesignSpace) -> None:
    """Let the table that is filled in here begin with a space, and show it."""
    st.session_state[BUILT_TEXT] = write_space(space)
    set_choice(KEY, BUILT)


def built_space() -> DesignSpace:
    """Return the space of the table that is filled in here."""
    return read_space(st.session_state.get(BUILT_TEXT, _START), "The table")


def switch(text: str) -> None:
    """Switch a constraint that was inferred from the trials off, or on again."""
    off = in_url(WITHOUT)
    set_url(WITHOUT, [t for t in off if t != text] if text in off else [*off, text])


def _space(kind: str) -> DesignSpace | None:
    if kind == FILE:
        text = st.session_state.get(TEXT)
        return read_space(text, st.session_state.get(FILE_NAME, "The file")) if text else None
    return built_space() if kind == BUILT else read_space(examples()[kind])


def _of_trials(chosen: Chosen) -> Source:
    if not chosen.parameters:
        return Source(TRIALS, None)
    frame = chosen.frame(chosen.parameters)
    holes = _holes(frame, chosen.dataset)
    return Source(TRIALS, holes.constrained(in_url(WITHOUT)), holes=holes)


_SEARCHING = "Looking for combinations that never occur"
_holes = kept(lambda frame, title: (frame.digest(), title), 16, _SEARCHING)(trial_holes)
