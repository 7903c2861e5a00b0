"""Predictions beside measurements as pictures: the diagonal, the residuals, groups and applications."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures._picture import GREY, Picture, name, new_figure, padded, unit_label, whole
from core.report.figures._points import add_points
from core.report.grouping import Colour
from core.report.outcome import GroupScore, Outcome

MOST_INTERVALS = 600
MOST_GROUPS = 30


def predicted_actual(
    value: Outcome, colour: Colour | None = None, intervals: bool = False, height: int = 520
) -> Picture:
    """Draw predictions over measurements with the diagonal; dots lie on it where the model is right.

    Axes are logarithmic where the response was modelled in logarithms. Intervals are drawn on
    demand, of at most 600 trials. Points can be selected.
    """
    figure = new_figure(height, dragmode="select")
    shown, reach, note = value, None, ""
    if intervals and value.has_intervals:
        shown, colour, note = _thinned(value, colour)
        reach = (np.nan_to_num(shown.predicted - shown.low), np.nan_to_num(shown.high - shown.predicted))
    sampled = add_points(figure, shown.actual, shown.predicted, shown.names, colour, shown.rows, reach)
    limits = padded(np.concatenate([value.actual, value.predicted]), value.log)
    _add_diagonal(figure, limits, value.log)
    kind = "log" if value.log else "linear"
    figure.update_xaxes(
        title_text=unit_label(value.response, "actual"), type=kind, range=limits, exponentformat="power"
    )
    figure.update_yaxes(
        title_text=unit_label(value.response, "predicted"), type=kind, range=limits, exponentformat="power"
    )
    return Picture(figure, _diagonal_alt(value), lambda: _table(value), note or sampled)


def residuals(value: Outcome, colour: Colour | None = None) -> Picture:
    """Draw what the model missed over what it predicted; a shape in it is something left to learn."""
    figure = new_figure(420, dragmode="select")
    missed = value.actual / value.predicted if value.log else value.actual - value.predicted
    note = add_points(figure, value.predicted, missed, value.names, colour, value.rows)
    figure.add_hline(y=1 if value.log else 0, line={"color": GREY, "width": 1.5})
    kind = "log" if value.log else "linear"
    limits = padded(value.predicted, value.log)
    figure.update_xaxes(title_text=unit_label(value.response, "predicted"), type=kind, range=limits)
    figure.update_xaxes(exponentformat="power")
    title = "actual ÷ predicted" if value.log else unit_label(value.response, "actual − predicted")
    figure.update_yaxes(title_text=title, type=kind, range=padded(missed, value.log), exponentformat="power")
    alt = f"Residuals of {len(value)} trials ({_seen(value)}) over the predicted {value.response}; " + (
        "1 means right, 2 means twice as much as predicted." if value.log else "0 means right."
    )
    return Picture(figure, alt, lambda: _table(value), note)


def group_errors(groups: tuple[GroupScore, ...], label: str) -> Picture:
    """Draw median and mean relative error per group, worst first; at most 30 groups."""
    scored = [g for g in groups if g.scores.mape is not None]
    shown = scored[:MOST_GROUPS]
    median = np.array([g.scores.median_ape for g in shown], dtype=np.float64)
    mean = np.array([g.scores.mape for g in shown], dtype=np.float64)
    figure = new_figure(110 + 22 * max(len(shown), 2))
    places = list(range(len(shown)))
    hover = [f"{whole(g.name)}: {g.scores.n} trials" for g in shown]
    for title, x, symbol in (("median error", median, "circle"), ("mean error (MAPE)", mean, "diamond-open")):
        figure.add_trace(
            go.Scatter(
                x=x, y=places, mode="markers", name=title, marker={"size": 9, "symbol": symbol}, text=hover,
                hovertemplate=f"%{{text}}<br>{title} %{{x:.3g}} %<extra></extra>",
            )
        )  # fmt: skip
    wide = len(shown) > 0 and mean.max() > 20 * max(float(np.median(mean)), 1e-9)
    figure.update_xaxes(title_text="error (%)", type="log" if wide else "linear", rangemode="tozero")
    labels = [name(g.name, 24) for g in shown]
    figure.update_yaxes(tickvals=places, ticktext=labels, range=[len(shown) - 0.4, -0.6], zeroline=False)
    note = f"The {len(shown)} worst of {len(scored)}; the table has all." if len(scored) > len(shown) else ""
    return Picture(figure, _groups_alt(shown, label), lambda: group_table(groups, label), note)


def application_panel(value: Outcome, title: str) -> Picture:
    """Draw an application's predictions over its measurements, with MAPE and MSE (Eiger, Figures 5 and 6)."""
    figure = new_figure(250, showlegend=False, title={"text": name(title, 34), "font": {"size": 14}})
    figure.update_layout(margin={"t": 34})
    note = add_points(figure, value.actual, value.predicted, value.names, None, value.rows)
    limits = padded(np.concatenate([value.actual, value.predicted]), value.log, 0.08)
    _add_diagonal(figure, limits, value.log)
    kind = "log" if value.log else "linear"
    axis = {"type": kind, "range": limits, "exponentformat": "power", "nticks": 5}
    figure.update_xaxes(title_text=unit_label(value.response, "actual"), **axis)
    figure.update_yaxes(title_text="predicted", **axis)
    said = annotation(value)
    figure.add_annotation(
        text=whole(said),
        x=0.03,
        y=0.97,
        xref="paper",
        yref="paper",
        showarrow=False,
        xanchor="left",
        yanchor="top",
    )
    return Picture(figure, f"{title}: predicted over actual {value.response}, {said}.", lambda: _table(value), note)


def annotation(value: Outcome) -> str:
    """Return such as "MAPE 12.3 %, MSE 4.5 s²"."""
    s = value.scores
    if s.mse is None:
        return "no prediction"
    unit = f" {value.response.unit}²" if value.response.unit else ""
    mape = "" if s.mape is None else f"MAPE {s.mape:.3g} %, "
    return f"{mape}MSE {s.mse:.3g}{unit}"


def group_table(groups: tuple[GroupScore, ...], label: str) -> pd.DataFrame:
    """Return a row of scores per group, worst first."""
    return pd.DataFrame(
        {
            label: [g.name for g in groups],
            "trials": [g.scores.n for g in groups],
            "refused": [g.scores.n_refused for g in groups],
            "median error (%)": [g.scores.median_ape for g in groups],
            "MAPE (%)": [g.scores.mape for g in groups],
            "largest error (%)": [g.scores.max_ape for g in groups],
            "within 20 % (% of trials)": [g.scores.inliers_20 for g in groups],
            "in 90 % interval (% of trials)": [g.scores.coverage_90 for g in groups],
            "MSE": [g.scores.mse for g in groups],
        }
    )


def _add_diagonal(figure: go.Figure, limits: tuple[float, float], log: bool) -> None:
    """Add the line of right predictions, and dotted ones 20 % above and below it."""
    ends = np.array([10.0 ** limits[0], 10.0 ** limits[1]]) if log else np.array(limits)
    lines = ((1.0, "solid", "right"), (1.2, "dot", "20 % too high"), (0.8, "dot", "20 % too low"))
    for factor, dash, title in lines if ends[0] >= 0 else lines[:1]:
        figure.add_trace(
            go.Scatter(
                x=ends, y=factor * ends, mode="lines", name=title,
                line={"color": GREY, "width": 1.5, "dash": dash}, showlegend=False, hoverinfo="skip",
            )
        )  # fmt: skip


def _thinned(value: Outcome, colour: Colour | None) -> tuple[Outcome, Colour | None, str]:
    if len(value) <= MOST_INTERVALS:
        return value, colour, ""
    places = np.unique(np.linspace(0, len(value) - 1, MOST_INTERVALS).astype(np.int64))
    note = f"Intervals of {len(places)} of {len(value):,} trials, evenly taken; without intervals all are drawn."
    return value.take(places), None if colour is None else colour.take(places), note


def _seen(value: Outcome) -> str:
    return "which the model was trained on" if value.trained else f"held out, {value.source}"


def _diagonal_alt(value: Outcome) -> str:
    s = value.scores
    near = "" if s.inliers_20 is None else f" {s.inliers_20:.0f} % of them are within 20 % of the truth."
    trials = f"{len(value)} trials ({_seen(value)})"
    return f"Scatter plot of predicted over actual {value.response} for {trials}.{near}"


def _groups_alt(groups: list[GroupScore], label: str) -> str:
    if not groups:
        return f"No relative error can be given for any {label}."
    worst, best = groups[0], groups[-1]
    return (
        f"Median and mean error per {label}, worst first: {worst.name} with a MAPE of "
        f"{worst.scores.mape:.3g} %, down to {best.name} with {best.scores.mape:.3g} %."
    )


def _table(value: Outcome) -> pd.DataFrame:
    table: dict[str, object] = {
        "trial": value.names, f"actual {value.response}": value.actual,
        f"predicted {value.response}": value.predicted, "error (%)": value.error_percent,
    }  # fmt: skip
    if value.has_intervals:
        table |= {"low": value.low, "high": value.high}
    return pd.DataFrame(table)
