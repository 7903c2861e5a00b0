"""Pictures of what metrics do to a prediction or an error, and how much they matter: curves, maps, bars, scores."""

from typing import Any

import numpy as np

from core.codec import FloatArray
from core.models.parts.story import Importance
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.model.contributions import OTHERS, Contributions
from core.report.model.effects import Curve, Effects, Surface, curve_table, effect_unit
from core.report.model.miss import Miss
from core.report.model.miss_parts import Split
from core.report.model.miss_words import parts_table, size, steps, verdict
from core.report.model.why import Why, effect, sentence, shortened
from core.report.shared.naming import short_number, short_numbers
from core.report.shared.scorecard import ScoreCard
from core.trial import Metric

_TITLE = 34
"""Letters of a metric's name that fit under a small panel."""
_TICK_ROOM = 0.11
"""Of the length of a small panel's axis, that a tick's text takes."""
TOGETHER, ALONE = PARTS = ("both together", "interaction alone")


def effect_curve(value: Effects, curve: Curve) -> Picture:
    """Draw one curve; all curves of a model have the same axis upwards, so that they can be compared."""
    ends = np.concatenate([c.response for c in value.curves])
    log = value.factor and _decades(ends) > 0.6
    kind = draw.log_axis(ends) if log else {"type": "linear"}
    up = {"title_text": unit_label(value.response, "predicted"), "range": list(draw.padded(ends, log)), **kind}
    figure = draw.new_figure(250, {"title_text": name(curve.metric, _TITLE), **_across(curve)}, up, showlegend=False)
    hover = [_hover(value, curve, i) for i in range(len(curve.x))]
    draw.rule(figure, {"color": GREY, "width": 1, "dash": "dot"}, y=value.centre)
    mode = "lines+markers" if curve.levels else "lines"
    draw.dots(figure, curve.x, curve.response, whole(curve.metric.name), hover, mode=mode)
    return Picture(figure, _curve_alt(value, curve), lambda: curve_table(curve, value.response, value.factor))


def effect_surface(value: Surface, part: str = TOGETHER) -> Picture:
    """Draw the response over two metrics, or what the two do beyond their curves."""
    z, title = value.response, unit_label(value.of, "predicted")
    if part != TOGETHER:
        z, title = value.alone, f"interaction ({whole(effect_unit(value.of, value.factor))})"
    logarithm = value.factor and bool((z[np.isfinite(z)] > 0).all())
    shown = np.log10(z) if logarithm else z
    hover = [[_surface_hover(value, i, j) for i in range(len(value.x))] for j in range(len(value.y))]
    size = float(np.nanmax(np.abs(shown))) or 1.0 if part != TOGETHER else None
    middle = part != TOGETHER or not logarithm  # where a logarithm is 0 depends on the unit alone
    look: dict[str, Any] = {"zmin": None if size is None else -size, "zmax": size, "autocolorscale": middle}
    look["colorbar"] = draw.colour_bar(title, **_colour_ticks(shown, logarithm))
    x, y = (short_numbers(places) for places in (value.x, value.y))
    axes = (draw.category(unit_label(metric)) for metric in value.metrics)
    figure = draw.new_figure(max(300, 110 + 26 * len(value.y)), *axes)
    figure.add_trace(draw.heat(shown, x, y, hover, **look))
    return Picture(figure, _surface_alt(value, part), value.table)


def _across(curve: Curve) -> dict[str, object]:
    """Return type and ticks of the axis across: the levels themselves where they are few."""
    axis: dict[str, object] = draw.log_axis(curve.x) if curve.log else {"type": "linear"}
    if curve.levels and len(curve.x) <= 9:
        shown = _apart(np.log10(curve.x) if curve.log else curve.x)
        return axis | {"tickvals": curve.x[shown].tolist(), "ticktext": short_numbers(curve.x[shown])}
    return axis


def _apart(places: FloatArray) -> list[int]:
    """Return those of ascending places whose ticks have room for their texts, both ends among them."""
    room = _TICK_ROOM * (places[-1] - places[0])
    shown: list[int] = []
    for i, place in enumerate(places):
        far = not shown or place - places[shown[-1]] >= room
        if i == len(places) - 1 or (far and places[-1] - place >= room):
            shown.append(i)
    return shown


def _decades(ends: FloatArray) -> float:
    known = ends[np.isfinite(ends) & (ends > 0)]
    return float(np.log10(known.max() / known.min())) if len(known) else 0.0


def _colour_ticks(shown: FloatArray, logarithm: bool) -> dict[str, object]:
    """Return ticks of a colour bar in the unit itself where colours go by its logarithm."""
    known = shown[np.isfinite(shown)]
    if not logarithm or not len(known):
        return {}
    places = np.linspace(known.min(), known.max(), 5)
    return {"tickvals": places.tolist(), "ticktext": [short_number(10.0**v, 3) for v in places]}


def _hover(value: Effects, curve: Curve, i: int) -> str:
    head = f"{_told(curve.metric, curve.x[i])}<br>predicted {curve.response[i]:.4g} {whole(value.response.unit)}"
    change = f"× {curve.effect[i]:.3g}" if value.factor else f"{curve.effect[i]:+.3g}"
    return f"{head.rstrip()}<br>{change} against the average"


def _surface_hover(value: Surface, i: int, j: int) -> str:
    places = (f"{_told(m, v)}" for m, v in zip(value.metrics, (value.x[i], value.y[j]), strict=True))
    alone = f"× {value.alone[j, i]:.3g}" if value.factor else f"{value.alone[j, i]:+.3g}"
    said = f"predicted {value.response[j, i]:.4g} {whole(value.of.unit)}".rstrip()
    return "<br>".join([*places, said, f"beyond the two curves {alone}"])


def _told(metric: Metric, x: float) -> str:
    return f"{name(metric.name, 40)} {x:.4g} {whole(metric.unit)}".rstrip()


def _curve_alt(value: Effects, curve: Curve) -> str:
    known = np.flatnonzero(np.isfinite(curve.response))
    if not len(known):
        return f"No prediction of {value.response.name} over {curve.metric.name}."
    low, high = (int(known[f(curve.response[known])]) for f in (np.argmin, np.argmax))
    return (
        f"Curve of the predicted {value.response} over {curve.metric}, the other metrics {value.others}: "
        f"from {curve.response[low]:.4g} at {curve.x[low]:.4g} to {curve.response[high]:.4g} at {curve.x[high]:.4g}."
    )


def _surface_alt(value: Surface, part: str) -> str:
    a, b = (m.name for m in value.metrics)
    if part == TOGETHER:
        low, high = np.nanmin(value.response), np.nanmax(value.response)
        return f"Map of the predicted {value.of} over {a} and {b}: from {low:.4g} to {high:.4g}."
    low, high = np.nanmin(value.alone), np.nanmax(value.alone)
    unit = effect_unit(value.of, value.factor)
    return f"Map of what {a} and {b} do together beyond their own curves ({unit}): from {low:.3g} to {high:.3g}."


MOST_METRICS = 10


def waterfall(found: Why, most: int = MOST_METRICS) -> Picture:
    """Draw a bar per metric from where the ones above it end; on a logarithmic axis where they are factors."""
    names, values = shortened(found, most)
    levels = np.concatenate([[found.base], found.base + np.cumsum(values)])
    at = np.exp(levels) if found.log else levels
    labels = ["average", *(name(n, 40) for n in names), "this prediction"]
    across = {"title_text": unit_label(found.response, "predicted"), **(draw.log_axis(at) if found.log else {})}
    figure = draw.rows(labels, 110, 26, across, showlegend=False)
    for up, called in ((True, "more"), (False, "less")):
        own = [i for i, v in enumerate(values) if (v >= 0) == up]
        texts = [f"{whole(names[i])}: {effect(found, float(values[i]))}" for i in own]
        base, moves = [at[i] for i in own], [at[i + 1] - at[i] for i in own]
        draw.bars(figure, moves, [i + 1 for i in own], called, texts, across=True, base=base)
    ends = [(0, at[0], "average"), (len(names) + 1, found.unscaled(found.prediction), "this prediction")]
    texts = [f"{called}: {value:.4g}" for _, value, called in ends]
    draw.dots(figure, [v for _, v, _ in ends], [i for i, _, _ in ends], "ends", texts, marker={"size": 11})
    note = f"The average is of {found.background}. {found.method}"
    return Picture(figure, f"Waterfall. {sentence(found)}", found.table, note)


MOST_PARTS = 6


def miss_bars(found: Miss, parts: Split) -> Picture:
    """Draw what each part adds to a group's error, in percent of it; what takes error away goes to the left."""
    told = steps(found, parts, MOST_PARTS)
    shares = 100 * np.array([share for share, _, _ in told])
    labels = [name(said, 40) for _, said, _ in told]
    figure = draw.rows(labels, 110, 26, "share of the error (%)", showlegend=False)
    for adds, called in ((True, "adds"), (False, "takes away")):
        rows = [i for i, share in enumerate(shares) if (share >= 0) == adds]
        texts = [f"{whole(told[i][1])}<br>{told[i][2]}" for i in rows]
        draw.bars(figure, shares[rows].tolist(), rows, called, texts, "%{text}<br>%{x:.3g} % of the error", across=True)
    ways = "exact" if parts.exact else "sampled by permutations"
    note = f"Over {parts.n} trials, off by {size(found, parts.error)} on average; contributions are {ways}."
    return Picture(figure, f"Bars that add up to the error. {verdict(found)}", lambda: parts_table(found, parts), note)


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
