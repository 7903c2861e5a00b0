"""Vector graphics that follow a slider at once, and the surface that is a map, contours or a relief."""

import streamlit as st

from core.report.figures.sketch import DARK, LIGHT, Ground, Sketch
from core.report.figures.surface import forbidden_note, surface_contours, surface_in_space, surface_map
from core.report.space.whatif import Surface
from pages._ui.charts import csv_button
from pages._ui.choices import switch
from pages._ui.pictures import show

MAP, CONTOURS, SURFACE = SURFACES = ("map", "contours", "surface")


def ground() -> Ground:
    """Return the ground of the theme that the reader sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def draw_sketch(sketch: Sketch) -> None:
    """Draw a vector graphic as wide as there is room."""
    st.image(sketch.svg, width="stretch", alt=sketch.alt)


def choose_kind(prefix: str) -> str:
    """Let the user choose how a surface is drawn."""
    help = "The map follows a slider fastest; contours can be zoomed into, the surface can be turned."
    return switch("Drawn as", SURFACES, f"{prefix}_kind", help, usual=MAP)


def draw_surface(value: Surface, kind: str, key: str) -> None:
    """Draw a response over two axes."""
    if kind != MAP:
        show(surface_contours(value) if kind == CONTOURS else surface_in_space(value), key)
        return
    draw_sketch(surface_map(value, ground()))
    if note := forbidden_note(value):
        st.caption(note)
    csv_button("Data as CSV", value.table, key)
