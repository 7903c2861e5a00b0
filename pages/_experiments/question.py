"""An experiment made by hand from a preset, its trials and the grid of its fits, and the job that makes more."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.curate import aggregate, join
from core.errors import OptionError
from core.experiment.experiment import MEASURES, Experiment, Result, Subject, measure_title, result_to_plain
from core.experiment.grid import Grid, known_options, make_grid
from core.experiment.run import kept_results, run
from core.experiment.toml_text import experiment_id, experiment_of, experiment_toml
from core.experiment.trials import kernels_subject, trials_subjects
from core.experiment.values_text import FORMS, read_sizes, read_values, written_values
from core.frozen import Frozen
from core.progress import Progress
from core.recipes import recipe_label
from core.report.experiment.presets import Preset, offered_folds, presets, recipes_offered
from core.store.cards import Condition, Sample
from core.trial import Frame
from pages._ui.choices import line, pick, pick_several, whole
from pages._ui.database import frame, held, kept, labels, measured, metric_names, room_for, stamp, store
from pages._ui.drawn import folds_said
from pages._ui.forms import more_options
from pages._ui.state import Asked, parse_condition


class Question(Frozen):
    """An experiment, laid out.

    Attributes
    ----------
    id : of the experiment, whatever its trials are now
    key : of the experiment on these trials
    """

    experiment: Experiment
    id: str
    key: str
    grid: Grid


def question_of(experiment: Experiment) -> Question:
    """Return an experiment laid out over its trials as they are stored now."""
    id = experiment_id(experiment)
    homes = [name for name in (experiment.dataset, experiment.host_dataset) if name]
    for name in homes:
        if name not in store().datasets.names():
            raise OptionError(
                f"There is no dataset '{name}' here. If it is a sample, load it on the Trials page; else import it."
            )
    at = " ".join(stamp(name) for name in homes)
    return Question(experiment, id, f"experiment-{id[:32]}-{abs(hash(at)):x}", _grid(id, at, experiment))


@kept(lambda id, at, experiment: (id, at), 6, "Laying out the experiment …")
def _grid(id: str, at: str, experiment: Experiment) -> Grid:
    return make_grid(experiment, _subjects(experiment))


def _subjects(e: Experiment) -> tuple[Subject, ...]:
    if e.scaling is not None:
        return (kernels_subject(measured(e.dataset), e.response, e.scaling),)
    where, drawn = tuple(_conditions(e)), Sample(e.sample, e.sample_seed)
    if not e.host and e.draws:
        own = store().frame(e.dataset, e.response, e.metrics, where, sample=drawn)
        return trials_subjects(aggregate(own, e.repeats), e.each)
    if not e.host:
        return trials_subjects(frame(e.dataset, e.response, e.metrics, where, e.repeats), e.each)
    sides = store().host_target(
        e.dataset, e.response, e.host, e.target, e.metrics, where, host_dataset=e.host_dataset or None, sample=drawn
    )
    return trials_subjects(join(sides, e.repeats).frame, e.each)


def _conditions(e: Experiment) -> list[Condition]:
    columns = ["application", "input", "machine", *labels(e.dataset)]
    columns += [m.name for m in metric_names(e.dataset)]
    return [parse_condition(text, columns) for text in e.where]


_MOST_HELD = 8


def results_of(question: Question) -> dict[str, Result]:
    """Return the results of an experiment that are done, by the keys of its fits; a job may add to them."""
    there: dict[str, dict[str, Result]] = held(str(store().path), "experiments")
    if question.key not in there:
        room_for(there, _MOST_HELD)
        there[question.key] = kept_results(store().experiments.results(fit.key for fit in question.grid.fits))
    return there[question.key]


def experiment_work(question: Question, workers: int, cluster: str) -> Callable[[Progress], None]:
    """Return the experiment as work for a job; each result is kept as soon as it is there."""
    keep, there, e = store(), results_of(question), question.experiment
    keep.experiments.keep(e.dataset, question.id, e.name, question.grid.n_fits, experiment_toml(e))

    def on_result(results: Sequence[tuple[str, Result]]) -> None:
        keep.experiments.keep_results(e.dataset, [(key, result_to_plain(result)) for key, result in results])
        there.update(results)

    def work(progress: Progress) -> None:
        run(question.grid, dict(there), on_result, progress, workers=workers, cluster=cluster)

    return work


NONE = "nothing else"


def choose_experiment(asked: Asked) -> Experiment:
    """Let the user choose what is varied, on which folds, with which seeds."""
    frame = asked.frame()
    offered = {preset.name: preset for preset in presets(frame)}
    help = "A figure of one of the papers, or an experiment of your own. Everything below can be changed."
    preset = offered[pick("Question", list(offered), "preset", help)]
    plain = {
        "name": preset.name,
        "about": preset.about,
        "dataset": asked.dataset,
        "response": asked.response,
        "repeats": asked.repeats,
        **({"metrics": list(asked.metrics)} if asked.metrics is not None else {}),
        **({"where": ["".join(condition) for condition in asked.where]} if asked.where else {}),
    }
    return experiment_of({**plain, **_choices(preset, frame)}, preset.name)


def _choices(preset: Preset, frame: Frame) -> dict[str, Any]:
    """Draw the controls of a preset, each with its value; every preset has widgets of its own."""
    key, given = preset.key, preset.plain
    recipes = given["recipe"] if isinstance(given["recipe"], list) else [given["recipe"]]
    first = st.container(gap="small")
    help = "Published procedures, or model families alone. Several are compared on the same folds."
    chosen = pick_several("Recipes", recipes_offered(), f"{key}_recipes", help, usual=recipes, words=recipe_label)
    with more_options("more_choices", "More choices"):
        help = (
            "What is left out and then predicted. Beside an honest question, such as a whole application, "
            "random folds show the optimism. You may type `kfold:10`, `by:COLUMN`, `loo` or `holdout:200`."
        )
        offered, own = list(dict.fromkeys([*given["folds"], *offered_folds(frame)])), given["folds"]
        folds = pick_several("Folds", offered, f"{key}_folds", help, own=True, usual=own, words=folds_said)
        help = "How often random folds and random starts are drawn anew; the spread over them is part of the answer."
        seeds = whole("Seeds", 1, 1000, int(given.get("seeds", 1)), f"{key}_seeds", help)
        help = "The error that settings are compared by; the paper of Eiger takes the mean squared one."
        measure = pick("Compare by", list(MEASURES), f"{key}_measure", help, words=measure_title)
    with first:
        vary = _vary(key, given.get("vary", {}), list(chosen or recipes))
        sizes = _sizes(key, given, frame)
    return {
        "recipe": list(chosen or recipes),
        "folds": list(folds or own),
        "seeds": seeds,
        "measure": measure,
        "vary": vary,
        **sizes,
        "predictions": bool(given.get("predictions", False)),
        "options": {n: v for n, v in given.get("options", {}).items() if n not in vary and _all_know(chosen, n)},
    }


def _vary(key: str, given: Mapping[str, Any], recipes: Sequence[str]) -> dict[str, Any]:
    """Let the user choose up to three options and their values."""
    names = [name for name in known_options(recipes[0]) if _all_know(recipes, name)]
    found: dict[str, Any] = {}
    with st.container(gap="small"):
        for i, what in enumerate(("Vary", "Second option to vary", "Third option to vary")):
            usual = list(given)[i] if i < len(given) else NONE
            usual = usual if usual in names else NONE
            offered = [NONE, *(name for name in names if name not in found)]
            option = pick(what, offered, f"{key}_vary{i}", "Any option of the recipes.", usual=usual)
            if option == NONE:
                break
            text = written_values(given[option]) if option in given else ""
            help = f"{known_options(recipes[0])[option].help}. Write such as {FORMS}."
            values = line(f"Values of {option}", f"{key}_{option}_values", help, "1, 2, 4 or 1 to 24", text)
            if values:
                found[option] = read_values(values)
    return found


def _sizes(key: str, given: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """Let the user choose numbers of trials to learn from, where the preset asks for them."""
    if "sizes" not in given:
        return {}
    with st.grid(2, min_column_width=170, vertical_alignment="bottom"):
        help = "Drawn at random from those that are not held out; a larger set holds the smaller ones."
        text = line("Configurations to learn from", f"{key}_sizes", help, usual=written_values(given["sizes"]))
        columns = ["", *(name for name, texts in frame.labels.items() if 2 <= len(set(texts)) <= 200)]
        help = "With a column, a model for each of its values alone, such as one per application."
        look: Any = {"usual": given.get("each", ""), "words": lambda c: c or "(all together)"}
        each = pick("A curve for each", columns, f"{key}_each", help, **look)
    return {"sizes": read_sizes(text), **({"each": each} if each else {})}


def _all_know(recipes: Sequence[str], option: str) -> bool:
    return all(option in known_options(name) for name in recipes)
