"""The distribution of a metric as a histogram."""

import numpy as np
import pandas as pd

from core.report.figures._picture import Picture, draw_bars, log_axis, new_figure, unit_label
from core.report.trials.distribution import Distribution


def histogram(value: Distribution, height: int = 300) -> Picture:
    """Draw how many trials are in each bin."""
    figure = new_figure(height, bargap=0.04, showlegend=False)
    ends = [f"{a:.4g} to {b:.4g}" for a, b in zip(value.edges[:-1], value.edges[1:], strict=True)]
    middle = value.edges[:-1] + np.diff(value.edges) / 2
    draw_bars(figure, middle, value.counts, texts=ends, hover="%{text}: %{y} trials", width=np.diff(value.edges))
    if value.log:
        figure.update_xaxes(**log_axis(value.edges))
    figure.update_xaxes(title_text=unit_label(value.metric))
    figure.update_yaxes(title_text="trials")
    return Picture(figure, _alt(value), lambda: _table(value))


def _alt(value: Distribution) -> str:
    if not value.n:
        return f"Histogram of {value.metric}: no trial has a value."
    missing = f"; {value.n_missing} trials have no value" if value.n_missing else ""
    axis = " on a logarithmic axis" if value.log else ""
    return (
        f"Histogram of {value.metric} over {value.n} trials{axis}: from {value.low:.4g} to {value.high:.4g}, "
        f"median {value.median:.4g}{missing}."
    )


def _table(value: Distribution) -> pd.DataFrame:
    return pd.DataFrame({"from": value.edges[:-1], "to": value.edges[1:], "trials": value.counts})
