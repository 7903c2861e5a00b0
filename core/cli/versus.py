"""`ridgeline versus`: two models against each other, and whether the difference is more than noise."""

from core.cli._files import load_model
from core.cli._frame import add_folds, add_scenario, add_seed, add_where, folds_of, frame_of
from core.cli._scores import score_line, score_values
from core.cli.base import Arguments, Parser, Report, Verb, add_dataset, flag, progress, timed
from core.codec import fields_of
from core.errors import OptionError
from core.race.versus import Versus, as_they_are, needed, on_folds
from core.report.compare.versus import versus_basis, versus_sentence


class VersusVerb(Verb):
    """Compare two models on the same trials: the difference, and whether it is more than noise."""

    group = "use a model"
    examples = ("ridgeline versus model.json other.json --dataset mine",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "first FIRST.json")
        flag(parser, "second SECOND.json")
        add_dataset(parser, "the trials to compare on")
        add_where(parser)
        add_scenario(parser)
        add_folds(parser, "on which both are learnt again: ")
        flag(parser, "--as-they-are", "do not learn again: for trials that neither model has seen")
        add_seed(parser)

    @timed
    def run(self, a: Arguments) -> Report:
        """Compare and report."""
        first, second = (load_model(path) for path in (a.first, a.second))
        frame = frame_of(a, first.response.name, needed((first, second)))
        if a.as_they_are and a.folds:
            raise OptionError("--as-they-are learns nothing again, so that it takes no --folds.")
        if a.as_they_are:
            found = as_they_are(first, second, frame)
        else:
            plan = folds_of(a, frame)
            found = on_folds(first, second, frame, plan, a.seed, progress(a))
        plain = {"dataset": a.dataset, "response": first.response.name, **_plain(a, found)}
        each = (f"  {path}: {score_line(s)}" for path, s in zip((a.first, a.second), found.scores, strict=True))
        return Report([versus_sentence(found, a.first, a.second), versus_basis(found), *each], plain)


def _plain(a: Arguments, found: Versus) -> dict[str, object]:
    p = found.paired
    ends = [p.low, p.high] if p.n_blocks > 1 else [None, None]
    return {
        "folds": found.folds,
        **fields_of(p, "n_trials n_blocks"),
        "percent": found.percent,
        "errors": fields_of(p, "first second"),
        "difference": p.difference,
        "low": ends[0],
        "high": ends[1],
        **fields_of(p, "p more_than_noise"),
        "models": [
            {"file": path, "seen": seen, "scores": score_values(scores)}
            for path, seen, scores in zip((a.first, a.second), found.seen, found.scores, strict=True)
        ],
    }
