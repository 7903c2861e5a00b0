"""Two parameters at once as a map whose cells tell their value, light enough to follow a slider."""

import numpy as np

from core.report.figures._picture import GREY, name
from core.report.figures._sketch import FAR, LIGHT, Ground, Sketch, box, drawing, label, line
from core.report.figures.surface import surface_alt
from core.report.quantity import short_number
from core.report.whatif import Surface
from core.space.design_space import Parameter
from core.space.plan import shown

_WIDTH, _LEFT, _TOP, _BOTTOM = 460.0, 62.0, 40.0, 40.0
_LETTER = 7.2
_STEPS = 24


def surface_map(value: Surface, ground: Ground = LIGHT) -> Sketch:
    """Draw the response over the levels of two parameters; the design is framed, the baseline dashed."""
    m, n = value.values.shape
    width, height = (_WIDTH - _LEFT - 8) / n, max(9.0, min(34.0, 300 / m))
    bottom = _TOP + m * height
    parts = [*_cells(value, width, height, ground), *_marks(value, width, height, ground)]
    parts += _across(value.first, width, bottom) + _up(value.second, height, bottom) + _legend(value, ground)
    parts.append(label((_LEFT + _WIDTH) / 2, bottom + 32, name(str(value.first), 54), "middle", 0.9))
    parts.append(label(4, _TOP - 8, name(str(value.second), 40), "start", 0.9))
    return Sketch(drawing(parts, _WIDTH, bottom + _BOTTOM, ground, 11.5), surface_alt(value))


def _cells(value: Surface, width: float, height: float, ground: Ground) -> list[str]:
    known = value.values[np.isfinite(value.values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    told = height >= 14 and width >= _LETTER * max((len(short_number(v)) for v in known.tolist()), default=0) + 4
    parts = []
    for row, values in enumerate(value.values.tolist()):
        for column, v in enumerate(values):
            x, y = _corner(value, column, row, width, height)
            if not np.isfinite(v):
                parts.append(box(x, y, width - 1, height - 1, f'fill="none" stroke="{GREY}" opacity="0.35"'))
                continue
            shade = ground.shade((v - low) / (high - low) if high > low else 0.5)
            parts.append(box(x, y, width - 1, height - 1, f'fill="{_hex(shade)}"'))
            if value.outside is not None and value.outside[row, column]:
                parts += _hatched(x, y, width - 1, height - 1)
            if told:
                colour = "#ffffff" if _dark(shade) else "#1c2733"
                parts.append(label(x + width / 2, y + height / 2 + 4, short_number(v), "middle", 1.0, colour))
    return parts


def _hatched(x: float, y: float, width: float, height: float) -> list[str]:
    """Return strokes over a cell outside the trained range."""
    strokes = [(x, y + height / 2, x + width / 2, y), (x, y + height, x + width, y)]
    strokes.append((x + width / 2, y + height, x + width, y + height / 2))
    return [line([a, c], [b, d], FAR, 1.2, ' opacity="0.8"') for a, b, c, d in strokes]


def _marks(value: Surface, width: float, height: float, ground: Ground) -> list[str]:
    parts = []
    if value.pinned_at is not None:
        x, y = _corner(value, *value.pinned_at, width, height)
        parts.append(
            box(
                x + 1,
                y + 1,
                width - 3,
                height - 3,
                'fill="none" stroke="#d9822b" stroke-width="2" stroke-dasharray="4 3"',
            )
        )
    x, y = _corner(value, *value.at, width, height)
    look = f'fill="none" stroke="{ground.ink}" stroke-width="3" rx="2"'
    parts.append(box(x - 0.5, y - 0.5, width, height, look))
    return parts


def _across(parameter: Parameter, width: float, bottom: float) -> list[str]:
    texts = [name(shown(level), 10) for level in parameter.levels]
    step = max(1, int(np.ceil(max(len(t) for t in texts) * _LETTER / width)))
    return [label(_LEFT + (i + 0.5) * width, bottom + 14, texts[i], "middle", 0.8) for i in range(0, len(texts), step)]


def _up(parameter: Parameter, height: float, bottom: float) -> list[str]:
    texts = [name(shown(level), 9) for level in parameter.levels]
    step = max(1, int(np.ceil(12 / height)))
    return [label(_LEFT - 6, bottom - (i + 0.5) * height + 4, texts[i], "end", 0.8) for i in range(0, len(texts), step)]


def _legend(value: Surface, ground: Ground) -> list[str]:
    """Return a bar of the colours with both ends, and what they stand for."""
    known = value.values[np.isfinite(value.values)]
    if not len(known):
        return []
    width, x = 4.0, _WIDTH - 8 - 4.0 * _STEPS - 96
    parts = [
        box(x + i * width, 4, width + 0.3, 9, f'fill="{_hex(ground.shade(i / (_STEPS - 1)))}"') for i in range(_STEPS)
    ]
    unit = f" {value.response.unit}" if value.response.unit else ""
    parts.append(label(x - 5, 12.5, short_number(float(known.min())), "end", 0.8))
    parts.append(
        label(x + _STEPS * width + 5, 12.5, name(f"{short_number(float(known.max()))}{unit}", 18), "start", 0.8)
    )
    parts.append(label(4, 12.5, name(value.response.name, 36), "start", 0.9))
    return parts


def _corner(value: Surface, column: int, row: int, width: float, height: float) -> tuple[float, float]:
    """Return the upper left corner of a cell; rows count from below."""
    return _LEFT + column * width, _TOP + (value.values.shape[0] - 1 - row) * height


def _hex(shade: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*shade)


def _dark(shade: tuple[int, int, int]) -> bool:
    red, green, blue = shade
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
