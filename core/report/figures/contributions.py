"""Contributions to R² as stacked bars, an application each."""

import numpy as np

from core.report.figures._picture import GREY, Picture, draw_bars, name, new_figure, whole
from core.report.model.contributions import OTHERS, Contributions

MOST_FACTORS = 9


def contribution_bars(value: Contributions, most: int = MOST_FACTORS) -> Picture:
    """Draw how much each factor adds to R², application by application; rare factors are summed up."""
    few = value.fewer(most)
    figure = new_figure(110 + 30 * len(few.applications), barmode="stack")
    for j, factor in enumerate(few.factors):
        draw_bars(
            figure,
            few.gains[:, j],
            [name(a) for a in few.applications],
            name(factor, 24),
            [whole(a) for a in few.applications],
            f"%{{text}}<br>{whole(factor)} adds %{{x:.4f}}",
            across=True,
            marker={"color": GREY if factor == OTHERS else None},
        )
    figure.update_xaxes(title_text="R² of the training trials", range=[0, 1])
    figure.update_yaxes(autorange="reversed")
    left = len(value.factors) - most
    note = f"{left} factors that add least are summed up as “{OTHERS}”." if left > 0 else ""
    return Picture(figure, _alt(value), value.table, note)


def _alt(value: Contributions) -> str:
    leading = [f"{factor} ({gain:.3f})" for factor, gain in zip(value.factors, value.average, strict=True)][:3]
    low = int(np.argmin(value.r2))
    return (
        f"Stacked bars of what {len(value.factors)} factors add to R² in {len(value.applications)} applications. On "
        f"average {', '.join(leading)} add most. R² is lowest for {value.applications[low]}, {value.r2[low]:.3f}."
    )
