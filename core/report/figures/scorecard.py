"""One score over several validations as bars, so that the optimism of the easy ones shows."""

from core.report.figures._picture import Picture, draw_bars, name, new_figure, whole
from core.report.shared.scorecard import ScoreCard


def score_bars(value: ScoreCard, field: str = "median_ape") -> Picture:
    """Draw one score per column of a card."""
    row = value.row(field)
    known = [(c, v) for c, v in zip(value.columns, row.values, strict=True) if v is not None]
    figure = new_figure(90 + 36 * max(len(known), 1), showlegend=False)
    draw_bars(
        figure,
        [v for _, v in known],
        [name(c, 44) for c, _ in known],
        texts=[f"{v:.3g}" for _, v in known],
        hover="%{hovertext}: %{x:.4g}",
        across=True,
        textposition="auto",
        hovertext=[whole(c) for c, _ in known],
    )
    unit = f" ({row.unit})" if row.unit else ""
    figure.update_xaxes(title_text=name(f"{row.name.lower()}{unit}", 60), rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    said = "; ".join(f"{c} {v:.3g}{' ' + row.unit if row.unit else ''}" for c, v in known)
    return Picture(figure, f"Bars of the {row.name.lower()}: {said}.", value.table)
