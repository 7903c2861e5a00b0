"""Errors over what was learnt and searched, distances of applications, reactions, reuse: curves over runs."""

import numpy as np
import plotly.graph_objects as go

from core.codec import FloatArray
from core.errors import count
from core.race.reuse import METHODS, Reuse
from core.report.compare.versus import IN_WORDS, reuse_sentence, reuse_table
from core.report.figures import draw
from core.report.figures.draw import GREY, SYMBOLS, Picture, name, unit_label, whole
from core.report.figures.points import upwards
from core.report.shared.naming import short_numbers
from core.report.space.diversity import Diversity, Reactions
from core.report.space.history import History, history_sentence, history_table
from core.report.space.learning import Learning
from core.validate.learning_curve import LearningCurve

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
    return Picture(figure, _alt(value, shown), value.table, " ".join(notes))


def _of(curve: LearningCurve, shown: str) -> FloatArray:
    return curve.largest if shown == LARGEST else curve.mean


def _add_line(figure: go.Figure, over: LearningCurve, errors: FloatArray, title: str, symbol: str, dash: str) -> None:
    hover, color = f"{whole(title)}<br>%{{x}} designs: %{{y:.2f}} %", GREY if dash == "dash" else None
    look = {"marker": {"symbol": symbol, "size": 8, "color": color}, "line": {"dash": dash, "color": color}}
    draw.curve(figure, list(over.sizes), errors, name(title, 28), hover=hover, **look)


def _alt(value: Learning, shown: str) -> str:
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
