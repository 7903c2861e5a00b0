"""Learning curves: the error on unseen designs over the number learnt from."""

import numpy as np
import plotly.graph_objects as go

from core.codec import FloatArray
from core.report.figures._picture import GREY, SYMBOLS, Picture, name, new_figure, whole
from core.report.figures._view import upwards
from core.report.space.learning import Learning
from core.validate.learning_curve import LearningCurve

MEAN, LARGEST = SHOWN = ("mean", "largest")
MOST_CURVES = 20


def learning_curves(value: Learning, shown: str = MEAN) -> Picture:
    """Draw a curve per application, and the other model dashed; one application alone has its percentiles too."""
    figure = new_figure(420)
    drawn = list(value.curves.items())[:MOST_CURVES]
    for i, (title, curve) in enumerate(drawn):
        label = shown if len(drawn) == 1 else title
        figure.add_trace(_line(curve.sizes, _of(curve, shown), label, SYMBOLS[i % len(SYMBOLS)], "solid"))
    if len(drawn) == 1 and shown == MEAN:
        curve = drawn[0][1]
        for title, errors in (("75 % within", curve.p75), ("98 % within", curve.p98), ("largest", curve.largest)):
            figure.add_trace(_line(curve.sizes, errors, title, "circle-open", "dot"))
    if value.beside:
        errors = np.mean([_of(curve, shown) for curve in value.beside.values()], axis=0)
        title = value.beside_name + (", average" if len(value.beside) > 1 else "")
        figure.add_trace(_line(value.sizes, errors, title, "x", "dash", GREY))
    figure.update_xaxes(title_text="configurations learnt from", rangemode="tozero")
    errors = np.concatenate([np.asarray(trace.y, dtype=np.float64) for trace in figure.data])
    several = len(drawn) == 1 and shown == MEAN
    title = "relative error on unseen ones (%)" if several else f"{shown} relative error on unseen ones (%)"
    top, axis = upwards(errors)
    beyond = int((errors > top).sum())
    for trace in figure.data:
        trace.y = np.where(np.asarray(trace.y) <= top, trace.y, np.nan)
    figure.update_yaxes(title_text=title, **axis)
    left = len(value.curves) - len(drawn)
    notes = [f"{left} more applications are in the table."] if left else []
    notes += (
        [f"Not drawn, but in the table: {beyond} far larger {'error' if beyond == 1 else 'errors'}."] if beyond else []
    )
    return Picture(figure, _alt(value, shown), value.table, " ".join(notes))


def _of(curve: LearningCurve, shown: str) -> FloatArray:
    return curve.largest if shown == LARGEST else curve.mean


def _line(
    sizes: tuple[int, ...], errors: FloatArray, title: str, symbol: str, dash: str, color: str | None = None
) -> go.Scatter:
    return go.Scatter(
        x=list(sizes),
        y=errors,
        mode="lines+markers",
        name=name(title, 28),
        marker={"symbol": symbol, "size": 8, "color": color},
        line={"dash": dash, "color": color},
        hovertemplate=f"{whole(title)}<br>%{{x}} configurations: %{{y:.2f}} %<extra></extra>",
    )


def _alt(value: Learning, shown: str) -> str:
    first, last = (int(i) for i in (np.argmin(value.sizes), np.argmax(value.sizes)))
    ends = {title: _of(curve, shown) for title, curve in value.curves.items()}
    worst = max(ends, key=lambda title: np.nan_to_num(ends[title][last]))
    several = f"{len(ends)} applications; worst is {worst}" if len(ends) > 1 else worst
    return (
        f"Curves of the {shown} relative error on unseen configurations against the number learnt from, for {several}: "
        f"{ends[worst][first]:.1f} % with {value.sizes[first]}, {ends[worst][last]:.1f} % with {value.sizes[last]}. "
        f"{value.sentence()}"
    )
