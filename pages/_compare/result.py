"""What came of a race, ready to be looked at: kept in the database and in memory, more of it as a job, taken away."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.codec import Frozen, digest
from core.export import write_model
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn
from core.race.entry import Entry
from core.race.race import fitted_winner, race
from core.race.result import Key, Race, Run, run_from_plain, run_to_plain
from core.race.standings import race_of
from core.race.versus import verdict_on_race
from core.report.compare.race_table import Line, race_lines
from core.report.compare.side_by_side import Progressed, on_logarithms, progressed
from core.report.shared.outcome import Outcome, held_out_outcome
from core.store import Store
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.verdict import Verdict
from pages._compare.question import SEED, Heat, Question
from pages._compare.scenario import Scenario
from pages._model.answer import refused, save
from pages._ui.choices import act, pick
from pages._ui.database import held, kept, room_for, store
from pages._ui.drawn import offer
from pages._ui.jobs import computed, key_of, known

_MOST_HELD = 600
Runs = dict[int, Run]
"""By fold."""


def runs_of(heat: Heat) -> dict[Key, Run]:
    """Return the runs of a heat that are done."""
    there, keep = _held(), store()
    return {run.key: run for e in heat.entries for run in list(_loaded(there, keep, heat.keys[e.name]).values())}


def progress_of(heat: Heat) -> tuple[Progressed, ...]:
    """Return how far each entry of a heat is."""
    frame, runs = heat.scenario.frame, runs_of(heat)
    folds = heat.plan.split(frame, SEED)
    return tuple(progressed(frame, folds, e, runs) for e in heat.entries)


def n_done(heats: Sequence[Heat]) -> tuple[int, int]:
    """Return how many runs are done, and how many are needed."""
    found = [p for heat in heats for p in progress_of(heat)]
    return sum(p.n_done for p in found), sum(p.n_needed for p in found)


def standings_of(heat: Heat) -> Race:
    """Return what the runs that are done amount to."""
    runs = runs_of(heat)
    return _standings(_runs_key(heat, runs), heat, runs)


def _runs_key(heat: Heat, runs: dict[Key, Run]) -> str:
    """Return a text that is the same for the same runs: what is measured anew takes another time."""
    return key_of(heat.key, *sorted((str(key), run.seconds) for key, run in runs.items()))


def job_key(heats: Sequence[Heat]) -> str:
    """Return what the job of these heats is known by, in every tab."""
    return f"race-{digest([heat.key for heat in heats])[:32]}"


def race_work(heats: Sequence[Heat], dataset: str) -> Callable[[Progress], None]:
    """Return the race as work for a job; each run is kept as soon as it is done."""
    keep, there = store(), _held()

    def work(progress: Progress) -> None:
        for share, heat in in_turn(progress, heats):
            done = {run.key: run for e in heat.entries for run in _loaded(there, keep, heat.keys[e.name]).values()}
            race(heat.scenario.frame, heat.plan, SEED, heat.entries, share, done, _keeper(heat, dataset, keep, there))

    return work


def _keeper(heat: Heat, dataset: str, keep: Store, there: dict[str, Runs]) -> Callable[[Run], None]:
    def on_result(run: Run) -> None:
        key = heat.keys[run.entry]
        keep.races.keep(dataset, key, run.entry, run.fold, run_to_plain(run))  # what is said to be done is kept
        there.setdefault(key, {})[run.fold] = run

    return on_result


def forget(heats: Sequence[Heat]) -> None:
    """Drop the runs of heats, so that they are run anew."""
    for heat in heats:
        for key in heat.keys.values():
            _held().pop(key, None)
            store().races.forget(key)


def _loaded(there: dict[str, Runs], keep: Store, key: str) -> Runs:
    """Return the runs of a key, from the database if they are not in memory."""
    if key not in there:
        room_for(there, _MOST_HELD)
        stored = [run for plain in keep.races.runs(key) if (run := _read(plain)) is not None]
        there.setdefault(key, {}).update({run.fold: run for run in stored})
    return there[key]


def _read(plain: dict[str, Any]) -> Run | None:
    """Return a stored run; None if it was written by a program of another form, so that it is run again."""
    try:
        return run_from_plain(plain)
    except (KeyError, TypeError, ValueError):
        return None


def _held() -> dict[str, Runs]:
    return held(str(store().path), "races")


@kept(lambda key, heat, runs: key, 24)
def _standings(key: str, heat: Heat, runs: dict[Key, Run]) -> Race:
    return race_of(heat.scenario.frame, heat.plan, SEED, heat.entries, runs)


class Result(Frozen):
    """A scenario with its race, and its race on random folds if that was run.

    Attributes
    ----------
    key : the same for the same races with the same runs done
    heat : what was run on honest folds
    lines : those entries that are done, best first
    """

    key: str
    dataset: str
    heat: Heat
    race: Race
    beside: Race | None
    lines: tuple[Line, ...]

    @property
    def scenario(self) -> Scenario:
        """What is predicted from what."""
        return self.heat.scenario

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that were asked for."""
        return self.heat.entries

    @property
    def frame(self) -> Frame:
        """The trials."""
        return self.scenario.frame

    @property
    def title(self) -> str:
        """What the scenario is called."""
        return self.scenario.title

    @property
    def able(self) -> tuple[Line, ...]:
        """The lines of what could be run."""
        return tuple(line for line in self.lines if line.validation is not None)

    @property
    def log(self) -> bool:
        """Whether the response is looked at on logarithmic axes."""
        return on_logarithms(self.frame)

    def line(self, name: str) -> Line:
        """Return the line of an entry, the stack or the blend that could be run."""
        return next(line for line in self.able if line.entry == name)

    def validation(self, name: str) -> Validation:
        """Return the validation of an entry that could be run, of the stack or the blend."""
        found = self.race.validation(name)
        assert found is not None
        return found

    def judged(self, progress: Progress) -> Verdict | None:
        """Return the verdict on the winner beside the baselines."""
        return verdict_on_race(self.frame, self.race)

    def outcome(self, name: str) -> Outcome:
        """Return the held-out predictions of an entry."""
        return _outcome(f"{self.key} {name}", self.validation(name), self.frame, self.log)


def results_of(questions: Sequence[Question], dataset: str) -> tuple[Result, ...]:
    """Return the results of all questions of which something is done."""
    found = []
    for honest, *others in questions:
        race = standings_of(honest)
        if not race.standings:
            continue
        shown = next((beside for beside in map(standings_of, others) if beside.standings), None)
        key = key_of(*(_runs_key(heat, runs_of(heat)) for heat in (honest, *others)))
        lines = _lines(key, honest.scenario.frame, race, shown)
        found.append(Result(key, dataset, honest, race, shown, lines))
    return tuple(found)


def choose_result(results: Sequence[Result]) -> Result:
    """Let the user choose a scenario, where there are several."""
    titles = [result.title for result in results]
    return results[0] if len(titles) == 1 else results[titles.index(pick("Scenario", titles, "scenario"))]


@kept(lambda key, frame, race, beside: key, 24)
def _lines(key: str, frame: Frame, race: Race, beside: Race | None) -> tuple[Line, ...]:
    return race_lines(frame, race, beside)


@kept(lambda key, validation, frame, log: key, 24)
def _outcome(key: str, validation: Validation, frame: Frame, log: bool) -> Outcome:
    return held_out_outcome(validation, frame, log)


_WANTED = "_wanted_race_models"


def draw_kept(result: Result, name: str) -> None:
    """Offer to make the model, then to save and to download it."""
    key = _key(result, name)
    if made(result, name) is None and key not in _wanted():
        help = "Learns it from all trials, with the interval that the race has found."
        act("Keep this model …", "make_model", "save", _wanted().add, key, help=help)
        return
    model = make(result, name)
    if model is not None:
        _offer(model, result, name)


def make(result: Result, name: str) -> FittedPipeline | None:
    """Return a model of the race learnt from all trials; None while a job learns it."""
    title = f"Learning {result.line(name).label} from all trials"
    work = partial(fitted_winner, result.frame, result.race, result.entries, result.dataset, name)
    return computed("keep", title, _key(result, name), work)


def _offer(model: FittedPipeline, result: Result, name: str) -> None:
    if refused(model, _key(result, name)):
        return
    usual = f"{result.dataset} {result.title} {result.line(name).label}"
    keys = (f"race_model_name_{name}_{result.title}", "save_race_model", "download_race_model")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offer(usual, keys, lambda title: save(model, title), lambda: write_model(model))


def made(result: Result, name: str) -> FittedPipeline | None:
    """Return a model of the race, if it was made before."""
    found: FittedPipeline | None = known("keep", _key(result, name))
    return found


def _key(result: Result, name: str) -> str:
    several = result.race.together(name)
    weights = () if several is None else tuple(several.weights.items())
    return key_of(result.dataset, result.race.trials_sha256, result.race.folds, result.race.seed, name, weights)


def _wanted() -> set[str]:
    wanted: set[str] = st.session_state.setdefault(_WANTED, set())
    return wanted
