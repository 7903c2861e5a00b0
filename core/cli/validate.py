"""`ridgeline validate`: predict held-out trials and score them."""

from dataclasses import asdict, replace

from core.cli import _frame
from core.cli._scores import coverage_line, score_line, score_values, verdict_lines, verdict_values
from core.cli.base import Arguments, Parser, Report, progress, timed
from core.codec import fields_of
from core.race.versus import verdict_beside
from core.recipes import validate
from core.validate.scores import coverage_of


class ValidateVerb(_frame.RecipeVerb):
    """Predict held-out trials and score them."""

    group = "make a model"
    examples = (
        "ridgeline validate eiger --dataset mine --response time --folds by:machine",
        "ridgeline validate ridge --dataset mine --response time --folds holdout:20%",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        _frame.add_frame(parser)
        _frame.add_scenario(parser)
        _frame.add_folds(parser)
        _frame.add_interval(parser)
        _frame.add_workers(parser)

    @timed
    def run(self, a: Arguments) -> Report:
        """Validate and report."""
        recipe, scenario = _frame.load_recipe(a), _frame.load_scenario(a, a.response)
        frame, plan = scenario.frame, _frame.folds_of(a, scenario.frame)
        found = validate(recipe, frame, plan, a.seed, progress(a), a.interval, a.workers)
        verdict = verdict_beside(frame, found, a.seed)
        coverage = coverage_of(frame.y, found.low, found.high, found.groups)
        plain = {
            "recipe": recipe.name,
            **fields_of(a, "dataset response"),
            "folds": found.folds,
            "n_trials": len(frame),
            "scores": score_values(found.scores),
            "verdict": verdict_values(verdict),
            "interval": found.method,
            "coverage": asdict(coverage),
            "groups": {name: score_values(s) for name, s in found.groups.items()},
            **scenario.plain,
        }
        groups = {} if [*found.groups] == ["(none)"] else found.groups  # where nothing names one
        lines = [
            f"{recipe.name} on {a.dataset}, {a.response} by {found.folds}: {score_line(found.scores)}",
            *verdict_lines(verdict),
            *coverage_line(coverage if groups else replace(coverage, worst_share=None)),
            *(f"  {name}: {score_line(s)}" for name, s in groups.items()),
            *scenario.lines,
        ]
        return Report(lines, plain)
