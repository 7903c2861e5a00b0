"""What came of a race, ready to be looked at."""

from collections.abc import Sequence

from core.frozen import Frozen
from core.progress import Progress
from core.race.entry import Entry
from core.race.result import Race
from core.race.versus import verdict_on_race
from core.report.compare.race_table import Line, race_lines
from core.report.compare.side_by_side import on_logarithms
from core.report.shared.outcome import Outcome, held_out_outcome
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.verdict import Verdict
from pages._compare.held import standings_of
from pages._compare.question import Heat, Question
from pages._compare.scenario import Scenario
from pages._ui.choices import pick
from pages._ui.database import kept


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
        done = [s.entry for s in (*race.standings, *(shown.standings if shown else ()))]
        key = f"{' '.join(heat.key for heat in (honest, *others))} {done}"
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
