"""The Space view: parameters, levels, constraints and size; a file to read or to take away; a table to fill in."""

import pandas as pd
import streamlit as st

from core.errors import RidgelineError
from core.report.space.design_points import holes_sentence
from core.space import table as tables
from core.space.design_space import DesignSpace
from core.space.holes import Holes
from pages._design_space.shown import BUILT, BUILT_TEXT, FILE, Shown, ask_file, built_space, edit_instead, switch_hole
from pages._ui.choices import act
from pages._ui.drawn import download, literal, short, table
from pages._ui.page import guard

TITLE, PLACE = "Space", 1

_EDITOR, _BASE, _CONSTRAINTS = "space_editor", "_space_editor_base", "space_constraints"

_INFERRED = (
    "Every measured combination fulfils them, and what they exclude would hardly be missing by chance. "
    "Plans, sweeps, maps and best designs keep to those that are ticked."
)


def draw(shown: Shown) -> None:
    """Draw the space, and what its source needs."""
    source = shown.source
    if source.kind == FILE:
        ask_file()
    if source.kind == BUILT:
        _edit()
        return
    if source.space is None:
        if source.why or source.kind != FILE:
            st.info(literal(source.why or "These trials span no design space: no parameter was set before a run."))
        return
    _show(source.space, source.holes)
    help = "Goes on with these parameters in a table: other levels, further parameters, constraints."
    act("Change it here", "edit_space", "edit", edit_instead, source.space, help=help)


def _show(space: DesignSpace, holes: Holes | None) -> None:
    _size(space)
    rows = [(p.name, short(tables.levels_text(p.levels), 120), p.unit, len(p.levels)) for p in space.parameters]
    shown = pd.DataFrame(rows, columns=["parameter", "levels", "unit", "number of levels"])
    alt, wide = "The parameters of the design space with their levels", st.column_config.TextColumn(width="medium")
    table(shown, "space_parameters", alt, download=False, column_config={"levels": wide})
    if holes is not None:
        _inferred(space, holes)
    elif space.constraints:
        st.markdown("**Constraints**")
        st.code("\n".join(c.text for c in space.constraints), language=None)
    _download(space)


def _inferred(space: DesignSpace, holes: Holes) -> None:
    """Show the constraints that were inferred from the trials, each with a switch."""
    if not holes.found:
        return
    st.markdown("**Constraints**", help=_INFERRED)
    st.caption(literal(holes_sentence(holes)))
    held = {c.text for c in space.constraints}
    for i, hole in enumerate(holes.found):
        kind = "region without measurements, " if hole.region else ""
        said = f"`{hole.text}` ({kind}excludes {hole.n_excluded:,})"
        st.checkbox(said, hole.text in held, key=f"hole_{i}_{hole.text}", on_change=switch_hole, args=(hole.text,))


def _size(space: DesignSpace) -> None:
    with st.grid(3, min_column_width=160):
        st.metric("Parameters", f"{len(space.parameters):,}", border=True, help="What can be chosen")
        st.metric("Combinations", f"{space.n_combinations:,}", border=True, help="Of all levels, constraints apart")
        try:
            allowed = f"{space.n_points:,}"
        except RidgelineError as error:
            allowed = "not counted"
            st.caption(literal(error))
        st.metric("Designs", allowed, border=True, help="Combinations that fulfil the constraints")


def _download(space: DesignSpace) -> None:
    name = f"{space.name or 'design_space'}.toml"
    download("Design space as TOML", tables.write_space(space), name, "download_space", type="primary")


def _edit() -> None:
    """Let the user fill in a table; the space follows at once."""
    space = built_space()
    if _EDITOR not in st.session_state or _BASE not in st.session_state:
        st.session_state[_BASE] = pd.DataFrame(tables.rows_of_space(space), columns=list(tables.COLUMNS)).astype(
            {tables.LOW: "float64", tables.HIGH: "float64", tables.STEP: "float64", tables.FACTOR: "float64"}
        )
    st.caption(
        "A row per parameter: levels with commas between (numbers, or names of categories), "
        "or from and to with a step or a factor."
    )
    alt, wide = "The parameters of the design space, to be filled in", st.column_config.TextColumn(width="medium")
    look = {"num_rows": "dynamic", "hide_index": True, "alt": alt, "column_config": {tables.LEVELS: wide}}
    edited = st.data_editor(st.session_state[_BASE], key=_EDITOR, **look)
    said = "\n".join(c.text for c in space.constraints)
    help = "Such as `block_x * block_y <= 1024`: + - * / // % **, comparisons, and, or, not, min, max, abs, log2."
    text = st.text_area("Constraints, one per line", said, key=_CONSTRAINTS, height=100, help=help)
    with guard():
        built = tables.space_of_rows(edited.to_dict("records"), (text or "").splitlines(), space.name)
        written = tables.write_space(built)
        if written != tables.write_space(space):
            st.session_state[BUILT_TEXT] = written
            st.rerun()
        _size(built)
        _download(built)
