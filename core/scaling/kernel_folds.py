"""Which kernels are one where texts tell their settings apart, and which are held out together."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.scaling.study import Study, groups_of
from core.validate.folds import parse_folds

KERNEL = "whole kernel"
"""The label that says which kernels are one, where text parameters tell them apart: they are held out together."""


def text_parameters(
    kernels: Sequence[str], points: FloatArray, configuration: IntArray, labels: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the labels that differ between trials of a kernel at a point that are no repeats of one another.

    Parameters
    ----------
    kernels, points, configuration, labels : of each trial; equal numbers of `configuration` mark repeats
    """
    cell = _numbers(list(zip(kernels, map(tuple, points.tolist()), strict=True)))
    mixed = _differs(cell, configuration)
    if not mixed.any():
        return ()
    codes = {name: _numbers(list(texts)) for name, texts in labels.items()}
    return tuple(
        name for name, code in codes.items() if _differs(cell, code).any() and not _differs(configuration, code).any()
    )


def _numbers(keys: Sequence[object]) -> IntArray:
    """Number equal keys alike, as they come."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _differs(group: IntArray, code: IntArray) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """Return, per group, whether its codes are not all the same."""
    n = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(low, group, code)
    np.maximum.at(high, group, code)
    return low < high


@dataclass(frozen=True)
class KernelFold:
    """Kernels that are predicted by a model that has not seen them.

    Attributes
    ----------
    test : array of their places in the study
    """

    name: str
    test: IntArray


def kernel_folds(study: Study, text: str, seed: int = 0) -> tuple[KernelFold, ...]:
    """Return the folds that `kfold:10`, `loo`, `holdout:20%`, `by:family` or `by:LABEL` stands for.

    `by:family` holds out kernels whose names are alike up to their first number. Random folds are
    dealt by a hash of the seed and the kernels' names, so that their order changes nothing.

    Raises
    ------
    OptionError
        If the text is none of these.
    FitError
        If there are fewer kernels or groups than folds.
    """
    plan = parse_folds(text)
    if plan.how == "by" and not plan.count:
        return _by(groups_of(study, plan.column), str(plan))
    if plan.how == "loo":
        return _by(_alone(study), str(plan))
    order = _shuffled(groups_of(study, plan.column) if plan.how == "by" else _alone(study), seed)
    if plan.how == "holdout":
        count = plan.held_out(len(order))
        _need(1 <= count <= len(order) - 2, f"Holding out {count}", len(order), count + 2)
        return (KernelFold("held out", np.sort(np.concatenate(order[:count]))),)
    k = plan.count
    _need(k <= len(order), f"Splitting into {k} folds", len(order), k)
    return tuple(KernelFold(f"fold {i + 1}", np.sort(np.concatenate(order[i::k]))) for i in range(k))


def groups_for(study: Study, text: str) -> IntArray:
    """Return numbers that are equal for kernels that such folds hold out together."""
    plan = parse_folds(text)
    texts = groups_of(study, plan.column) if plan.how == "by" else _alone(study)
    return np.unique(np.array(texts, dtype=object), return_inverse=True)[1].astype(np.int64)


def _alone(study: Study) -> tuple[str, ...]:
    """Return what is held out alone: kernels, those together that text parameters alone tell apart."""
    return study.labels.get(KERNEL, study.kernels)


def _by(texts: tuple[str, ...], said: str) -> tuple[KernelFold, ...]:
    array = np.array(texts, dtype=object)
    values = sorted(set(texts))
    if len(values) < 2:
        raise FitError(f"Folds {said} need at least 2 different values, got {len(values)}. Choose other folds.")
    return tuple(KernelFold(value or "(none)", np.flatnonzero(array == value)) for value in values)


def _shuffled(names: tuple[str, ...], seed: int) -> list[IntArray]:
    """Return the places of each name, the names in an order that a hash deals."""
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        places.setdefault(name, []).append(i)
    order = sorted(places, key=lambda name: hashlib.sha256(f"{seed}\x1f{name}".encode()).digest())
    return [np.array(places[name], dtype=np.int64) for name in order]


def _need(holds: bool, what: str, n: int, least: int) -> None:
    if not holds:
        raise FitError(f"{what} needs at least {least} kernels, got {n}. Choose other folds, or import more kernels.")
