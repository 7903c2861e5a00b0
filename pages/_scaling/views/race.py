"""The Race view: every predictor on the same held-out kernels."""

from functools import partial

import streamlit as st

from core.report.document.scaling import scaling_page
from core.report.figures.scaling import race_bars
from core.report.scaling.race import race_sentence, race_table, worst_table
from core.scaling.lesson import make_task
from core.scaling.race import able, predictor_named, race
from core.scaling.study import usual_folds
from pages._scaling.study import Asked, choose_folds
from pages._ui.choices import pick, pick_several
from pages._ui.drawn import download, literal, show, table
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "Race", 6

USUAL = (
    "mean_surface",
    "median_surface",
    "network",
    "nearest_kernels",
    "extra_trees",
    "shared_leaves",
    "roofline",
    "measure_next",
)


def draw(asked: Asked) -> None:
    """Let the user choose who takes part, and draw how they finish."""
    names = list(able(asked.study))
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        help = "Left empty: eight that take some seconds. 'The best of the others' chooses on folds inside."
        words = {name: predictor_named(name).label for name in names}.__getitem__
        usual = "The usual eight"
        chosen = pick_several("Predictors", names, "race_predictors", help, placeholder=usual, words=words)
    with right:
        folds = choose_folds(asked.study, "race_folds", usual_folds(asked.study, asked.base))
    taking = chosen or tuple(name for name in USUAL if name in names)
    task = make_task(asked.study, asked.response, asked.base)
    key = key_of(asked.key, task, taking, folds)
    said = f"Race of {len(taking)} predictors of {asked.response}"
    found = computed("scaling race", said, key, lambda p: race(asked.study, task, folds, names=taking, progress=p))
    if found is None:
        return
    st.markdown(literal(race_sentence(found)))
    show(race_bars(found), "race_bars", download=False)
    table(race_table(found), "race_table", alt="Each predictor's errors and time", digits=3)
    name = f"{asked.dataset} {asked.response} scaling.html"
    made = partial(scaling_page, asked.study, [found], asked.dataset)
    download("Report to keep and print", made, name, "race_html")
    st.header("Which kernels are hard", anchor=False)
    labels = {e.label: e for e in found.entries}
    who = pick("Predicted by", list(labels), "race_worst_of")
    worst = worst_table(asked.study.kernels, labels[who].validation)
    table(worst, "race_worst", alt="Held-out kernels, the worst first", digits=3)
