"""Predictors of surfaces as bars, and what more measurements leave unknown as a curve."""

from core.report.figures._picture import GREY, Picture, draw_bars, draw_curve, name, new_figure, whole
from core.report.scaling.next import NextRuns
from core.report.scaling.race import finishes, race_table
from core.scaling.race import Race


def race_bars(found: Race) -> Picture:
    """Draw each predictor's mean error on held-out kernels, the smallest first; references are grey."""
    rows = finishes(found)
    figure = new_figure(90 + 30 * len(rows), showlegend=False)
    colours = [GREY if r.reference else "#d9822b" if r.runs > 1 else "#3d83cc" for r in rows]
    labels = [name(r.label, 44) + (f" ({r.runs} runs)" if r.runs > 1 else "") for r in rows]
    draw_bars(
        figure,
        [r.error for r in rows],
        list(range(len(rows))),
        texts=[f"{r.error:.3g} %" for r in rows],
        hover="%{hovertext}: %{x:.3g} %",
        across=True,
        marker={"color": colours},
        textposition="auto",
        hovertext=[whole(r.label) for r in rows],
    )
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=labels, autorange="reversed")
    figure.update_xaxes(title_text="mean error on held-out kernels (%)", rangemode="tozero")
    told = ", ".join(f"{r.label} {r.error:.3g} %" for r in rows[:4])
    note = "Blue: from one run; orange: from several; grey: what there is to beat, and what clusters could reach."
    alt = f"Bars of mean errors on held-out kernels, the smallest first: {told}."
    return Picture(figure, alt, lambda: race_table(found), note)


def next_curve(value: NextRuns) -> Picture:
    """Draw how much of the difference between kernels is left after each further measurement."""
    figure = new_figure(300, showlegend=False)
    left = [100.0, *(100 * step.left for step in value.steps)]
    texts = ["the base alone", *(whole(value.texts[step.configuration]) for step in value.steps)]
    draw_curve(figure, list(range(len(left))), left, texts=texts, hover="%{text}<br>%{y:.3g} % left")
    figure.update_xaxes(title_text="measurements besides the base", dtick=1)
    figure.update_yaxes(title_text="left of the variance (%)", rangemode="tozero")
    return Picture(figure, value.sentence(), value.table)
