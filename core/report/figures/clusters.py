"""How many clusters the trials ask for: silhouette and inertia over k."""

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from core.report.figures._picture import GREY, Picture, draw_curve, style
from core.report.trials.clusters import ClusterChoice


def cluster_curves(value: ClusterChoice, chosen: int | None = None) -> Picture:
    """Draw the mean silhouette and the inertia over the number of clusters, the chosen one marked."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    style(figure, 420, showlegend=False)
    for row, (title, y) in enumerate((("silhouette", value.silhouette), ("inertia", value.inertia)), start=1):
        draw_curve(figure, list(value.k), y, title, hover="%{x} clusters: %{y:.4g}", row=row)
    if chosen is not None:
        figure.add_vline(x=chosen, line={"dash": "dash", "color": GREY, "width": 1.5})
    figure.update_yaxes(title_text="mean silhouette", row=1, col=1)
    figure.update_yaxes(title_text="inertia (squared sd)", rangemode="tozero", row=2, col=1)
    figure.update_xaxes(title_text="clusters (k)", dtick=1, row=2, col=1)
    return Picture(figure, _alt(value), lambda: _table(value), _note(value))


def _alt(value: ClusterChoice) -> str:
    text = f"Two curves over 1 to {value.k[-1]} clusters: the mean silhouette and the inertia, which only falls"
    if value.best is not None:
        text += f". The silhouette is largest at {value.best} clusters, {np.nanmax(value.silhouette):.2f}"
    return f"{text}."


def _note(value: ClusterChoice) -> str:
    if value.n_sampled == value.n_trials:
        return ""
    return f"The silhouette is that of {value.n_sampled:,} of {value.n_trials:,} trials, chosen at random."


def _table(value: ClusterChoice) -> pd.DataFrame:
    return pd.DataFrame({"clusters": value.k, "mean silhouette": value.silhouette, "inertia": value.inertia})
