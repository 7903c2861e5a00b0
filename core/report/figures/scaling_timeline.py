"""An application's segments over time, its critical path in front; and its time and energy everywhere."""

import numpy as np

from core.report.figures._picture import GREY, Picture, draw_dots, name, new_figure, whole
from core.report.figures._sketch import LIGHT, Ground, Sketch, box, drawing, label, line
from core.report.scaling.application import Everywhere, Timeline
from core.report.shared.quantity import short_number

MOST_DRAWN = 60
ENERGY_UNKNOWN = "Energy is not known: a segment has no power, and its model predicts none."
CRITICAL, OTHER = "#d9822b", "#3d83cc"
_WIDTH, _LEFT, _RIGHT, _ROW = 520.0, 140.0, 58.0, 22.0


def timeline_sketch(value: Timeline, ground: Ground = LIGHT) -> Sketch:
    """Draw a bar per segment; those on the critical path are orange, thin lines say what waits for what."""
    n = min(len(value.names), MOST_DRAWN)
    scale = (_WIDTH - _LEFT - _RIGHT) / (value.total_s or 1.0)
    starts, ends = _LEFT + value.start_s * scale, _LEFT + (value.start_s + value.time_s) * scale
    edges, parts = list[str](), list[str]()
    for i in range(n):
        y = 6 + i * _ROW
        for j in (j for j in value.after[i] if j < n):
            both = value.critical[i] and value.critical[j]
            before = 6 + j * _ROW + _ROW / 2
            across, heights = [ends[j], starts[i], starts[i]], [before, before, y + _ROW / 2]
            edges.append(line(across, heights, CRITICAL if both else GREY, 1.0, ' opacity="0.7"'))
    for i in range(n):
        y, colour = 6 + i * _ROW, CRITICAL if value.critical[i] else OTHER
        if value.slack_s[i] > 0:
            look = f'fill="none" stroke="{GREY}" stroke-dasharray="2 2"'
            parts.append(box(ends[i], y + 6, value.slack_s[i] * scale, _ROW - 12, look))
        parts.append(box(starts[i], y + 3, max(ends[i] - starts[i], 1.0), _ROW - 6, f'fill="{colour}" rx="2"'))
        parts.append(label(4, y + 15, name(f"{value.names[i]} · {value.devices[i]}", 25), "start", 0.95))
        right = max(ends[i], starts[i] + 1) + value.slack_s[i] * scale
        parts.append(label(right + 4, y + 15, _seconds(value.time_s[i]), "start", 0.8))
    bottom = 6 + n * _ROW
    parts.append(line([_LEFT, _WIDTH - _RIGHT], [bottom + 2] * 2, "currentColor", 0.6, ' opacity="0.4"'))
    for share in (0.0, 0.5, 1.0):
        x = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        parts.append(label(x, bottom + 15, _seconds(share * value.total_s), "middle", 0.8))
    alt = f"Timeline of {len(value.names)} segments, {_seconds(value.total_s)} in all. Critical path: {value.path()}."
    return Sketch(drawing([*edges, *parts], _WIDTH, bottom + 22, ground, 11.0), alt)


def _seconds(value: float) -> str:
    """Return seconds in the unit that people would use."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(value) >= size:
            return f"{short_number(value / size, 3)} {unit}"
    return f"{short_number(value / 1e-9, 3)} ns" if value else "0 s"


def everywhere_scatter(value: Everywhere, here: int) -> Picture:
    """Draw an application's energy over its time at all configurations; without energy, its time alone."""
    figure = new_figure(380)
    known = value.has_energy
    y = value.energy_j if known else np.zeros(len(value.total_s))
    texts = [f"{whole(t)}<br>speed up first: {whole(f)}" for t, f in zip(value.texts, value.first, strict=True)]
    unit = ", %{y:.4g} J" if known else ""
    hover = "%{text}<br>%{x:.4g} s" + unit + ""
    ring = {"size": 13, "symbol": "circle-open", "line": {"width": 2}}
    layers = (
        ("all configurations", np.arange(len(texts)), {"size": 5, "color": GREY, "opacity": 0.5}, "markers"),
        ("front" if known else "fastest", value.front, {"size": 8}, "lines+markers"),
        ("target", np.array([here]), ring, "markers"),
    )
    for title, rows, marker, mode in layers:
        draw_dots(
            figure,
            value.total_s[rows],
            y[rows],
            title,
            [texts[i] for i in rows.tolist()],
            hover,
            mode=mode,
            marker=marker,
            line={"shape": "hv"},
        )
    figure.update_xaxes(title_text="total time (s)")
    if known:
        figure.update_yaxes(title_text="energy (J)")
    else:
        figure.update_yaxes(tickvals=[])
    return Picture(figure, everywhere_alt(value), value.table)


def everywhere_alt(value: Everywhere) -> str:
    """Return in words what time and energy are at all configurations."""
    best = int(value.total_s.argmin())
    return (
        f"Time{' and energy' if value.has_energy else ''} at {len(value.texts)} configurations; fastest "
        f"{value.total_s[best]:.4g} s at {value.texts[best]}."
    )
