"""Which parameters matter: shares of the variance over the whole space, and how parameters act together."""

from collections.abc import Mapping
from itertools import chain, combinations
from math import fsum

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.space.allowed import AllowedPoints, allowed_points
from core.space.columns import columns_of
from core.space.design_space import DesignSpace
from core.space.sums import Sum, sum_of

_EXACT_CELLS = 1 << 22
_RESAMPLES = 200
_FEW = 41
"""Resamples for each of many pairs, the points themselves first."""
_MANY_PAIRS = 65_536
"""Combinations of two parameters' levels that are counted one by one."""
_NOMINAL = 0.9


LEAST = 0.001
"""With a smaller share of the variance there is no effect to speak of."""


class Share(Frozen):
    """A share of the variance of the response (on the model's scale) over the space.

    Attributes
    ----------
    low, high : ends of the 90 % bootstrap interval; both are the value where it is exact
    """

    value: float
    low: float
    high: float


class Sensitivity(Frozen):
    """Sobol' indices over the allowed points of a space, each as likely as another.

    Attributes
    ----------
    first : per parameter, the share of the variance that it explains by itself
    total : per parameter, the share that is left when all others are known
    interactions : per pair of parameters, the share that the two explain together beyond each by
        itself, the largest first
    variance : of the response on the model's scale
    exact : whether they are computed from the model's own terms, without sampling
    n_samples : points drawn; 0 where exact
    """

    first: Mapping[str, Share]
    total: Mapping[str, Share]
    interactions: Mapping[tuple[str, str], Share]
    variance: float
    exact: bool
    n_samples: int

    @property
    def interacts(self) -> bool:
        """Whether any two parameters explain a thousandth of the variance together."""
        return any(abs(share.value) >= LEAST for share in self.interactions.values())


def sensitivity(
    model: FittedPipeline, space: DesignSpace, *, n_samples: int = 8192, seed: int = 0, progress: Progress = silent
) -> Sensitivity:
    """Return Sobol' indices over the allowed points.

    Where the space has no constraints and the model is a sum of terms of few parameters they follow
    exactly from the terms. Else from drawn points: what a parameter explains by itself is the
    variance between the groups of points of one level, less what chance makes of it; what is left
    when the others are known is the mean variance along the levels that the constraints allow
    beside them. With constraints parameters depend on each other; then a parameter can explain by
    itself what is in truth another's doing, and first may exceed total.

    Parameters
    ----------
    n_samples : points drawn for the first and the interactions; an eighth of them for the totals

    References
    ----------
    Sobol' 2001, Global sensitivity indices for nonlinear mathematical models; Saltelli et al. 2010,
    Variance based sensitivity analysis of model output; Kucherenko, Tarantola, Annoni 2012,
    Estimation of global sensitivity indices for models with dependent variables.

    Raises
    ------
    OptionError
        If a column of the model is no parameter, or there is no variance.
    """
    sums = None if space.constraints else sum_of(model, space)
    if sums is not None and not any(bad.any() for bad in sums.refused):
        parts = decomposed(sums, space)
        if parts is not None:
            return _exact(parts, space)
    return _sampled(model, space, n_samples, seed, progress)


def decomposed(sums: Sum, space: DesignSpace) -> dict[tuple[int, ...], FloatArray] | None:
    """Return a sum as effects that average to zero over the levels of each of their parameters; None if too large.

    References
    ----------
    Hoeffding 1948; Sobol' 1993, Sensitivity estimates for nonlinear mathematical models.
    """
    found: dict[tuple[int, ...], FloatArray] = {}
    for table in sums.tables:
        if table.values.size > _EXACT_CELLS:
            return None
        n = len(table.parameters)
        for own in chain.from_iterable(combinations(range(n), k) for k in range(1, n + 1)):
            effect = table.values.mean(axis=tuple(i for i in range(n) if i not in own))
            for axis in range(len(own)):
                effect = effect - effect.mean(axis=axis, keepdims=True)
            axes = tuple(table.parameters[i] for i in own)
            found[axes] = found.get(axes, 0.0) + effect
    return found


def _exact(parts: Mapping[tuple[int, ...], FloatArray], space: DesignSpace) -> Sensitivity:
    variances = {axes: float(np.mean(effect**2)) for axes, effect in parts.items()}
    variance = float(np.sum([*variances.values()]))
    _check_variance(variance)
    shares = {axes: v / variance for axes, v in variances.items()}
    names = space.names
    pairs = {(names[a[0]], names[a[1]]): _sure(s) for a, s in shares.items() if len(a) == 2}
    return Sensitivity(
        first={name: _sure(shares.get((i,), 0.0)) for i, name in enumerate(names)},
        total={name: _sure(fsum(s for a, s in shares.items() if i in a)) for i, name in enumerate(names)},
        interactions=_ordered(pairs),
        variance=variance,
        exact=True,
        n_samples=0,
    )


def _sampled(model: FittedPipeline, space: DesignSpace, n: int, seed: int, progress: Progress) -> Sensitivity:
    rng, points = np.random.default_rng(seed), allowed_points(space)
    codes = _drawn(points, n, rng)
    progress(0.1, f"{len(codes):,} designs")
    y = _predicted(model, space, codes)
    variance = float(np.var(y))
    _check_variance(variance)
    y, names = y - y.mean(), space.names
    draws = rng.multinomial(len(y), np.full(len(y), 1 / len(y)), _RESAMPLES).astype(np.float64)
    weights = np.vstack([np.ones(len(y)), draws])
    n_drawn = weights.sum(axis=1)
    spreads = weights @ (y * y) / n_drawn - (weights @ y / n_drawn) ** 2
    spreads[spreads <= 0] = np.inf  # a resample of designs that are all alike has nothing to share out
    alone = [_between(codes[:, i], size, y, weights) / spreads for i, size in enumerate(space.shape)]
    first = {name: _share(alone[i]) for i, name in enumerate(names)}
    pairs = {}
    for i, j in combinations(range(len(names)), 2):
        joint, size = codes[:, i] * space.shape[j] + codes[:, j], space.shape[i] * space.shape[j]
        if size > _MANY_PAIRS:  # then few of them are there
            there, joint = np.unique(joint, return_inverse=True)
            size = len(there)
        both = _between(joint, size, y, weights[:_FEW]) / spreads[:_FEW]
        pairs[(names[i], names[j])] = _share(both - alone[i][:_FEW] - alone[j][:_FEW])
    total = {}
    some = codes[: max(64, n // 8)]
    for i, name in enumerate(names):
        progress(0.3 + 0.7 * i / len(names), f"what is left to {name}")
        left = _along(model, space, some, i)
        resampled = left[rng.integers(0, len(left), (_RESAMPLES, len(left)))].mean(axis=1)
        total[name] = _share(np.concatenate([[left.mean()], resampled]) / variance)
    return Sensitivity(first, total, _ordered(pairs), variance, False, len(codes))


def _drawn(points: AllowedPoints, n: int, rng: np.random.Generator) -> IntArray:
    if not points.listed:
        return points.draw(n, rng)
    return points.codes(np.arange(points.size) if points.size <= n else rng.integers(0, points.size, n))


def _predicted(model: FittedPipeline, space: DesignSpace, codes: IntArray) -> FloatArray:
    columns = columns_of(model, space)
    chunks = row_blocks(len(codes), len(columns.tables))
    found = np.concatenate([model.predict_scaled(columns.rows(codes[rows])) for rows in chunks])
    n_bad = int((~np.isfinite(found)).sum())
    if n_bad:
        raise OptionError(
            f"The model gives no prediction for {n_bad:,} of {len(found):,} designs, so shares of the variance "
            "mean nothing. Leave those levels out of the space, or train with extrapolation flag."
        )
    return found


def _between(group: IntArray, n_groups: int, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the variance of group means per weighting, less what chance gives groups that are alike."""
    found = np.empty(len(weights))
    for k, w in enumerate(weights):
        sizes = np.bincount(group, w, n_groups)
        sums, squares = np.bincount(group, w * y, n_groups), float(w @ (y * y))
        there = sizes > 0
        n, n_there = sizes.sum(), int(there.sum())
        inner = float((sums[there] ** 2 / sizes[there]).sum())
        within = max(squares - inner, 0.0) / max(n - n_there, 1.0)
        found[k] = max((inner - sums.sum() ** 2 / n - (n_there - 1) * within) / n, 0.0)
    return found


def _along(model: FittedPipeline, space: DesignSpace, codes: IntArray, i: int) -> FloatArray:
    """Return per point the variance over the levels of one parameter that are allowed beside the others' values."""
    size = space.shape[i]
    every = np.repeat(codes, size, axis=0)
    every[:, i] = np.tile(np.arange(size), len(codes))
    keep = space.allowed(every).reshape(len(codes), size)
    y = np.zeros(keep.size)
    y[keep.ravel()] = _predicted(model, space, every[keep.ravel()])
    y = y.reshape(keep.shape)
    count = keep.sum(axis=1)
    mean = y.sum(axis=1) / count
    return np.asarray((((y - mean[:, None]) ** 2) * keep).sum(axis=1) / count)


def _share(found: FloatArray) -> Share:
    """Return a value (the first) with the interval of its resamples (the others) around it."""
    low, high = np.quantile(found[1:], [(1 - _NOMINAL) / 2, (1 + _NOMINAL) / 2])
    value = float(found[0])
    return Share(value, min(float(low), value), max(float(high), value))


def _sure(value: float) -> Share:
    return Share(value, value, value)


def _ordered(pairs: Mapping[tuple[str, str], Share]) -> dict[tuple[str, str], Share]:
    return dict(sorted(pairs.items(), key=lambda item: (-item[1].value, item[0])))


def _check_variance(variance: float) -> None:
    if not variance > 0:
        raise OptionError("The model says the same of every design: there is no variance to share.")
