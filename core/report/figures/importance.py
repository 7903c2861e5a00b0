"""What matters to models, and how good they are, as bars: shares, contributions to R², scores."""

from typing import Any

import numpy as np

from core.models.parts.story import Importance
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.model.contributions import OTHERS, Contributions
from core.report.shared.scorecard import ScoreCard

MOST = 30


def importance_bars(value: Importance) -> Picture:
    """Draw what matters most at the top; length scales as points on a logarithmic axis."""
    called, values = draw.names(value.names[:MOST], 28), value.values[:MOST]
    log = {**draw.log_axis(values), "range": list(draw.padded(values, log=True, share=0.08))}
    across = draw.from_zero(f"{value.title} ({value.unit})", log if value.smaller_matters else None)
    figure = draw.rows(called, 90, 26, across, showlegend=False)
    shown, texts, hover = len(called), [whole(n) for n in value.names[:MOST]], f"%{{text}}: %{{x:.3g}} {value.unit}"
    if value.smaller_matters:
        draw.dots(figure, values.tolist(), list(range(shown)), "length", texts, hover, marker={"size": 11})
    else:
        draw.bars(figure, values, list(range(shown)), texts=texts, hover=hover, across=True)
    return Picture(figure, _alt(value), value.table, _note(value, shown))


def _note(value: Importance, shown: int) -> str:
    if len(value.names) - shown:
        return f"The first {shown} of {len(value.names)}; the download has all."
    return f"{value.n_hidden} more are under 0.1 %." if value.n_hidden else ""


def _alt(value: Importance) -> str:
    first = ", ".join(f"{n} {v:.3g} {value.unit}" for n, v in zip(value.names[:4], value.values, strict=False))
    kind = "Points" if value.smaller_matters else "Bars"
    return f"{kind} of the {value.title} of {len(value.names)} metrics or pairs, what matters most first: {first}."


MOST_FACTORS = 9


def contribution_bars(value: Contributions, most: int = MOST_FACTORS) -> Picture:
    """Draw how much each factor adds, application by application; rare factors are summed up."""
    few = value.fewer(most)
    across = {"title_text": value.of, "range": [0, 1]}
    figure = draw.new_figure(190 + 30 * len(few.applications), across, draw.DOWN, barmode="stack")
    figure.update_layout(legend_traceorder="normal")
    labels, texts = draw.names(few.applications), [whole(a) for a in few.applications]
    titles = draw.names(few.factors, 18)
    for j, factor in enumerate(few.factors):
        hover, marker = f"%{{text}}<br>{whole(factor)} adds %{{x:.4f}}", {"color": GREY if factor == OTHERS else None}
        draw.bars(figure, few.gains[:, j], labels, titles[j], texts, hover, across=True, marker=marker)
    left = len(value.factors) - most
    note = f"{left} factors that add least are summed up as “{OTHERS}”." if left > 0 else ""
    return Picture(figure, _contributions_alt(value), value.table, note)


def _contributions_alt(value: Contributions) -> str:
    leading = [f"{factor} ({gain:.3f})" for factor, gain in zip(value.factors, value.average, strict=True)][:3]
    low = int(np.argmin(value.r2))
    return (
        f"Stacked bars of what {len(value.factors)} factors add to {value.of} in {len(value.applications)} "
        f"applications. On average {', '.join(leading)} add most; all together are lowest for "
        f"{value.applications[low]}, {value.r2[low]:.3f}."
    )


def score_bars(value: ScoreCard, field: str = "median_ape") -> Picture:
    """Draw one score per column of a card."""
    row = value.row(field)
    known = [(c, v) for c, v in zip(value.columns, row.values, strict=True) if v is not None]
    unit = f" ({row.unit})" if row.unit else ""
    across = draw.from_zero(name(f"{row.name.lower()}{unit}", 60))
    figure = draw.new_figure(90 + 36 * max(len(known), 1), across, draw.DOWN, showlegend=False)
    values, labels = [v for _, v in known], draw.names((c for c, _ in known), 44)
    look: dict[str, Any] = {"across": True, "textposition": "auto", "hovertext": [whole(c) for c, _ in known]}
    draw.bars(figure, values, labels, None, [f"{v:.3g}" for v in values], "%{hovertext}: %{x:.4g}", **look)
    said = "; ".join(f"{c} {v:.3g}{' ' + row.unit if row.unit else ''}" for c, v in known)
    return Picture(figure, f"Bars of the {row.name.lower()}: {said}.", value.table)
