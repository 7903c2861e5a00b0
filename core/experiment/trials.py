"""Experiments on trials, a recipe fitted to one side of a split, and on kernels, a predictor learnt from a base."""

import time
from collections.abc import Sequence
from functools import cached_property, lru_cache
from hashlib import sha256

import numpy as np

from core.codec import FloatArray, Frozen, IntArray, digest, to_plain
from core.errors import FitError, OptionError
from core.experiment.experiment import BASE, EVERY_BASE, Result, Scaling, Split, Subject, Value, scored
from core.experiment.grid import FromBase, predictor_of, recipe_of
from core.grouped import all_but
from core.progress import silent
from core.recipes import Recipe
from core.recipes.base import Prepare, remembering
from core.scaling.gather import study_from_measured
from core.scaling.lesson import make_task, teach
from core.scaling.study import Study, groups_for, kernel_folds
from core.scaling.validation import need_rest, predicted_logs
from core.trial import Frame, Measured
from core.validate.crossval import held_out
from core.validate.folds import Fold, FoldPlan, parse_folds, shuffled_configurations
from core.validate.scores import Scores


class TrialsSubject(Frozen, Subject, eq=False):
    """A frame."""

    name: str
    frame: Frame

    @property
    def digest(self) -> str:
        """The frame's digest."""
        return self.frame.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrialsSubject) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def splits(self, folds: str, seed: int, size: int | None) -> tuple[Split, ...]:
        """Return a split per fold."""
        found = _folds(self, folds, seed)
        for fold in found if size is not None else ():
            n = len(np.unique(np.delete(self.frame.configuration, fold.test)))
            if n < (size or 0):
                where = f" of {self.name}" if self.name else ""
                raise OptionError(
                    f"Without {fold.name}, {n} configurations{where} are left, which are fewer than the size {size}. "
                    "Choose smaller sizes, or hold out fewer."
                )
        return tuple(Split(folds, seed, i, fold.name, size) for i, fold in enumerate(found))

    @lru_cache(maxsize=4096)  # noqa: B019 - as below
    def split_digest(self, split: Split) -> str:
        """Return a digest of both sides."""
        train, test = self.sides(split)
        return sha256(train.tobytes() + b"/" + test.tobytes()).hexdigest()

    @lru_cache(maxsize=16)  # noqa: B019 - few subjects, which are equal where their trials are
    def sides(self, split: Split) -> tuple[IntArray, IntArray]:
        """Return the rows to learn from and those to predict."""
        test = _folds(self, split.folds, split.seed)[split.number].test
        train = all_but(len(self.frame), test)
        if split.size is not None:
            left = self.frame.configuration[train]
            order = _shuffled(self, split.seed)
            train = train[np.isin(left, order[np.isin(order, left)][: split.size])]
        return train, test

    def bases(self, texts: Sequence[str]) -> tuple[dict[str, Value], ...]:
        """Return one: trials have no base."""
        return ({},)

    def procedure(self, recipe: str, values: dict[str, Value], base: int, split: Split) -> Recipe:
        """Return the recipe, asking what the folds hold out."""
        return recipe_of(recipe, values, split.seed).asking(parse_folds(split.folds))

    def fits(self, split: Split, procedures: Sequence[Recipe], *, predictions: bool) -> tuple[Result, ...]:
        """Fit recipes to the rows of one side; what they prepare alike is prepared once."""
        train, test = (self.frame.take(rows) for rows in self.sides(split))
        prepare = remembering()
        return tuple(_fit(recipe, train, test, prepare, predictions=predictions) for recipe in procedures)


def _fit(recipe: Recipe, train: Frame, test: Frame, prepare: Prepare, *, predictions: bool) -> Result:
    started = time.perf_counter()
    try:
        model = recipe.fit(train, silent, prepare)
        own, held = held_out(model, train).predicted, held_out(model, test).predicted
    except FitError as error:
        return Result(seconds=time.perf_counter() - started, why=str(error))
    predicted = np.where(np.isfinite(held), held, np.nan) if predictions else None
    seconds = time.perf_counter() - started
    return Result(held=scored(test.y, held), training=scored(train.y, own), predicted=predicted, seconds=seconds)


@lru_cache(maxsize=32)
def _folds(subject: TrialsSubject, folds: str, seed: int) -> tuple[Fold, ...]:
    return parse_folds(folds).split(subject.frame, seed)


@lru_cache(maxsize=16)
def _shuffled(subject: TrialsSubject, seed: int) -> IntArray:
    return shuffled_configurations(subject.frame, seed)


def trials_subjects(frame: Frame, each: str = "") -> tuple[TrialsSubject, ...]:
    """Return the whole frame, or a part of it per value of a label.

    Raises
    ------
    RidgelineError
        If there is no such label, or only one value of it.
    """
    if not each:
        return (TrialsSubject("", frame),)
    return tuple(TrialsSubject(part.name, frame.take(part.test)) for part in FoldPlan("by", column=each).split(frame))


class KernelsSubject(Frozen, Subject):
    """A study, and what is asked of it."""

    name: str
    study: Study
    response: str
    scaling: Scaling

    @cached_property
    def digest(self) -> str:
        """A digest of all that a predictor could learn from."""
        study = self.study
        named = [study.kernels, [to_plain(m) for m in (*study.axes, *study.responses, *study.counters)], study.labels]
        sha = sha256(digest(to_plain([named, self.response, self.scaling.inputs])).encode())
        for array in (study.grid, study.values, study.counts):
            sha.update(np.ascontiguousarray(array).tobytes())
        return sha.hexdigest()

    def splits(self, folds: str, seed: int, size: int | None) -> tuple[Split, ...]:
        """Return a split per fold of kernels."""
        if size is not None:
            raise OptionError("sizes are of trials; an experiment with [scaling] learns from all kernels of a fold.")
        parts = kernel_folds(self.study, folds, seed)
        return tuple(Split(folds, seed, i, fold.name) for i, fold in enumerate(parts))

    def split_digest(self, split: Split) -> str:
        """Return a digest of the kernels that are held out."""
        return digest([split.folds, self._fold(split).tolist()])

    def bases(self, texts: Sequence[str]) -> tuple[dict[str, Value], ...]:
        """Return the base's value on each axis on which the bases differ, per base."""
        rows = self.study.grid[self._bases(texts)]
        moving = [(axis.name, j) for j, axis in enumerate(self.study.axes) if np.ptp(rows[:, j]) > 0]
        return tuple({f"{BASE} {name}": float(row[j]) for name, j in moving} for row in rows)

    def procedure(self, recipe: str, values: dict[str, Value], base: int, split: Split) -> FromBase:
        """Return the predictor and its base."""
        return FromBase(self._bases(self.scaling.bases)[base], predictor_of(recipe, values, split.seed))

    def fits(self, split: Split, procedures: Sequence[FromBase], *, predictions: bool) -> tuple[Result, ...]:
        """Learn each predictor from the kernels of the other folds, and score it on both sides."""
        return tuple(self._fit(split, one) for one in procedures)

    def _fit(self, split: Split, wanted: FromBase) -> Result:
        started = time.perf_counter()
        study, test = self.study, self._fold(split)
        train = all_but(len(study.kernels), test)
        try:
            need_rest(study, wanted.predictor)
            task = make_task(study, self.response, wanted.base, self.scaling.inputs)
            taught = teach(study, task, train, groups_for(study, split.folds))
            learnt = wanted.predictor.fit(taught.lesson, silent)
        except FitError as error:
            return Result(seconds=time.perf_counter() - started, why=str(error))
        held, own = (predicted_logs(study, task, learnt, taught.features, side)[1] for side in (test, train))
        return Result(self._scored(test, held), self._scored(train, own), seconds=time.perf_counter() - started)

    def _scored(self, kernels: IntArray, logs: FloatArray) -> Scores | None:
        """Return what predictions are worth where there is something to hold them against."""
        known = np.isfinite(logs)
        if not known.any():
            return None
        return scored(self.study.surface(self.response)[kernels][known], np.exp(logs[known]))

    def _fold(self, split: Split) -> IntArray:
        return kernel_folds(self.study, split.folds, split.seed)[split.number].test

    def _bases(self, texts: Sequence[str]) -> list[int]:
        if EVERY_BASE in texts:
            return list(range(self.study.n_configurations))
        return sorted({i for text in texts for i in self.study.matching(text).tolist()})


def kernels_subject(measured: Measured, response: str, scaling: Scaling) -> KernelsSubject:
    """Return the study of a dataset's trials that count.

    Raises
    ------
    RidgelineError
        If there are no axes, or too few kernels or configurations.
    """
    responses = tuple(dict.fromkeys([response, *(scaling.inputs or ())]))
    study = study_from_measured(measured, responses, scaling.axes, scaling.counters)
    return KernelsSubject("", study, response, scaling)
