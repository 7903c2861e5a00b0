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
    """Return the row numbers that the chosen points carry, ascending, each once."""
    points: Sequence[Any] = event["selection"]["points"] if event else ()
    return tuple(sorted({_row(point["customdata"]) for point in points if "customdata" in point}))


def _row(customdata: Any) -> int:
    """Return the number in `customdata`, which the browser sends as it is or in a list of one."""
    return int(customdata[0] if isinstance(customdata, list | tuple) else customdata)
