"""Workloads one by one: observed beside predicted, and how much sooner an answer is there."""

import numpy as np
from plotly.subplots import make_subplots

from core.codec import FloatArray
from core.race import Failures
from core.report.compare.race_detail import SpeedUp, failures_table
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, unit_label, whole
from core.trial import Frame

MOST = 3_000
"""Of more workloads every so manieth is drawn."""


def failures_by_size(found: Failures, frame: Frame, log: bool) -> Picture:
    """Draw what was observed and predicted, and the error below, by observed value (HALWPE, figure 6)."""
    n = len(found.rows)
    drawn = np.unique(np.linspace(0, n - 1, min(n, MOST)).astype(np.int64)) if n else np.empty(0, dtype=np.int64)
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.62, 0.38], vertical_spacing=0.06)
    draw.style(figure, 520)
    texts = [_told(found, i) for i in drawn.tolist()]
    rank = drawn + 1
    size = 6 if len(drawn) < 500 else 4
    predicted = found.predicted[drawn]
    draw.dots(figure, rank, predicted, "predicted", texts, marker={"size": size}, opacity=0.75, row=1)
    draw.line(figure, rank, found.observed[drawn], "observed", texts, line={"color": GREY, "width": 2.5}, row=1)
    held, edge, n_far = _held(found.ape[drawn])
    marker = {"size": size, "symbol": "diamond"}
    draw.dots(figure, rank, held, "error", texts, marker=marker, showlegend=False, row=2)
    for percent in (10, 20):
        figure.add_hline(y=percent, line={"color": GREY, "width": 1, "dash": "dot"}, row=2, col=1)
    kind = draw.log_axis(found.observed) if log else {}
    figure.update_yaxes(title_text=unit_label(frame.response), row=1, col=1, **kind)
    figure.update_yaxes(title_text="error (%)", range=[-0.03 * edge, 1.06 * edge], row=2, col=1)
    figure.update_xaxes(title_text="workloads, by what was observed", row=2, col=1)
    notes = [f"{len(drawn):,} of {n:,} workloads are drawn, evenly taken."] if len(drawn) < n else []
    if n_far:
        lies = "error lies" if n_far == 1 else "errors lie"
        notes.append(f"{n_far} {lies} above {edge:.3g} % and {'is' if n_far == 1 else 'are'} drawn on the edge.")
    return Picture(figure, _failures_alt(found, frame), lambda: failures_table(found, frame), " ".join(notes))


def _told(found: Failures, i: int) -> str:
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


def speed_up_points(value: SpeedUp) -> Picture:
    """Draw the speed-up over the simulator per workload, smallest first, on a logarithmic axis (HALWPE, figure 7)."""
    figure = draw.new_figure(360, showlegend=False)
    texts = [f"{whole(n)}: {f:,.3g} times" for n, f in zip(value.names, value.factor, strict=True)]
    draw.dots(figure, np.arange(1, len(value.factor) + 1), value.factor, texts=texts, marker={"size": 6})
    figure.update_yaxes(title_text="speed-up over the simulator (times)", **draw.log_axis(value.factor))
    figure.update_xaxes(title_text="workloads, by speed-up")
    without = f"{value.n_without} more workloads have no such times." if value.n_without else ""
    alt = f"Speed-up over the simulator for {len(value.factor)} workloads, smallest first. {value.sentence()}"
    return Picture(figure, alt, value.table, without)
