"""The view of one model: predicted against observed, every workload, every fold, what it looks at, and itself."""

from collections.abc import Sequence

import streamlit as st

from core.race.chosen import alike, failures
from core.report.compare.race_table import MEANT, Line
from core.report.compare.side_by_side import chosen_metrics, failures_table, fold_table, stability_table
from core.report.figures.effects import importance_bars
from core.report.figures.outcome import group_errors, group_table, predicted_actual
from core.report.figures.race import failures_by_size, fold_dots, stability_bars
from core.report.model.summary import importance, permutation_importance
from core.report.shared.naming import grouping_labels
from core.report.shared.outcome import by_group, outcome_table
from core.report.shared.scorecard import honest_sentence
from pages._compare.result import Result, choose_result, draw_kept, made
from pages._ui.choices import pick, switch
from pages._ui.drawn import chosen_rows, count, literal, show, table
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "One model", 3

_MOST_SHOWN = 500
PREDICTED, WORKLOADS, GROUPS, FOLDS, METRICS = PARTS = ("Predictions", "Workloads", "Groups", "Folds", "Metrics")


def choose(result: Result, label: str, key: str, default: str = "") -> str:
    """Let the user choose a model that could be run."""
    labels = {line.entry: line.label for line in result.able}
    return pick(label, list(labels), key, usual=default, words=labels.__getitem__)


def draw(results: Sequence[Result]) -> None:
    """Draw one model in detail."""
    result = choose_result(results)
    if not result.able:
        st.info("No entry could be run, so there is no model to look at; the standings say why.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose(result, "Model", "look", result.race.winner)
        part = switch("Show", PARTS, "part", usual=PREDICTED)
    {PREDICTED: _predicted, WORKLOADS: _workloads, GROUPS: _groups, FOLDS: _folds, METRICS: _metrics}[part](
        result, name
    )
    st.markdown(literal(honest_sentence(result.race.folds, result.validation(name).scores)))
    st.caption(literal(_made_of(result, result.line(name))))
    draw_kept(result, name)


def _made_of(result: Result, line: Line) -> str:
    """Say what was chosen with all trials."""
    several = result.race.together(name := line.entry)
    if several is not None:
        return f"{MEANT[name]} With all trials: {line.treatment}."
    ratio = f", the ratio to {result.frame.reference}" if "ratio" in line.treatment.split(",")[0] else ""
    return (
        f"Scale and weights chosen with all trials: {line.treatment}{ratio}; it looks at "
        f"{count(line.n_chosen, 'metric')} of {len(result.frame.metrics)}."
    )


def _predicted(result: Result, name: str) -> None:
    value = result.outcome(name)
    event = show(predicted_actual(value), "race_predicted", select=True)
    st.caption(
        "Each predicted by a model that had not seen its fold. On the line a prediction is right; between the dotted "
        "lines it is within 20 %. Click points, or draw a box with the tool above the picture, to list them."
    )
    rows = chosen_rows(event)
    if rows:
        places = value.places_of(rows)
        st.header(count(len(places), "chosen workload"), anchor=False)
        chosen = outcome_table(value, result.frame, places[:_MOST_SHOWN])
        table(chosen, "race_chosen", alt="The chosen workloads")


def _workloads(result: Result, name: str) -> None:
    found = failures(result.frame, result.validation(name))
    st.caption("From the smallest to the largest: does it fail at one end?")
    show(failures_by_size(found, result.frame, result.log), "failures", download=False)
    shown = failures_table(found, result.frame)
    worst = shown.sort_values("error (%)", ascending=False, na_position="first", kind="stable")
    table(worst.head(_MOST_SHOWN), "race_workloads", alt="All workloads with their error, worst first", values=shown)


def _groups(result: Result, name: str) -> None:
    labels = grouping_labels(result.frame)
    if not labels:
        st.info("These workloads name no applications or inputs that differ, so there are no groups to compare.")
        return
    label = pick("Per", labels, "race_group")
    groups = by_group(result.outcome(name), result.frame, label)
    show(group_errors(groups, label), "race_groups", download=False)
    table(group_table(groups, label), "race_group_scores", alt=f"Scores per {label}, worst first", digits=3)


def _folds(result: Result, name: str) -> None:
    standing = next((s for s in result.race.standings if s.entry == name), None)
    label = result.line(name).label
    shown = fold_table(result.frame, result.validation(name), standing or result.race.together(name))
    st.caption("What was left out in turn, and what was chosen without it.")
    show(fold_dots(shown, label), "race_folds_picture", download=False)
    table(shown, "race_fold_scores", alt="Scores and choices per fold", digits=4)


def _metrics(result: Result, name: str) -> None:
    chosen = result.race.looked_at(name)
    found = chosen_metrics(result.frame, chosen)
    st.caption(
        "How often each metric is chosen when other trials are left out: what is chosen every time can be believed. "
        "Metrics that order the trials alike, or are powers of each other, count as one. Of forests these are the "
        "metrics that have nine tenths of the importance; a model that cannot choose looks at all."
    )
    show(stability_bars(found, len(chosen)), "stability", download=False)
    table(stability_table(found), "race_metrics", alt="How often metrics are chosen", digits=3)
    _matters(result, name)


def _matters(result: Result, name: str) -> None:
    """Draw what matters to the model of all trials, once it is made."""
    model = made(result, name)
    st.header("What matters to the model of all trials", anchor=False)
    if model is None:
        st.caption("Press “Keep this model …” above: once it has learnt from all trials, it can be asked.")
        return
    told = importance(model)
    if told is not None:
        st.caption(literal(told.meaning))
        show(importance_bars(told), "race_importance")
    groups, key = alike(result.frame), key_of(result.race.trials_sha256, result.race.folds, name)
    permuted = computed(
        "permute", "Permuting metrics", key, lambda p: permutation_importance(model, result.frame, groups, progress=p)
    )
    if permuted is not None and len(permuted.names):
        st.caption(literal(permuted.meaning))
        show(importance_bars(permuted), "race_permutation")
