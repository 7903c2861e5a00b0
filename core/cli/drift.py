"""`ridgeline drift`: how far new trials are from those that a model learnt from, and what it is worth on them."""

import math
from dataclasses import asdict

from core.cli._files import add_facts, load_model
from core.cli._frame import add_scenario, add_where, frame_of
from core.cli._scores import score_line, score_values
from core.cli.base import Arguments, Parser, Report, Verb, flag
from core.cli.check import rows_of
from core.codec import FloatArray, fields_of
from core.errors import OptionError, PredictError
from core.pipeline import FittedPipeline
from core.report.compare.versus import drift_sentence
from core.report.shared.naming import fixed
from core.validate.drift import Drift, drift_of
from core.validate.scores import Scores, score

_SHOWN = 10


class DriftVerb(Verb):
    """Say how far new trials are from those that a model learnt from, and what it is worth on them."""

    group = "use a model"
    examples = ("ridgeline drift model.json new.csv",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json")
        flag(parser, "file FILE.csv", "the new trials; or --dataset", nargs="?")
        flag(parser, "--dataset NAME", "the new trials, if they are imported")
        add_where(parser)
        add_facts(parser)
        add_scenario(parser)

    def run(self, a: Arguments) -> Report:
        """Compare and report."""
        if bool(a.file) == bool(a.dataset):
            raise OptionError("The new trials are either a FILE.csv or a --dataset NAME; give one of the two.")
        model = load_model(a.model)
        X, scores = _of_file(a, model) if a.file else _of_dataset(a, model)
        found = drift_of(model.domain, model.names, X)
        sentence = drift_sentence(found, model, scores)
        plain = {
            "model": a.model,
            **fields_of(found, "n_trials outside out_of_range too_far"),
            "metrics": [{**asdict(m), "drifted": m.drifted} for m in found.metrics],
            "scores": None if scores is None else score_values(scores),
            "verdict": sentence,
        }
        return Report([sentence, *([score_line(scores)] if scores else []), *_lines(found)], plain)


def _of_file(a: Arguments, model: FittedPipeline) -> tuple[FloatArray, Scores | None]:
    found = rows_of(model, a.file, a)
    if not any(all(math.isfinite(v) for v in row) for row in found.X.tolist()):
        why = found.predictions.why[0].removeprefix("no prediction: ")
        raise PredictError(f"No row of {a.file} has a value of every metric of the model: of the first {why}.")
    return found.X, found.scores


def _of_dataset(a: Arguments, model: FittedPipeline) -> tuple[FloatArray, Scores]:
    frame = frame_of(a, model.response.name, model.names)
    X = model.rows(frame)
    said = model.predict(X)
    return X, score(frame.y, said.value, said.low, said.high)


def _lines(found: Drift) -> list[str]:
    shown = [m for m in found.metrics if m.drifted or m.outside][:_SHOWN]
    return [
        f"  {m.name}: median {m.trained:.4g} when trained, {m.new:.4g} now; stability index {fixed(m.stability, 2)} "
        f"(by chance up to {fixed(m.by_chance, 2)}), {100 * m.outside:.0f} % outside the range"
        for m in shown
    ]
