"""Trials as pictures: correlations, one metric's distribution, repeats in and out, spread before and after."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import BoolArray, FloatArray
from core.errors import count
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.trials.curation import RepeatStrip, SpreadChange
from core.report.trials.metrics import Correlation, Distribution

_AROUND, _EACH = 190, 15
"""Pixels of a map of correlations that its bar and its slanted labels take, and those of a row."""


def signed_map(
    z: FloatArray, x: Sequence[object], y: Sequence[object], hover: list[list[str]], what: str
) -> go.Heatmap:
    """Return a heat map of `z`, of shape (len(y), len(x)), whose colours diverge from 0."""
    bar = draw.bar_above(what, tickvals=[-1, -0.5, 0, 0.5, 1])
    said = f"%{{text}}<br>{what} %{{z:.2f}}"
    return draw.heat(z, x, y, hover, said, zmin=-1, zmax=1, autocolorscale=True, colorbar=bar)


def correlation_map(value: Correlation) -> Picture:
    """Draw the correlations of the metrics with each other; alike metrics are neighbours."""
    n, places = len(value.names), list(range(len(value.names)))
    trace = signed_map(value.matrix, places, places, draw.each_pair(value.labels), "correlation")
    look = {"tickangle": -60 if n <= 16 else -90, "tickfont": {"size": 12 if n <= 16 else 10 if n <= 64 else 8}}
    figure = draw.pairs_map(trace, draw.names(value.labels, 24), max(320, min(1000, _AROUND + _EACH * n)), **look)
    return Picture(figure, _map_alt(value), lambda: _map_table(value), _map_note(value))


def response_bars(value: Correlation) -> Picture:
    """Draw how strongly the fifteen metrics that go most with the response do so, strongest first."""
    every = np.argsort(-np.abs(value.with_response), kind="stable")
    rows = {"metric": [value.names[j] for j in every], f"correlation with {value.response}": value.with_response[every]}
    order = every[:15]
    texts = [whole(value.labels[j]) for j in order]
    labels = draw.names((value.labels[j] for j in order), 28)
    axis = {"title_text": f"correlation with {name(value.response)}", "range": [-1.02, 1.02], "zeroline": True}
    figure = draw.ranking(80, 24, value.with_response[order], labels, "%{text}: %{x:.2f}", axis, texts=texts)
    note = f"The strongest {len(order)} of {len(value.names)}." if len(value.names) > len(order) else ""
    first = ", ".join(f"{value.names[j]} {value.with_response[j]:.2f}" for j in order[:3])
    alt = f"Bars of each metric's correlation with {value.response}, strongest first: {first}."
    return Picture(figure, alt, lambda: pd.DataFrame(rows), note)


def _map_alt(value: Correlation) -> str:
    text = f"Heat map of the correlations of {len(value.names)} metrics over {value.n_trials} trials"
    size = np.abs(np.triu(value.matrix, 1))
    if size.size and size.max() > 0:
        i, j = (int(v) for v in np.unravel_index(int(size.argmax()), size.shape))
        strong = int((size > 0.9).sum())
        text += (
            f". {strong} pairs are above 0.9 in size; the strongest is {value.names[i]} with "
            f"{value.names[j]} at {value.matrix[i, j]:.2f}"
        )
    return f"{text}."


def _map_note(value: Correlation) -> str:
    if not value.grouped:
        return ""
    total = sum(len(group) for group in value.groups)
    return (
        f"{total} metrics are too many to read, so the most alike ones are grouped: each line stands for "
        "itself and for as many others as the number behind it. The download names them."
    )


def _map_table(value: Correlation) -> pd.DataFrame:
    table = pd.DataFrame(value.matrix, columns=list(value.names))
    table.insert(0, "metric", list(value.names))
    if value.grouped:
        table.insert(1, "stands also for", [", ".join(group[1:]) for group in value.groups])
    return table


FEW = 6
"""Of fewer trials a histogram has a tick for each, and none for halves."""


def histogram(value: Distribution, height: int = 300) -> Picture:
    """Draw how many trials are in each bin."""
    few = {"dtick": 1} if value.counts.max(initial=0) < FEW else {}
    title, alt = unit_label(value.metric), _alt(value)
    return draw.histogram(height, title, value.edges, value.counts, "trials", alt, log=value.log, **few)


def _alt(value: Distribution) -> str:
    if not value.n:
        return f"Histogram of {value.metric}: no trial has a value."
    missing = f"; {count(value.n_missing, 'trial')} without a value" if value.n_missing else ""
    axis = " on a logarithmic axis" if value.log else ""
    return (
        f"Histogram of {value.metric} over {value.n} trials{axis}: from {value.low:.4g} to {value.high:.4g}, "
        f"median {value.median:.4g}{missing}."
    )


def repeats_strip(value: RepeatStrip) -> Picture:
    """Draw the repeats of a configuration in the order they were measured; those left out are crosses.

    A logarithmic axis is taken where they span more than a decade.
    """
    up = {"title_text": unit_label(value.response), **draw.wide_axis(value.y, 10)}
    figure = draw.new_figure(300, "run, in the order measured", up)
    there = np.isfinite(value.y)
    _add_repeats(figure, value, there & value.counts, "counts", {"size": 8, "opacity": 0.8})
    _add_repeats(figure, value, there & ~value.counts, "left out", {"size": 10, "symbol": "x", "color": GREY})
    if value.median is not None:
        draw.rule(figure, {"color": GREY, "width": 1.5, "dash": "dash"}, y=value.median)

    missing = int((~there).sum())
    note = f"{missing} of {len(value.y)} repeats have no value." if missing else ""
    return Picture(figure, _strip_alt(value), value.table, note)


def spread_curves(value: SpreadChange) -> Picture:
    """Draw which share of configurations is within a spread, without the rule and with it."""
    title = name(f"run-to-run spread of {value.response} (% of the mean)", 70)
    across = {"title_text": title, **draw.log_axis(np.concatenate([value.before, value.after]))}
    figure = draw.new_figure(320, across, draw.from_zero("configurations (%)"))
    for title, spreads, dash in (("before", value.before, "dot"), ("after", value.after, "solid")):
        hover = f"{title}: %{{y:.0f}} % of configurations within %{{x:.3g}} %"
        line = {"shape": "hv", "dash": dash}
        draw.line(figure, np.maximum(spreads, _least(value)), _shares(spreads), title, hover=hover, line=line)
    return Picture(figure, _curves_alt(value), lambda: _curves_table(value))


def _add_repeats(
    figure: go.Figure, value: RepeatStrip, shown: BoolArray, title: str, marker: dict[str, object]
) -> None:
    rows = np.flatnonzero(shown)
    if not len(rows):
        return
    text = [f"run {value.run[i]}{': ' + whole(value.why[i]) if value.why[i] else ''}" for i in rows]
    hover, ids = "%{text}<br>%{y:.5g}", [value.ids[i] for i in rows]
    kind = draw.scatter_type(len(value.y))
    draw.dots(figure, value.run[rows], value.y[rows], title, text, hover, type=kind, marker=marker, customdata=ids)


def _strip_alt(value: RepeatStrip) -> str:
    out = int((~value.counts).sum())
    middle = "" if value.median is None else f"; the median of those that count is {value.median:.4g}"
    unit = f" {value.response.unit}" if middle and value.response.unit else ""
    of = value.name or "a configuration"
    return (
        f"{value.response.name} of the {len(value.y)} repeats of {of} in the order measured: "
        f"{len(value.y) - out} count, {out} are left out{middle}{unit}."
    )


def _curves_alt(value: SpreadChange) -> str:
    if not len(value.before):
        return f"No configuration has repeats of {value.response} that count, so there is no run-to-run spread."
    middles = [f"{np.median(s):.3g} %" if len(s) else "unknown" for s in (value.before, value.after)]
    return (
        f"Share of {len(value.before)} configurations over their run-to-run spread of {value.response}, before and "
        f"after the rule '{value.rule}': the median goes from {middles[0]} to {middles[1]}."
    )


def _curves_table(value: SpreadChange) -> pd.DataFrame:
    rows = [
        (when, s, p)
        for when, spreads in (("before", value.before), ("after", value.after))
        for s, p in zip(spreads, _shares(spreads), strict=True)
    ]
    return pd.DataFrame(rows, columns=["when", "spread (%)", "configurations within (%)"])


def _shares(spreads: FloatArray) -> FloatArray:
    return 100 * np.arange(1, len(spreads) + 1) / max(len(spreads), 1)


def _least(value: SpreadChange) -> float:
    """Return where a spread of 0 is drawn on a logarithmic axis: at the least positive one."""
    both = np.concatenate([value.before, value.after])
    return float(both[both > 0].min(initial=1.0))
