"""Predictions beside measurements as pictures: diagonal, residuals, errors per group, two models' predictions."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray
from core.report.compare.comparison import Against
from core.report.document.axes import thinned
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.figures.points import Points, View, add_points, edge_note, middle, view
from core.report.shared.grouping import Colour
from core.report.shared.naming import columns_of, short_number
from core.report.shared.outcome import Outcome
from core.validate.record import GroupScores

MOST_INTERVALS = 600


def predicted_actual(value: Outcome, colour: Colour | None = None, intervals: bool = False) -> Picture:
    """Draw predictions over measurements with the diagonal; dots lie on it where the model is right.

    Axes are logarithmic where the response was modelled in logarithms. Intervals are drawn on
    demand, of at most 600 trials. Predictions far outside stand on the edge. Points can be selected.
    """
    shown, thinned, bars = value, "", intervals and value.has_intervals
    if bars:
        shown, colour, thinned = _thinned(value, colour)
    limits = view(value.actual, value.predicted, value.log)
    axes = (limits.axis(unit_label(value.response, what)) for what in ("measured", "predicted"))
    figure = draw.numbers_figure(420, *axes, dragmode="pan")
    sampled = _add_beside_diagonal(figure, shown, limits, colour, bars)
    notes = (thinned or sampled, edge_note(limits.outside(value.predicted), "predictions"))
    return Picture(figure, _alt(value), lambda: _table(value), " ".join(n for n in notes if n))


def residuals(value: Outcome, colour: Colour | None = None) -> Picture:
    """Draw what the model missed over what it predicted; a shape in it is something left to learn."""
    missed = value.actual / value.predicted if value.log else value.actual - value.predicted
    across = view(value.actual, value.predicted, value.log)
    up = view(middle(missed), missed, value.log)
    title = "measured ÷ predicted" if value.log else unit_label(value.response, "measured − predicted")
    axes = across.axis(unit_label(value.response, "predicted")), up.axis(title)
    figure = draw.numbers_figure(420, *axes, dragmode="pan")
    sampled = _add_trials(figure, value, across.hold(value.predicted), up.hold(missed), colour)
    draw.rule(figure, {"color": GREY, "width": 1.5}, y=1 if value.log else 0)
    alt = f"Residuals of {len(value)} trials ({_seen(value)}) over the predicted {value.response}; " + (
        "1 means right, 2 means twice as much as predicted." if value.log else "0 means right."
    )
    notes = (sampled, edge_note(across.outside(value.predicted) | up.outside(missed), "residuals"))
    return Picture(figure, alt, lambda: _table(value), " ".join(n for n in notes if n))


def application_panel(value: Outcome, title: str) -> Picture:
    """Draw an application's predictions over its measurements, with MAPE and MSE (Eiger, Figures 5 and 6)."""
    said = annotation(value)
    head = f"<b>{name(title, 34)}</b><br><span style='font-size:12px'>{whole(said)}</span>"
    limits = view(value.actual, value.predicted, value.log)
    across = limits.axis(unit_label(value.response, "measured"))
    figure = draw.new_figure(270, across, limits.axis("predicted"), showlegend=False)
    figure.update_layout(margin={"t": 46})
    where = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 1.02, "yanchor": "bottom"}
    figure.add_annotation(text=head, align="left", showarrow=False, **where)
    note = _add_beside_diagonal(figure, value, limits)
    return Picture(figure, f"{title}: predicted over measured {value.response}, {said}.", lambda: _table(value), note)


def annotation(value: Outcome) -> str:
    """Return such as "MAPE 12.3 %, MSE 4.5 s²"."""
    s = value.scores
    if s.mse is None:
        return "no prediction"
    unit = f" {value.response.unit}²" if value.response.unit else ""
    mape = "" if s.mape is None else f"MAPE {s.mape:.3g} %, "
    return f"{mape}MSE {short_number(s.mse)}{unit}"


def _add_trials(
    figure: go.Figure, value: Outcome, x: FloatArray, y: FloatArray, colour: Colour | None = None, bars: bool = False
) -> str:
    def told(i: int) -> str:
        return f"measured {value.actual[i]:.4g}, predicted {value.predicted[i]:.4g}"

    low, high = (value.low, value.high) if bars else (None, None)
    return add_points(figure, Points(x, y, value.names, value.rows, told, low, high, value.log), colour)


def _add_beside_diagonal(
    figure: go.Figure, value: Outcome, limits: View, colour: Colour | None = None, bars: bool = False
) -> str:
    """Add predictions over measurements, the line of right ones, and dotted ones 20 % above and below it.

    Points that were moved to the edge have a triangle that points to where they are.
    """
    x, y, ends = value.actual, value.predicted, limits.ends
    note, outside = _add_trials(figure, value, x, limits.hold(y), colour, bars), limits.outside(y)
    if outside.any():
        symbols = np.where(y[outside] > ends[1], "triangle-up-open", "triangle-down-open")
        marker, held = {"symbol": symbols, "size": 13, "color": GREY, "line": {"width": 2}}, limits.hold(y[outside])
        draw.dots(figure, x[outside], held, "far outside", hover=None, showlegend=False, marker=marker)
    lines = ((1.0, "solid", "right"), (1.2, "dot", "20 % too high"), (0.8, "dot", "20 % too low"))
    for factor, dash, title in lines if ends[0] >= 0 else lines[:1]:
        line = {"color": GREY, "width": 1.5, "dash": dash}
        draw.line(figure, ends, factor * ends, title, hover=None, line=line, showlegend=False)
    return note


def _thinned(value: Outcome, colour: Colour | None) -> tuple[Outcome, Colour | None, str]:
    if len(value) <= MOST_INTERVALS:
        return value, colour, ""
    places = thinned(len(value), MOST_INTERVALS)
    note = f"Intervals of {len(places)} of {len(value):,} trials, evenly taken; without intervals all are drawn."
    return value.take(places), None if colour is None else colour.take(places), note


def _seen(value: Outcome) -> str:
    return "which the model was trained on" if value.trained else f"held out, {value.source}"


def _alt(value: Outcome) -> str:
    s = value.scores
    near = "" if s.inliers_20 is None else f" {s.inliers_20:.0f} % of them are within 20 % of the truth."
    trials = f"{len(value)} trials ({_seen(value)})"
    return f"Scatter plot of predicted over measured {value.response} for {trials}.{near}"


def _table(value: Outcome) -> pd.DataFrame:
    return pd.DataFrame({"trial": value.names, **value.columns})


MOST_GROUPS = 30
_GROUP_COLUMNS = (
    "trials: scores.n | refused: scores.n_refused | median error (%): scores.median_ape | MAPE (%): scores.mape | "
    "largest error (%): scores.max_ape | within 20 % (% of trials): scores.inliers_20 | "
    "in 90 % interval (% of trials): scores.coverage_90 | MSE: scores.mse"
)


def group_errors(groups: tuple[GroupScores, ...], label: str) -> Picture:
    """Draw median and mean relative error per group, worst first; at most 30, whose points carry their places."""
    scored = [g for g in groups if g.scores.mape is not None]
    shown = scored[:MOST_GROUPS]
    median = np.array([g.scores.median_ape for g in shown], dtype=np.float64)
    mean = np.array([g.scores.mape for g in shown], dtype=np.float64)
    wide = len(shown) > 0 and bool(mean.max() > 20 * max(float(np.median(mean)), 1e-9))
    axis = draw.log_axis(np.concatenate([median, mean])) if wide else {"rangemode": "tozero"}
    figure = draw.rows(draw.names((g.name for g in shown), 24), 110, 18, {"title_text": "error (%)", **axis})
    places = list(range(len(shown)))
    hover = [f"{whole(g.name)}: {g.scores.n} trials" for g in shown]
    for title, x, symbol in (("median error", median, "circle"), ("mean error (MAPE)", mean, "diamond-open")):
        said, marker = f"%{{text}}<br>{title} %{{x:.3g}} %", {"size": 9, "symbol": symbol}
        draw.dots(figure, x, places, title, hover, said, marker=marker, customdata=places)
    note = f"The {len(shown)} worst of {len(scored)}; the table has all." if len(scored) > len(shown) else ""
    return Picture(figure, _groups_alt(shown, label), lambda: group_table(groups, label), note)


def group_table(groups: tuple[GroupScores, ...], label: str) -> pd.DataFrame:
    """Return a row of scores per group, worst first."""
    return pd.DataFrame({label: [g.name for g in groups], **columns_of(groups, _GROUP_COLUMNS)})


def _groups_alt(groups: list[GroupScores], label: str) -> str:
    if not groups:
        return f"No relative error can be given for any {label}."
    worst, best = groups[0], groups[-1]
    return (
        f"Median and mean error per {label}, worst first: {worst.name} with a MAPE of {worst.scores.mape:.3g} %, "
        f"down to {best.name} with {best.scores.mape:.3g} %."
    )


def models_agreement(value: Against) -> Picture:
    """Draw the second model's predictions over the first's; dots lie on the line where the two agree."""
    known = np.flatnonzero(np.isfinite(value.first) & np.isfinite(value.second))
    x, y = value.first[known], value.second[known]
    log = bool(len(known) and min(x.min(), y.min()) > 0 and max(x.max(), y.max()) > 10 * min(x.min(), y.min()))
    limits = view(middle(np.concatenate([x, y])), np.concatenate([x, y]), log)
    unit = f" ({value.response.unit})" if value.response.unit else ""
    figure = draw.new_figure(440, *(limits.axis(name(f"{model}{unit}", 60)) for model in value.models))

    def told(i: int) -> str:
        actual = value.actual[known[i]]
        return f"{x[i]:.4g} and {y[i]:.4g}, measured {actual:.4g}"

    names = tuple(value.names[i] for i in known)
    sampled = add_points(figure, Points(limits.hold(x), limits.hold(y), names, known, told, log=log), None)
    ends = limits.ends
    draw.line(figure, ends, ends, hover=None, line={"color": GREY, "width": 1.5}, showlegend=False)
    first, second = value.models
    alt = f"Predictions of {value.response} by {second} over those by {first}, of {len(known)} trials."
    notes = (sampled, edge_note(limits.outside(x) | limits.outside(y), "trials"))
    return Picture(figure, alt, value.table, " ".join(note for note in notes if note))
