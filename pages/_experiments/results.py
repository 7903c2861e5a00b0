"""What an experiment found: best setting, error over what was varied, panels, tables, what can be taken away."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.experiment.experiment import BASE, SIZE, Experiment, Result
from core.experiment.grid import Grid
from core.experiment.toml_text import experiment_toml
from core.report.experiment.best import MOST_PANELS, Best, bests, panels
from core.report.experiment.results import AVERAGE, Point, averaged, fits_table, points, points_table, said
from core.report.figures.experiment import ERROR, LARGEST, SHOWN, error_boxes, error_curve, error_map, settings_planned
from core.report.figures.outcome import application_panel
from core.report.shared.scorecard import fold_label
from pages._experiments.question import Question, results_of
from pages._ui.choices import DATASET, METRICS, REPEATS, RESPONSE, WHERE, switch
from pages._ui.database import has_repeats
from pages._ui.drawn import MOST_PLANNED, csv_button, download, draw_sketch, ground, literal, show, table
from pages._ui.forms import open_model_page, page_link
from pages._ui.page import Views, draw_open, fragment


def open_best(question: Question, best: Best) -> None:
    """Draw a button per choice that opens it."""
    experiment = question.experiment
    if experiment.scaling is not None:
        page_link("pages/scaling.py", "Open the Scaling page", ":material/stacked_line_chart:")
        return
    if experiment.host:
        page_link("pages/compare.py", "Open the Compare page", ":material/trophy:")
        return
    offered = {"Open in Model": best.chosen}
    if best.chosen is not best.smallest:
        offered = {"Simplest in Model": best.chosen, "Best in Model": best.smallest}
    for i, (label, point) in enumerate(offered.items()):
        setting = literal(said(point.setting.values))
        if st.button(label, key=f"open_{i}", icon=":material/show_chart:", help=setting):
            _open(experiment, point)


def _open(experiment: Experiment, point: Point) -> None:
    setting = point.setting
    trials: dict[str, str | list[str]] = {
        DATASET: experiment.dataset,
        RESPONSE: experiment.response,
        METRICS: list(experiment.metrics or ()),
        WHERE: [*experiment.where, *_part(experiment, point)],
        REPEATS: experiment.repeats if has_repeats(experiment.dataset) else [],
    }
    open_model_page(trials, setting.recipe, setting.options, point.folds if setting.size is None else "")


def _part(experiment: Experiment, point: Point) -> list[str]:
    """Return the filter for the part that a point is of; the average is of all of them."""
    apart = experiment.each and point.subject not in ("", AVERAGE)
    return [f"{experiment.each}={point.subject}"] if apart else []


_REDRAWN_S = 3.0
_BARE: Mapping[str, Any] = MappingProxyType({"label_visibility": "collapsed", "width": "content"})


def draw(question: Question, head: DeltaGenerator, picture: DeltaGenerator) -> None:
    """Draw what is there of an experiment: the best setting in the one place, the error of all in the other."""
    grid, results = question.grid, dict(results_of(question))
    found = points(grid, results)
    if not any(p.n_done for p in found):
        with picture:
            _planned(question, found)
        return
    experiment = grid.experiment
    chosen = bests(experiment, found)
    with head:
        with (row := st.container(horizontal=True, vertical_alignment="center", gap="small")):
            folds = _choose_folds(question)
        mine = {subject: best for (subject, own), best in chosen.items() if own == folds}
        best = _headline(question, mine, row)
    shown = tuple(p for p in found if p.folds == folds)

    def errors(_: None) -> None:
        _pictures(grid, shown, best)
        _each_best(question, mine)

    views: Views = {
        **({"Errors": errors} if any(p.setting.values for p in shown) or len(mine) > 1 else {}),
        **({"Predictions": lambda _: _panels(grid, results, shown, best)} if experiment.predictions else {}),
        "All settings": lambda _: _tables(question, grid, results, found),
    }
    with picture:
        draw_open(views, "experiment_view", None)


@fragment(run_every=_REDRAWN_S)
def until_now(question: Question) -> None:
    """Draw the errors of what is done while the rest runs, of the kind of folds that is looked at."""
    found, folds = points(question.grid, dict(results_of(question))), _choose_folds(question)
    shown = tuple(p for p in found if p.folds == folds)
    if any(p.setting.values and p.error is not None for p in shown):
        _pictures(question.grid, shown, None)
    else:
        _planned(question, shown)


def _planned(question: Question, found: tuple[Point, ...]) -> None:
    """Draw what will be fitted, before there is an error to draw."""
    names = list(found[0].setting.values)
    several = [n for n in names if len({str(p.setting.values.get(n)) for p in found}) > 1] or names
    if several:
        other = several[1] if len(several) > 1 else ""
        draw_sketch(settings_planned(found, several[0], other, ground(), _folds_said(question)), MOST_PLANNED)
        ring = "setting that will be tried" if other else "fit that will be made"
        st.caption(f"A ring is a {ring}; errors are drawn here as they come.")


def _folds_said(question: Question) -> Callable[[str], str]:
    return str if question.experiment.scaling is not None else fold_label


def _choose_folds(question: Question) -> str:
    offered = list(question.experiment.folds)
    if len(offered) == 1:
        return offered[0]
    return switch("What was held out", offered, "experiment_folds", words=_folds_said(question), **_BARE)


def _headline(question: Question, mine: Mapping[str, Best], row: DeltaGenerator) -> Best | None:
    """Say which setting is best, and offer in a row to open it.

    Parameters
    ----------
    mine : the best by what it is of, on the folds that are looked at
    """
    if not mine:
        st.caption("No setting is done on all folds yet, so none is best.")
        return None
    first = next(iter(mine))
    best = mine[first]
    st.markdown(literal(best.sentence(f"On average over {question.experiment.each}s" if first == AVERAGE else "")))
    with row:
        open_best(question, best)
    return best


def _each_best(question: Question, mine: Mapping[str, Best]) -> None:
    others = list(mine.items())[1:]
    if others:
        with st.expander(f"Each {question.experiment.each}'s best setting", key="each_best"):
            for subject, of in others:
                st.markdown(f"**{literal(subject)}**: {literal(of.sentence())}")


def _pictures(grid: Grid, shown: tuple[Point, ...], best: Best | None) -> None:
    """Draw the error over one of what was varied, and a map where there are two or more."""
    names = list(dict.fromkeys(name for p in shown for name in p.setting.values))
    found = (*averaged(shown), *shown)
    over = switch("Error over", names, "over") if len(names) > 1 else next(iter(names), "")
    if not names:
        return
    if names[0].startswith(BASE):
        _bases(grid, found, names, over)
        return
    many = SIZE in names and _shown_error() == LARGEST
    show(error_curve(grid, found, over, best, LARGEST if many else ERROR), "error_curve")
    if len(names) > 1:
        other = next(name for name in names if name != over)
        show(error_map(grid, found, over, other), "error_map", download=False)


def _shown_error() -> str:
    said, words = "The paper draws the mean and the largest.", {ERROR: "mean", LARGEST: "largest"}
    return switch("Error", SHOWN, "shown_error", said, usual=ERROR, words=words.__getitem__)


def _bases(grid: Grid, found: tuple[Point, ...], names: list[str], over: str) -> None:
    """Draw bases as a map over two axes, and a box per value of one."""
    levels = {n: len({p.setting.values[n] for p in found}) for n in names}
    other = next((n for n in names if n != over and levels[n] > 1), None)
    with st.grid(2, min_column_width=380):
        if other is not None:
            with st.container():
                show(error_map(grid, found, over, other), "error_map")
        with st.container():
            show(error_boxes(grid, found, over), "error_boxes", download=False)


def _panels(grid: Grid, results: Mapping[str, Result], shown: tuple[Point, ...], best: Best | None) -> None:
    """Draw predictions over measurements, a panel per part left out."""
    drawn = panels(grid, results, best.chosen if best is not None and best.chosen in shown else shown[0])
    st.caption("Predicted over measured, each left out in turn." if drawn else "No fold of this setting is done yet.")
    with st.grid(4, min_column_width=230):
        for i, (title, outcome) in enumerate(list(drawn.items())[:MOST_PANELS]):
            show(application_panel(outcome, title), f"panel_{i}", download=False)
    if len(drawn) > MOST_PANELS:
        st.caption(f"The first {MOST_PANELS} of {len(drawn)}; the table of fits has all.")


def _tables(question: Question, grid: Grid, results: Mapping[str, Result], found: tuple[Point, ...]) -> None:
    rows = points_table(grid, found)
    shown = rows.assign(folds=rows["folds"].map(_folds_said(question))) if "folds" in rows else rows
    table(shown, "settings", alt="Each setting with its errors", digits=3, values=rows)
    with st.container(horizontal=True):
        csv_button("Every fit as CSV", lambda: fits_table(grid, results), "fits")
        asked = question.experiment
        download("Experiment as TOML", experiment_toml(asked), f"{asked.name}.toml", "experiment_toml", type="tertiary")
