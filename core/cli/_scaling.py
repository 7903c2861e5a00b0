"""Studies, surfaces and scaling models, as verbs read and print them."""

from dataclasses import replace
from typing import Any

from core.cli._frame import add_seed, add_set, add_where, conditions
from core.cli.base import Arguments, Parser, add_dataset, flag, names, open_store
from core.codec import fields_of
from core.curate import choose_response
from core.errors import count
from core.scaling.gather import study_from_measured
from core.scaling.lesson import Task, make_task
from core.scaling.predictors import PREDICTORS
from core.scaling.race import CHOSEN
from core.scaling.scaling_model import Predicted, ScalingModel
from core.scaling.study import Study, point_of, usual_folds
from core.scaling.surfaces import default_base

USUAL = "shared_leaves"
"""The predictor that is meant where nobody names one: the best without a choice over measured studies."""


def at_plain(model: ScalingModel, p: Predicted, at: str | None) -> dict[str, Any]:
    """Return a kernel's prediction for `--json`: at one configuration, or over all of them."""
    told: dict[str, Any] = {
        **fields_of(p, "kernel=name in_domain why"),
        "nearest": [{"kernel": name, "distance": d} for name, d in p.nearest],
    }
    if not at:
        over = {name: fields_of(surface, "value low high") for name, surface in p.surfaces.items()}
        return {**told, "grid": model.grid.tolist(), "surfaces": over}
    place = model.place(point_of(at))
    here = {name: dict(zip(("value", "low", "high"), s.at(place), strict=True)) for name, s in p.surfaces.items()}
    return {**told, "at": at, "outside": place.why, "surfaces": here}


def at_line(model: ScalingModel, p: Predicted, at: str) -> str:
    """Return a kernel's prediction at one configuration as a person reads it."""
    place = model.place(point_of(at))
    parts = []
    for name, surface in p.surfaces.items():
        value, low, high = surface.at(place)
        parts.append(f"{name} {value:.4g} ({low:.4g} to {high:.4g}) {surface.response.unit}".rstrip())
    why = "; ".join(part for part in (p.why, place.why) if part)
    return f"{p.name}: {', '.join(parts)}" + (f"  [{why}]" if why else "") + f"  nearest: {p.nearest[0][0]}"


def add_study(parser: Parser) -> None:
    """Declare which trials, axes, counters and base to use."""
    add_dataset(parser)
    flag(parser, "--response METRIC", "to predict; may be given several times; the only one if not given", several=True)
    add_where(parser)
    flag(parser, "--axes A,B,…", "the machine's parameters; all that vary, but for sizes, if not given")
    flag(parser, "--counters A,B,…", "what kernels are recognised by; all if not given")
    flag(parser, "--base POINT", "where kernels are measured: AXIS=VALUE,AXIS=VALUE, highest, middle or lowest")
    flag(parser, "--inputs A,B,…", "responses whose value at the base helps; all given ones, or none")
    add_seed(parser)


def add_predictor(parser: Parser) -> None:
    """Declare the predictor and its options."""
    known = ", ".join([*PREDICTORS, CHOSEN])
    flag(parser, "predictor PREDICTOR", f"({USUAL}) {known}", nargs="?", default="")
    add_set(parser, "the predictor")


def load_study(a: Arguments) -> tuple[Study, str]:
    """Return the study that the flags describe, and the folds that they name, or else its usual ones."""
    with open_store(a) as store:
        a.response = a.response or [choose_response(store.metric_names(a.dataset), "", a.dataset)]
        measured = store.measured(a.dataset, conditions(a, store))
    known = {metric.name for metric in measured.metrics}
    axes, counters, inputs = (names(own, known) for own in (a.axes, a.counters, a.inputs))
    a.inputs = () if inputs == ("none",) else inputs
    responses = tuple(dict.fromkeys([*a.response, *(a.inputs or ())]))
    study = study_from_measured(measured, responses, axes, counters)
    filtered = (f"only trials with {' and '.join(a.where)}",) if a.where else ()
    return replace(study, notes=(*filtered, *study.notes)), a.folds or usual_folds(study, base_of(a, study))


def load_task(a: Arguments, study: Study, response: str) -> Task:
    """Return the task of one response."""
    return make_task(study, response, base_of(a, study), a.inputs)


def base_of(a: Arguments, study: Study) -> int:
    """Return the base that was asked for, or the highest that most kernels have."""
    return study.configuration(a.base) if a.base else default_base(study)


def study_plain(study: Study) -> dict[str, Any]:
    """Return what a study holds for `--json`."""
    return {
        **fields_of(study, "n_kernels n_configurations"),
        "axes": [axis.name for axis in study.axes],
        "n_counters": len(study.counters),
        "notes": list(study.notes),
    }


def study_lines(study: Study) -> list[str]:
    """Return it as a person reads it."""
    axes = ", ".join(
        f"{axis} of {count(len(level), 'level')}" for axis, level in zip(study.axes, study.levels, strict=True)
    )
    head = f"{count(study.n_kernels, 'kernel')} over {count(study.n_configurations, 'configuration')} ({axes})"
    return [f"{head}, {count(len(study.counters), 'counter')}", *(f"note: {note}" for note in study.notes)]
