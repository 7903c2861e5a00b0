"""The race on published measurements: what it takes, and with names of questions what its winner is worth on all trials.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data: python -m tests.bench.bench_race
[nca pairs aiwc powmon neusight designs] [--entries A,B,…] [--resume FILE]

Tuning spaces (`designs`) are learnt from 300 designs; errors of the others are means over five draws of these.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import numpy as np

from core.cli.race import RunsFile
from core.race.entry import entries_for
from core.race.race import race, race_id
from core.race.result import STOCK, Race
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.folds import parse_folds
from tests.bench._sets import Subject, aiwc, nca, neusight, powmon, subject
from tests.bench.record import taken

SETS = {"nca k40 to gtx-980": 120.0, "aiwc by device": 300.0}
OTHERS = ("GTX-680", "Quadro", "Tesla-K20", "Titan", "TitanBlack")
PAIRS = [*(("Tesla-K40", other) for other in OTHERS), *((other, "GTX-980") for other in OTHERS)]
"""The ten pairs beside K40 → GTX-980 that share a side with it."""
SPACES = ("convolution a100", "convolution mi250x", "dedispersion a100", "dedispersion mi250x", "starchart")
DRAWS = 5
WINNER, PICKED = "winner", "picked"
Question = tuple[str, Callable[[], Subject]]


def _asked(load: Callable[[], Frame], name: str, folds: str) -> Question:
    return name, lambda: Subject(name, load(), folds, folds)


QUESTIONS: Mapping[str, Sequence[Question]] = {
    "nca": [_asked(partial(nca, most=None), "K40 → GTX-980", "by:application")],
    "pairs": [_asked(partial(nca, h, t, None), f"{h} → {t}", "by:application") for h, t in PAIRS],
    "aiwc": [_asked(partial(aiwc, None), f"AIWC by {f}", f"by:{f}") for f in ("machine", "application")],
    "powmon": [_asked(partial(powmon, None), "powmon by workload", "kfold:10:application")],
    "neusight": [_asked(partial(neusight, None), "NeuSight by GPU", "by:machine")],
    "designs": [(name, partial(subject, name)) for name in SPACES],
}


def seconds() -> None:
    """Record the processor time of the race of all entries in one process."""
    for name, goal in SETS.items():
        own = subject(name)
        entries = entries_for(own.frame)
        started, clock = time.process_time(), time.perf_counter()
        race(own.frame, own.plan, 0, entries, workers=1)
        spent = time.process_time() - started
        what = f"race, {name}: {len(own.frame)} trials, {len(entries)} entries, one process"
        taken(what, spent, goal, limit=f"{time.perf_counter() - clock:.0f} s by the clock")


def raced(own: Subject, seed: int, wanted: Sequence[str], kept: RunsFile | None) -> Race:
    """Return the race of some entries, or of all; runs that are kept are not made again."""
    entries = [entry for entry in entries_for(own.frame) if not wanted or entry.name in wanted]
    plan = parse_folds(own.folds)
    id = race_id(own.frame, plan, seed, entries)
    done, keep = (kept.known.get(id), partial(kept.keep, id)) if kept else (None, None)
    return race(own.frame, plan, seed, entries, done=done, on_result=keep, workers=1)


def errors(y: np.ndarray, found: Validation | None) -> Mapping[str, float]:
    """Return MAPE and median APE in percent, mean |ln(predicted / measured)| and its bias, of held-out trials."""
    assert found is not None  # of a race in which something runs
    held = found.fold_of_row >= 0
    off = np.log(found.predicted[held] / y[held])
    ape = 100 * np.abs(np.expm1(off))
    return {"mape": float(ape.mean()), "median": float(np.median(ape)), "log": float(np.abs(off).mean())} | {
        "bias": float(off.mean())
    }


def judged(frame: Frame, found: Race) -> Mapping[str, Mapping[str, float]]:
    """Return the errors of each entry by its name, of the winner, and of the one entry picked inside."""
    each = {s.entry: errors(frame.y, s.validation) for s in found.running}
    return each | {WINNER: errors(frame.y, found.nested), PICKED: errors(frame.y, found.picked)}


def row(own: Subject, races: Sequence[Race]) -> Sequence[str]:
    """Return the question, its trials, and the means over draws of MAPE / median APE / |ln| / bias."""
    draws = [judged(own.frame, found) for found in races]
    names = [name for name in draws[0] if all(name in draw for draw in draws)]
    mean = {name: {key: float(np.mean([d[name][key] for d in draws])) for key in draws[0][name]} for name in names}
    best = min(set(names) - {WINNER, PICKED}, key=lambda name: mean[name]["log"])
    shown = [
        f"{e['mape']:.3g} / {e['median']:.3g} / {e['log']:.3f} / {e['bias']:+.2f}"
        for e in (mean[name] for name in (WINNER, STOCK, PICKED, best))
    ]
    return own.name, f"{len(own.frame):,}", *shown[:-1], f"{best} {shown[-1]}"


def main() -> None:
    """Measure time, or the errors of questions that are named."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=f"of {', '.join(QUESTIONS)}")
    parser.add_argument("--entries", default="", help="only these")
    parser.add_argument("--resume", help="a file of runs to go on from")
    a = parser.parse_args()
    if not a.questions:
        seconds()
        return
    wanted = [name for name in a.entries.split(",") if name]
    with ExitStack() as stack:
        kept = stack.enter_context(RunsFile(a.resume)) if a.resume else None
        print(
            "| question | trials | winner | extremely randomised trees | one entry, picked inside | best by hindsight |"
        )
        print("|---|---|---|---|---|---|")
        for question in a.questions:
            for _, load in QUESTIONS[question]:
                own = load()
                races = [raced(own, seed, wanted, kept) for seed in range(DRAWS if question == "designs" else 1)]
                print("| " + " | ".join(row(own, races)) + " |", flush=True)


if __name__ == "__main__":
    main()
