"""Predictions beside measurements as pictures, per trial and group, and errors over what was learnt and searched."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray
from core.errors import count
from core.race.reuse import METHODS, Reuse
from core.report.compare.versus import IN_WORDS, Against, reuse_sentence, reuse_table
from core.report.figures import draw
from core.report.figures.draw import GREY, SYMBOLS, Picture, name, unit_label, whole
from core.report.figures.points import Points, View, add_points, edge_note, middle, upwards, view
from core.report.shared.naming import Colour, columns_of, short_number, short_numbers
from core.report.shared.outcome import Outcome
from core.report.shared.svg import thinned
from core.report.space.diversity import Diversity, Reactions
from core.report.space.learning import History, Learning, history_sentence, history_table
from core.validate.learning_curve import LearningCurve
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


MEAN, LARGEST = SHOWN = ("mean", "largest")
MOST_CURVES = 20


def learning_curves(value: Learning, shown: str = MEAN) -> Picture:
    """Draw a curve per application, and the other model dashed; one application alone has its percentiles too."""
    drawn = list(value.curves.items())[:MOST_CURVES]
    one = drawn[0][1] if len(drawn) == 1 else None
    lines = [
        (curve, _of(curve, shown), title if one is None else shown, SYMBOLS[i % len(SYMBOLS)], "solid")
        for i, (title, curve) in enumerate(drawn)
    ]
    if one is not None and shown == MEAN:
        more = (("75 % within", one.p75), ("98 % within", one.p98), ("largest", one.largest))
        lines += [(one, errors, title, "circle-open", "dot") for title, errors in more]
    if value.beside:
        errors = np.mean([_of(curve, shown) for curve in value.beside.values()], axis=0)
        title = value.beside_name + (", average" if len(value.beside) > 1 else "")
        lines.append((one or drawn[0][1], errors, title, "x", "dash"))
    every = np.concatenate([errors for _, errors, *_ in lines])
    top, axis = upwards(every)
    title = f"{'' if one is not None and shown == MEAN else f'{shown} '}relative error on unseen ones (%)"
    figure = draw.new_figure(420, draw.from_zero("designs learnt from"), {"title_text": title, **axis})
    for over, errors, *look in lines:
        _add_line(figure, over, np.where(errors <= top, errors, np.nan), *look)
    beyond = int((every > top).sum())
    left = len(value.curves) - len(drawn)
    notes = [f"{left:,} more in the table."] if left else []
    larger = "error" if beyond == 1 else "errors"
    notes += [f"Not drawn, but in the table: {beyond} far larger {larger}."] if beyond else []
    return Picture(figure, _learning_alt(value, shown), value.table, " ".join(notes))


def _of(curve: LearningCurve, shown: str) -> FloatArray:
    return curve.largest if shown == LARGEST else curve.mean


def _add_line(figure: go.Figure, over: LearningCurve, errors: FloatArray, title: str, symbol: str, dash: str) -> None:
    hover, color = f"{whole(title)}<br>%{{x}} designs: %{{y:.2f}} %", GREY if dash == "dash" else None
    look = {"marker": {"symbol": symbol, "size": 8, "color": color}, "line": {"dash": dash, "color": color}}
    draw.curve(figure, list(over.sizes), errors, name(title, 28), hover=hover, **look)


def _learning_alt(value: Learning, shown: str) -> str:
    first, last = (int(i) for i in (np.argmin(value.sizes), np.argmax(value.sizes)))
    ends = {title: _of(curve, shown) for title, curve in value.curves.items()}
    worst = max(ends, key=lambda title: np.nan_to_num(ends[title][last]))
    several = f"{len(ends)} applications; worst is {worst}" if len(ends) > 1 else worst
    return (
        f"Curves of the {shown} relative error on unseen designs against the number learnt from, for {several}: "
        f"{ends[worst][first]:.1f} % with {value.sizes[first]}, {ends[worst][last]:.1f} % with {value.sizes[last]}. "
        f"{value.sentence()}"
    )


MOST_REACTIONS = 12
_MOST_NUMBERS = 15
"""Below a map's columns, on a phone too."""
_LEAST_APART = 0.1
"""Percent that has the last colour at least: what is less is told as none."""


def diversity_map(value: Diversity) -> Picture:
    """Draw how far apart applications are; alike ones are neighbours, and columns have the numbers of rows."""
    places, labels = list(range(len(value.applications))), draw.names(value.applications, 24)
    hover, bar, said = draw.each_pair(value.applications), draw.bar_above("apart (%)"), "%{text}<br>%{z:.1f} % apart"
    apart = 100 * value.distance
    most = max(float(apart.max()), _LEAST_APART)
    trace = draw.heat(apart, places, places, hover, said, zmin=0, zmax=most, colorbar=bar)
    figure = draw.pairs_map(
        trace, [f"{label}  {i}" for i, label in enumerate(labels, 1)], max(320, min(900, 120 + 26 * len(places)))
    )
    numbers = [str(i + 1) for i in places]
    figure.update_xaxes(**draw.level_axis(numbers, -(-len(places) // _MOST_NUMBERS), 0.5), tickangle=0)
    return Picture(figure, _map_alt(value), value.table)


def reaction_curves(value: Reactions) -> Picture:
    """Draw each application's response over one parameter, against that at its first level."""
    wide = value.levels[0] > 0 and value.levels[-1] / value.levels[0] >= 8
    ticks = {"type": "log", "tickvals": value.levels, "ticktext": short_numbers(value.levels)} if wide else {}
    figure = draw.new_figure(400, {"title_text": unit_label(value.parameter), **ticks}, name(value.title, 64))
    titles = draw.names(value.applications[:MOST_REACTIONS], 28)
    for i, application in enumerate(value.applications[:MOST_REACTIONS]):
        hover = f"{whole(application)}<br>%{{x:.4g}}: {'%{y:.3f} times' if value.ratios else '%{y:.4g}'}"
        marker = {"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 8}
        draw.curve(figure, value.levels, value.values[i], titles[i], hover=hover, marker=marker)
    left = len(value.applications) - MOST_REACTIONS
    note = f"{count(left, 'application')} that react least only in the table." if left > 0 else ""
    return Picture(figure, _curves_alt(value), value.table, note)


def _map_alt(value: Diversity) -> str:
    alone = int(np.argmax(value.unlike))
    off = value.distance + np.diag(np.full(len(value.applications), np.inf))
    i, j = (int(k) for k in np.unravel_index(int(np.argmin(off)), off.shape))
    return (
        f"Heat map of how far apart {len(value.applications)} applications react to {value.n_designs:,} designs. "
        f"{value.applications[alone]} is most unlike the others, {100 * value.unlike[alone]:.0f} % apart on average; "
        f"{value.applications[i]} and {value.applications[j]} are most alike, {100 * value.distance[i, j]:.0f} % apart."
    )


def _curves_alt(value: Reactions) -> str:
    spans, levels = value.spans, value.levels
    by = "a factor of " if value.ratios else ""
    return (
        f"Curves of the predicted response over {value.parameter.name} from {levels[0]:g} to {levels[-1]:g}, "
        f"the other parameters fixed. {value.applications[0]} reacts most, by {by}{spans[0]:.2f}; "
        f"{value.applications[-1]} least, by {spans[-1]:.2f}."
    )


def reuse_curves(found: Reuse, first: str, second: str) -> Picture:
    """Draw the error on the new target's unseen workloads over the runs of it, a curve per method."""
    ticks = {"type": "log", "tickvals": found.sizes, "ticktext": [str(k) for k in found.sizes]}
    up = draw.from_zero("mean error on unseen workloads (%)", draw.wide_axis(found.mape, 10))
    figure = draw.new_figure(380, {"title_text": "runs of the new target", **ticks}, up)
    for i, method in enumerate(METHODS):
        known = np.isfinite(found.mape[:, i])
        x, title, marker = np.array(found.sizes)[known], IN_WORDS[method], {"symbol": SYMBOLS[i], "size": 8}
        hover = f"{whole(title)}, %{{x}} runs: %{{y:.3g}} %"
        draw.curve(figure, x, found.mape[known, i], title, hover=hover, marker=marker)
    alt = f"Curves of the mean error over the runs of the new target. {reuse_sentence(found, first, second)}"
    return Picture(figure, alt, lambda: reuse_table(found))


def history_curves(value: History) -> Picture:
    """Draw the best so far with what was expected of the recommended design; below, what ten runs were to gain."""
    response, gain = value.frame.response, draw.from_zero("ten runs gain (%)")
    figure = draw.stacked(440, 0.62, "runs so far", unit_label(response, "best"), gain)
    runs = [len(part.frame) for part in value.parts]
    texts = [f"round {k}: {name(part.title, 40)}" for k, part in enumerate(value.parts, 1)]
    expected, low, high = (np.array([getattr(one, end) for one in value.rounds]) for end in ("expected", "low", "high"))
    spans = {"type": "data", "array": high - expected, "arrayminus": expected - low, "color": GREY, "thickness": 1.5}
    if np.isfinite(expected).any():
        marker, hover = {"color": GREY, "symbol": "diamond-open", "size": 9}, "%{text}<br>recommended: %{y:.5g}"
        draw.dots(figure, runs, expected, "recommended, 90 %", texts, hover, row=1, marker=marker, error_y=spans)
    best = [one.best for one in value.rounds]
    draw.curve(figure, runs, best, "best so far", texts, "%{text}<br>%{x:,} runs: best %{y:.5g}", row=1)
    share = np.array([100 * one.share for one in value.rounds])
    hover, dotted = "%{text}<br>ten runs: %{y:.3g} %", {"color": GREY, "dash": "dot"}
    draw.curve(figure, runs, share, "expected gain", texts, hover, row=2, showlegend=False, line=dotted)
    alt = f"Curves of the best {response.name} so far and of what ten further runs were to gain, over the runs. "
    return Picture(figure, alt + history_sentence(value), lambda: history_table(value))
