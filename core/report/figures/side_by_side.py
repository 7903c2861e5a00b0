"""Models of a race side by side as pictures: errors by workload, differences with their noise, options and scores."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.report.compare.race_table import Line, marked
from core.report.compare.side_by_side import OPTIONS_AND_SCORES, SideBySide, options_table
from core.report.figures import draw
from core.report.figures.draw import ACCENT, GREY, Picture, name, whole
from core.report.shared.grouping import PALETTE
from core.report.shared.naming import short_number

_NAMED, _FAR = 30, 2.0
"""Workloads that are named at most; times the median end of an interval beyond which all is drawn on the edge."""
_ACROSS = "each option and score from its smallest to its largest"


def error_map(value: SideBySide, winner: str = "") -> Picture:
    """Draw each model's error on each workload as a colour, on a logarithmic scale."""
    low, high = (1.0, 100.0) if value.unit == "%" else np.nanquantile(value.errors, (0.05, 1.0)).clip(1e-300)
    n, places = len(value.lines), list(range(len(value.workloads)))
    labels, names = [whole(line.label) for line in value.lines], [whole(w) for w in value.workloads]
    texts = [
        [f"{label}<br>{w}: off by {e:.3g} {value.unit}" for w, e in zip(names, row, strict=True)]
        for label, row in zip(labels, value.errors, strict=True)
    ]
    ticks, said = draw.log_ticks(np.log10(low), np.log10(high))
    look = {"zmin": np.log10(low), "zmax": np.log10(high)}
    look["colorbar"] = draw.colour_bar(f"error ({value.unit})", tickvals=ticks, ticktext=said)
    figure = draw.new_figure(110 + 26 * max(n, 2))
    figure.add_trace(draw.heat(np.log10(np.clip(value.errors, low, high)), places, range(n), texts, **look))
    named = places if len(places) <= _NAMED else []
    figure.update_traces(xgap=int(bool(named)))
    figure.update_xaxes(title_text=f"{len(places):,} workloads, hardest first", tickvals=named, **draw.BARE)
    figure.update_xaxes(ticktext=[name(value.workloads[i], 20) for i in named])
    draw.name_rows(figure, [name(marked(line, winner), 24) for line in value.lines])
    return Picture(figure, f"Map of the error of {n} models by workload. {value.standing_out()}", value.table)


def difference_dots(value: SideBySide) -> Picture:
    """Draw how far each model's error is above the first one's, with its 95 % interval over the folds."""
    found = value.differences()
    middle, low, high = (found[c].to_numpy(dtype=float) for c in ("difference", "low", "high"))
    reach = np.maximum(np.abs(low), np.abs(high))
    edge = _FAR * float(np.median(np.where(np.isfinite(reach), reach, np.abs(middle)))) if len(middle) else 1.0
    places = list(range(len(found)))
    figure = draw.new_figure(110 + 26 * max(len(found), 2), showlegend=False)
    draw.spans(figure, np.clip(low, -edge, edge), np.clip(high, -edge, edge))
    clear = (low > 0) | (high < 0)
    said = [
        f"{whole(row.model)}: {row.difference:+.3g} ({row.low:.3g} to {row.high:.3g})" for row in found.itertuples()
    ]
    look = {"size": 10, "symbol": ["circle" if one else "circle-open" for one in clear], "color": PALETTE[0]}
    draw.dots(figure, np.clip(middle, -edge, edge), places, texts=said, marker=look)
    figure.add_vline(x=0, line={"color": ACCENT, "width": 2})
    first = value.lines[0].label
    unit = "percentage points" if value.unit == "%" else value.unit
    figure.update_xaxes(title_text=f"{unit} above {name(first, 20)}")
    draw.name_rows(figure, [name(m, 24) for m in found["model"]])
    alt = (
        f"How far the errors of {len(found)} models are above that of {first}, with 95 % intervals; "
        f"{int(clear.sum())} of the differences are more than noise."
    )
    n_far = int((np.abs(middle) > edge).sum())
    return Picture(figure, alt, value.differences, f"{n_far} far larger, drawn on the edge." if n_far else "")


def parallel_lines(lines: Sequence[Line], kept: Collection[int] = (), winner: str = "") -> Picture:
    """Draw a line per model over axes of its options and scores; the dots of an axis can be chosen.

    Parameters
    ----------
    kept : numbers of the models that stand out; all if empty
    """
    table = options_table(lines)
    titles = [t for t in OPTIONS_AND_SCORES if table[t].nunique() > 1]
    heights = np.array([_heights(table[t]) for t in titles]).T if titles else np.empty((len(lines), 0))
    figure = draw.new_figure(340, showlegend=False, dragmode="select")
    for i in sorted(range(len(lines)), key=lambda i: i in kept):
        stands = not kept or i in kept
        colour = ACCENT if lines[i].entry == winner else PALETTE[0] if stands else GREY
        said = [f"{whole(lines[i].label)}<br>{t}: {_told(table[t][i])}" for t in titles]
        look = {
            "customdata": [i] * len(titles),
            "opacity": 1.0 if stands else 0.4,
            "marker": {"size": 8 if stands else 5},
        }
        line = {"width": 1.5 if stands else 0.7, "color": colour}
        draw.curve(figure, list(range(len(titles))), heights[i], None, said, line=line, **look)
    for j, column in enumerate(table[t].dropna() for t in titles):
        for y, end in enumerate((column.min(), column.max())):
            figure.add_annotation(x=j, y=y, text=name(_told(end), 14), showarrow=False, yshift=28 * y - 14)
    axis = {"tickvals": list(range(len(titles))), "ticktext": [t.replace(" ", "<br>", 1) for t in titles]}
    figure.update_xaxes(**axis, showgrid=True, range=[-0.4, len(titles) - 0.6], title_text=_ACROSS)
    figure.update_yaxes(showticklabels=False, range=[-0.1, 1.1], **draw.BARE)
    alt = f"A line for each of {len(lines)} models over {', '.join(titles)}; {len(kept) or len(lines)} are kept."
    return Picture(figure, alt, lambda: options_table(lines))


def _heights(column: pd.Series) -> FloatArray:
    """Return where values stand on an axis from 0 to 1, texts in alphabetical order; NaN where there is none."""
    if not pd.api.types.is_numeric_dtype(column):
        column = column.astype("category").cat.codes.where(column.notna())
    values = column.to_numpy(dtype=float)
    if np.nanmin(values) > 0 and np.nanmax(values) > 20 * np.nanmin(values):
        values = np.log(values)
    found: FloatArray = (values - np.nanmin(values)) / (np.nanmax(values) - np.nanmin(values))
    return found


def _told(value: Any) -> str:
    return value if isinstance(value, str) else short_number(float(value), 3)
