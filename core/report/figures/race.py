"""A race as pictures: all models by error, one model's folds, metrics and workloads, models side by side."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.errors import count
from core.race.chosen import Failures, Stability
from core.report.compare import side_by_side
from core.report.compare.race_table import Line, marked
from core.report.figures import draw, sketch
from core.report.figures.draw import ACCENT, GREY, Picture, name, unit_label, whole
from core.report.shared.naming import PALETTE, short_number
from core.report.shared.svg import thinned
from core.trial import Frame

MOST_METRICS = 30
FAR = 4
"""Times the median error beyond which a model is drawn on the edge."""


def race_dots(
    lines: Sequence[Line], winner: str = "", folds: str = "held-out folds", beside: str = "random folds"
) -> Picture:
    """Draw the error of each model on folds, its spread over them, and its error on random folds beside.

    Parameters
    ----------
    folds, beside : what both kinds of folds are, in words, such as "one machine left out at a time"
    """
    shown = [line for line in lines if line.mape is not None]
    labels = [name(marked(line, winner), 30) for line in shown]
    figure = draw.rows(labels, 100, 26, draw.from_zero("mean error (MAPE, %)"))
    mape = np.array([line.mape for line in shown], dtype=np.float64)
    edge = FAR * float(np.median(mape)) if len(mape) else 1.0
    x = np.minimum(mape, edge)
    places = list(range(len(shown)))
    if any(len(line.folds) > 1 for line in shown):  # from the second best to the second worst, or of few, the ends
        low, high = np.minimum([_inner_ends(line.folds) for line in shown], edge).T
        draw.spans(figure, low, high, "most folds")
    honest = [f"{whole(line.label)}: {line.mape:.3g} %, {folds}" for line in shown]
    draw.dots(figure, x, places, folds, honest, marker={"size": 10, "symbol": "circle"})
    known = [i for i, line in enumerate(shown) if line.beside is not None and line.beside.mape is not None]
    if known:
        errors = np.array([line.beside.mape for line in shown if line.beside is not None], dtype=np.float64)
        said = [f"{whole(shown[i].label)}: {v:.3g} %, {beside}" for i, v in zip(known, errors, strict=True)]
        draw.dots(figure, np.minimum(errors, edge), known, beside, said, marker={"size": 10, "symbol": "diamond-open"})
    random = [line.beside.mape or 0.0 for line in shown if line.beside is not None]
    n_far = int((mape > edge).sum()) + sum(value > edge for value in random)
    counted = f"{n_far} error is" if n_far == 1 else f"{n_far} errors are"
    note = f"{counted} far larger and drawn on the edge; the table has them."
    alt = _race_alt(shown, folds, beside if known else "")
    return Picture(figure, alt, lambda: side_by_side.options_table(lines), note if n_far else "")


def _inner_ends(folds: FloatArray) -> tuple[float, float]:
    known = np.sort(folds[np.isfinite(folds)])
    if len(known) < 2:
        return np.nan, np.nan
    cut = 1 if len(known) >= 5 else 0
    return float(known[cut]), float(known[len(known) - 1 - cut])


def _race_alt(shown: Sequence[Line], folds: str, beside: str) -> str:
    if not shown:
        return "No model could be run, so there is no error to draw."
    best, last = shown[0], shown[-1]
    diamonds = f", open diamonds are {beside}" if beside else ""
    return (
        f"Mean error of {count(len(shown), 'model')} ({folds}), best at the top: {best.label} with {best.mape:.3g} %, "
        f"down to {last.label} with {last.mape:.3g} %; grey lines span most folds{diamonds}."
    )


def fold_dots(table: pd.DataFrame, label: str) -> Picture:
    """Draw the error of one model on each fold, as `fold_table` gives them, worst first."""
    order = table.sort_values("MAPE (%)", ascending=False, na_position="last", kind="stable").reset_index(drop=True)
    shown = order.head(40)
    labels, across = draw.names(shown["left out"], 30), draw.from_zero("mean error of the fold (MAPE, %)")
    figure = draw.rows(labels, 90, 22, across, showlegend=False)
    said = [f"without {whole(n)}" for n in shown["left out"]]
    places = list(range(len(shown)))
    hover = "%{text}: %{x:.3g} %"
    draw.dots(figure, shown["MAPE (%)"].to_numpy(dtype=float), places, texts=said, hover=hover, marker={"size": 9})
    left = len(order) - len(shown)
    worst = f"worst without {order['left out'][0]}" if len(order) else "there is no fold"
    note = f"The {len(shown)} worst of {len(order)} folds; the table has all." if left else ""
    return Picture(
        figure, f"Mean error of {label} on each of {count(len(order), 'fold')}, {worst}.", lambda: table, note
    )


def stability_bars(found: Sequence[Stability], n_folds: int) -> Picture:
    """Draw how often metrics are chosen over folds; those that tell the same are one bar."""
    shown = list(found[:MOST_METRICS])
    said = [f"{whole(', '.join(s.metrics))}: {100 * s.share:.0f} % of folds" for s in shown]
    more = [f" +{len(s.metrics) - 1}" if len(s.metrics) > 1 else "" for s in shown]
    labels = [name(s.metrics[0], 26) + m for s, m in zip(shown, more, strict=True)]
    across = {"title_text": f"chosen in so many of {n_folds} folds (%)", "range": [0, 104]}
    figure = draw.ranking(90, 24, [100 * s.share for s in shown], labels, "%{text}", across, texts=said)
    always = sum(s.share == 1 for s in found)
    alt = f"Bars of how often {len(found)} metrics are chosen over {n_folds} folds; {always} of them in every fold."
    note = f"The first {len(shown)} of {len(found)}; the download has all." if len(found) > len(shown) else ""
    return Picture(figure, alt, lambda: side_by_side.stability_table(found), note)


_WIDE, _EACH = (440.0, 300.0), 30.0
"""Units of a drawing of differences: across, in usual and in narrow windows, and for each model."""
_NAMED, _UPRIGHT, _FAR = (30, 11), 12, 2.0
"""Workloads that are named at most, in usual and in narrow windows, and the letters of their names, which stand
upright; times the median end of an interval beyond which all is drawn on the edge."""
_ACROSS = "each option and score from its smallest to its largest"


def error_map(value: side_by_side.SideBySide, winner: str = "", *, narrow: bool = False) -> Picture:
    """Draw each model's error on each workload as a colour, on a logarithmic scale; few workloads have their names."""
    low, high = (1.0, 100.0) if value.unit == "%" else np.nanquantile(value.errors, (0.05, 1.0)).clip(1e-300)
    n, places = len(value.lines), list(range(len(value.workloads)))
    labels, names = [whole(line.label) for line in value.lines], [whole(w) for w in value.workloads]
    texts = [
        [f"{label}<br>{w}: off by {e:.3g} {value.unit}" for w, e in zip(names, row, strict=True)]
        for label, row in zip(labels, value.errors, strict=True)
    ]
    ticks, said = draw.log_ticks(np.log10(low), np.log10(high))
    look = {"zmin": np.log10(low), "zmax": np.log10(high)}
    look["colorbar"] = draw.bar_above(f"error ({value.unit})", tickvals=ticks, ticktext=said)
    named = places if len(places) <= _NAMED[narrow] else []
    across = {"title_text": f"{len(places):,} workloads, hardest first", "tickvals": named, **draw.BARE}
    upright = [name(value.workloads[i], _UPRIGHT) for i in named]
    below = round(max(map(draw.width, upright), default=0.0))
    across |= {"ticktext": upright, "tickangle": -90, "title_standoff": 8 if named else 30}
    figure = draw.rows([name(marked(line, winner), 24) for line in value.lines], 130 + below, 26, across)
    figure.layout.margin.update(t=68, b=44 + below)  # room for the scale, and for names
    figure.add_trace(draw.heat(np.log10(np.clip(value.errors, low, high)), places, range(n), texts, **look))
    figure.update_traces(xgap=int(bool(named)))
    return Picture(figure, f"Map of the error of {n} models by workload. {value.standing_out()}", value.table)


def difference_sketch(
    value: side_by_side.SideBySide, ground: sketch.Ground = sketch.LIGHT, *, narrow: bool = False
) -> sketch.Sketch:
    """Draw how far each model's error is above the first one's, with its 95 % interval over the folds, and say it.

    What lies far beyond the others is drawn on the edge.
    """
    wide = _WIDE[narrow]
    found = value.differences()
    middle, low, high = (found[c].to_numpy(dtype=float) for c in ("difference", "95 % low", "95 % high"))
    reach = np.maximum(np.abs(low), np.abs(high))
    edge = _FAR * float(np.median(np.where(np.isfinite(reach), reach, np.abs(middle)))) if len(middle) else 1.0
    ends = np.clip(np.column_stack([low, middle, high]), -edge, edge)
    known = np.append(ends[np.isfinite(ends)], 0.0)
    scale = sketch.Scale(float(known.min()), float(known.max()), 8.0, wide - 8.0)
    zero, clear, parts = float(scale.place(np.zeros(1))[0]), (low > 0) | (high < 0), list[str]()
    for i, (model, (start, at, end)) in enumerate(zip(found["model"], scale.place(ends).tolist(), strict=True)):
        y = _EACH * i + 22
        told = f"{middle[i]:+.3g}" + (f" ({low[i]:.3g} to {high[i]:.3g})" if np.isfinite(reach[i]) else "")
        parts += [sketch.label(4, y - 9, name(model, 24)), sketch.label(wide - 4, y - 9, told, "end", 0.85)]
        parts += [sketch.line([start, end], [y, y], GREY, 2)] if np.isfinite(reach[i]) else []
        look = f'fill="{PALETTE[0] if clear[i] else "none"}" stroke="{PALETTE[0]}" stroke-width="1.4"'
        parts += [sketch.line([zero, zero], [y - 6, y + 6], ACCENT, 1.5), sketch.dot(at, y, 3.4, look)]
    foot = _EACH * len(found) + 14
    parts += [sketch.label(x, foot, short_number(tick, 3), "middle", 0.75) for tick, x in scale.ticks()]
    first, unit = value.lines[0].label, "percentage points" if value.unit == "%" else value.unit
    parts.append(sketch.label(wide / 2, foot + 15, f"{unit} above {name(first, 28)}", "middle", 0.9))
    alt = (
        f"How far the errors of {len(found)} models are above that of {first}, with 95 % intervals; "
        f"{int(clear.sum())} of the differences are more than noise."
    )
    return sketch.Sketch(sketch.drawing(parts, wide, foot + 22, ground), alt)


def parallel_lines(lines: Sequence[Line], kept: Collection[int] = (), winner: str = "") -> Picture:
    """Draw a line per model over axes of its options and scores; the dots of an axis can be chosen.

    Parameters
    ----------
    kept : numbers of the models that stand out; all if empty
    """
    table = side_by_side.options_table(lines)
    titles = [t for t in side_by_side.OPTIONS_AND_SCORES if table[t].nunique() > 1]
    heights = np.array([_heights(table[t]) for t in titles]).T if titles else np.empty((len(lines), 0))
    ends = [
        {"x": j, "y": y, "text": name(_told(end), 14), "showarrow": False, "yshift": 28 * y - 14}
        for j, column in enumerate(table[t].dropna() for t in titles)
        for y, end in enumerate((column.min(), column.max()))
    ]
    axis = {"tickvals": list(range(len(titles))), "ticktext": [t.replace(" ", "<br>", 1) for t in titles]}
    across = {**axis, "showgrid": True, "range": [-0.4, len(titles) - 0.6], "title_text": _ACROSS}
    up = {"showticklabels": False, "range": [-0.1, 1.1], **draw.BARE}
    figure = draw.numbers_figure(340, across, up, showlegend=False, dragmode="select", annotations=ends)
    figure.layout.margin.update(l=12, b=66)
    for i in sorted(range(len(lines)), key=lambda i: i in kept):
        stands = not kept or i in kept
        colour = ACCENT if lines[i].entry == winner else PALETTE[0] if stands else GREY
        said = [f"{whole(lines[i].label)}<br>{t}: {_told(table[t][i])}" for t in titles]
        look = {"customdata": [i] * len(titles), "opacity": 1.0 if stands else 0.4}
        line, marker = {"width": 1.5 if stands else 0.7, "color": colour}, {"size": 8 if stands else 5}
        draw.curve(figure, list(range(len(titles))), heights[i], None, said, line=line, marker=marker, **look)
    alt = f"A line for each of {len(lines)} models over {', '.join(titles)}; {len(kept) or len(lines)} are kept."
    return Picture(figure, alt, lambda: side_by_side.options_table(lines))


def _heights(column: pd.Series) -> FloatArray:
    """Return where values stand on an axis from 0 to 1, texts in alphabetical order; NaN where there is none."""
    if not pd.api.types.is_numeric_dtype(column):
        column = column.astype("category").cat.codes.where(column.notna())
    values = column.to_numpy(dtype=float)
    if np.nanmin(values) > 0 and np.nanmax(values) > 20 * np.nanmin(values):
        values = np.log(values)
    return np.asarray((values - np.nanmin(values)) / (np.nanmax(values) - np.nanmin(values)))


def _told(value: Any) -> str:
    return value if isinstance(value, str) else short_number(float(value), 3)


MOST_WORKLOADS = 3_000
"""Of more workloads every so manieth is drawn."""


def failures_by_size(found: Failures, frame: Frame, log: bool) -> Picture:
    """Draw what was observed and predicted, and the error below, by observed value (HALWPE, figure 6)."""
    n = len(found.rows)
    drawn = thinned(n, MOST_WORKLOADS)
    held, edge, n_far = _held(found.ape[drawn])
    upper = {"title_text": unit_label(frame.response), **(draw.log_axis(found.observed) if log else {})}
    lower = {"title_text": "error (%)", "range": [-0.03 * edge, 1.06 * edge]}
    figure = draw.stacked(520, 0.62, "workloads, by what was observed", upper, lower)
    texts = [_workloads_told(found, i) for i in drawn.tolist()]
    rank = drawn + 1
    size = 6 if len(drawn) < 500 else 4
    predicted = found.predicted[drawn]
    draw.dots(figure, rank, predicted, "predicted", texts, marker={"size": size}, opacity=0.75, row=1)
    draw.line(figure, rank, found.observed[drawn], "observed", texts, line={"color": GREY, "width": 2.5}, row=1)
    marker = {"size": size, "symbol": "diamond"}
    draw.dots(figure, rank, held, "error", texts, marker=marker, showlegend=False, row=2)
    for percent in (10, 20):
        figure.add_hline(y=percent, line={"color": GREY, "width": 1, "dash": "dot"}, row=2, col=1)
    notes = [f"{len(drawn):,} of {n:,} workloads are drawn, evenly taken."] if len(drawn) < n else []
    if n_far:
        lies = "error lies" if n_far == 1 else "errors lie"
        notes.append(f"{n_far} {lies} above {edge:.3g} % and {'is' if n_far == 1 else 'are'} drawn on the edge.")
    return Picture(
        figure, _failures_alt(found, frame), lambda: side_by_side.failures_table(found, frame), " ".join(notes)
    )


def _workloads_told(found: Failures, i: int) -> str:
    said = f"observed {found.observed[i]:.4g}, predicted {found.predicted[i]:.4g}, off by {found.ape[i]:.3g} %"
    return f"{whole(found.names[i])}<br>{said}"


def _held(ape: FloatArray) -> tuple[FloatArray, float, int]:
    """Return errors held at an edge, the edge, and how many lie beyond it."""
    known = ape[np.isfinite(ape)]
    if not len(known):
        return ape, 100.0, 0
    edge = max(25.0, min(float(known.max()), 4 * float(np.quantile(known, 0.9))))
    return np.minimum(ape, edge), edge, int((known > edge).sum())


def _failures_alt(found: Failures, frame: Frame) -> str:
    known = found.ape[np.isfinite(found.ape)]
    half = f" Half of the errors are under {np.median(known):.3g} %." if len(known) else ""
    return (
        f"Observed and predicted {frame.response} of {len(found.rows)} workloads, which stand from left to right by "
        f"what was observed, and the error of each below.{half}"
    )


def speed_up_points(value: side_by_side.SpeedUp) -> Picture:
    """Draw the speed-up over the simulator per workload, smallest first, on a logarithmic axis (HALWPE, figure 7)."""
    up = {"title_text": "speed-up over the simulator (times)", **draw.log_axis(value.factor)}
    figure = draw.new_figure(360, "workloads, by speed-up", up, showlegend=False)
    texts = [f"{whole(n)}: {f:,.3g} times" for n, f in zip(value.names, value.factor, strict=True)]
    draw.dots(figure, np.arange(1, len(value.factor) + 1), value.factor, texts=texts, marker={"size": 6})
    without = f"{count(value.n_without, 'more workload')} without such times." if value.n_without else ""
    alt = f"Speed-up over the simulator for {count(len(value.factor), 'workload')}, smallest first. {value.sentence()}"
    return Picture(figure, alt, value.table, without)
