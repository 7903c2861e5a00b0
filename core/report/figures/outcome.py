"""Predictions beside measurements as pictures: the diagonal, the residuals, one application."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray
from core.report.figures._picture import GREY, Picture, draw_dots, draw_line, name, new_figure, unit_label, whole
from core.report.figures._points import Points, add_points
from core.report.figures._view import View, edge_note, middle, view
from core.report.shared.grouping import Colour
from core.report.shared.outcome import Outcome

MOST_INTERVALS = 600


def predicted_actual(value: Outcome, colour: Colour | None = None, intervals: bool = False) -> Picture:
    """Draw predictions over measurements with the diagonal; dots lie on it where the model is right.

    Axes are logarithmic where the response was modelled in logarithms. Intervals are drawn on
    demand, of at most 600 trials. Predictions far outside stand on the edge. Points can be selected.
    """
    figure = new_figure(420, dragmode="select")
    shown, thinned, bars = value, "", intervals and value.has_intervals
    if bars:
        shown, colour, thinned = _thinned(value, colour)
    limits = view(value.actual, value.predicted, value.log)
    sampled = _add_trials(figure, shown, shown.actual, limits.hold(shown.predicted), colour, bars)
    _mark_edge(figure, shown.actual, shown.predicted, limits)
    _add_diagonal(figure, limits)
    figure.update_xaxes(title_text=unit_label(value.response, "actual"), **limits.axis)
    figure.update_yaxes(title_text=unit_label(value.response, "predicted"), **limits.axis)
    notes = (thinned or sampled, edge_note(limits.outside(value.predicted), "predictions"))
    return Picture(figure, _alt(value), lambda: _table(value), " ".join(n for n in notes if n))


def residuals(value: Outcome, colour: Colour | None = None) -> Picture:
    """Draw what the model missed over what it predicted; a shape in it is something left to learn."""
    figure = new_figure(420, dragmode="select")
    missed = value.actual / value.predicted if value.log else value.actual - value.predicted
    across = view(value.actual, value.predicted, value.log)
    up = view(middle(missed), missed, value.log)
    sampled = _add_trials(figure, value, across.hold(value.predicted), up.hold(missed), colour)
    figure.add_hline(y=1 if value.log else 0, line={"color": GREY, "width": 1.5})
    figure.update_xaxes(title_text=unit_label(value.response, "predicted"), **across.axis)
    title = "actual ÷ predicted" if value.log else unit_label(value.response, "actual − predicted")
    figure.update_yaxes(title_text=title, **up.axis)
    alt = f"Residuals of {len(value)} trials ({_seen(value)}) over the predicted {value.response}; " + (
        "1 means right, 2 means twice as much as predicted." if value.log else "0 means right."
    )
    notes = (sampled, edge_note(across.outside(value.predicted) | up.outside(missed), "residuals"))
    return Picture(figure, alt, lambda: _table(value), " ".join(n for n in notes if n))


def application_panel(value: Outcome, title: str) -> Picture:
    """Draw an application's predictions over its measurements, with MAPE and MSE (Eiger, Figures 5 and 6)."""
    said = annotation(value)
    head = f"<b>{name(title, 34)}</b><br><span style='font-size:12px'>{whole(said)}</span>"
    figure = new_figure(270, showlegend=False)
    figure.update_layout(margin={"t": 46})
    figure.add_annotation(
        text=head,
        xref="paper",
        x=0,
        xanchor="left",
        yref="paper",
        y=1.02,
        yanchor="bottom",
        align="left",
        showarrow=False,
    )
    limits = view(value.actual, value.predicted, value.log)
    note = _add_trials(figure, value, value.actual, limits.hold(value.predicted))
    _mark_edge(figure, value.actual, value.predicted, limits)
    _add_diagonal(figure, limits)
    figure.update_xaxes(title_text=unit_label(value.response, "actual"), **limits.axis)
    figure.update_yaxes(title_text="predicted", **limits.axis)
    return Picture(figure, f"{title}: predicted over actual {value.response}, {said}.", lambda: _table(value), note)


def annotation(value: Outcome) -> str:
    """Return such as "MAPE 12.3 %, MSE 4.5 s²"."""
    s = value.scores
    if s.mse is None:
        return "no prediction"
    unit = f" {value.response.unit}²" if value.response.unit else ""
    mape = "" if s.mape is None else f"MAPE {s.mape:.3g} %, "
    return f"{mape}MSE {s.mse:.3g}{unit}"


def _add_trials(
    figure: go.Figure, value: Outcome, x: FloatArray, y: FloatArray, colour: Colour | None = None, bars: bool = False
) -> str:
    def told(i: int) -> str:
        return f"actual {value.actual[i]:.4g}, predicted {value.predicted[i]:.4g}"

    low, high = (value.low, value.high) if bars else (None, None)
    return add_points(figure, Points(x, y, value.names, value.rows, told, low, high), colour)


def _mark_edge(figure: go.Figure, x: FloatArray, y: FloatArray, limits: View) -> None:
    """Mark the points that were moved to the edge with a triangle that points to where they are."""
    outside = limits.outside(y)
    if outside.any():
        symbols = np.where(y[outside] > limits.ends[1], "triangle-up-open", "triangle-down-open")
        draw_dots(
            figure,
            x[outside],
            limits.hold(y[outside]),
            "far outside",
            hover=None,
            showlegend=False,
            marker={"symbol": symbols, "size": 13, "color": GREY, "line": {"width": 2}},
        )


def _add_diagonal(figure: go.Figure, limits: View) -> None:
    """Add the line of right predictions, and dotted ones 20 % above and below it."""
    ends = limits.ends
    lines = ((1.0, "solid", "right"), (1.2, "dot", "20 % too high"), (0.8, "dot", "20 % too low"))
    for factor, dash, title in lines if ends[0] >= 0 else lines[:1]:
        line = {"color": GREY, "width": 1.5, "dash": dash}
        draw_line(figure, ends, factor * ends, title, hover=None, line=line, showlegend=False)


def _thinned(value: Outcome, colour: Colour | None) -> tuple[Outcome, Colour | None, str]:
    if len(value) <= MOST_INTERVALS:
        return value, colour, ""
    places = np.unique(np.linspace(0, len(value) - 1, MOST_INTERVALS).astype(np.int64))
    note = f"Intervals of {len(places)} of {len(value):,} trials, evenly taken; without intervals all are drawn."
    return value.take(places), None if colour is None else colour.take(places), note


def _seen(value: Outcome) -> str:
    return "which the model was trained on" if value.trained else f"held out, {value.source}"


def _alt(value: Outcome) -> str:
    s = value.scores
    near = "" if s.inliers_20 is None else f" {s.inliers_20:.0f} % of them are within 20 % of the truth."
    trials = f"{len(value)} trials ({_seen(value)})"
    return f"Scatter plot of predicted over actual {value.response} for {trials}.{near}"


def _table(value: Outcome) -> pd.DataFrame:
    table: dict[str, object] = {
        "trial": value.names,
        f"actual {value.response}": value.actual,
        f"predicted {value.response}": value.predicted,
        "error (%)": value.error_percent,
    }
    if value.has_intervals:
        table |= {"low": value.low, "high": value.high}
    return pd.DataFrame(table)
