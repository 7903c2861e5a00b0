"""Applications compared by their models: distances as a map, and reactions to one parameter as curves."""

import numpy as np
import plotly.graph_objects as go

from core.report.figures._picture import SYMBOLS, Picture, colour_bar, draw_curve, name, new_figure, unit_label, whole
from core.report.space.diversity import Diversity, Reactions

MOST_CURVES = 12


def diversity_map(value: Diversity) -> Picture:
    """Draw how far apart applications are; alike ones are neighbours."""
    n = len(value.applications)
    labels = [name(a, 24) for a in value.applications]
    full = [whole(a) for a in value.applications]
    figure = new_figure(max(320, min(900, 140 + 24 * n)))
    places = list(range(n))
    bar = colour_bar("apart (%)")
    figure.add_trace(
        go.Heatmap(
            z=100 * value.distance,
            x=places,
            y=places,
            zmin=0,
            xgap=1,
            ygap=1,
            colorbar=bar,
            text=[[f"{a}<br>{b}" for b in full] for a in full],
            hovertemplate="%{text}<br>%{z:.1f} % apart<extra></extra>",
        )
    )
    figure.update_xaxes(tickvals=places, ticktext=labels, tickangle=-60, showgrid=False)
    figure.update_yaxes(tickvals=places, ticktext=labels, autorange="reversed", showgrid=False)
    return Picture(figure, _map_alt(value), value.table)


def reaction_curves(value: Reactions) -> Picture:
    """Draw each application's response over one parameter, against that at its first level."""
    figure = new_figure(400)
    for i, application in enumerate(value.applications[:MOST_CURVES]):
        hover = f"{whole(application)}<br>%{{x:.4g}}: %{{y:.3f}} times"
        marker = {"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 8}
        draw_curve(figure, value.levels, value.values[i], name(application, 28), hover=hover, marker=marker)
    if value.levels[0] > 0 and value.levels[-1] / value.levels[0] >= 8:
        figure.update_xaxes(type="log", tickvals=value.levels, ticktext=[f"{v:g}" for v in value.levels])
    figure.update_xaxes(title_text=unit_label(value.parameter))
    figure.update_yaxes(title_text=f"response against {name(value.parameter.name)} = {value.levels[0]:g}")
    left = len(value.applications) - MOST_CURVES
    note = f"{left} applications that react least are in the table only." if left > 0 else ""
    return Picture(figure, _curves_alt(value), value.table, note)


def _map_alt(value: Diversity) -> str:
    alone = int(np.argmax(value.unlike))
    off = value.distance + np.diag(np.full(len(value.applications), np.inf))
    i, j = (int(k) for k in np.unravel_index(int(np.argmin(off)), off.shape))
    return (
        f"Heat map of how far apart {len(value.applications)} applications react to {value.n_designs:,} designs. "
        f"{value.applications[alone]} is most unlike the others, {100 * value.unlike[alone]:.0f} % apart on average; "
        f"{value.applications[i]} and {value.applications[j]} are most alike, {100 * value.distance[i, j]:.0f} % apart."
    )


def _curves_alt(value: Reactions) -> str:
    spans, levels = value.spans, value.levels
    return (
        f"Curves of the predicted response over {value.parameter.name} from {levels[0]:g} to {levels[-1]:g}, "
        f"the other parameters fixed. {value.applications[0]} reacts most, by a factor of {spans[0]:.2f}; "
        f"{value.applications[-1]} least, by {spans[-1]:.2f}."
    )
