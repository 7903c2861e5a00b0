"""The Race view: every predictor on the same held-out kernels."""

import streamlit as st

from core.report.figures.scaling_race import race_bars
from core.report.scaling_race import race_sentence, race_table, worst_table
from core.scaling.lesson import make_task
from core.scaling.race import Race, able, predictor_named, race
from pages._scaling.folds import choose_folds
from pages._scaling.study import Asked
from pages._ui.charts import table
from pages._ui.choices import drop_unknown
from pages._ui.columns import short_numbers
from pages._ui.pictures import show
from pages._ui.text import literal
from pages._ui.work import computed, key_of

USUAL = (
    "mean_surface", "median_surface", "network", "nearest_kernels", "extra_trees", "shared_leaves", "roofline",
    "measure_next",
)  # fmt: skip


def draw(asked: Asked) -> None:
    """Let the user choose who takes part, and draw how they finish."""
    names = list(able(asked.study))
    drop_unknown("race_predictors", names)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        chosen = st.multiselect(
            "Predictors", names, key="race_predictors", bind="query-params", placeholder="The usual eight",
            format_func=lambda n: predictor_named(n).label,
            help="Left empty: eight that take some seconds. 'The best of the others' chooses on folds inside.",
        )  # fmt: skip
    with right:
        folds = choose_folds(asked.study, "race_folds", "kfold:10")
    taking = tuple(chosen) or tuple(name for name in USUAL if name in names)
    task = make_task(asked.study, asked.response, asked.base)
    key = key_of(asked.key, task, taking, folds)
    found: Race | None = computed(
        "race", f"Race of {len(taking)} predictors of {asked.response}", key,
        lambda p: race(asked.study, task, folds, names=taking, progress=p),
    )  # fmt: skip
    if found is None:
        return
    st.markdown(literal(race_sentence(found)))
    show(race_bars(found), "race_bars", download=False)
    rows = race_table(found)
    table(rows, "race_table", alt="Each predictor's errors and time", column_config=short_numbers(rows, 3))
    st.subheader("Which kernels are hard", anchor=False)
    labels = {e.label: e for e in found.entries}
    drop_unknown("race_worst_of", list(labels))
    who = st.selectbox("Predicted by", list(labels), key="race_worst_of", bind="query-params") or next(iter(labels))
    worst = worst_table(asked.study.kernels, labels[who].validation)
    table(worst, "race_worst", alt="Held-out kernels, the worst first", column_config=short_numbers(worst, 3))
