"""Pictures on a page: figures with words, numbers and what is left out; light drawings; a surface as either."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.report.figures.draw import Picture
from core.report.figures.sketch import DARK, LIGHT, Ground, Sketch
from core.report.figures.surface import forbidden_note, surface_contours, surface_in_space, surface_map
from core.report.space.whatif import Surface
from pages._ui.charts import chart, csv_button
from pages._ui.choices import switch
from pages._ui.text import literal


def show(picture: Picture, key: str, select: bool = False, download: bool = True) -> Any:
    """Draw a picture; with `select`, return the event of choosing points (see `chosen_rows`)."""
    values = picture.values if download else None
    event = chart(picture.figure, picture.alt, key, values=values, select=select)
    if picture.note:
        st.caption(literal(picture.note))
    return event


def chosen_rows(event: Any) -> tuple[int, ...]:
    """Return the row numbers that the chosen points carry, each one or several, ascending, each once."""
    points: Sequence[Any] = event["selection"]["points"] if event else ()
    carried = (point["customdata"] for point in points if "customdata" in point)
    lists = (rows if isinstance(rows, list | tuple) else str(rows).split() for rows in carried)
    return tuple(sorted({int(row) for rows in lists for row in rows}))


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
