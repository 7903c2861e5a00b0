"""All entries on the same honest folds, resumable; a winner never picked on the folds that score it, and its model."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from core.blend import blend
from core.codec import Frozen, digest, to_plain
from core.errors import FitError
from core.execution.execute import execute, paying
from core.grouped import all_but
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, part, silent
from core.race.chosen import chosen_features
from core.race.entry import Entry
from core.race.result import EVERYTHING, STOCK, Key, Race, Run
from core.race.standings import race_of
from core.recipes import with_validation
from core.recipes.base import in_passing
from core.recipes.parts.nested import Known, best_of, inner_folds
from core.trial import Frame
from core.validate.crossval import held_out
from core.validate.folds import Fold, FoldPlan, parse_folds

MANY_FOLDS, FEW_INNER = 12, 3

OnResult = Callable[[Run], None]


class Track(Frozen):
    """What all runs of a race share; it travels to every process once.

    Attributes
    ----------
    known : by entry what its treatments say of trials held out, of one entry at a time
    """

    frame: Frame
    plan: FoldPlan
    folds: tuple[Fold, ...]
    seed: int
    known: dict[str, Known] = field(default_factory=dict)


class Place(Frozen):
    """One run to be made: an entry without one fold, or with all trials.

    Attributes
    ----------
    rival : the run of another entry without the same fold; see `best_of`
    """

    entry: Entry
    fold: int
    rival: Run | None = None


def race(
    frame: Frame,
    plan: FoldPlan,
    seed: int,
    entries: Sequence[Entry],
    progress: Progress = silent,
    done: Mapping[Key, Run] | None = None,
    on_result: OnResult | None = None,
    *,
    workers: int | None = None,
    cluster: str = "",
) -> Race:
    """Run every entry without each fold, and once with all trials.

    Without a fold an entry chooses its treatment on inner folds of the other trials, and is fitted to
    them; so everything that a fold's score depends on was learnt without that fold.

    Parameters
    ----------
    done : runs of an earlier race of the same `race_id`, which are not run again
    on_result : called with each new run, such as to store it
    progress : may raise `Cancelled`, which ends the race; what `on_result` had been given stays valid
    workers : processes of this machine, which change no result; as many as pay if None
    cluster : a Dask cluster in their place; see `core.execution.execute.execute`

    Raises
    ------
    FitError
        If the folds are impossible. An entry that cannot be fitted is no error; it says why.
    ExecutionError
        If the cluster, or processes, cannot be used.
    """
    track = Track(frame, plan, plan.split(frame, seed), seed)
    runs = dict(done or {})

    def keep(run: Run) -> None:
        runs[run.key] = run
        if on_result is not None:
            on_result(run)

    def told(share: float, said: str) -> None:
        progress(min((len(runs) + share) / whole, 1.0), said)

    numbers = (*range(len(track.folds)), EVERYTHING)
    whole = len(entries) * len(numbers)
    for heat in ([e for e in entries if e.name == STOCK], [e for e in entries if e.name != STOCK]):
        left = [
            Place(entry, number, runs.get((STOCK, number)) if entry.name != STOCK else None)
            for entry in heat
            for number in numbers
            if (entry.name, number) not in runs and not _failed(runs.values(), entry.name)
        ]
        _Course(track, runs, keep, told).run(left, workers, cluster)
    progress(1.0, "done")
    return race_of(frame, plan, seed, entries, runs)


class _Course(Frozen):
    """Runs of a race as they are made."""

    track: Track
    runs: Mapping[Key, Run]
    keep: OnResult
    tell: Progress

    def run(self, places: Sequence[Place], workers: int | None, cluster: str) -> None:
        """Run the first place here, which tells what one takes, and the rest where it pays: cheap, then dearest."""
        timed = time.process_time()
        if workers is None and not cluster:
            places = self._here(places, 1)
        spent = time.process_time() - timed
        several = workers or paying(spent * len(places), len(places))
        if several == 1 and not cluster:
            self._here(places, len(places))
            return
        first = sorted(places, key=lambda place: (place.entry.slowness > 0, -place.entry.slowness))
        hand, told = lambda _, run: self.keep(run), lambda _, said: self.tell(0.0, said)
        execute(run_entry, first, self.track, on_result=hand, progress=told, cluster=cluster, workers=several)

    def _here(self, places: Sequence[Place], most: int) -> Sequence[Place]:
        """Run the first places in this process, and return the others; an entry that fails once is not run again."""
        for place in places[:most]:
            if not _failed(self.runs.values(), place.entry.name):
                self.tell(0.0, f"{place.entry.label}: {_place(self.track.folds, place.fold)}")
                self.keep(run_entry(self.track, place, self.tell))
        return [place for place in places[most:] if not _failed(self.runs.values(), place.entry.name)]


def race_id(frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry]) -> str:
    """Return what runs of a race are good for: the same trials, folds, seed and entries have the same id."""
    told = {e.name: {name: [r.name, e.inner, to_plain(r)] for name, r in e.treatments.items()} for e in entries}
    return digest([frame.digest(), str(plan), seed, told])


def run_entry(track: Track, place: Place, progress: Progress = silent) -> Run:
    """Run one entry without one fold, or with all trials, in any process."""
    started = time.perf_counter()
    entry, folds = place.entry, track.folds
    fold = Fold("", np.empty(0, dtype=np.int64)) if place.fold == EVERYTHING else folds[place.fold]
    left = all_but(len(track.frame), fold.test)
    train = track.frame.take(left)
    if entry.name not in track.known:
        track.known.clear()
    try:
        # with many folds outside there are few inside, as all of it takes their product
        most = entry.inner if len(folds) <= MANY_FOLDS else min(entry.inner, FEW_INNER)
        inner = inner_folds(train, track.plan, track.seed, most)
        known = None if place.rival is None or place.rival.error else place.rival.inner
        outside = track.frame, left, track.known.setdefault(entry.name, {})
        treatments = {name: recipe.asking(track.plan) for name, recipe in entry.treatments.items()}
        light = {name: recipe.light for name, recipe in treatments.items()}
        best, tried = best_of(light, train, inner, part(progress, 0.0, 0.9), known, outside)
        before = time.perf_counter()
        model = treatments[best].fit(train, part(progress, 0.9, 1.0), in_passing)
    except FitError as error:
        nothing = np.full(len(train), np.nan)
        spent = time.perf_counter() - started
        return Run(entry.name, place.fold, "", nothing, float("inf"), None, (), spent, 0.0, str(error))
    fit_seconds = time.perf_counter() - before
    return Run(
        entry=entry.name,
        fold=place.fold,
        treatment=best,
        inner=tried[best].predicted,
        inner_error=tried[best].error,
        result=held_out(model, track.frame.take(fold.test)),
        features=chosen_features(model),
        seconds=time.perf_counter() - started,
        fit_seconds=fit_seconds,
    )


def _failed(runs: Iterable[Run], entry: str) -> bool:
    return any(run.entry == entry and run.error for run in runs)


def _place(folds: Sequence[Fold], number: int) -> str:
    if number == EVERYTHING:
        return "with all trials"
    return f"fold {number + 1} of {len(folds)}, without {folds[number].name}"


def fitted_winner(
    frame: Frame, race: Race, entries: Sequence[Entry], dataset: str, name: str = "", progress: Progress = silent
) -> FittedPipeline:
    """Return the winner, or another entry, the stack or the blend, learnt from all trials.

    It has the scores of the race and the interval of its own out-of-fold residuals.

    Parameters
    ----------
    entries : those of the race
    name : the winner if empty

    Raises
    ------
    FitError
        If it cannot run.
    """
    wanted = name or race.winner
    validation = race.validation(wanted)
    if validation is None:
        raise FitError(_why_not(race, wanted))
    several = race.together(wanted)
    known = {entry.name: entry for entry in entries}
    if several is None:
        model = _fitted(frame, race, known[wanted], progress)
    else:
        members = in_turn(progress, several.mixture.weights)
        models = {member: _fitted(frame, race, known[member], told) for told, member in members}
        model = blend(models, several.mixture, frame, wanted)
    return with_validation(model, validation, race.seed, dataset, frame)


def _why_not(race: Race, name: str) -> str:
    standing = next((s for s in race.standings if s.entry == name), None)
    if not race.winner and race.standings:
        return f"No entry can run on these trials. {race.standings[0].label}: {race.standings[0].error}"
    if standing is None:
        running = ", ".join(s.entry for s in race.running) or "none"
        return f"There is no '{name}' in the race; {running} could run."
    return f"{standing.label} cannot run on these trials: {standing.error}"


def _fitted(frame: Frame, race: Race, entry: Entry, progress: Progress) -> FittedPipeline:
    recipe = entry.treatments[race.standing(entry.name).treatment].asking(parse_folds(race.folds))
    return recipe.fit(frame, progress)
