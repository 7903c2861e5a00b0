"""A model of one target used for another, as curves over the number of runs."""

import numpy as np

from core.race.reuse import METHODS, Reuse
from core.report.compare.reuse import IN_WORDS, reuse_sentence, reuse_table
from core.report.figures._picture import SYMBOLS, Picture, draw_curve, log_axis, new_figure, whole


def reuse_curves(found: Reuse, first: str, second: str) -> Picture:
    """Draw the error on the new target's unseen workloads over the runs of it, a curve per method."""
    figure = new_figure(380)
    for i, method in enumerate(METHODS):
        known = np.isfinite(found.mape[:, i])
        draw_curve(
            figure,
            np.array(found.sizes)[known],
            found.mape[known, i],
            IN_WORDS[method],
            hover=f"{whole(IN_WORDS[method])}, %{{x}} runs: %{{y:.3g}} %",
            marker={"symbol": SYMBOLS[i], "size": 8},
        )
    ticks = {"tickvals": found.sizes, "ticktext": [str(k) for k in found.sizes]}
    figure.update_xaxes(title_text="runs of the new target", type="log", **ticks)
    small = float(np.nanmin(found.mape))
    wide = bool(np.nanmax(found.mape) > 10 * max(small, 1e-9))
    kind = log_axis(found.mape) if wide and small > 0 else {"rangemode": "tozero"}
    figure.update_yaxes(title_text="mean error on unseen workloads (%)", **kind)
    alt = f"Curves of the mean error over the runs of the new target. {reuse_sentence(found, first, second)}"
    return Picture(figure, alt, lambda: reuse_table(found))
