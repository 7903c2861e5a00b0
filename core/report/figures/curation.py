"""Curation as pictures: the repeats of one configuration, in and out, and the spread before and after."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray
from core.curate.base import BoolArray
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.trials.curation import RepeatStrip, SpreadChange


def repeats_strip(value: RepeatStrip) -> Picture:
    """Draw the repeats of a configuration in the order they were measured; those left out are crosses.

    A logarithmic axis is taken where they span more than a decade.
    """
    figure = draw.new_figure(300)
    there = np.isfinite(value.y)
    _add_repeats(figure, value, there & value.counts, "counts", {"size": 8, "opacity": 0.8})
    _add_repeats(figure, value, there & ~value.counts, "left out", {"size": 10, "symbol": "x", "color": GREY})
    if value.median is not None:
        figure.add_hline(y=value.median, line={"color": GREY, "width": 1.5, "dash": "dash"})
    y = value.y[there]
    wide = len(y) > 0 and bool(y.min() > 0) and bool(y.max() / y.min() > 10)
    figure.update_xaxes(title_text="run, in the order measured")
    figure.update_yaxes(title_text=unit_label(value.response), **(draw.log_axis(y) if wide else {}))
    missing = int((~there).sum())
    note = f"{missing} of {len(value.y)} repeats have no value." if missing else ""
    return Picture(figure, _strip_alt(value), value.table, note)


def spread_curves(value: SpreadChange) -> Picture:
    """Draw which share of configurations is within a spread, without the rule and with it."""
    figure = draw.new_figure(320)
    for title, spreads, dash in (("before", value.before, "dot"), ("after", value.after, "solid")):
        hover = f"{title}: %{{y:.0f}} % of configurations within %{{x:.3g}} %"
        line = {"shape": "hv", "dash": dash}
        draw.line(figure, np.maximum(spreads, _least(value)), _shares(spreads), title, hover=hover, line=line)
    title = name(f"run-to-run spread of {value.response} (% of the mean)", 70)
    figure.update_xaxes(title_text=title, **draw.log_axis(np.concatenate([value.before, value.after])))
    figure.update_yaxes(title_text="configurations (%)", rangemode="tozero")
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
