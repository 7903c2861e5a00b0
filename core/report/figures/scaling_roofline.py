"""The roofline: rate over intensity, both logarithmic, under the highest that was reached."""

import numpy as np

from core.report.figures._picture import GREY, Picture, decade_ticks, draw_dots, draw_line, name, new_figure, whole
from core.report.scaling.roofline import Roofline


def roofline_scatter(value: Roofline) -> Picture:
    """Draw all measured kernels, the roofs, and one kernel as measured and as predicted."""
    figure = new_figure(440)
    low, high = float(value.intensity.min()), float(value.intensity.max())
    x = np.unique(np.clip([low / 1.5, value.ridge, high * 1.5], low / 1.5, max(high, value.ridge) * 1.5))
    roof = np.minimum(value.most_rate, x * value.most_traffic)
    draw_line(figure, x, roof, "highest reached by any kernel", hover=None, line={"color": GREY, "dash": "dash"})
    draw_dots(
        figure,
        value.intensity,
        value.rate,
        "measured kernels",
        [whole(n) for n in value.names],
        "%{text}<br>%{x:.3g}, %{y:.3g}",
        marker={"size": 6, "opacity": 0.6},
    )
    kernel, intensity, measured, predicted = value.marked
    for title, rate, symbol in (("measured", measured, "circle-open"), ("predicted", predicted, "x")):
        if np.isfinite(intensity) and np.isfinite(rate):
            hover = f"{whole(kernel)}, {title}<br>%{{x:.3g}}, %{{y:.3g}}"
            marker = {"size": 14, "symbol": symbol, "line": {"width": 2}, "color": "#d9822b"}
            draw_dots(figure, [intensity], [rate], f"{name(kernel, 24)}, {title}", hover=hover, marker=marker)
    rates = np.concatenate([value.rate, roof])
    figure.update_xaxes(
        title_text=name(f"{value.work.name} per {value.traffic.name}", 60),
        type="log",
        **decade_ticks(float(x.min()), float(x.max())),
    )
    figure.update_yaxes(
        title_text=name(f"{value.work.name} per {value.time_unit}", 60),
        type="log",
        **decade_ticks(float(rates.min()), float(rates.max())),
    )
    alt = (
        f"Roofline of {len(value.names)} kernels at {value.configuration}: the roofs meet at {value.ridge:.3g} "
        f"{value.work.name} per {value.traffic.name}; the highest rate is {value.most_rate:.3g} per {value.time_unit}."
    )
    note = (
        "The roofs are the highest rates that any of these kernels reached there; the machine's own may be higher. "
        "Work and traffic are those counted at the base."
    )
    if not np.isfinite(intensity):
        note += f" {kernel} counts none of one of them, and is not drawn."
    return Picture(figure, alt, value.table, note)
