"""A race as pictures: all models by error, the folds of one, the metrics that are chosen."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.race import Stability
from core.report.compare.race_detail import stability_table
from core.report.compare.race_table import Line, marked
from core.report.compare.side_by_side import options_table
from core.report.figures import draw
from core.report.figures.draw import Picture, name, whole

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
    figure = draw.new_figure(100 + 26 * max(len(shown), 2))
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
    figure.update_xaxes(title_text="mean error (MAPE, %)", rangemode="tozero")
    draw.name_rows(figure, [name(marked(line, winner), 30) for line in shown])
    random = [line.beside.mape or 0.0 for line in shown if line.beside is not None]
    n_far = int((mape > edge).sum()) + sum(value > edge for value in random)
    counted = f"{n_far} error is" if n_far == 1 else f"{n_far} errors are"
    note = f"{counted} far larger and drawn on the edge; the table has them."
    alt = _race_alt(shown, folds, beside if known else "")
    return Picture(figure, alt, lambda: options_table(lines), note if n_far else "")


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
        f"Mean error of {len(shown)} models ({folds}), best at the top: {best.label} with {best.mape:.3g} %, "
        f"down to {last.label} with {last.mape:.3g} %; grey lines span most folds{diamonds}."
    )


def fold_dots(table: pd.DataFrame, label: str) -> Picture:
    """Draw the error of one model on each fold, as `fold_table` gives them, worst first."""
    order = table.sort_values("MAPE (%)", ascending=False, na_position="last", kind="stable").reset_index(drop=True)
    shown = order.head(40)
    figure = draw.new_figure(90 + 22 * max(len(shown), 2), showlegend=False)
    said = [f"without {whole(n)}" for n in shown["left out"]]
    places = list(range(len(shown)))
    hover = "%{text}: %{x:.3g} %"
    draw.dots(figure, shown["MAPE (%)"].to_numpy(dtype=float), places, texts=said, hover=hover, marker={"size": 9})
    figure.update_xaxes(title_text="mean error of the fold (MAPE, %)", rangemode="tozero")
    draw.name_rows(figure, [name(n, 30) for n in shown["left out"]])
    left = len(order) - len(shown)
    worst = f"worst without {order['left out'][0]}" if len(order) else "there is no fold"
    note = f"The {len(shown)} worst of {len(order)} folds; the table has all." if left else ""
    return Picture(figure, f"Mean error of {label} on each of {len(order)} folds, {worst}.", lambda: table, note)


def stability_bars(found: Sequence[Stability], n_folds: int) -> Picture:
    """Draw how often metrics are chosen over folds; those that tell the same are one bar."""
    shown = list(found[:MOST_METRICS])
    figure = draw.new_figure(90 + 24 * max(len(shown), 2), showlegend=False)
    places = list(range(len(shown)))
    said = [f"{whole(', '.join(s.metrics))}: {100 * s.share:.0f} % of folds" for s in shown]
    draw.bars(figure, [100 * s.share for s in shown], places, texts=said, across=True)
    figure.update_xaxes(title_text=f"chosen in so many of {n_folds} folds (%)", range=[0, 104])
    more = [f" +{len(s.metrics) - 1}" if len(s.metrics) > 1 else "" for s in shown]
    draw.name_rows(figure, [name(s.metrics[0], 26) + m for s, m in zip(shown, more, strict=True)])
    always = sum(s.share == 1 for s in found)
    alt = f"Bars of how often {len(found)} metrics are chosen over {n_folds} folds; {always} of them in every fold."
    note = f"The first {len(shown)} of {len(found)}; the download has all." if len(found) > len(shown) else ""
    return Picture(figure, alt, lambda: stability_table(found), note)
