"""A search for the best design as a picture: the best so far, and how unsure that was, over the runs."""

import numpy as np
from plotly.subplots import make_subplots

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label
from core.report.space.history import History, history_sentence, history_table


def history_curves(value: History) -> Picture:
    """Draw the best so far with what was expected of the recommended design; below, what ten runs were to gain."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.62, 0.38])
    draw.style(figure, 440)
    runs = [len(part.frame) for part in value.parts]
    texts = [f"round {k}: {name(part.title, 40)}" for k, part in enumerate(value.parts, 1)]
    response = value.frame.response
    expected, low, high = (np.array([getattr(one, end) for one in value.rounds]) for end in ("expected", "low", "high"))
    spans = {"type": "data", "array": high - expected, "arrayminus": expected - low, "color": GREY, "thickness": 1.5}
    if np.isfinite(expected).any():
        draw.dots(
            figure,
            runs,
            expected,
            "recommended, 90 %",
            texts,
            "%{text}<br>recommended: %{y:.5g}",
            marker={"color": GREY, "symbol": "diamond-open", "size": 9},
            error_y=spans,
            row=1,
        )
    best = [one.best for one in value.rounds]
    draw.curve(figure, runs, best, "best so far", texts, "%{text}<br>%{x:,} runs: best %{y:.5g}", row=1)
    share = np.array([100 * one.share for one in value.rounds])
    draw.curve(
        figure,
        runs,
        share,
        "expected gain",
        texts,
        "%{text}<br>ten runs: %{y:.3g} %",
        row=2,
        showlegend=False,
        line={"color": GREY, "dash": "dot"},
    )
    figure.update_yaxes(title_text=unit_label(response, "best"), row=1, col=1)
    figure.update_yaxes(title_text="ten runs gain (%)", rangemode="tozero", row=2, col=1)
    figure.update_xaxes(title_text="runs so far", row=2, col=1)
    alt = f"Curves of the best {response.name} so far and of what ten further runs were to gain, over the runs. "
    return Picture(figure, alt + history_sentence(value), lambda: history_table(value))
