"""What `why --group` adds: trials, a model or recipe to learn again, and the explanation of a group's error."""

import argparse
from typing import Any

from core.cli._files import load_model
from core.cli._frame import (
    Scenario,
    add_folds,
    add_frame_options,
    add_scenario,
    add_set,
    load_recipe,
    load_scenario,
    settings_of,
)
from core.cli.base import Arguments, Report, progress
from core.codec import to_plain
from core.errors import OptionError
from core.race.reuse import recipe_again
from core.recipes import Recipe
from core.report.model.miss import RUNS, Miss, miss
from core.report.model.miss_words import lines, verdict
from core.validate.folds import FoldPlan, parse_folds


def add_group(parser: argparse.ArgumentParser) -> None:
    """Declare the group and what its error is measured with."""
    help = (
        "explain the error of a whole group instead, such as application=lud, held out and learnt again; LABEL alone "
        "takes the group with the largest"
    )
    parser.add_argument("--group", metavar="LABEL[=NAME]", help=help)
    parser.add_argument("--dataset", metavar="NAME", help="with --group: its trials; those of the model if not given")
    parser.add_argument("--response", metavar="METRIC", help="with --group and a recipe: what it predicts")
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help="with --group: further runs tried (%(default)s)"
    )
    add_folds(parser, "with --group: that hold out whole groups, by:LABEL if not given; ")
    add_frame_options(parser)
    add_scenario(parser)
    add_set(parser, "the recipe")


def explain_group(a: Arguments) -> Report:
    """Return why the group of `--group` is predicted wrong."""
    if a.runs < 0:
        raise OptionError(f"--runs takes a number from 0 on, got {a.runs}.")
    label, _, name = a.group.partition("=")
    recipe, scenario = _given(a)
    plan = parse_folds(a.folds) if a.folds else FoldPlan("by", column=label)
    if plan.column != label:
        raise OptionError(f"--folds {a.folds} hold out no whole {label}; take by:{label}, or leave them out.")
    found = miss(recipe, scenario.frame, plan, name, runs=a.runs, seed=a.seed, progress=progress(a))
    return Report([*lines(found, a.top), *scenario.lines], {**miss_values(found), **scenario.plain})


def _given(a: Arguments) -> tuple[Recipe, Scenario]:
    """Return the recipe, of a model's file or by its name, and the trials."""
    if not a.model.lower().endswith(".json"):
        if not (a.dataset and a.response):
            raise OptionError(f"'{a.model}' is taken for a recipe, and needs --dataset and --response.")
        return load_recipe(argparse.Namespace(**vars(a), recipe=a.model)), load_scenario(a, a.response)
    if settings_of(a):
        raise OptionError("--set belongs to a recipe; a model's file has its options.")
    model = load_model(a.model)
    own = argparse.Namespace(**{**vars(a), "dataset": a.dataset or model.provenance.dataset})
    if not own.dataset:
        raise OptionError(f"{a.model} does not say which dataset it learnt from; give --dataset.")
    return recipe_again(model), load_scenario(own, model.response.name, model.names)


def miss_values(found: Miss) -> dict[str, Any]:
    """Return an explanation for `--json`."""
    after = dict(zip(("mean", "low", "high"), found.after, strict=True)) if found.runs else None
    return {"verdict": verdict(found), "typical": found.typical, **to_plain(found), "after_one_run": after}
