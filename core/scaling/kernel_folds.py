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
    from pandas import DataFrame, Series

    texts, place = DataFrame(dict(labels)), DataFrame(points).assign(kernel=kernels)
    cell = place.groupby(list(place), sort=False).ngroup().to_numpy()
    if not (Series(configuration).groupby(cell).nunique() > 1).any():
        return ()
    apart, of_repeats = ((texts.groupby(of).nunique() > 1).any() for of in (cell, configuration))
    return tuple(name for name in labels if apart[name] and not of_repeats[name])


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
