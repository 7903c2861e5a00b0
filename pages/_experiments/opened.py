"""The best setting on the Model page: the same trials, recipe, options and folds."""

import streamlit as st

from core.experiment.experiment import Experiment
from core.report.experiment.best import Best
from core.report.experiment.results import AVERAGE, Point, said
from pages._experiments.question import Question
from pages._ui.choices import DATASET, METRICS, REPEATS, RESPONSE, WHERE
from pages._ui.links import open_model_page, page_link
from pages._ui.text import literal


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
        offered = {"Open the simplest in Model": best.chosen, "Open the smallest error in Model": best.smallest}
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
        **({REPEATS: experiment.repeats} if experiment.repeats != "each" else {}),
    }
    open_model_page(trials, setting.recipe, setting.options, point.folds if setting.size is None else "")


def _part(experiment: Experiment, point: Point) -> list[str]:
    """Return the filter for the part that a point is of; the average is of all of them."""
    apart = experiment.each and point.subject not in ("", AVERAGE)
    return [f"{experiment.each}={point.subject}"] if apart else []
