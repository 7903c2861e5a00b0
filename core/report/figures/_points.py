"""Points of trials, coloured by a label or a number, each knowing its row."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.codec import FloatArray, IntArray
from core.report.figures._picture import (
    GREY,
    SYMBOLS,
    log_ticks,
    name,
    sample,
    scatter_class,
    unit_label,
    whole,
)
from core.report.grouping import Colour, Grouping, Shading


def add_points(
    figure: go.Figure, x: FloatArray, y: FloatArray, names: tuple[str, ...], colour: Colour | None,
    rows: IntArray | None = None, error_y: tuple[FloatArray, FloatArray] | None = None,
    told: list[str] | None = None,
) -> str:  # fmt: skip
    """Add one point per trial and return a note if they are not all drawn.

    Each point carries its row number as `customdata`, so that a selection can be traced back.

    Parameters
    ----------
    figure : is added to
    x, y : arrays of shape (n_trials,)
    names : what hovering shows, one per trial
    colour : what tells them apart; None draws all alike
    rows : row numbers in the frame; 0 to n - 1 if None
    error_y : how far an interval reaches below and above each point
    told : numbers as hovering shows them, one text per trial; the point's place if None
    """
    drawn, note = sample(len(x))
    numbers = np.arange(len(x)) if rows is None else rows
    hover = _hover(names, colour)
    place = "%{x:.4g}, %{y:.4g}" if told is None else ""
    if told is not None:
        hover = [f"{head}<br>{numbers}" for head, numbers in zip(hover, told, strict=True)]

    def add(places: IntArray, title: str, marker: dict[str, Any], legend: bool) -> None:
        bars = None
        if error_y is not None:
            low, high = (v[places] for v in error_y)
            bars = {
                "type": "data",
                "symmetric": False,
                "array": high,
                "arrayminus": low,
                "thickness": 1,
                "width": 0,
            }
        figure.add_trace(
            scatter_class(len(drawn))(
                x=x[places], y=y[places], mode="markers", name=title, showlegend=legend, error_y=bars,
                customdata=numbers[places], text=[hover[i] for i in places],
                hovertemplate=f"%{{text}}<br>{place}<extra></extra>", marker=marker,
                legendgroup=title, selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": 0.12}},
            )
        )  # fmt: skip

    size = 7 if len(drawn) < 500 else 5
    if colour is None:
        add(drawn, "trials", {"size": size, "opacity": 0.7}, False)
    elif isinstance(colour, Shading):
        add(drawn, unit_label(colour.metric), {"size": size, **_shades(figure, colour, drawn)}, False)
    else:
        _add_groups(add, colour, drawn, size)
    return note


def _add_groups(add: Any, colour: Grouping, drawn: IntArray, size: int) -> None:
    if colour.n_others:
        others = np.intersect1d(drawn, colour.other_rows())
        kinds = "other" if colour.n_others == 1 else "others"
        add(others, f"{colour.n_others} {kinds}", {"size": size, "color": GREY, "opacity": 0.45}, True)
    for i, value in enumerate(colour.order):
        places = np.intersect1d(drawn, colour.rows_of(value))
        add(places, name(value, 28), {"size": size, "symbol": _symbol(i), "opacity": 0.8}, True)


def _symbol(i: int) -> str:
    """Return the symbol of group i: colours repeat after ten, but not with the same symbol."""
    return SYMBOLS[(i + i // len(SYMBOLS)) % len(SYMBOLS)]


def _shades(figure: go.Figure, colour: Shading, drawn: IntArray) -> dict[str, Any]:
    values = colour.values[drawn]
    bar: dict[str, Any] = {"title": {"text": unit_label(colour.metric), "side": "right"}, "thickness": 12}
    if colour.log:
        values = np.log10(values)
        bar["tickvals"], bar["ticktext"] = log_ticks(float(values.min()), float(values.max()))
    figure.update_layout(coloraxis={"colorbar": bar})
    return {"color": values, "coloraxis": "coloraxis", "opacity": 0.85}


def _hover(names: tuple[str, ...], colour: Colour | None) -> list[str]:
    if isinstance(colour, Grouping):
        return [f"{whole(n)}<br>{whole(colour.label)}: {whole(t)}" for n, t in zip(names, colour.texts, strict=True)]
    if isinstance(colour, Shading):
        label = unit_label(colour.metric)
        return [f"{whole(n)}<br>{label}: {v:.4g}" for n, v in zip(names, colour.values, strict=True)]
    return [whole(n) for n in names]
