"""Which kernels are one where texts tell their settings apart, and which are held out together."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import FloatArray, IntArray
from core.scaling.study import Study, groups_of
from core.validate.folds import Fold, FoldPlan, deal, parse_folds, whole_of

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


def kernel_folds(study: Study, text: str, seed: int = 0) -> tuple[Fold, ...]:
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
    whole = whole_of(_together(study, plan), str(plan))
    return whole if plan.how == "by" and not plan.count else deal(whole, plan, seed, "kernels", "kernels", left=2)


def groups_for(study: Study, text: str) -> IntArray:
    """Return numbers that are equal for kernels that such folds hold out together."""
    texts = np.array(_together(study, parse_folds(text)), dtype=object)
    return np.unique(texts, return_inverse=True)[1].astype(np.int64)


def _together(study: Study, plan: FoldPlan) -> tuple[str, ...]:
    """Return what is held out as one: a group, or a kernel, those as one that text parameters alone tell apart."""
    return groups_of(study, plan.column) if plan.how == "by" else study.labels.get(KERNEL, study.kernels)
