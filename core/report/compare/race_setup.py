"""What to race by default: which folds are honest, which stand beside them, which entries are quick enough."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.frozen import Frozen
from core.race.entry import Entry, quick_first
from core.race.result import EVERYTHING, Key, Run
from core.recipes.parts.nested import MOST_FOLDS as MOST_INNER
from core.report.shared.naming import columns_of
from core.trial import Frame
from core.validate.folds import Fold, FoldPlan, dealt, default_folds, possible_folds
from core.validate.scores import score

MOST_FOLDS = 12
"""Beyond so many values of a column they are held out several at a time."""
DEALT = 10
SLOW = ("anova",)
SMALL = 4_000
"""Trials times metrics up to which it is quick enough to race without being asked to."""


def honest_folds(frame: Frame) -> FoldPlan:
    """Return the hardest folds of a frame, in at most twelve parts."""
    return dealt(frame, default_folds(frame), MOST_FOLDS, DEALT)


def offered_folds(frame: Frame) -> tuple[FoldPlan, ...]:
    """Return the folds worth offering for a race, the default first."""
    return tuple(dict.fromkeys([honest_folds(frame), *possible_folds(frame)]))


def random_folds(frame: Frame) -> tuple[FoldPlan, ...]:
    """Return the random folds that may stand beside the honest ones, the default first."""
    return tuple(plan for plan in possible_folds(frame) if plan.how == "kfold")


def usual_entries(entries: Sequence[Entry], frame: Frame) -> tuple[Entry, ...]:
    """Return the entries that are raced unless the user says otherwise, quick ones first."""
    slow = SLOW if frame.X.size > SMALL else ()
    return quick_first([e for e in entries if e.name not in slow])


class Progressed(Frozen):
    """How far one entry is.

    Attributes
    ----------
    n_done, n_needed : runs; an entry that cannot run needs no more than it has
    mape : over the workloads held out so far, in percent; None before the first
    error : one sentence if it cannot run, else ""
    """

    label: str
    n_done: int
    n_needed: int
    mape: float | None
    seconds: float
    error: str = ""


def progressed(frame: Frame, folds: Sequence[Fold], entry: Entry, runs: Mapping[Key, Run]) -> Progressed:
    """Return how far an entry is on all folds of a race, and how good it has been until now."""
    own = {fold: run for fold in (*range(len(folds)), EVERYTHING) if (run := runs.get((entry.name, fold))) is not None}
    seconds = sum(run.seconds for run in own.values())
    error = next((run.error for run in own.values() if run.error), "")
    if error:
        return Progressed(entry.label, len(own), len(own), None, seconds, error)
    held = [(frame.y[folds[i].test], run.result.predicted) for i, run in own.items() if i != EVERYTHING and run.result]
    mape = score(*map(np.concatenate, zip(*held, strict=True))).mape if held else None
    return Progressed(entry.label, len(own), len(folds) + 1, mape, seconds)


def likely_pair(frame: Frame) -> tuple[str, str] | None:
    """Return the two machines with most trials, to begin with as host and target; None with fewer than two."""
    names = frame.labels["machine"]
    found = sorted({name for name in names if name}, key=lambda name: (-names.count(name), name))
    return (found[0], found[1]) if len(found) > 1 else None


def n_trainings(frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry]) -> int:
    """Return how many models a race trains at most: each treatment on inner folds, then the best one, per fold."""
    runs = len(plan.split(frame, seed)) + 1
    return runs * sum(MOST_INNER * len(e.treatments) + 1 for e in entries)


def progress_table(found: Sequence[Progressed]) -> pd.DataFrame:
    """Return a row per entry that has begun, best first: how far it is, and its error until now."""
    begun = sorted((p for p in found if p.n_done), key=lambda p: (bool(p.error), p.mape is None, p.mape or 0.0))
    columns: dict[str, object] = {
        **columns_of(begun, "model: label"),
        "done": [p.n_done / max(p.n_needed, 1) for p in begun],
        **columns_of(begun, "MAPE until now (%): mape | seconds"),
    }
    if any(p.error for p in begun):
        columns["cannot run because"] = [p.error for p in begun]
    return pd.DataFrame(columns)


def progress_sentence(found: Sequence[Progressed]) -> str:
    """Say what is under way, and what waits."""
    open_ = [p for p in found if p.n_done < p.n_needed]
    if not open_:
        return "all entries are done"
    now = next((p for p in open_ if p.n_done), open_[0])
    waiting = len(open_) - 1
    more = f"; {waiting} more {'waits' if waiting == 1 else 'wait'}" if waiting else ""
    return f"{now.label}, {now.n_done + 1} of {now.n_needed}{more}"
