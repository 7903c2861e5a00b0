"""Time and power of a kernel over all configurations, with the front that no other beats."""

import plotly.graph_objects as go

from core.report.figures._picture import GREY, Picture, log_axis, new_figure, whole
from core.report.scaling_front import Front
from core.scaling.outcome import EDP, ENERGY


def time_power_front(value: Front) -> Picture:
    """Draw power over time: all configurations, the front, the target, the least energy and energy-delay."""
    figure = new_figure(420)
    o, texts = value.outcome, [whole(t) for t in value.texts]
    hover = "%{text}<br>%{x:.4g} s, %{y:.4g} W<extra></extra>"
    figure.add_trace(
        go.Scatter(
            x=o.time_s, y=o.power_w, mode="markers", name="all configurations", text=texts, hovertemplate=hover,
            marker={"size": 5, "color": GREY, "opacity": 0.45},
        )
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=o.time_s[o.front], y=o.power_w[o.front], mode="lines+markers", name="front", line={"shape": "hv"},
            text=[texts[i] for i in o.front], hovertemplate=hover, marker={"size": 7},
        )
    )  # fmt: skip
    marks = (("least energy", o.best(ENERGY), "diamond"), ("least energy-delay", o.best(EDP), "star"),
             ("target", value.target, "circle-open"))  # fmt: skip
    for title, place, symbol in marks:
        figure.add_trace(
            go.Scatter(
                x=[o.time_s[place]], y=[o.power_w[place]], mode="markers", name=title, text=[texts[place]],
                hovertemplate=hover, marker={"size": 13, "symbol": symbol, "line": {"width": 2}},
            )
        )  # fmt: skip
    wide = float(o.time_s.max() / o.time_s.min()) > 20
    figure.update_xaxes(title_text="predicted time (s)", **(log_axis(o.time_s) if wide else {}))
    figure.update_yaxes(title_text="predicted power (W)")
    return Picture(figure, f"Power over time of all configurations. {value.sentence()}", value.table)
