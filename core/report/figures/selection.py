"""The story of a selection as pictures: the way to the last term, the candidates of a step, splines round by round."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.figures.sketch import LEFT, LIGHT, Ground, Plot, Sketch, dot, drawing, label, line
from core.report.model.rounds import Round, Rounds
from core.report.model.selection import Along, Candidates, ChosenTerm, Selection
from core.report.shared.naming import columns_of, row_of
from core.space.design_space import Parameter

MOST_CANDIDATES = 3000
_NARROW = 210.0
"""Of a drawing that stands in a column of controls."""
_FLAT = 0.05
"""Share of an error that its axis spans at least."""
_DASHED = {"dash": "dash", "color": GREY, "width": 1.5}
HELD = "#3d83cc"
"""Colour of errors on what was held out, on light and on dark ground."""


def selection_curve(value: Selection, step: int | None = None) -> Picture:
    """Draw adjusted R² and the gain of every step, against the threshold; steps below it are hollow."""
    gains = [max(s.gain, 1e-12) for s in value.steps]
    lowest = min([*gains, value.threshold or 1.0])
    ends = [np.log10(lowest) - 0.5, np.log10(max(gains)) + 0.2]
    lower = {"title_text": "gain (adjusted R²)", **draw.log_axis(np.array([lowest, *gains])), "range": ends}
    figure = draw.stacked(380, 0.55, "step (one term each)", "adjusted R²", lower)
    taken = [s for s in value.steps if s.accepted]
    later = [s for s in value.steps if not s.accepted]
    _add_line(figure, taken, "in the model", "solid", "circle", None)
    if taken:
        _add_gains(figure, taken, "taken", {"color": None, "opacity": 1.0})
    if later:
        _add_line(figure, [*taken[-1:], *later], "with a threshold of 0", "dot", "circle-open", GREY)
        _add_gains(figure, later, "not taken", {"color": GREY, "opacity": 0.5})
    if value.threshold > 0:
        ends, title = [0.4, len(value.steps) + 0.6], f"threshold {value.threshold:g}"
        draw.line(figure, ends, [value.threshold] * 2, title, hover=None, line=_DASHED, row=2)
    if step is not None:
        figure.add_vline(x=step, line={"color": GREY, "width": 1})
    figure.update_xaxes(dtick=1 if len(value.steps) <= 24 else 5)
    return Picture(figure, _curve_alt(value), lambda: selection_table(value))


def terms_curve(value: Along, n_terms: int, ground: Ground = LIGHT) -> Sketch:
    """Draw errors on groups held out and in training over the number of terms, the shown model's number marked.

    Of those held out they are a little too small, as the number was chosen by them.
    """
    shown = np.exp if value.log else np.asarray
    training, held_out = shown(value.training), shown(value.held_out)
    steps = Parameter("terms", tuple(range(1, max(len(training), int(value.sizes.max())) + 1)))
    every = np.concatenate([training, held_out])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    room = max(0.0, _FLAT * high - (high - low)) / 2  # what hardly changes is not drawn as a fall
    plot = Plot(steps, False, low - room, high + room, 32.0, 150.0, _NARROW)
    x, best = plot.place(value.sizes.astype(np.float64)), int(value.held_out.argmin())
    unit, least = "typical factor" if value.log else "mean error", f"{held_out[best]:.3g}"
    drawn = ((LEFT, HELD, "held out"), (LEFT + 74, GREY, "in training"))[: 1 + bool(len(training))]
    parts = plot.axes(
        label(0, 10, f"{unit} on the folds that choose", "start", 0.75),
        *(line([at, at + 14], [20.5, 20.5], colour, 2) for at, colour, _ in drawn),
        *(label(at + 18, 24, text) for at, _, text in drawn),
    )
    parts += [plot.upright(float(plot.place(np.array([n_terms]))[0]), 0.6)]
    parts += [line(plot.x[: len(training)], plot.up.place(training), GREY, 1.5)] * bool(len(training))
    parts += [line(x, plot.up.place(held_out), HELD, 2)]
    parts += [dot(float(x[best]), float(plot.up.place(held_out[best : best + 1])[0]), 3.5, f'fill="{HELD}"')]
    said = f"{least} with {value.best} terms"
    alt = f"Error by number of terms: on groups held out it is smallest, {said}; the shown model has {n_terms}."
    return Sketch(drawing(parts, _NARROW, 150.0, ground), alt)


def candidate_strip(value: Candidates) -> Picture:
    """Draw what every candidate of one step would have given, by kind of function, the winner marked."""
    kinds = list(value.kinds)
    figure = draw.rows([name(kind) for kind in kinds], 130, 42, f"adjusted R² with the candidate as term {value.step}")
    drawn = list(range(min(len(value.terms), MOST_CANDIDATES)))
    rows = np.array([kinds.index(value.functions[i]) for i in drawn], dtype=np.float64)
    spread = 0.28 * np.sin(2.4 * np.arange(len(drawn)))  # so that equal points do not hide each other
    x, terms, hover = value.adjusted_r2, [whole(term) for term in value.terms], "%{text}<br>adjusted R² %{x:.5f}"
    small, told = {"size": 6, "opacity": 0.55}, f"{hover}<br>gain %{{customdata:.2g}}"
    gains = value.gain[drawn]
    draw.dots(figure, x[drawn], rows + spread, "candidates", terms[: len(drawn)], told, marker=small, customdata=gains)
    best, star = value.winner, {"size": 17, "symbol": "star"}
    place = [kinds.index(value.functions[best])]
    draw.dots(figure, [x[best]], place, "winner", [terms[best]], f"{hover}: the winner", marker=star)
    if value.step > 1:
        needed, ends = [value.before + value.threshold] * 2, [-0.5, len(kinds) - 0.5]
        draw.line(figure, needed, ends, "needed to be taken", hover=None, line=_DASHED)
    note = "" if len(drawn) == len(value.terms) else f"The best {len(drawn):,} of {len(value.terms):,} candidates."
    return Picture(figure, _strip_alt(value), lambda: candidate_table(value), note)


def selection_table(value: Selection) -> pd.DataFrame:
    """Return a row per step: term, gain, R², and what it won against."""
    steps = "step: number | term | gain | adjusted R²: adjusted_r2 | R²: r2 | in the model: accepted | "
    against = "candidates: n_candidates | runner-up: runner_up | its gain: runner_up_gain"
    return pd.DataFrame(columns_of(value.steps, steps + against))


def candidate_table(value: Candidates, most: int | None = None) -> pd.DataFrame:
    """Return a row per candidate, best first."""
    columns = row_of(value, "term: terms | gain | adjusted R²: adjusted_r2 | function: functions")
    return pd.DataFrame(columns).head(len(value.terms) if most is None else most)


def _add_line(
    figure: go.Figure, steps: list[ChosenTerm], title: str, dash: str, symbol: str, color: str | None
) -> None:
    numbers, r2, terms = [s.number for s in steps], [s.adjusted_r2 for s in steps], [whole(s.term) for s in steps]
    look = {"line": {"dash": dash, "color": color}, "marker": {"symbol": symbol, "size": 8, "color": color}}
    hover = "%{x}. %{text}<br>adjusted R² %{y:.5f}"
    draw.curve(figure, numbers, r2, title, terms, hover, legendgroup=title, row=1, **look)


def _add_gains(figure: go.Figure, steps: list[ChosenTerm], title: str, marker: dict[str, object]) -> None:
    numbers, terms = [s.number for s in steps], [whole(s.term) for s in steps]
    gains = [max(s.gain, 1e-12) for s in steps]
    hover = "%{x}. %{text}<br>gain %{y:.3g}"
    draw.bars(figure, numbers, gains, title, terms, hover, showlegend=False, marker=marker, row=2)


def _curve_alt(value: Selection) -> str:
    taken = [s for s in value.steps if s.accepted]
    return (
        f"Curve of adjusted R² over {len(taken)} steps, from {taken[0].adjusted_r2:.3f} with {taken[0].term} "
        f"alone to {taken[-1].adjusted_r2:.3f}, and bars of each step's gain against the threshold of "
        f"{value.threshold:g}. {value.stopped}"
    )


def _strip_alt(value: Candidates) -> str:
    second = f"; the runner-up is {value.terms[1]}" if len(value.terms) > 1 else ""
    return (
        f"Strip plot of {len(value.terms)} candidates for term {value.step} by kind of function. "
        f"{value.terms[value.winner]} wins with an adjusted R² of {value.adjusted_r2[value.winner]:.4f}, "
        f"a gain of {value.gain[value.winner]:.2g}{second}."
    )


MOST_OF_ROUND = 40


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
    return Picture(figure, _rounds_alt(value), lambda: contributions_table(value))


def round_bars(value: Round) -> Picture:
    """Draw every candidate of one round, best first, the best marked, and what it had to pass."""
    order = np.argsort(value.values if value.lower_is_better else -value.values, kind="stable")[:MOST_OF_ROUND]
    labels = draw.names((value.terms[j] for j in order), 28)
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
    taken = [value.taken and i == value.best for i in range(len(value.terms))]
    return pd.DataFrame({"candidate": value.terms, value.measure: value.values, "taken": taken})


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


def _rounds_alt(value: Rounds) -> str:
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
