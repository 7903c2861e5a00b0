"""All entries on the same honest folds, resumable, and a winner that is never picked on the folds it is scored on."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from core.codec import digest, to_plain
from core.errors import FitError
from core.progress import Progress, part, silent
from core.race.chosen import chosen_features
from core.race.entry import Entry
from core.race.result import EVERYTHING, STOCK, Key, Race, Run
from core.race.standings import race_of
from core.recipes._nested import best_of, inner_folds
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import Fold, FoldPlan

MANY_FOLDS, FEW_INNER = 12, 3

OnResult = Callable[[Run], None]


def race(
    frame: Frame,
    plan: FoldPlan,
    seed: int,
    entries: Sequence[Entry],
    progress: Progress = silent,
    done: Mapping[Key, Run] | None = None,
    on_result: OnResult | None = None,
) -> Race:
    """Run every entry without each fold, and once with all trials.

    Without a fold an entry chooses its treatment on inner folds of the other trials, and is fitted to
    them; so everything that a fold's score depends on was learnt without that fold.

    Parameters
    ----------
    done : runs of an earlier race of the same `race_id`, which are not run again
    on_result : called with each new run, such as to store it
    progress : may raise `Cancelled`, which ends the race; what `on_result` had been given stays valid

    Raises
    ------
    FitError
        If the folds are impossible. An entry that cannot be fitted is no error; it says why.
    """
    folds = plan.split(frame, seed)
    runs = dict(done or {})
    ordered = sorted(entries, key=lambda entry: entry.name != STOCK)
    places = [(entry, fold) for entry in ordered for fold in (*range(len(folds)), EVERYTHING)]
    for i, (entry, number) in enumerate(places):
        share = part(progress, i / len(places), (i + 1) / len(places))
        share(0.0, f"{entry.label}: {_place(folds, number)}")
        if (entry.name, number) in runs or _failed(runs.values(), entry.name):
            continue
        rival = runs.get((STOCK, number)) if entry.name != STOCK else None
        run = run_entry(entry, frame, plan, folds, number, seed, share, rival)
        runs[run.key] = run
        if on_result is not None:
            on_result(run)
    progress(1.0, "done")
    return race_of(frame, plan, seed, entries, runs)


def race_id(frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry]) -> str:
    """Return what runs of a race are good for: the same trials, folds, seed and entries have the same id."""
    told = {e.name: {name: [r.name, e.inner, to_plain(r)] for name, r in e.treatments.items()} for e in entries}
    return digest([frame.digest(), str(plan), seed, told])


def run_entry(
    entry: Entry,
    frame: Frame,
    plan: FoldPlan,
    folds: Sequence[Fold],
    number: int,
    seed: int,
    progress: Progress = silent,
    rival: Run | None = None,
) -> Run:
    """Run one entry without one fold, or with all trials.

    Parameters
    ----------
    rival : the run of another entry without the same fold; see `best_of`
    """
    started = time.perf_counter()
    fold = Fold("", np.empty(0, dtype=np.int64)) if number == EVERYTHING else folds[number]
    train = without(frame, fold)
    try:
        inner = inner_folds(train, plan, seed, _inner(entry, len(folds)))
        known = None if rival is None or rival.error else rival.inner
        treatments = {name: recipe.asking(plan) for name, recipe in entry.treatments.items()}
        best, tried = best_of(treatments, train, inner, part(progress, 0.0, 0.9), known)
        before = time.perf_counter()
        model = treatments[best].fit(train, part(progress, 0.9, 1.0))
    except FitError as error:
        nothing = np.full(len(train), np.nan)
        spent = time.perf_counter() - started
        return Run(entry.name, number, "", nothing, float("inf"), None, (), spent, 0.0, str(error))
    fit_seconds = time.perf_counter() - before
    return Run(
        entry=entry.name,
        fold=number,
        treatment=best,
        inner=tried[best].predicted,
        inner_error=tried[best].error,
        result=held_out(model, frame.take(fold.test)),
        features=chosen_features(model),
        seconds=time.perf_counter() - started,
        fit_seconds=fit_seconds,
    )


def _inner(entry: Entry, n_folds: int) -> int:
    """Return how many inner folds to choose on: with many folds outside, few, as all of it takes their product."""
    return entry.inner if n_folds <= MANY_FOLDS else min(entry.inner, FEW_INNER)


def _failed(runs: Iterable[Run], entry: str) -> bool:
    return any(run.entry == entry and run.error for run in runs)


def _place(folds: Sequence[Fold], number: int) -> str:
    if number == EVERYTHING:
        return "with all trials"
    return f"fold {number + 1} of {len(folds)}, without {folds[number].name}"
