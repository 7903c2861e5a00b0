"""Correlations as a heat map in blocks, and as bars against the response."""

from typing import Any

import numpy as np
import pandas as pd

from core.report.correlation import Correlation
from core.report.figures._heat import signed_map
from core.report.figures._picture import Picture, draw_bars, name, new_figure, whole


def correlation_map(value: Correlation) -> Picture:
    """Draw the correlations of the metrics with each other; alike metrics are neighbours."""
    n = len(value.names)
    labels = [name(label, 24) for label in value.labels]
    full = [whole(label) for label in value.labels]
    places = list(range(n))
    figure = new_figure(max(320, min(1000, 60 + 15 * n)))
    hover = [[f"{a}<br>{b}" for b in full] for a in full]
    figure.add_trace(signed_map(value.matrix, places, places, hover, "correlation"))
    axis: dict[str, Any] = {"tickvals": places, "ticktext": labels, "showgrid": False}
    axis |= {"tickfont": {"size": 12 if n <= 16 else 10 if n <= 40 else 8}}
    figure.update_xaxes(tickangle=-60 if n <= 16 else -90, **axis)
    figure.update_yaxes(autorange="reversed", **axis)
    return Picture(figure, _map_alt(value), lambda: _map_table(value), _map_note(value))


def response_bars(value: Correlation, most: int = 15) -> Picture:
    """Draw how strongly the metrics go with the response, strongest first."""
    order = np.argsort(-np.abs(value.with_response), kind="stable")[:most]
    figure = new_figure(80 + 24 * max(len(order), 2), showlegend=False)
    texts = [whole(value.labels[j]) for j in order]
    hover = "%{text}: %{x:.2f}"
    draw_bars(figure, value.with_response[order], list(range(len(order))), texts=texts, hover=hover, across=True)
    labels = [name(value.labels[j], 28) for j in order]
    figure.update_yaxes(tickvals=list(range(len(order))), ticktext=labels, autorange="reversed")
    figure.update_xaxes(title_text=f"correlation with {name(value.response)}", range=[-1.02, 1.02], zeroline=True)
    note = f"The strongest {len(order)} of {len(value.names)}." if len(value.names) > len(order) else ""
    return Picture(figure, _bars_alt(value, order), lambda: _bars_table(value), note)


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


def _bars_alt(value: Correlation, order: np.ndarray) -> str:
    first = ", ".join(f"{value.names[j]} {value.with_response[j]:.2f}" for j in order[:3])
    return f"Bars of each metric's correlation with {value.response}, strongest first: {first}."


def _bars_table(value: Correlation) -> pd.DataFrame:
    order = np.argsort(-np.abs(value.with_response), kind="stable")
    return pd.DataFrame(
        {"metric": [value.names[j] for j in order], f"correlation with {value.response}": value.with_response[order]}
    )
