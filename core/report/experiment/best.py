"""The best setting of an experiment, the simplest one as good, its held-out predictions, and how much is left."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from core.errors import count
from core.experiment.experiment import LARGE, MEASURES, RELATIVE, SIZE, SMALL, Experiment, Result, Value
from core.experiment.grid import Fit, Grid
from core.experiment.trials import TrialsSubject
from core.frozen import Frozen
from core.progress import duration
from core.report.experiment.results import Point, averaged, said
from core.report.shared.outcome import Outcome, Said, measured_outcome
from core.scale import choose_scale

_FEWER = "components explained clusters n_clusters max_terms knots order degree trees leaves max_features level cost"
_MORE = "threshold theta phi penalty min_leaf"
KNOWN: Mapping[str, str] = MappingProxyType(
    dict.fromkeys((SIZE, *_FEWER.split(), "target_r2", "interactions"), SMALL) | dict.fromkeys(_MORE.split(), LARGE)
)
"""Fewer configurations to measure count as simpler, as every one of them is a run to wait for."""
_ALL_OF_THEM = {"components": (None, 0)}
"""Values that stand for as many as there are."""


def ends(experiment: Experiment) -> dict[str, str]:
    """Return towards which end each swept thing is simpler, where that is known."""
    known = {**KNOWN, **experiment.simpler}
    return {name: known[name] for name in experiment.swept if name in known}


def complexity(values: Mapping[str, Value], towards: Mapping[str, str]) -> tuple[float, ...]:
    """Return how far a setting is from the simplest, swept thing by swept thing; smaller is simpler."""
    return tuple(_complexity(name, values[name], end) for name, end in towards.items() if name in values)


def _complexity(name: str, value: Value, end: str) -> float:
    if value in _ALL_OF_THEM.get(name, ()) or not isinstance(value, int | float):
        return float("inf")
    return float(value) if end == SMALL else -float(value)


MOST_REFUSED = 0.05
"""Share of trials that a setting may refuse to predict and still be chosen."""
_COUNTED = (SIZE, "components", "clusters", "n_clusters", "knots", "trees", "leaves", "max_terms")


class Best(Frozen):
    """The choice among settings on one subject and one kind of folds.

    Attributes
    ----------
    smallest : of smallest error
    chosen : the simplest whose error is at most one standard error above it
    towards : per swept thing, which end is simpler; what is not there is not compared
    measure, unit : the error's name in words, and " %" or nothing
    n_left_out : settings that cannot run or refuse too much
    """

    smallest: Point
    chosen: Point
    towards: Mapping[str, str]
    measure: str
    unit: str = ""
    n_left_out: int = 0

    def sentence(self, of: str = "") -> str:
        """Say both, and why; `of` is what it is about, such as "On average over applications"."""
        at = said(self.smallest.setting.values) or self.smallest.setting.recipe
        head = f"{of}, the" if of else "The"
        first = f"{head} smallest {self.measure} is {self._number(self.smallest.error)}{self._more()}, with {at}."
        if not self.towards:
            rest = " No setting is known to be simpler than another here, so this is the one to take."
        elif self.smallest.standard_error is None:
            rest = " With one fit per setting there is no standard error; more folds or seeds would give one."
        elif self.chosen is self.smallest:
            rest = f" Nothing simpler is within one standard error of it ({self._ends()})."
        else:
            rest = (
                f" Within one standard error of it the simplest is {said(self.chosen.setting.values)}, with "
                f"{self._number(self.chosen.error)} ({self._ends()})."
            )
        left = self.n_left_out
        told = f" {left} setting{' cannot run or refuses' if left == 1 else 's cannot run or refuse'} too many trials."
        return first + rest + (told if left else "")

    def _more(self) -> str:
        error = self.smallest.standard_error
        return "" if error is None else f" ± {self._number(error, 2)}"

    def _number(self, value: float | None, digits: int = 3) -> str:
        return f"{value or 0.0:#.{digits}g}".rstrip(".") + self.unit

    def _ends(self) -> str:
        return "simpler is: " + ", ".join(f"{_word(name, end)} {name}" for name, end in self.towards.items())


def _word(name: str, end: str) -> str:
    return "larger" if end == LARGE else "fewer" if name in _COUNTED else "smaller"


def best_of(experiment: Experiment, found: Sequence[Point]) -> Best | None:
    """Return the best of points of one subject and one kind of folds; None where none has an error.

    Of several swept things the one that comes first in the experiment counts first.
    """
    answers = [p for p in found if p.n_refused <= MOST_REFUSED * (p.n + p.n_refused)]
    able = [p for p in answers if p.error is not None and p.n_done == p.n_fits]
    if not able:
        return None
    towards = ends(experiment)
    smallest = min(able, key=lambda p: (_error(p), complexity(p.setting.values, towards)))
    limit = _error(smallest) + (smallest.standard_error or 0.0)
    within = [p for p in able if _error(p) <= limit] if towards else [smallest]
    chosen = min(within, key=lambda p: (complexity(p.setting.values, towards), _error(p)))
    unit = " %" if experiment.measure in RELATIVE else ""
    done = sum(p.n_done == p.n_fits for p in found)
    return Best(smallest, chosen, towards, MEASURES[experiment.measure], unit, done - len(able))


def bests(experiment: Experiment, found: Sequence[Point]) -> dict[tuple[str, str], Best]:
    """Return the best per subject and kind of folds; of several subjects also of their average."""
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in (*averaged(found), *found):
        groups.setdefault((point.subject, point.folds), []).append(point)
    chosen = {key: best_of(experiment, of) for key, of in groups.items()}
    return {key: best for key, best in chosen.items() if best is not None}


def _error(point: Point) -> float:
    return float("inf") if point.error is None else point.error


MOST_PANELS = 60


def panels(grid: Grid, results: Mapping[str, Result], point: Point) -> dict[str, Outcome]:
    """Return the held-out predictions of a point by what was left out; empty where none were kept.

    Of several seeds the first is shown.
    """
    found: dict[str, Outcome] = {}
    for fit in grid.fits:
        if not _is_of(grid, fit, point) or fit.split.name in found:
            continue
        result = results.get(fit.key)
        if result is not None and result.predicted is not None:
            found[fit.split.name] = _outcome(grid, fit, result)
    return found


def _is_of(grid: Grid, fit: Fit, point: Point) -> bool:
    same = grid.settings[fit.setting] is point.setting and fit.split.folds == point.folds
    return same and grid.subjects[fit.subject].name == point.subject


def _outcome(grid: Grid, fit: Fit, result: Result) -> Outcome:
    subject = grid.subjects[fit.subject]
    assert isinstance(subject, TrialsSubject)
    assert result.predicted is not None
    assert result.held is not None
    frame = subject.frame
    _, rows = subject.sides(fit.split)
    nothing, log = np.full(len(rows), np.nan), choose_scale("auto", frame.y).log
    said, residuals = Said(result.predicted, nothing, nothing), frame.y[rows] - result.predicted
    return measured_outcome(frame, rows, fit.split.folds, log, said, residuals, result.held)


def size_sentence(n_fits: int, n_settings: int, n_done: int, seconds: float) -> str:
    """Say how many fits an experiment has, and about how long the rest takes where some were timed.

    Parameters
    ----------
    seconds : that the fits which are done took, each in one process
    """
    said = f"{count(n_fits, 'fit')} of {count(n_settings, 'setting')}" + (
        f"; {n_done:,} are done and kept" if n_done else ""
    )
    if not n_done:
        return f"{said}. Each result is kept, so it can be stopped and gone on with at any time."
    return f"{said}. The rest takes about {duration((n_fits - n_done) * seconds / n_done)} in one process."
