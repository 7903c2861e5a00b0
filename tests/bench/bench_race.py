"""The race on published measurements: what it takes, and with names of questions what its winner is worth on all trials.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data: python -m tests.bench.bench_race
[nca pairs aiwc powmon neusight] [--entries A,B,…] [--resume FILE]
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
from tests.bench._sets import aiwc, nca, neusight, powmon, subject
from tests.bench.record import taken

SETS = {"nca k40 to gtx-980": 120.0, "aiwc by device": 300.0}
OTHERS = ("GTX-680", "Quadro", "Tesla-K20", "Titan", "TitanBlack")
"""GPUs that stand with the GTX-980 in the ten other pairs, on either side."""
PAIRS = [pair for other in OTHERS for pair in ((other, "GTX-980"), ("GTX-980", other))]
QUESTIONS: Mapping[str, Mapping[str, tuple[Callable[[], Frame], str]]] = {
    "nca": {"K40 → GTX-980": (partial(nca, most=None), "by:application")},
    "pairs": {f"{h} → {t}": (partial(nca, h, t, None), "by:application") for h, t in PAIRS},
    "aiwc": {f"AIWC by {f}": (partial(aiwc, None), f"by:{f}") for f in ("machine", "application")},
    "powmon": {"powmon by workload": (partial(powmon, None), "kfold:10:application")},
    "neusight": {"NeuSight by GPU": (partial(neusight, 4000), "by:machine")},
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


def raced(frame: Frame, folds: str, wanted: Sequence[str], kept: RunsFile | None) -> Race:
    """Return the race of some entries, or of all; runs that are kept are not made again."""
    entries = [entry for entry in entries_for(frame) if not wanted or entry.name in wanted]
    plan = parse_folds(folds)
    id = race_id(frame, plan, 0, entries)
    done, keep = (kept.done(id), partial(kept.keep, id)) if kept else (None, None)
    return race(frame, plan, 0, entries, done=done, on_result=keep, workers=1)


def errors(y: np.ndarray, found: Validation | None) -> Mapping[str, float]:
    """Return MAPE and median APE in percent, mean |ln(predicted / measured)| and its bias, of held-out trials."""
    assert found is not None  # of a race in which something runs
    off = np.log(found.predicted / y)
    ape = 100 * np.abs(np.expm1(off))
    return {"mape": float(ape.mean()), "median": float(np.median(ape)), "log": float(np.abs(off).mean())} | {
        "bias": float(off.mean())
    }


def row(name: str, frame: Frame, found: Race) -> Sequence[str]:
    """Return the question, its trials, and MAPE / median APE / |ln| / bias of winner, randomised trees and entries."""
    each = {s.entry: errors(frame.y, s.validation) for s in found.running}
    best = min(each, key=lambda entry: each[entry]["log"])
    own = [errors(frame.y, found.nested), each[STOCK], errors(frame.y, found.picked), each[best]]
    cells = [f"{e['mape']:.3g} / {e['median']:.3g} / {e['log']:.3f} / {e['bias']:+.2f}" for e in own]
    return name, f"{len(frame):,}", *cells[:-1], f"{best} {cells[-1]}"


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
            for name, (load, folds) in QUESTIONS[question].items():
                frame = load()
                print("| " + " | ".join(row(name, frame, raced(frame, folds, wanted, kept))) + " |", flush=True)


if __name__ == "__main__":
    main()
