"""Pictures of `core.report.figures` on a page: figure, words, numbers, and what is left out."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.report.figures.draw import Picture
from pages._ui.charts import chart
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
