"""`ridgeline fit`: train a model on all trials, validate it, and write it as JSON."""

from typing import Any

from core.cli._files import written
from core.cli._frame import RecipeVerb, add_folds, add_frame, add_interval, add_scenario, load_recipe, load_scenario
from core.cli._scores import score_line, score_values, verdict_lines, verdict_values
from core.cli.base import Arguments, Parser, Report, flag, progress, timed
from core.codec import fields_of
from core.errors import count, first_few
from core.export import EXPORTERS, model_sha256, write_model
from core.race.versus import verdict_beside
from core.recipes import Recipe, Trained, train
from core.report.model.formula import formula, terms_of
from core.report.model.rounds import Round, has_rounds, rounds
from core.report.model.summary import FitSummary, fit_summary
from core.report.shared.naming import fixed
from core.validate.folds import parse_folds


class FitVerb(RecipeVerb):
    """Train a model on all trials and validate it."""

    group = "make a model"
    examples = ("ridgeline fit eiger --dataset mine --response time --set components=6 --out model.json",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_frame(parser)
        add_scenario(parser)
        add_folds(parser, "that validate the model and its interval: ")
        flag(parser, "--out FILE", "write the model as JSON")
        add_interval(parser)

    @timed
    def run(self, a: Arguments) -> Report:
        """Fit, validate, write, report."""
        plan = parse_folds(a.folds) if a.folds else None
        recipe, scenario = load_recipe(a), load_scenario(a, a.response)
        frame = scenario.frame
        trained = train(recipe, frame, plan, a.seed, a.dataset, progress(a), a.interval)
        raw = write_model(trained.model) if a.out else EXPORTERS["json"]().write(trained.model)
        said = written(a.out, raw)
        summary = fit_summary(trained.model, frame)
        verdict = verdict_beside(frame, trained.validation, a.seed)
        told = {"verdict": verdict_values(verdict), **scenario.plain}
        plain = {**_plain(recipe, summary, trained), **told, "model_sha256": model_sha256(raw)}
        lines = [*_lines(recipe.name, summary, trained), *verdict_lines(verdict), *scenario.lines, *said]
        return Report(lines, plain)


def _plain(recipe: Recipe, summary: FitSummary, trained: Trained) -> dict[str, Any]:
    found = trained.validation
    return {
        "recipe": recipe.name,
        **fields_of(summary, "n_trials n_terms terms r2 adjusted_r2"),
        "steps": [fields_of(s, "term r2 adjusted_r2") for s in summary.steps],
        "validation": {"folds": found.folds, "scores": score_values(found.scores), "interval": found.method},
        "notes": list(summary.notes),
        **_story(recipe, trained),
    }


def _story(recipe: Recipe, trained: Trained) -> dict[str, Any]:
    """Return every candidate's value at every round, where the model was chosen so (Stargazer, Table 1)."""
    if not has_rounds(trained.model):
        return {}
    told = rounds(trained.model, ends=recipe.limits())
    return {"rounds": [_round(r) for r in told.rounds], "stopped": told.stopped}


def _round(told: Round) -> dict[str, Any]:
    return {
        **fields_of(told, "tried values_are=measure"),
        "values": dict(zip(told.terms, told.values.tolist(), strict=True)),
        "taken": told.term if told.taken else None,
        "r2": told.r2,
    }


def _lines(name: str, summary: FitSummary, trained: Trained) -> list[str]:
    return [
        f"{name} on {count(summary.n_trials, 'trial')}: {count(summary.n_terms, summary.noun)}, "
        f"training R² {fixed(summary.r2, 4)}",
        *(f"  + {s.term}  (adjusted R² {fixed(s.adjusted_r2, 4)})" for s in summary.steps),
        *_formula(summary, trained),
        f"validated by {trained.validation.folds}: {score_line(trained.validation.scores)}",
        *(f"note: {note}" for note in summary.notes),
    ]


LINE, TERMS = 200, 12
"""Letters of a formula in one line, and terms that are told of a longer one, a line each."""


def _formula(summary: FitSummary, trained: Trained) -> list[str]:
    """Return the model where there are no steps to tell, and what it uses."""
    if summary.steps:
        return []
    lines = [f"  {line}" for part in formula(trained.model).clusters for line in _written(part.text)]
    return [*lines, f"  uses {first_few(summary.terms, TERMS)}"]


def _written(text: str) -> list[str]:
    first, *others = terms_of(text)
    if len(text) <= LINE or not others:
        return [text]
    left = len(others) - TERMS
    noun = "term" if left == 1 else "terms"
    more = [f"  and {left} {noun} more, which `ridgeline export --to formula` writes"] if left > 0 else []
    return [first, *(f"  {term}" for term in others[:TERMS]), *more]
