"""Curves and maps as every view of the Scaling page draws them: vector graphics that follow a choice at once."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.report.figures.scaling_cloud import Cloud, cloud_picture, cloud_sketch
from core.report.figures.scaling_panel import legend_sketch, panel_sketch
from core.report.figures.sketch import WIDTH
from core.report.scaling.slices import Panel, ends_of, panels_table
from pages._ui.choices import pick, toggle
from pages._ui.drawn import csv_button, draw_sketch, ground, is_narrow, show

_NARROW, _LEAST, _PHONE, _ALONE, _MOST = 190.0, 170, 330.0, 420.0, 640
"""Of a curve that is one of three, its width and the least pixels; its width on phones; alone, width and most."""
_POINTED = "A chart whose points say which configuration they are; it follows a slider more slowly."
Rows = Sequence[Sequence[Panel]]


def draw_pictures(rows: Rows, key: str, draw_map: Callable[[], None] | None, note: str = "") -> None:
    """Draw small multiples, and a map beside them, or below where there is no room.

    Three stand above each other beside a map three times as wide, or in a row above it; one without a map has all room.
    """
    first, *others = [(panel, row) for row in rows for panel in row]
    if draw_map is None:
        if others or is_narrow():
            draw_panels(rows, key, note)
        else:
            _draw_panel(*first, _ALONE, _MOST)
            _say(rows, key, note)
        return
    if len(others) != 2 or is_narrow():
        with st.grid(2, min_column_width=480, gap="medium"):
            with st.container(gap="small"):
                draw_panels(rows, key, note)
            with st.container(gap="small"):
                draw_map()
        return
    grid = st.grid(4, min_column_width=_LEAST, dense=True)
    with grid:
        _draw_panel(*first, _NARROW)
        with grid.cell(column_span=3, row_span=3):
            draw_map()
        for panel, row in others:
            _draw_panel(panel, row, _NARROW)
        with grid.cell(column_span="all"):
            _say(rows, key, note)


def draw_panels(rows: Rows, key: str, note: str = "") -> None:
    """Draw small multiples, each row on a scale of its own, three or two beside each other.

    Three are drawn narrower than two, so that their letters are as large.
    """
    columns, width = (1, _PHONE) if is_narrow() else (2, WIDTH) if any(len(r) % 3 for r in rows) else (3, _NARROW)
    with st.grid(columns, min_column_width=int(width) - 15):
        for row in rows:
            for panel in row:
                _draw_panel(panel, row, width)
    _say(rows, key, note)


def _draw_panel(panel: Panel, row: Sequence[Panel], width: float, most: int = 0) -> None:
    draw_sketch(panel_sketch(panel, ends_of(row), ground(), width), most)


def _say(rows: Rows, key: str, note: str) -> None:
    if note:
        st.caption(note)
    csv_button("Curves as CSV", lambda: panels_table([panel for row in rows for panel in row]), key)


def draw_legend(names: Sequence[str]) -> None:
    """Draw which colour stands for which curve, if there are several."""
    if len(names) > 1:
        draw_sketch(legend_sketch(tuple(names), ground()))


def choose_pair(axes: Sequence[str], moving: Sequence[int], prefix: str) -> tuple[int, int]:
    """Let the user choose the two axes of a map, by their numbers."""
    names = [axes[i] for i in moving]
    first = pick("Horizontal axis", names, f"{prefix}_x")
    second = pick("Vertical axis", [n for n in names if n != first], f"{prefix}_y")
    return axes.index(first), axes.index(second)


def draw_cloud(cloud: Cloud, key: str) -> None:
    """Draw configurations as points: light enough for a slider, or as a chart whose points tell what they are."""
    if toggle("Point at configurations", f"{key}_points", _POINTED):
        show(cloud_picture(cloud), key)
        return
    draw_sketch(cloud_sketch(cloud, ground()), 620)
    csv_button("Data as CSV", cloud.table, key)
