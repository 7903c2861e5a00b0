"""A selection of splines as pictures: how R² grew, and what every candidate of one round was worth."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.model.rounds import Round, Rounds
from core.report.shared.columns import columns_of

MOST_CANDIDATES = 40


def rounds_curve(value: Rounds, number: int | None = None) -> Picture:
    """Draw what each term adds to R², one upon the other (Stargazer, Figure 3), and what is left unexplained.

    Parameters
    ----------
    value : the selection
    number : of a round to mark, from 1
    """
    taken = value.taken
    places = list(range(1, len(taken) + 1))
    left = [100 * max(1 - r.r2, 1e-12) for r in taken]
    axis = {"tickvals": places, "ticktext": [f"{i}. {name(r.term, 20)}" for i, r in enumerate(taken, 1)]}
    across = {"title_text": "term, in the order taken", "tickangle": -40, **axis}
    lower = {"title_text": "unexplained (%)", "type": "log", **draw.decade_ticks(min(left), max(left))}
    figure = draw.stacked(470, 0.6, across, {"title_text": "R²", "range": [0, 1.02]}, lower)
    for title, crossed in (("parameter", False), ("interaction", True)):
        own = {i: r for i, r in enumerate(taken, 1) if r.crossed is crossed}
        if own:
            _add_bars(figure, list(own), list(own.values()), title)
    terms, hover = [whole(r.term) for r in taken], "after %{text}: %{y:.3g} % unexplained"
    draw.curve(figure, places, left, "unexplained", terms, hover, showlegend=False, line={"color": GREY}, row=2)
    for place in (i for i, r in enumerate(taken, 1) if r.number == number):
        figure.add_vline(x=place, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_xaxes(range=[0.4, len(taken) + 0.6])
    return Picture(figure, _curve_alt(value), lambda: contributions_table(value))


def round_bars(value: Round) -> Picture:
    """Draw every candidate of one round, best first, the best marked, and what it had to pass."""
    order = np.argsort(value.values if value.lower_is_better else -value.values, kind="stable")[:MOST_CANDIDATES]
    labels = [name(value.terms[j], 28) for j in order]
    figure = draw.rows(labels, 100, 24, f"{value.measure} of the model with the candidate")
    title = "taken" if value.taken else "best, not taken"
    others = {k: j for k, j in enumerate(order.tolist()) if j != value.best}
    best = {k: j for k, j in enumerate(order.tolist()) if j == value.best}
    if others:
        _add_points(figure, value, others, "candidates", {"size": 9, "opacity": 0.75})
    if best:
        _add_points(figure, value, best, title, {"size": 16, "symbol": "star" if value.taken else "star-open"})
    if value.needed is not None:
        line = {"dash": "dash", "color": GREY, "width": 1.5}
        ends = [-0.5, len(order) - 0.5]
        draw.line(figure, [value.needed] * 2, ends, "to be passed", hover=None, line=line)
    note = f"The best {len(order)} of {len(value.terms)}." if len(order) < len(value.terms) else ""
    return Picture(figure, _round_alt(value), lambda: round_table(value), note)


def rounds_table(value: Rounds) -> "pd.io.formats.style.Styler":
    """Return the table of all rounds as it is shown: candidates that were taken in bold on a coloured ground."""
    table = value.table()
    for column, kind in table.dtypes.items():
        if pd.api.types.is_float_dtype(kind):
            table[column] = [_shown(v, r) for v, r in zip(table[column], value.rounds, strict=True)]
    marked = "font-weight: bold; background-color: rgba(61, 131, 204, 0.30)"
    marks = pd.DataFrame("", index=table.index, columns=table.columns)
    for row, column in value.marks():
        marks.loc[row, column] = marked
    return table.style.apply(lambda _: marks, axis=None)


def contributions_table(value: Rounds) -> pd.DataFrame:
    """Return a row per term: what it adds to R², and R² and adjusted R² with it."""
    return pd.DataFrame(columns_of(value.taken, "term | adds to R²: gain | R²: r2 | adjusted R²: adjusted_r2"))


def round_table(value: Round) -> pd.DataFrame:
    """Return a row per candidate of a round, in the order they were tried."""
    best = [i == value.best for i in range(len(value.terms))]
    return pd.DataFrame(
        {"candidate": value.terms, value.measure: value.values, "taken": [b and value.taken for b in best]}
    )


def _shown(value: float, told: Round) -> str:
    """Return a number of the table as a text, since a cell without a number would read "None"."""
    if np.isnan(value):
        return ""
    return f"{value:.4g}" if told.lower_is_better and abs(value) > 1 else f"{value:.4f}"


def _add_bars(figure: go.Figure, places: list[int], rounds: list[Round], title: str) -> None:
    look: dict[str, Any] = {"base": [r.before for r in rounds], "customdata": [r.r2 for r in rounds], "row": 1}
    hover = "%{text} adds %{y:.3g}<br>R² with it %{customdata:.4f}"
    draw.bars(figure, places, [r.gain for r in rounds], title, [whole(r.term) for r in rounds], hover, **look)


def _add_points(figure: go.Figure, value: Round, shown: dict[int, int], title: str, marker: dict[str, object]) -> None:
    """Add candidates by the places that they have."""
    x, texts = [float(value.values[j]) for j in shown.values()], [whole(value.terms[j]) for j in shown.values()]
    hover = f"%{{text}}: {value.measure} %{{x:.5g}}"
    draw.dots(figure, x, list(shown), title, texts, hover, marker=marker)


def _curve_alt(value: Rounds) -> str:
    added = ", ".join(f"{r.term} {r.gain:.3g}" for r in value.taken[:5])
    last = value.taken[-1]
    return (
        f"Bars of what each of {len(value.taken)} terms adds to R², one upon the other: {added}; together "
        f"{last.r2:.4f}. Below, the share left unexplained on a logarithmic axis. {value.stopped}"
    )


def _round_alt(value: Round) -> str:
    fate = "is taken" if value.taken else "is the best, but gains too little to be taken"
    return (
        f"Points of the {value.measure} with each of {len(value.terms)} candidates of round {value.number} "
        f"({value.tried}). {value.term} {fate}, with {value.values[value.best]:.4g}."
    )
