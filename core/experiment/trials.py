"""Experiments on trials: a recipe fitted to one side of a split, its held-out and its training errors."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

import numpy as np

from core.codec import IntArray
from core.errors import FitError, OptionError
from core.experiment.experiment import Result, Split, Subject, Value, scored
from core.experiment.grid import recipe_of
from core.progress import silent
from core.recipes import Recipe
from core.recipes.base import Prepare, remembering
from core.trial import Frame
from core.validate.crossval import held_out
from core.validate.folds import Fold, FoldPlan, parse_folds, shuffled_configurations


@dataclass(frozen=True, eq=False)
class TrialsSubject(Subject):
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

    def split_digest(self, split: Split) -> str:
        """Return a digest of both sides."""
        train, test = self.sides(split)
        return sha256(train.tobytes() + b"/" + test.tobytes()).hexdigest()

    def sides(self, split: Split) -> tuple[IntArray, IntArray]:
        """Return the rows to learn from and those to predict."""
        return _sides(self, split)

    def bases(self, texts: Sequence[str]) -> tuple[dict[str, Value], ...]:
        """Return one: trials have no base."""
        return ({},)

    def procedure(self, recipe: str, values: dict[str, Value], base: int, seed: int) -> Recipe:
        """Return the recipe."""
        return recipe_of(recipe, values, seed)

    def fits(self, split: Split, procedures: Sequence[Recipe], *, predictions: bool) -> tuple[Result, ...]:
        """Fit recipes to the rows of one side; what they prepare alike is prepared once."""
        train, test = (self.frame.take(rows) for rows in self.sides(split))
        prepare, plan = remembering(), parse_folds(split.folds)
        asked = (recipe.asking(plan) for recipe in procedures)
        return tuple(_fit(recipe, train, test, prepare, predictions=predictions) for recipe in asked)


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
def _sides(subject: TrialsSubject, split: Split) -> tuple[IntArray, IntArray]:
    frame, test = subject.frame, _folds(subject, split.folds, split.seed)[split.number].test
    train = np.setdiff1d(np.arange(len(frame)), test)
    if split.size is not None:
        left = frame.configuration[train]
        order = _shuffled(subject, split.seed)
        drawn = order[np.isin(order, left)][: split.size]
        train = train[np.isin(left, drawn)]
    return train, test


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
