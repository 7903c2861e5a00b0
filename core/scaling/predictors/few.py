"""Surfaces from a few measurements of a kernel: conditioned on the training kernels', or shaped as a roofline."""

from itertools import product

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import like, option
from core.progress import Progress, in_turn, silent
from core.scaling.predictors._scores import Scores, Trees, averaged, grown
from core.scaling.predictors.base import Asked, Lesson, MeasuredLearnt, Predictor, hold
from core.scaling.predictors.trees import Forest
from core.scaling.surfaces import Components, most_telling


class MeasureNextLearnt(MeasuredLearnt):
    """Trees over the counters and what was measured at the chosen configurations."""

    basis: Components
    trees: Trees

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the trees' surfaces, put right where they were measured."""
        found = self.basis.rebuilt(self.trees.predict(np.hstack([asked.features, self.there(asked)])))
        return np.where(np.isfinite(asked.measured), asked.measured, found)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees too."""
        super().check(n_features, n_configurations)
        self.basis.check(n_configurations)
        self.trees.check(n_features + len(self.points), len(self.basis.axes))


class MeasureNext(Scores):
    """Extremely randomised trees that see the response at one more configuration, too."""

    label = "One more measurement, where it helps most"
    n_measurements = 1

    points: int = option(1, low=1, high=10, label="Measurements", help="Configurations to measure besides the base")
    trees: int = like(Forest, "trees")
    seed: int = like(Forest, "seed")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MeasureNextLearnt:
        """Choose the configurations, then grow trees that know the surfaces there."""
        points = most_telling(lesson.log, self.points)
        basis, scores = self.basis(lesson)
        seen = np.hstack([lesson.features, lesson.log[:, points]])
        forest = grown("ExtraTreesRegressor", seen, scores, self.trees, self.seed)
        return MeasureNextLearnt(points, basis, averaged(forest, scores.shape[1]))


SLOWER, FASTER, POWER = FORMS = ("time", "rate", "power")
SHARPNESS, PENALTIES = (1.0, 2.0, 4.0, 8.0), (1e-4, 1e-3, 1e-2, 1e-1)
MOST_TERMS = 32


class RooflineLearnt(MeasuredLearnt):
    """(Σ c · term^sharpness)^(1/sharpness) with c ≥ 0, as near to the typical kernel's c as measurements allow.

    Attributes
    ----------
    terms : array of shape (n_configurations, n_terms), 1 at the base, raised to the sharpness
    typical : array of shape (n_terms,), mean coefficients of the training kernels
    sharpness : 1 adds the terms up; more comes near to the largest alone, as in a roofline
    penalty : of leaving the typical coefficients
    sign : 1 for a time or a power, -1 for a rate, which is 1 / time
    """

    terms: FloatArray
    typical: FloatArray
    sharpness: float
    penalty: float
    sign: float

    def surfaces(self, asked: Asked) -> FloatArray:
        """Fit each kernel's coefficients to what was measured of it."""
        self.there(asked)
        return np.array([self._one(row) for row in asked.measured]).reshape(asked.measured.shape)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the terms too."""
        super().check(n_features, n_configurations)
        hold(self.terms.shape == (n_configurations, len(self.typical)), "its roofline does not fit its grid")
        hold(self.sharpness > 0 and self.penalty > 0 and self.sign in (-1.0, 1.0), "its roofline has no shape")

    def _one(self, measured: FloatArray) -> FloatArray:
        rows = np.flatnonzero(np.isfinite(measured))
        c = _coefficients(self.terms[rows], self.sign * measured[rows], self.sharpness, self.penalty, self.typical)
        return self.sign * np.log(np.maximum(self.terms @ c, 1e-300)) / self.sharpness


class Roofline(Predictor):
    """Time is made of what compute, bandwidth and neither of them set; form and sharpness come from training.

    A time has the terms 1 and 1 / (product of some axes), for each set of axes; a rate is 1 over
    such a time; a power has the products of the axes and of their squares (a clock that takes voltage with it).

    References
    ----------
    Williams, Waterman, Patterson 2009, Roofline; Greathouse, Loh 2018, figure 2c.
    """

    label = "Roofline from a few measurements"
    n_measurements = 2

    points: int = like(MeasureNext, "points", 2)

    def fit(self, lesson: Lesson, progress: Progress = silent) -> RooflineLearnt:
        """Try every form, sharpness and penalty on the training kernels, measured where new ones will be."""
        points = most_telling(lesson.log, self.points)
        asked = lesson.asked(points.tolist())
        models = [m for told, form in in_turn(progress, FORMS) for m in _models(form, lesson, points, told)]
        return min(models, key=lambda m: float(np.abs(np.expm1(m.surfaces(asked) - lesson.log)).mean()))


def _models(form: str, lesson: Lesson, points: IntArray, progress: Progress) -> "list[RooflineLearnt]":
    sign = -1.0 if form == FASTER else 1.0
    raw = _terms(form, lesson.grid, lesson.base)
    found = []
    for i, sharpness in enumerate(SHARPNESS if form != POWER else SHARPNESS[:1]):
        progress(i / len(SHARPNESS), f"roofline as a {form}, sharpness {sharpness:g}")
        terms = raw**sharpness
        zero = np.zeros(terms.shape[1])
        each = [_coefficients(terms, sign * row, sharpness, 1e-9, zero) for row in lesson.log]
        typical = np.mean(each, axis=0)
        found += [RooflineLearnt(points, terms, typical, sharpness, penalty, sign) for penalty in PENALTIES]
    return found


def _terms(form: str, grid: FloatArray, base: int) -> FloatArray:
    """Return the terms over the configurations, each 1 at the base; an axis that reaches 0 is left out."""
    usable = grid[:, (grid > 0).all(axis=0)]
    x = usable / usable[base]
    sets = sorted(product((0, 1, 2) if form == POWER else (0, 1), repeat=x.shape[1]), key=sum)[:MOST_TERMS]
    sign = 1 if form == POWER else -1
    return np.column_stack([np.prod(x ** (sign * np.array(s)), axis=1) for s in sets])


def _coefficients(
    terms: FloatArray, log: FloatArray, sharpness: float, penalty: float, typical: FloatArray
) -> FloatArray:
    """Minimise Σ (terms · c / value^sharpness − 1)² + penalty · |c − typical|² over c ≥ 0."""
    from scipy.optimize import nnls

    weight = np.exp(-sharpness * log)
    root = np.sqrt(penalty)
    A = np.vstack([terms * weight[:, None], root * np.eye(terms.shape[1])])
    return np.asarray(nnls(A, np.r_[np.ones(len(log)), root * typical])[0])
