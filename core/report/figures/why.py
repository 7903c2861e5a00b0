"""One prediction as a waterfall: from the average of the background, metric by metric, to the row."""

import numpy as np

from core.report.figures import draw
from core.report.figures.draw import Picture, name, unit_label, whole
from core.report.model.why import Why, effect, sentence, shortened

MOST = 10


def waterfall(found: Why, most: int = MOST) -> Picture:
    """Draw a bar per metric from where the ones above it end; on a logarithmic axis where they are factors."""
    names, values = shortened(found, most)
    levels = np.concatenate([[found.base], found.base + np.cumsum(values)])
    at = np.exp(levels) if found.log else levels
    figure = draw.new_figure(110 + 26 * (len(names) + 2), showlegend=False)
    for up, called in ((True, "more"), (False, "less")):
        own = [i for i, v in enumerate(values) if (v >= 0) == up]
        texts = [f"{whole(names[i])}: {effect(found, float(values[i]))}" for i in own]
        draw.bars(
            figure,
            [at[i + 1] - at[i] for i in own],
            [i + 1 for i in own],
            called,
            texts,
            across=True,
            base=[at[i] for i in own],
        )
    ends = [(0, at[0], "average"), (len(names) + 1, found.unscaled(found.prediction), "this prediction")]
    texts = [f"{called}: {value:.4g}" for _, value, called in ends]
    draw.dots(figure, [v for _, v, _ in ends], [i for i, _, _ in ends], "ends", texts, marker={"size": 11})
    draw.name_rows(figure, ["average", *(name(n, 40) for n in names), "this prediction"])
    figure.update_xaxes(title_text=unit_label(found.response, "predicted"))
    if found.log:
        figure.update_xaxes(**draw.log_axis(at))
    note = f"The average is of {found.background}. {found.method}"
    return Picture(figure, f"Waterfall. {sentence(found)}", found.table, note)
