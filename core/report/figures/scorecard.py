"""One score over several validations as bars, so that the optimism of the easy ones shows."""

import plotly.graph_objects as go

from core.report.figures._picture import Picture, name, new_figure, whole
from core.report.scorecard import ScoreCard


def score_bars(value: ScoreCard, field: str = "median_ape") -> Picture:
    """Draw one score per column of a card."""
    row = value.row(field)
    known = [(c, v) for c, v in zip(value.columns, row.values, strict=True) if v is not None]
    figure = new_figure(90 + 36 * max(len(known), 1), showlegend=False)
    figure.add_trace(
        go.Bar(
            x=[v for _, v in known], y=[name(c, 44) for c, _ in known], orientation="h",
            text=[f"{v:.3g}" for _, v in known], textposition="auto", hovertext=[whole(c) for c, _ in known],
            hovertemplate="%{hovertext}: %{x:.4g}<extra></extra>",
        )
    )  # fmt: skip
    unit = f" ({row.unit})" if row.unit else ""
    figure.update_xaxes(title_text=name(f"{row.name.lower()}{unit}", 60), rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    said = "; ".join(f"{c} {v:.3g}{' ' + row.unit if row.unit else ''}" for c, v in known)
    return Picture(figure, f"Bars of the {row.name.lower()}: {said}.", value.table)
