"""Coverage of the automatic model's 90 % intervals on the twelve sets: for a new trial, and for the set's own question.

Run by hand: RIDGELINE_REAL_DATA=… python -m tests.bench.bench_auto_intervals [SET …] [--seed 0]

Everything about an interval, its method too, is learnt without the trials that it is scored on. Constant widths are
those of the method `plain` on the same predictions.
"""

import argparse
import os
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from core.recipes import make_recipe
from core.validate.calibration import PLAIN, measure
from core.validate.crossval import NOMINAL, cross_validate
from core.validate.folds import parse_folds
from core.validate.scores import coverage_of
from tests.bench._sets import LEARNT, RANDOM, SUBJECTS, Subject, subject

HEAD = "| set | folds | covered % | worst quartile of the response % | interval score over that of constant widths |"


def line(own: Subject, folds: str, seed: int) -> tuple[float, float, float]:
    """Return coverage and that of the worst quartile of the response, in percent, and the ratio of interval scores."""
    frame = own.frame if own.question != RANDOM else own.frame.take(np.arange(LEARNT))
    recipe = make_recipe("auto", {"folds": folds, "seed": str(seed)}).asking(parse_folds(folds))
    found = cross_validate(recipe.fit, frame, parse_folds(folds), seed, workers=1)
    shares = coverage_of(frame.y, found.low, found.high, found.groups)
    beside = [measure(found.known, method, NOMINAL).loss for method in ("auto", PLAIN)]
    return shares.overall or 0.0, min(shares.quartiles), beside[0] / beside[1]


def main() -> None:
    """Print a line per set and kind of folds as it is known, and the means."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args()
    print(HEAD, "| --- | --- | --- | --- | --- |", sep="\n")
    found: dict[str, list[tuple[float, float, float]]] = {"a new trial": [], "a new group": []}
    for own in map(subject, a.sets):
        asked = {"a new trial": RANDOM} if own.question == RANDOM else {"a new trial": RANDOM, "a new group": own.folds}
        for what, folds in asked.items():
            found[what].append(line(own, folds, a.seed))
            print(f"| {own.name} | {folds} | " + _cells(found[what][-1]), flush=True)
    for what, lines in found.items():
        if lines:
            means = (*np.mean(lines, axis=0)[:2], np.exp(np.mean(np.log([one[2] for one in lines]))))
            print(f"| **mean** | {what} | " + _cells(means))


def _cells(shares: tuple[float, float, float]) -> str:
    return f"{shares[0]:.1f} | {shares[1]:.0f} | {shares[2]:.2f} |"


if __name__ == "__main__":
    main()
