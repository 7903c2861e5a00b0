"""Two models' predictions of the same trials against each other."""

import numpy as np

from core.report.compare.comparison import Against
from core.report.figures._picture import GREY, Picture, draw_line, name, new_figure
from core.report.figures._points import Points, add_points
from core.report.figures._view import edge_note, middle, view


def models_agreement(value: Against) -> Picture:
    """Draw the second model's predictions over the first's; dots lie on the line where the two agree."""
    known = np.flatnonzero(np.isfinite(value.first) & np.isfinite(value.second))
    x, y = value.first[known], value.second[known]
    log = bool(len(known) and min(x.min(), y.min()) > 0 and max(x.max(), y.max()) > 10 * min(x.min(), y.min()))
    limits = view(middle(np.concatenate([x, y])), np.concatenate([x, y]), log)
    figure = new_figure(440)

    def told(i: int) -> str:
        actual = value.actual[known[i]]
        return f"{x[i]:.4g} and {y[i]:.4g}, measured {actual:.4g}"

    names = tuple(value.names[i] for i in known)
    points = Points(limits.hold(x), limits.hold(y), names, known, told)
    sampled = add_points(figure, points, None)
    ends = limits.ends
    line = {"color": GREY, "width": 1.5}
    draw_line(figure, ends, ends, hover=None, line=line, showlegend=False)
    unit = f" ({value.response.unit})" if value.response.unit else ""
    figure.update_xaxes(title_text=name(f"{value.models[0]}{unit}", 60), **limits.axis)
    figure.update_yaxes(title_text=name(f"{value.models[1]}{unit}", 60), **limits.axis)
    first, second = value.models
    alt = f"Predictions of {value.response} by {second} over those by {first}, of {len(known)} trials."
    notes = (sampled, edge_note(limits.outside(x) | limits.outside(y), "trials"))
    return Picture(figure, alt, value.table, " ".join(note for note in notes if note))
