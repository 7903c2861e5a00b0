"""Curves and maps as every view of the Scaling page draws them: vector graphics that follow a choice at once."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.report.figures._sketch import DARK, LIGHT, Ground, Sketch
from core.report.figures.draw import Picture
from core.report.figures.scaling_panel import legend_sketch, panel_sketch
from core.report.figures.surface import surface_contours, surface_in_space, surface_map
from core.report.scaling.slices import Panel, ends_of, panels_table
from core.report.space.whatif import Surface
from pages._ui.charts import csv_button
from pages._ui.choices import pick, switch, toggle
from pages._ui.pictures import show

_POINTED = "A chart whose points say which configuration they are; it follows a slider more slowly."
MAP, CONTOURS, SURFACE = SURFACES = ("map", "contours", "surface")


def ground() -> Ground:
    """Return the ground of the theme that the reader sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def draw_panels(panels: Sequence[Panel], key: str, own: bool = False) -> None:
    """Draw small multiples, on one scale or each on its own."""
    ends = None if own else ends_of(panels)
    with st.grid(3, min_column_width=250):
        for panel in panels:
            sketch = panel_sketch(panel, ends, ground())
            st.image(sketch.svg, width="stretch", alt=sketch.alt)
    csv_button("Curves as CSV", lambda: panels_table(panels), key)


def draw_legend(names: Sequence[str]) -> None:
    """Draw which colour stands for which curve, if there are several."""
    if len(names) > 1:
        sketch = legend_sketch(tuple(names), ground())
        st.image(sketch.svg, width="stretch", alt=sketch.alt)


def choose_pair(axes: Sequence[str], moving: Sequence[int], prefix: str) -> tuple[int, int]:
    """Let the user choose the two axes of a map, by their numbers."""
    names = [axes[i] for i in moving]
    first = _choose("Across", f"{prefix}_x", names)
    second = _choose("Up", f"{prefix}_y", [n for n in names if n != first])
    return axes.index(first), axes.index(second)


def choose_kind(prefix: str) -> str:
    """Let the user choose how a surface is drawn."""
    help = "The map follows a slider fastest; contours can be zoomed into, the surface can be turned."
    return switch("Drawn as", SURFACES, f"{prefix}_kind", help, usual=MAP)


def draw_surface(value: Surface, kind: str, key: str) -> None:
    """Draw a response over two axes."""
    if kind != MAP:
        show(surface_contours(value) if kind == CONTOURS else surface_in_space(value), key)
        return
    sketch = surface_map(value, ground())
    st.image(sketch.svg, width=620, alt=sketch.alt)
    csv_button("Data as CSV", value.table, key)


def draw_cloud(sketch: Callable[[], Sketch], picture: Callable[[], Picture], key: str) -> None:
    """Draw configurations as points: light enough for a slider, or as a chart whose points tell what they are."""
    if toggle("Point at configurations", f"{key}_points", _POINTED):
        show(picture(), key)
        return
    drawn = sketch()
    st.image(drawn.svg, width=620, alt=drawn.alt)
    csv_button("Data as CSV", lambda: picture().values(), key)


def _choose(label: str, key: str, names: list[str]) -> str:
    return pick(label, names, key)
