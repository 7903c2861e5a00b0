"""The story of a selection as pictures: the way to the last term, and all candidates of one step."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.figures.sketch import LEFT, LIGHT, Ground, Plot, Sketch, dot, drawing, label, line
from core.report.model.selection import Along, Candidates, ChosenTerm, Selection
from core.report.shared.columns import columns_of, row_of
from core.space.design_space import Parameter

MOST_CANDIDATES = 3000
_NARROW = 210.0
"""Of a drawing that stands in a column of controls."""
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
    """Draw errors on groups held out and in training over the number of terms, the shown model's number marked."""
    shown = np.exp if value.log else np.asarray
    training, held_out = shown(value.training), shown(value.held_out)
    steps = Parameter("terms", tuple(range(1, max(len(training), int(value.sizes.max())) + 1)))
    every = np.concatenate([training, held_out])
    plot = Plot(steps, False, float(np.nanmin(every)), float(np.nanmax(every)), 32.0, 150.0, _NARROW)
    x, best = plot.place(value.sizes.astype(np.float64)), int(value.held_out.argmin())
    unit, least = "typical factor" if value.log else "mean error", f"{held_out[best]:.3g}"
    parts = plot.axes(
        label(0, 10, unit, "start", 0.75),
        *(line([at, at + 14], [20.5, 20.5], colour, 2) for at, colour in ((LEFT, HELD), (LEFT + 74, GREY))),
        *(label(at, 24, text) for at, text in ((LEFT + 18, "held out"), (LEFT + 92, "in training"))),
    )
    parts += [plot.upright(float(plot.place(np.array([n_terms]))[0]), 0.6)]
    parts += [
        line(plot.x[: len(training)], plot.up.place(training), GREY, 1.5),
        line(x, plot.up.place(held_out), HELD, 2),
    ]
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
    numbers, gains, terms = (
        [s.number for s in steps],
        [max(s.gain, 1e-12) for s in steps],
        [whole(s.term) for s in steps],
    )
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
