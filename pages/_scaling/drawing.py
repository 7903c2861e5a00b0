"""Curves and maps as every view of the Scaling page draws them: vector graphics that follow a choice at once."""

from collections.abc import Sequence

import streamlit as st

from core.report.figures.scaling_cloud import Cloud, cloud_picture, cloud_sketch
from core.report.figures.scaling_panel import legend_sketch, panel_sketch
from core.report.scaling.slices import Panel, ends_of, panels_table
from pages._ui.charts import csv_button, draw_sketch, ground, show
from pages._ui.choices import pick, toggle

_POINTED = "A chart whose points say which configuration they are; it follows a slider more slowly."


def draw_panels(panels: Sequence[Panel], key: str, columns: int = 3) -> None:
    """Draw small multiples, on one scale."""
    with st.grid(columns, min_column_width=240):
        for panel in panels:
            draw_sketch(panel_sketch(panel, ends_of(panels), ground()))
    csv_button("Curves as CSV", lambda: panels_table(panels), key)


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
