"""The predictor that does best on folds inside the training kernels, so that nobody chooses on the reported ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.option import option
from core.progress import Progress, part, silent
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor

INNER_FOLDS = 5
FROM_ONE_RUN = tuple(name for name, cls in PREDICTORS.items() if not cls.n_measurements)
BASELINES = ("mean_surface", "median_surface")
CANDIDATES = tuple(name for name in FROM_ONE_RUN if name not in (*BASELINES, "boosting", "soft_network"))


@dataclass(frozen=True)
class Choose(Predictor):
    """Tries several predictors with their usual options and uses the one with the smallest mean relative error."""

    label: ClassVar[str] = "Chosen on folds inside"

    candidates: tuple[str, ...] = option(
        CANDIDATES, choices=tuple(PREDICTORS), label="Candidates", help="Which predictors are tried"
    )

    def fit(self, lesson: Lesson, progress: Progress = silent) -> Learnt:
        """Choose, then learn from all kernels."""
        return PREDICTORS[self.choice(lesson, part(progress, 0.0, 0.9))]().fit(lesson, part(progress, 0.9, 1.0))

    def choice(self, lesson: Lesson, progress: Progress = silent) -> str:
        """Return the name of the winner."""
        errors = self.errors(lesson, progress)
        if not errors or not np.isfinite(min(errors.values())):
            raise FitError(f"None of {', '.join(self.candidates)} can be tried on {len(lesson.log)} kernels.")
        return min(errors, key=lambda name: errors[name])

    def errors(self, lesson: Lesson, progress: Progress = silent) -> dict[str, float]:
        """Return each candidate's mean relative error on the inner folds, in percent; inf where it cannot learn."""
        folds = _folds(lesson.groups)
        found = {}
        for i, name in enumerate(self.candidates):
            progress(i / len(self.candidates), f"{name} on {len(folds)} folds inside")
            found[name] = _error(PREDICTORS[name](), lesson, folds)
        return found


def _folds(groups: IntArray) -> list[IntArray]:
    """Deal groups of kernels out to folds, the largest first, each to the fold that has fewest."""
    names, sizes = np.unique(groups, return_counts=True)
    n = min(INNER_FOLDS, len(names))
    filled, place = np.zeros(n, dtype=np.int64), {}
    for g in np.argsort(-sizes, kind="stable"):
        place[int(names[g])] = int(filled.argmin())
        filled[place[int(names[g])]] += sizes[g]
    fold = np.array([place[int(g)] for g in groups])
    return [np.flatnonzero(fold == i) for i in range(n)]


def _error(predictor: Predictor, lesson: Lesson, folds: list[IntArray]) -> float:
    if len(folds) < 2:
        return float("inf")
    try:
        errors = [_fold_error(predictor, lesson, test) for test in folds]
    except FitError:
        return float("inf")
    return float(100 * np.mean(np.concatenate(errors)))


def _fold_error(predictor: Predictor, lesson: Lesson, test: IntArray) -> FloatArray:
    train = np.setdiff1d(np.arange(len(lesson.log)), test)
    learnt = predictor.fit(lesson.take(train))
    measured = np.full(lesson.log[test].shape, np.nan)
    there = np.unique([lesson.base, *learnt.wants()])
    measured[:, there] = lesson.log[np.ix_(test, there)]
    found = learnt.surfaces(Asked(lesson.features[test], measured))
    others = np.setdiff1d(np.arange(lesson.log.shape[1]), there)
    return np.abs(np.expm1((found - lesson.log[test])[:, others])).ravel()
