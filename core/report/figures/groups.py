"""Errors per application, machine or any label as a picture."""

import numpy as np
import pandas as pd

from core.report.figures._picture import Picture, draw_dots, log_axis, name, name_rows, new_figure, whole
from core.report.shared.outcome import GroupScore

MOST_GROUPS = 30


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
        draw_dots(
            figure, x, places, title, hover, f"%{{text}}<br>{title} %{{x:.3g}} %", marker={"size": 9, "symbol": symbol}
        )
    wide = len(shown) > 0 and bool(mean.max() > 20 * max(float(np.median(mean)), 1e-9))
    axis = log_axis(np.concatenate([median, mean])) if wide else {"rangemode": "tozero"}
    figure.update_xaxes(title_text="error (%)", **axis)
    labels = [name(g.name, 24) for g in shown]
    name_rows(figure, labels)
    note = f"The {len(shown)} worst of {len(scored)}; the table has all." if len(scored) > len(shown) else ""
    return Picture(figure, _alt(shown, label), lambda: group_table(groups, label), note)


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


def _alt(groups: list[GroupScore], label: str) -> str:
    if not groups:
        return f"No relative error can be given for any {label}."
    worst, best = groups[0], groups[-1]
    return (
        f"Median and mean error per {label}, worst first: {worst.name} with a MAPE of {worst.scores.mape:.3g} %, "
        f"down to {best.name} with {best.scores.mape:.3g} %."
    )
