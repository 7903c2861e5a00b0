"""What predictors learn from and are asked: features and surfaces of a study, from the training kernels alone."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.scaling.predictors.base import Asked, Learnt, Lesson, hold
from core.scaling.study import Study
from core.scaling.surfaces import relative_surfaces
from core.trial import Metric


class FeatureMap(Frozen):
    """From counters and responses at the base to columns of mean 0 and variance 1 over the training kernels.

    First come the counters (log(1 + x) of those that are never negative) and the logarithms of the
    responses: the plain features. Then, for counters of one unit that are never negative, each
    one's share of their sum, and the logarithm of each response per unit of that sum: the shape of
    a kernel's work, whatever its size.

    Attributes
    ----------
    median : array of shape (n_counters,), stands in for a counter that is missing
    median_response : array of shape (n_responses,), the same for the responses
    group : array of shape (n_counters,), counters whose shares are taken together; -1 for one
        that can be negative and is taken as it is
    n_groups : how many groups there are
    mean, scale : arrays of shape (n_features,)
    """

    median: FloatArray
    median_response: FloatArray
    group: IntArray
    n_groups: int
    mean: FloatArray
    scale: FloatArray

    @property
    def n_plain(self) -> int:
        """How many of the columns are counters and responses themselves."""
        return len(self.median) + len(self.median_response)

    def apply(self, counts: FloatArray, at_base: FloatArray) -> FloatArray:
        """Return features of shape (n, n_features).

        Parameters
        ----------
        counts : array of shape (n, n_counters), NaN where missing
        at_base : array of shape (n, n_responses), positive, in the responses' units, NaN where missing
        """
        whole = _whole(at_base, self.median_response)
        raw = _columns(_whole(counts, self.median), whole, self.group, self.n_groups)
        return (raw - self.mean) / self.scale

    def plain(self, counts: FloatArray, at_base: FloatArray) -> FloatArray:
        """Return the plain features alone, array of shape (n, n_plain); see `apply`."""
        raw = _columns(_whole(counts, self.median), _whole(at_base, self.median_response), self.group, 0)
        return (raw - self.mean[: self.n_plain]) / self.scale[: self.n_plain]

    def check(self, n_counters: int, n_responses: int) -> None:
        """Hold the arrays of a file against each other."""
        fits = self.median.shape == (n_counters,) == self.group.shape and self.median_response.shape == (n_responses,)
        fits = fits and 0 <= self.n_groups <= n_counters + 1 and bool((self.median_response > 0).all())
        one = np.ones((1, n_counters)), np.ones((1, n_responses))
        width = _columns(*one, self.group, self.n_groups).shape[1] if fits else -1
        fits = self.mean.shape == (width,) == self.scale.shape and bool((self.scale > 0).all())
        hold(fits, "its features do not fit its counters")


def learn_features(counts: FloatArray, at_base: FloatArray, counters: Sequence[Metric]) -> FeatureMap:
    """Learn the features of training kernels.

    Raises
    ------
    FitError
        If there is neither a counter nor a response to recognise kernels by.
    """
    if counts.shape[1] + at_base.shape[1] == 0:
        raise FitError("Kernels have no counters to be recognised by. Import counters, or use the mean surface.")
    median, typical = _medians(counts, 0.0), _medians(at_base, 1.0)
    whole = _whole(counts, median)
    units = sorted({m.unit for m in counters})
    positive = [bool((column >= 0).all()) for column in whole.T]
    group = np.array(
        [units.index(m.unit) if p else -1 for m, p in zip(counters, positive, strict=True)], dtype=np.int64
    )
    raw = _columns(whole, _whole(at_base, typical), group, len(units))
    scale = raw.std(axis=0)
    return FeatureMap(median, typical, group, len(units), raw.mean(axis=0), np.where(scale > 1e-12, scale, 1.0))


def _medians(columns: FloatArray, stand_in: float) -> FloatArray:
    if len(columns) and np.isfinite(columns).all():
        return np.asarray(np.sort(columns, axis=0)[[(len(columns) - 1) // 2, len(columns) // 2]].mean(axis=0))
    kept = [c[np.isfinite(c)] for c in columns.T]
    return np.array([float(np.median(c)) if len(c) else stand_in for c in kept], dtype=np.float64)


def _whole(counts: FloatArray, median: FloatArray) -> FloatArray:
    return np.where(np.isfinite(counts), counts, median)


def _columns(counts: FloatArray, at_base: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    logged = np.where(group >= 0, np.log1p(np.maximum(counts, 0.0)), counts)
    logs = np.log(at_base)
    found: list[FloatArray] = [logged, logs]
    for g in range(n_groups):
        members = np.flatnonzero(group == g)
        if len(members) < 2:
            continue
        total = np.maximum(counts[:, members], 0.0).sum(axis=1, keepdims=True)
        share = np.divide(counts[:, members], total, out=np.zeros((len(counts), len(members))), where=total > 0)
        found += [share, np.log1p(total), logs - np.log1p(total)]
    return np.hstack(found)


class Task(Frozen):
    """What is predicted, and from where.

    Attributes
    ----------
    response : to predict
    base : the configuration at which a kernel is measured
    inputs : responses whose value at the base helps to recognise a kernel
    """

    response: str
    base: int
    inputs: tuple[str, ...] = ()


class Taught(Frozen):
    """A lesson, with the features it is written in."""

    lesson: Lesson
    features: FeatureMap


def make_task(study: Study, response: str, base: int, inputs: tuple[str, ...] | None = None) -> Task:
    """Return a task, by default with all responses at the base as inputs, as in the paper."""
    names = tuple(m.name for m in study.responses) if inputs is None else inputs
    for name in (response, *names):
        study.response(name)
    return Task(response, base, names)


def inputs_at_base(study: Study, task: Task) -> FloatArray:
    """Return the input responses at the base, array of shape (n_kernels, n_inputs)."""
    columns = [study.surface(name)[:, task.base] for name in task.inputs]
    return np.column_stack(columns) if columns else np.empty((study.n_kernels, 0))


def teach(study: Study, task: Task, kernels: IntArray, groups: IntArray | None = None) -> Taught:
    """Return the lesson of some kernels; those that were not measured at the base are left out."""
    surfaces = relative_surfaces(study, task.response, task.base, kernels)
    counts, at_base = study.counts_at(task.base)[surfaces.kernels], inputs_at_base(study, task)[surfaces.kernels]
    features = learn_features(counts, at_base, study.counters)
    held = np.arange(study.n_kernels) if groups is None else groups
    lesson = Lesson(
        log=surfaces.log,
        features=features.apply(counts, at_base),
        n_plain=features.n_plain,
        base=task.base,
        grid=study.grid,
        groups=held[surfaces.kernels],
    )
    return Taught(lesson, features)


def ask(study: Study, task: Task, features: FeatureMap, kernels: IntArray, learnt: Learnt) -> Asked:
    """Return kernels as a predictor is asked: features at the base, and what it wants measured besides."""
    at_base = inputs_at_base(study, task)[kernels]
    measured = np.full((len(kernels), study.n_configurations), np.nan)
    there = np.unique([task.base, *learnt.wants()])
    logs = np.log(study.surface(task.response)[kernels])
    measured[:, there] = logs[:, there] - logs[:, [task.base]]
    return Asked(features.apply(study.counts_at(task.base)[kernels], at_base), measured)
