"""The best setting on the Model page: the same trials, recipe, options and folds."""

from typing import Any

import streamlit as st

from core.experiment.experiment import Experiment
from core.recipes import RECIPES, TREATMENT, Treated
from core.report.experiment.best import Best
from core.report.experiment.results import AVERAGE, Point, said
from pages._experiments.question import Question
from pages._models.reopen import options_class
from pages._ui.choices import DATASET, METRICS, REPEATS, RESPONSE, WHERE
from pages._ui.forms import url_options, widget_values
from pages._ui.links import open_page, page_link
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
    cls = options_class(setting.recipe)
    family = setting.recipe not in RECIPES
    options = {n: v for n, v in setting.options.items() if not (family and n in TREATMENT)}
    treatment = {n: v for n, v in setting.options.items() if family and n in TREATMENT}
    widgets: dict[str, Any] = {"recipe": setting.recipe, **widget_values(cls, setting.recipe, options)}
    widgets |= widget_values(Treated, setting.recipe, treatment) if family else {}
    url: dict[str, str | list[str]] = {
        DATASET: experiment.dataset,
        RESPONSE: experiment.response,
        METRICS: list(experiment.metrics or ()),
        WHERE: [*experiment.where, *_part(experiment, point)],
        "recipe": setting.recipe,
        **url_options(cls, setting.recipe, options),
        **(url_options(Treated, setting.recipe, treatment) if family else {}),
        **({REPEATS: experiment.repeats} if experiment.repeats != "each" else {}),
    }
    if setting.size is None:
        widgets["folds"] = url["folds"] = point.folds
    open_page("pages/model.py", widgets, url)


def _part(experiment: Experiment, point: Point) -> list[str]:
    """Return the filter for the part that a point is of; the average is of all of them."""
    apart = experiment.each and point.subject not in ("", AVERAGE)
    return [f"{experiment.each}={point.subject}"] if apart else []
