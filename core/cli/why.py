"""`ridgeline why`: what each metric adds to one prediction, or why a group is predicted wrong."""

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from core.cli import _frame
from core.cli._files import add_facts, load_model
from core.cli.base import Arguments, Parser, Report, Verb, flag, only_dataset, progress
from core.cli.check import rows_of
from core.codec import fields_of, to_plain
from core.errors import OptionError, PredictError
from core.race.reuse import recipe_again
from core.recipes import Recipe
from core.report.model import miss_words
from core.report.model.miss import RUNS, Miss, miss
from core.report.model.predictions import PredictedRows
from core.report.model.why import Why, effect, nearest_trials, sentence, shortened, why
from core.report.shared.naming import quantity
from core.validate.folds import FoldPlan, parse_folds

_NEAREST = 3


class WhyVerb(Verb):
    """Say what each metric adds to the prediction of one row, or why a group of trials is predicted wrong."""

    group = "use a model"
    examples = ("ridgeline why model.json new.csv --row 3", "ridgeline why model.json --group application")

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json", "with --group also a recipe or family")
        flag(parser, "file FILE.csv", "rows with the model's metrics", nargs="?")
        flag(parser, "--row N", "which row of it, from 1", default=1)
        help = "explain the difference from this row of the same file, not from the average"
        flag(parser, "--against N", help, type=int)
        help = "CSV of the rows that are the average; the training trials that the model keeps if not given"
        flag(parser, "--background FILE", help)
        flag(parser, "--top N", "metrics listed by themselves", default=12)
        add_facts(parser)
        _add_group(parser)

    def run(self, a: Arguments) -> Report:
        """Explain and report."""
        if bool(a.file) == bool(a.group):
            raise OptionError("What is explained is a row of a FILE.csv or a --group; give one of the two.")
        if a.group:
            return _explain_group(a)
        if a.against is not None and a.background:
            raise OptionError("A row is compared with --against another or with a --background; give one of the two.")
        model = load_model(a.model)
        rows = rows_of(model, a.file, a)
        x = _row(rows, a.row)
        if a.against is not None:
            found = why(model, x, _row(rows, a.against)[None], f"row {a.against} of {a.file}")
        elif a.background:
            X = rows_of(model, a.background, a).X
            X = X[np.isfinite(X).all(axis=1)]
            found = why(model, x, X, f"the {len(X)} rows of {a.background}")
        else:
            found = why(model, x)
        near = nearest_trials(model, x[None], _NEAREST)[0]
        lines = [*_lines(found, a.top, a.against is not None), *(f"  near: {one}" for one in near)]
        plain = {"model": a.model, "row": a.row, **_plain(found), "nearest": [asdict(one) for one in near]}
        return Report(lines, plain)


def _row(rows: PredictedRows, number: int) -> Any:
    if not 1 <= number <= len(rows):
        raise OptionError(f"{rows.table.source} has the rows 1 to {len(rows)}, got {number}.")
    if not np.isfinite(rows.predictions.value[number - 1]):
        said = rows.predictions.why[number - 1] or "no prediction"
        raise PredictError(f"Of row {number} there is {said}, so that there is nothing to explain.")
    return rows.X[number - 1]


def _plain(found: Why) -> dict[str, Any]:
    return {
        **fields_of(found, "response=response.name unit=response.unit scale factors=log base prediction held"),
        "sentence": sentence(found),
        **fields_of(found, "method background"),
        "contributions": [
            {
                "metric": found.metrics[j].name,
                "value": float(found.row[j]),
                "background_median": float(found.middle[j]),
                "contribution": float(found.contributions[j]),
                "standard_error": float(found.errors[j]),
            }
            for j in found.order
        ],
    }


def _lines(found: Why, top: int, against: bool) -> list[str]:
    names, values = shortened(found, top)
    base, value = (quantity(found.unscaled(v), found.response) for v in (found.base, found.prediction))
    begin = f"  {base:>12}  {found.background}" if against else f"  {base:>12}  average of {found.background}"
    steps = [f"  {effect(found, v):>12}  {name}" for name, v in zip(names, values.tolist(), strict=True)]
    return [sentence(found), begin, *steps, f"  {value:>12}  this row", found.method]


def _add_group(parser: Parser) -> None:
    """Declare the group and what its error is measured with."""
    help = (
        "explain the error of a whole group instead, such as application=lud, held out and learnt again; LABEL alone "
        "takes the group with the largest"
    )
    flag(parser, "--group LABEL[=NAME]", help)
    flag(parser, "--dataset NAME", "with --group: its trials; those of the model, or of the only dataset, if not given")
    flag(parser, "--response METRIC", "with --group and a recipe: what it predicts")
    flag(parser, "--runs N", "with --group: further runs tried", default=RUNS)
    _frame.add_folds(parser, "with --group: that hold out whole groups: ", "by:LABEL")
    _frame.add_frame_options(parser)
    _frame.add_scenario(parser)
    _frame.add_set(parser, "the recipe")


def _explain_group(a: Arguments) -> Report:
    """Return why the group of `--group` is predicted wrong."""
    if a.runs < 0:
        raise OptionError(f"--runs takes a number from 0 on, got {a.runs}.")
    label, _, name = a.group.partition("=")
    recipe, scenario = _learnt_again(a)
    plan = parse_folds(a.folds) if a.folds else FoldPlan("by", column=label)
    if plan.column != label:
        raise OptionError(f"--folds {a.folds} hold out no whole {label}; take by:{label}, or leave them out.")
    found = miss(recipe, scenario.frame, plan, name, runs=a.runs, seed=a.seed, progress=progress(a))
    return Report([*miss_words.lines(found, a.top), *scenario.lines], {**_miss_values(found), **scenario.plain})


def _learnt_again(a: Arguments) -> tuple[Recipe, _frame.Scenario]:
    """Return the recipe, of a model's file or by its name, and the trials."""
    if not a.model.lower().endswith(".json"):
        recipe = _frame.load_recipe(argparse.Namespace(**vars(a), recipe=a.model))
        a.dataset = a.dataset or only_dataset(a)
        return recipe, _frame.load_scenario(a, a.response)
    if _frame.settings_of(a):
        raise OptionError("--set belongs to a recipe; a model's file has its options.")
    model = load_model(a.model)
    own = argparse.Namespace(**{**vars(a), "dataset": a.dataset or model.provenance.dataset})
    if not own.dataset:
        raise OptionError(f"{a.model} does not say which dataset it learnt from; give --dataset.")
    return recipe_again(model), _frame.load_scenario(own, model.response.name, model.names)


def _miss_values(found: Miss) -> dict[str, Any]:
    """Return an explanation for `--json`."""
    after = dict(zip(("mean", "low", "high"), found.after, strict=True)) if found.runs else None
    return {"verdict": miss_words.verdict(found), "typical": found.typical, **to_plain(found), "after_one_run": after}
