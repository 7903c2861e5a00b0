"""Experiments as their papers draw them: error over an option, a map of two, boxes per value."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.codec import FloatArray, Frozen
from core.errors import count
from core.experiment.experiment import RECIPE, SIZE, Experiment, Value, measure_title
from core.experiment.grid import Grid
from core.report.experiment.best import Best
from core.report.experiment.results import AVERAGE, Point, named, points_table, said
from core.report.figures import draw
from core.report.figures.draw import GREY, SYMBOLS, Picture, name, whole
from core.report.figures.points import upwards
from core.report.figures.sketch import Ground, Sketch, planned
from core.report.shared.naming import PALETTE

MOST_LINES = 12
ERROR, LARGEST = SHOWN = ("error", "largest")
_WIDE = 6.0
"""Times the smallest error, beyond which the axis is logarithmic: what matters is where the error is small."""


class _Curves(Frozen):
    """What curves are drawn over, which of the errors they show, and the largest of these that is drawn."""

    over: str
    shown: str
    numeric: bool
    top: float

    def x(self, points: Sequence[Point]) -> list[object]:
        """Return where points stand."""
        values = [named(p.setting.values)[self.over] for p in points]
        return values if self.numeric else [_tick(value) for value in values]

    def y(self, errors: Sequence[float | None]) -> FloatArray:
        """Return errors as they are drawn, NaN where they are not."""
        y = np.array(errors, dtype=np.float64)
        return np.where(y <= self.top, y, np.nan)


def error_curve(grid: Grid, found: Sequence[Point], over: str, best: Best | None = None, shown: str = ERROR) -> Picture:
    """Draw the error over one swept thing: held out with one standard error, training dashed beside it.

    A line per subject or per combination of whatever else is varied. The star is the smallest error,
    the diamond the simplest setting within one standard error of it (Eiger, figures 2 to 4; Stargazer, figure 5).
    """
    experiment = grid.experiment
    lines = _lines(found, over)
    drawn = dict(list(lines.items())[:MOST_LINES])
    numeric = _is_numeric(found, over)
    held = np.array([getattr(p, shown) for of in lines.values() for p in of], dtype=np.float64)
    training = [p.training or np.nan for of in lines.values() for p in of if shown == ERROR]
    top, axis = upwards(np.concatenate([held, training]), _WIDE)
    if axis.get("type") == "log":
        ends = np.log10([np.nanmin([*held[held <= top], *training]), top])
        reach = [ends[0] - 0.06 * np.ptp(ends), ends[1] + 0.06 * np.ptp(ends)]
    else:
        bars = [p.error + (p.standard_error or 0.0) for of in drawn.values() for p in of if p.error is not None]
        reach = [0, 1.06 * max(top, min(max(bars, default=top), 1.3 * top))]
    log = numeric and _is_log(experiment, over, found)
    said_of = measure_title(experiment.measure if shown == ERROR else "max_ape")
    across = {"title_text": name(_title(over), 50), **_across(found, over, log, numeric)}
    figure = draw.new_figure(430, across, {"title_text": f"{said_of} on held-out trials", **axis, "range": reach})
    curves = _Curves(over, shown, numeric, top)
    for i, (title, of) in enumerate(drawn.items()):
        _add_line(figure, curves, title, of, i, len(drawn))
    if best is not None and shown == ERROR:
        _add_best(figure, curves, best)
        _add_limit(figure, curves, best, [p for of in drawn.values() for p in of])
    beyond, left = int((held > top).sum()), len(lines) - len(drawn)
    notes = [f"{left:,} more in the table."] if left > 0 else []
    notes += [f"Far larger errors, left out of the picture but in the table: {beyond}."] if beyond else []
    return Picture(figure, _curve_alt(drawn, over, said_of, best), lambda: points_table(grid, found), " ".join(notes))


def settings_planned(
    found: Sequence[Point], over: str, other: str, ground: Ground, folds: Callable[[str], str] = str
) -> Sketch:
    """Draw the settings over one swept thing and another one, or the fits over one, and which are done.

    Parameters
    ----------
    other : "" where one thing is swept
    folds : what the kinds of folds are called
    """
    if not other:
        return _fits_planned(found, over, ground, folds)
    columns, rows = _levels(found, over), _levels(found, other)
    at = [named(p.setting.values) for p in found]
    places = [(rows.index(values[other]), columns.index(values[over])) for values in at]
    done = {place for place, p in zip(places, found, strict=True) if p.error is not None}
    called = [f"{_title(other)} {_tick(row)}" for row in rows]
    return planned(called, [_tick(column) for column in columns], set(places), done, _title(over), ground)


def _fits_planned(found: Sequence[Point], over: str, ground: Ground, folds: Callable[[str], str]) -> Sketch:
    """Draw a row for each fit that a setting needs, the first of each kind of folds called by it."""
    columns, most = _levels(found, over), dict[tuple[str, str], int]()
    for p in found:
        most[p.subject, p.folds] = max(p.n_fits, most.get((p.subject, p.folds), 0))
    top = dict(zip(most, accumulate(most.values(), initial=0), strict=False))
    rows = [text for (subject, kind), n in most.items() for text in (subject or folds(kind), *[""] * (n - 1))]
    at = [(top[p.subject, p.folds], columns.index(named(p.setting.values)[over]), p) for p in found]
    needed = {(row + i, column) for row, column, p in at for i in range(p.n_fits)}
    done = {(row + i, column) for row, column, p in at for i in range(p.n_done)}
    return planned(rows, [_tick(column) for column in columns], needed, done, _title(over), ground)


def error_map(grid: Grid, found: Sequence[Point], across: str, up: str) -> Picture:
    """Draw the error of each pair of two swept things as a colour; of whatever else is varied, the smallest."""
    columns, rows = _levels(found, across), _levels(found, up)
    z = np.full((len(rows), len(columns)), np.nan)
    texts = [["" for _ in columns] for _ in rows]
    for p in found:
        i, j = rows.index(named(p.setting.values)[up]), columns.index(named(p.setting.values)[across])
        if p.error is not None and not z[i, j] <= p.error:
            z[i, j], texts[i][j] = p.error, whole(f"{said(p.setting.values)}: {p.error:.4g}")
    known = z[np.isfinite(z)]
    ends: dict[str, Any] = {"zmin": float(known.min()), "zmax": float(np.quantile(known, 0.95))} if len(known) else {}
    axes = (draw.category(name(_title(over), limit)) for over, limit in ((across, 40), (up, 30)))
    figure = draw.new_figure(max(300, 120 + 30 * len(rows)), *axes)
    few = z.size <= 150
    what = measure_title(grid.experiment.measure)
    ends |= {"colorscale": "Viridis", "colorbar": draw.colour_bar(what), "texttemplate": "%{z:.3g}" if few else None}
    figure.add_trace(draw.heat(z, [_tick(c) for c in columns], [_tick(r) for r in rows], texts, **ends))
    near = "" if not len(known) else f": from {known.min():.3g} to {known.max():.3g}"
    return Picture(figure, f"Map of the {what} over {across} and {up}{near}.", lambda: points_table(grid, found))


def error_boxes(grid: Grid, found: Sequence[Point], over: str) -> Picture:
    """Draw how the errors of all settings are spread for each value of one swept thing (AMD, figure 9)."""
    known = [(named(p.setting.values)[over], p.error) for p in found if p.error is not None]
    by = {v: [error for level, error in known if level == v] for v in _levels(found, over)}
    what = measure_title(grid.experiment.measure)
    figure = draw.boxes(340, {_tick(value): errors for value, errors in by.items()}, name(_title(over), 50), what)
    medians = {v: float(np.median(errors)) for v, errors in by.items() if errors}
    best = min(medians, key=lambda v: medians[v], default=None)
    alt = f"Box plot of the {what} of {len(found)} settings for each {over}" + (
        f": the smallest median is {medians[best]:.3g} at {best}." if best is not None else "."
    )
    return Picture(figure, alt, lambda: points_table(grid, found))


def _lines(found: Sequence[Point], over: str) -> dict[str, list[Point]]:
    """Return the points of each line by its title, in the order of the swept values."""
    subjects, folds = {p.subject for p in found}, {p.folds for p in found}
    lines: dict[str, list[Point]] = {}
    for p in found:
        rest = said({n: v for n, v in p.setting.values.items() if n != over})
        parts = [p.subject if len(subjects) > 1 else "", p.folds if len(folds) > 1 else "", rest]
        lines.setdefault(" · ".join(part for part in parts if part), []).append(p)
    return {title: sorted(of, key=lambda p: _place(p, over)) for title, of in lines.items()}


def _add_line(figure: go.Figure, curves: _Curves, title: str, of: Sequence[Point], i: int, n: int) -> None:
    colour, shown, numeric = PALETTE[i % len(PALETTE)], curves.shown, curves.numeric
    x, y = curves.x(of), curves.y([getattr(p, shown) for p in of])
    alone, wide = n == 1, title.startswith(AVERAGE)
    mode = "lines+markers" if numeric else "markers"
    bars = [p.standard_error for p in of]
    errors = {"type": "data", "array": [b or 0.0 for b in bars], "thickness": 1, "width": 3}
    with_bars = shown == ERROR and n <= 4 and any(bars)
    texts = [_told(p) for p in of]
    look: dict[str, Any] = {"mode": mode, "legendgroup": str(i), "line": {"color": colour, "width": 4 if wide else 2}}
    look["marker"] = {"size": 9 if numeric else 11, "symbol": SYMBOLS[i % len(SYMBOLS)], "color": colour}
    look["error_y"] = errors if with_bars else None
    draw.dots(figure, x, y, "held out" if alone else name(title, 34), texts, **look)
    training = [p.training for p in of]
    if shown == ERROR and n <= 4 and any(v is not None for v in training):
        called = "training" if alone else f"{name(title, 24)}, training"
        look = {"mode": mode, "legendgroup": str(i), "line": {"color": colour, "dash": "dash", "width": 1.5}}
        look["marker"] = {"size": 7, "symbol": "circle-open", "color": colour}
        draw.dots(figure, x, curves.y(training), called, texts, **look)


def _add_best(figure: go.Figure, curves: _Curves, best: Best) -> None:
    marks = [("smallest error", best.smallest, "star")]
    if best.chosen is not best.smallest:
        marks.append(("simplest within one standard error", best.chosen, "diamond-tall"))
    for title, point, symbol in marks:
        if point.error is None or curves.over not in point.setting.values or point.error > curves.top:
            continue
        marker = {"symbol": symbol, "size": 17, "color": "rgba(0,0,0,0)", "line": {"width": 2.5, "color": GREY}}
        draw.dots(figure, curves.x([point]), [point.error], title, [_told(point)], marker=marker)


def _add_limit(figure: go.Figure, curves: _Curves, best: Best, found: Sequence[Point]) -> None:
    """Draw the error up to which a simpler setting counts as being as good."""
    limit = (best.smallest.error or 0.0) + (best.smallest.standard_error or 0.0)
    if not curves.numeric or best.smallest.standard_error is None or limit > curves.top:
        return
    x = sorted({float(str(p.setting.values[curves.over])) for p in found})
    line = {"color": GREY, "width": 1.5, "dash": "dot"}
    draw.line(figure, [x[0], x[-1]], [limit, limit], "one standard error above", hover=None, line=line)


def _told(p: Point) -> str:
    where = " · ".join(part for part in (p.subject, said(p.setting.values)) if part)
    spread = "" if p.standard_error is None else f" ± {p.standard_error:.2g}"
    training = "" if p.training is None else f"<br>training {p.training:.4g}"
    held = "cannot run" if p.error is None else f"{p.error:.4g}{spread}"
    return f"{whole(where)}<br>held out {held}{training}<br>{p.n_done} of {p.n_fits} fits"


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_numeric(found: Sequence[Point], over: str) -> bool:
    values = [p.setting.values[over] for p in found]
    return all(map(_is_number, values)) and len(set(values)) > 1


def _is_log(experiment: Experiment, over: str, found: Sequence[Point]) -> bool:
    log = any(s.name == over and s.log for s in experiment.vary)
    return log and all(float(str(p.setting.values[over])) > 0 for p in found)


def _across(found: Sequence[Point], over: str, log: bool, numeric: bool) -> dict[str, Any]:
    if not numeric:
        return {"type": "category"}
    values = sorted({float(str(p.setting.values[over])) for p in found})
    if log:
        return {"type": "log", **draw.decade_ticks(values[0], values[-1])}
    whole_numbers = all(v == int(v) for v in values) and len(values) <= 16
    return {"tickvals": values, "ticktext": [f"{v:g}" for v in values]} if whole_numbers else {}


def _place(p: Point, over: str) -> tuple[int, float, str]:
    value = p.setting.values[over]
    return (0, float(str(value)), "") if _is_number(value) else (1, 0.0, str(value))


def _levels(found: Sequence[Point], over: str) -> list[object]:
    """Return the different values, numbers ascending, texts in their order."""
    values: dict[object, Value] = {named(p.setting.values)[over]: p.setting.values[over] for p in found}
    numbers = all(map(_is_number, values.values()))
    return sorted(values, key=lambda v: float(str(v))) if numbers else list(values)


def _tick(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else name(value, 24)


def _title(over: str) -> str:
    return {SIZE: "configurations learnt from", RECIPE: "recipe or family"}.get(over, over.replace("_", " "))


def _curve_alt(lines: Mapping[str, Sequence[Point]], over: str, what: str, best: Best | None) -> str:
    n = len(lines)
    head = f"{count(n, 'curve')} of the {what} on unseen trials over {_title(over)}, training beside."
    return f"{head} {best.sentence()}" if best is not None else head
