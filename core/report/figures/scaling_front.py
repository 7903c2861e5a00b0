"""Time and power of a kernel over all configurations, with the front that no other beats."""

from core.report.figures._picture import GREY, Picture, draw_curve, draw_dots, log_axis, new_figure, whole
from core.report.scaling.front import Front
from core.scaling.outcome import EDP, ENERGY


def time_power_front(value: Front) -> Picture:
    """Draw power over time: all configurations, the front, the target, the least energy and energy-delay."""
    figure = new_figure(420)
    o, texts = value.outcome, [whole(t) for t in value.texts]
    hover = "%{text}<br>%{x:.4g} s, %{y:.4g} W"
    marker = {"size": 5, "color": GREY, "opacity": 0.45}
    draw_dots(figure, o.time_s, o.power_w, "all configurations", texts, hover, marker=marker)
    draw_curve(
        figure,
        o.time_s[o.front],
        o.power_w[o.front],
        "front",
        [texts[i] for i in o.front],
        hover,
        line={"shape": "hv"},
        marker={"size": 7},
    )
    marks = (
        ("least energy", o.best(ENERGY), "diamond"),
        ("least energy-delay", o.best(EDP), "star"),
        ("target", value.target, "circle-open"),
    )
    for title, place, symbol in marks:
        marker = {"size": 13, "symbol": symbol, "line": {"width": 2}}
        draw_dots(figure, [o.time_s[place]], [o.power_w[place]], title, [texts[place]], hover, marker=marker)
    wide = float(o.time_s.max() / o.time_s.min()) > 20
    figure.update_xaxes(title_text="predicted time (s)", **(log_axis(o.time_s) if wide else {}))
    figure.update_yaxes(title_text="predicted power (W)")
    return Picture(figure, f"Power over time of all configurations. {value.sentence()}", value.table)
