"""Every predictor on the same folds, and what a choice made inside the training kernels would have had."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from core.progress import Progress, part, silent
from core.scaling.choose import FROM_ONE_RUN, Choose
from core.scaling.lesson import Task
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Predictor
from core.scaling.study import Study
from core.scaling.validation import ScalingValidation, validate_scaling

CHOSEN = "chosen"


@dataclass(frozen=True)
class Entry:
    """One predictor's result.

    Attributes
    ----------
    n_measurements : configurations besides the base at which kernels had to be measured
    """

    name: str
    label: str
    n_measurements: int
    validation: ScalingValidation
    seconds: float


@dataclass(frozen=True)
class Race:
    """Results, the smallest mean error first."""

    entries: tuple[Entry, ...]

    def entry(self, name: str) -> Entry:
        """Return a predictor's result."""
        return next(e for e in self.entries if e.name == name)

    @property
    def reference(self) -> ScalingValidation:
        """The validation whose mean surface and best cluster are told: one that scores every cell but the base's."""
        return min(self.entries, key=lambda e: e.n_measurements).validation

    @property
    def best(self) -> Entry:
        """The best of those that need one run alone."""
        return next(e for e in self.entries if not e.n_measurements)


def race(
    study: Study,
    task: Task,
    folds: str = "kfold:10",
    seed: int = 0,
    *,
    names: Sequence[str] | None = None,
    progress: Progress = silent,
) -> Race:
    """Validate predictors with their usual options on the same folds.

    The entry `chosen` picks one of the others on folds inside each training part, so that its
    error is what somebody gets who lets the trials choose.

    Parameters
    ----------
    names : which predictors; if None all that leave something to predict, and `chosen`
    """
    wanted = tuple(names) if names is not None else able(study)
    entries = []
    for i, name in enumerate(wanted):
        started = perf_counter()
        told = part(progress, i / len(wanted), (i + 1) / len(wanted))
        predictor = predictor_named(name)
        found = validate_scaling(study, task, predictor, folds, seed, name=name, progress=told)
        entries.append(Entry(name, predictor.label, predictor.n_measurements, found, perf_counter() - started))
    return Race(tuple(sorted(entries, key=lambda e: e.validation.mape)))


def able(study: Study) -> tuple[str, ...]:
    """Return the predictors, and `chosen`, whose measurements leave configurations of a study to predict."""
    most = study.n_configurations - 2
    return tuple(name for name in (*PREDICTORS, CHOSEN) if predictor_named(name).n_measurements <= most)


def predictor_named(name: str, settings: dict[str, str] | None = None) -> Predictor:
    """Return a predictor, or the choice among those that need one run alone."""
    if name == CHOSEN:
        return Choose.parse(settings or {})
    return PREDICTORS.find(name).parse(settings or {})


assert FROM_ONE_RUN  # what `best` can always find
