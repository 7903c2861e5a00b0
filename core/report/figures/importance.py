"""What matters to a model, as bars of shares or as points of length scales."""

import plotly.graph_objects as go

from core.report.figures._picture import (
    Picture,
    decade_ticks,
    draw_bars,
    draw_dots,
    name,
    name_rows,
    new_figure,
    padded,
    whole,
)
from core.report.model.importance import Importance

MOST = 30


def importance_bars(value: Importance) -> Picture:
    """Draw what matters most at the top; length scales as points on a logarithmic axis."""
    shown = min(len(value.names), MOST)
    figure = new_figure(90 + 26 * max(shown, 2), showlegend=False)
    places = list(range(shown))
    texts = [whole(n) for n in value.names[:shown]]
    hover = f"%{{text}}: %{{x:.3g}} {value.unit}"
    if value.smaller_matters:
        _add_lengths(figure, value.values[:shown].tolist(), places, texts, hover)
        ends = value.values[:shown]
        figure.update_xaxes(type="log", range=list(padded(ends, log=True, share=0.08)))
        figure.update_xaxes(**decade_ticks(float(ends.min()), float(ends.max())))
    else:
        draw_bars(figure, value.values[:shown], places, texts=texts, hover=hover, across=True)
        figure.update_xaxes(rangemode="tozero")
    labels = [name(n, 28) for n in value.names[:shown]]
    name_rows(figure, labels)
    figure.update_xaxes(title_text=f"{value.title} ({value.unit})")
    return Picture(figure, _alt(value), value.table, _note(value, shown))


def _add_lengths(figure: go.Figure, x: list[float], places: list[int], texts: list[str], hover: str) -> None:
    draw_dots(figure, x, places, "length", texts, hover, marker={"size": 11})


def _note(value: Importance, shown: int) -> str:
    left = len(value.names) - shown
    if left:
        return f"The first {shown} of {len(value.names)}; the download has all."
    return f"{value.n_hidden} more are under 0.1 %." if value.n_hidden else ""


def _alt(value: Importance) -> str:
    first = ", ".join(f"{n} {v:.3g} {value.unit}" for n, v in zip(value.names[:4], value.values, strict=False))
    kind = "Points" if value.smaller_matters else "Bars"
    return f"{kind} of the {value.title} of {len(value.names)} metrics or pairs, what matters most first: {first}."
