"""From a study to what predictors learn from and are asked: everything learnt from the training kernels alone."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.scaling.features import FeatureMap, learn_features
from core.scaling.predictors.base import Asked, Learnt, Lesson
from core.scaling.study import Study
from core.scaling.surfaces import Surfaces, relative_surfaces


@dataclass(frozen=True)
class Task:
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


@dataclass(frozen=True)
class Taught:
    """A lesson, with the features it is written in and the surfaces it comes from."""

    lesson: Lesson
    features: FeatureMap
    surfaces: Surfaces


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
    return Taught(lesson, features, surfaces)


def ask(study: Study, task: Task, features: FeatureMap, kernels: IntArray, learnt: Learnt) -> Asked:
    """Return kernels as a predictor is asked: features at the base, and what it wants measured besides."""
    at_base = inputs_at_base(study, task)[kernels]
    measured = np.full((len(kernels), study.n_configurations), np.nan)
    there = np.unique([task.base, *learnt.wants()])
    logs = np.log(study.surface(task.response)[kernels])
    measured[:, there] = logs[:, there] - logs[:, [task.base]]
    return Asked(features.apply(study.counts_at(task.base)[kernels], at_base), measured)
