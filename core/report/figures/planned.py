"""What is still to be done, as a small vector graphic: a ring for each run, filled once it is there."""

from collections.abc import Collection, Sequence

from core.report.figures.draw import GREY, name
from core.report.figures.sketch import LETTER, LIGHT, Ground, Sketch, dot, drawing, label
from core.report.shared.grouping import PALETTE

_STEP, _FOOT, _RIGHT, _WIDTH = 14.0, 32.0, 14.0, 420.0
_MOST_ROWS, _LONGEST = 40, 32
Place = tuple[int, int]
"""A row and a column, from 0."""


def planned(
    rows: Sequence[str],
    columns: Sequence[str],
    needed: Collection[Place],
    done: Collection[Place],
    across: str,
    ground: Ground = LIGHT,
) -> Sketch:
    """Draw a ring where a run is needed, and a dot where it is done.

    Parameters
    ----------
    rows, columns : what they are called; of more than forty rows the first are drawn
    across : what the columns are
    """
    drawn = rows[:_MOST_ROWS]
    left = 12 + LETTER * max((len(name(row, _LONGEST)) for row in drawn), default=0)
    step = (_WIDTH - left - _RIGHT) / max(len(columns), 1)
    size = min(step / 2.6, 4.6)
    parts = [label(left - 8, _y(i) + 3.5, name(row, _LONGEST), "end", 0.85) for i, row in enumerate(drawn)]
    for i, j in sorted(needed):
        if i < len(drawn):
            look = f'fill="{PALETTE[0]}"' if (i, j) in done else f'fill="none" stroke="{GREY}" stroke-width="1"'
            parts.append(dot(left + step * (j + 0.5), _y(i), size, look))
    widest = LETTER * (max(map(len, columns), default=0) + 1)
    foot, every = _y(len(drawn)) + 4, -(-widest // step) if columns else 1
    for j in range(0, len(columns), max(1, int(every))):
        parts.append(label(left + step * (j + 0.5), foot, name(columns[j], 14), "middle", 0.75))
    parts.append(label((left + _WIDTH - _RIGHT) / 2, foot + 15, name(across, 50), "middle", 0.9))
    more = f"; the first {len(drawn)} of {len(rows)} rows are drawn" if len(rows) > len(drawn) else ""
    alt = f"{len(done):,} of {len(needed):,} are done, over {len(columns)} {across}{more}."
    return Sketch(drawing(parts, _WIDTH, foot + _FOOT - 8, ground), alt)


def _y(row: int) -> float:
    return 12 + _STEP * row
