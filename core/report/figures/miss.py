"""A group's error in parts as a picture."""

import numpy as np

from core.report.figures import draw
from core.report.figures.draw import Picture, name, whole
from core.report.model.miss import Miss
from core.report.model.miss_parts import Split
from core.report.model.miss_words import parts_table, size, steps, verdict

MOST = 6


def miss_bars(found: Miss, parts: Split) -> Picture:
    """Draw what each part adds to a group's error, in percent of it; what takes error away goes to the left."""
    told = steps(found, parts, MOST)
    shares = 100 * np.array([share for share, _, _ in told])
    figure = draw.new_figure(110 + 26 * len(told), showlegend=False)
    for adds, called in ((True, "adds"), (False, "takes away")):
        rows = [i for i, share in enumerate(shares) if (share >= 0) == adds]
        texts = [f"{whole(told[i][1])}<br>{told[i][2]}" for i in rows]
        draw.bars(figure, shares[rows].tolist(), rows, called, texts, "%{text}<br>%{x:.3g} % of the error", across=True)
    draw.name_rows(figure, [name(said, 40) for _, said, _ in told])
    figure.update_xaxes(title_text="share of the error (%)")
    ways = "exact" if parts.exact else "sampled by permutations"
    note = f"Over {parts.n} trials, off by {size(found, parts.error)} on average; contributions are {ways}."
    return Picture(figure, f"Bars that add up to the error. {verdict(found)}", lambda: parts_table(found, parts), note)
