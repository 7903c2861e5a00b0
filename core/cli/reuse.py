"""`ridgeline reuse`: a model of one target for a similar one, with a few runs of it."""

import argparse

import numpy as np

from core.cli._files import load_model, write_bytes
from core.cli._frame import add_folds, add_scenario, add_seed, add_where, folds_of, frame_of
from core.cli.base import Arguments, Report, Verb, add_dataset, flag, progress, timed, whole_from
from core.codec import fields_of
from core.errors import OptionError, count
from core.export import write_model
from core.pipeline import FittedPipeline
from core.race.reuse import AS_IT_IS, METHODS, RETRAINED, Reuse, reference_host, rescaled, reuse
from core.report.shared.naming import fixed
from core.trial import Frame
from core.validate.folds import shuffled_configurations


class ReuseVerb(Verb):
    """Use a model of one target for a similar one, with a few runs of it."""

    group = "use a model"
    examples = ("ridgeline reuse model.json --dataset gpus --target K20 --from GTX980 --runs 5 --out k20.json",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model MODEL.json")
        add_dataset(parser, "where the new target's trials are")
        add_scenario(parser)
        help = (
            "the target that the model was trained for, so that it is trained again without "
            "the workloads that it is judged by"
        )
        flag(parser, "--from MACHINE", help, dest="first")
        flag(parser, "--runs N", "runs of the new target to rescale with", default=5)
        add_where(parser)
        add_folds(parser, "of the comparison: ")
        flag(parser, "--draws N", "how often the runs are drawn", type=whole_from(1), default=5)
        add_seed(parser)
        flag(parser, "--out FILE", "write the rescaled model")

    @timed
    def run(self, a: Arguments) -> Report:
        """Compare, rescale, write, report."""
        model = load_model(a.model)
        a.host = a.host or reference_host(model)
        if not a.host or not a.target or a.runs < 1:
            raise OptionError("Reusing takes --target, --host if the model does not name it, and --runs of 1 or more.")
        frame = _frame(a, model, a.target)
        first = _frame(a, model, a.first) if a.first else None
        plan = folds_of(a, frame)
        sizes = tuple(sorted({2, 3, 5, 10, 20, 40, 80, 160, 320, a.runs}))
        found = reuse(model, frame, plan, a.seed, first=first, sizes=sizes, draws=a.draws, progress=progress(a))
        method = found.best(a.runs)
        written = []
        if a.out and method != RETRAINED:
            some = shuffled_configurations(frame, a.seed)[: a.runs]
            rows = np.flatnonzero(np.isin(frame.configuration, some)).astype(np.int64)
            write_bytes(a.out, write_model(rescaled(model, frame.take(rows), method)))
            how = AS_IT_IS if method == AS_IT_IS else f"rescaled by {method} with {count(len(some), 'run')}"
            written = [f"written to {a.out}, {how}"]
        elif a.out:
            written = [f"{a.out} was not written: a model trained anew is better, which `ridgeline fit` makes"]
        plain = {
            **fields_of(a, "dataset host target"),
            **fields_of(found, "folds draws honest"),
            "runs": a.runs,
            "best": method,
            "retrain_from": found.retrain_from,
            "sizes": [
                {"runs": n, **dict(zip(METHODS, errors, strict=True))}
                for n, errors in zip(found.sizes, found.mape.tolist(), strict=True)
            ],
        }
        return Report([*_lines(found, a.runs, method), *written], plain)


def _frame(a: Arguments, model: FittedPipeline, target: str) -> Frame:
    """Return the model's metrics on the host and the response on a target."""
    return frame_of(argparse.Namespace(**{**vars(a), "target": target}), model.response.name, model.names, "mean")


def _lines(found: Reuse, runs: int, method: str) -> list[str]:
    head = f"{'runs':>5}" + "".join(f"{m:>12}" for m in METHODS)
    rows = [
        f"{k:>5}" + "".join(f"{f'{fixed(v, 1)} %' if np.isfinite(v) else '–':>12}" for v in row)
        for k, row in zip(found.sizes, found.mape, strict=True)
    ]
    pays = found.retrain_from
    advice = f"Training anew pays from {pays} runs on." if pays else "Training anew does not pay with so many runs."
    seen = "" if found.honest else " The model has seen these workloads on its first target; --from leaves them out."
    return [
        f"mean error on unseen workloads, folds {found.folds}, {found.draws} draws:",
        head,
        *rows,
        f"With {runs} runs the best is: {method}. {advice}{seen}",
    ]
