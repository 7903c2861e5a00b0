"""Amounts of work: parameters with which, all else alike, times and energies grow."""

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from core.codec import FloatArray, IntArray
from core.ingest import dimension
from core.trial import Metric

_CHOICES = re.compile(
    "thread|core|proc|rank|worker|node|job|gpu|tile|unroll|simd|vec|assoc|ways|latenc|delay|period|penalty",
    re.IGNORECASE,
)
"""In names of what works, of how, and how slowly: more of it is no more to do, though it may take longer."""
_SPENT = ("time", "energy")
_LEAST_STEPS, _TYPICAL, _RISING, _STEEP, _MOST = 4, 0.25, 0.9, 0.5, 200_000
"""A parameter is the amount of work if of so many steps, all else alike, and of as many as a quarter of the
configurations (chance makes a few among designs that were drawn), nine in ten raise the time, most by this power of it;
of so many trials at most."""


def amounts_of_work(
    names: Collection[str],
    columns: Mapping[str, FloatArray],
    texts: Sequence[Sequence[str]],
    configuration: IntArray,
    response: Metric,
    y: FloatArray,
) -> frozenset[str]:
    """Return which parameters are amounts of work.

    Parameters
    ----------
    names : of the parameters that may be
    columns : arrays of shape (n_trials,) by name: the parameters, and what else trials differ in
    texts : of each trial, in which trials differ too
    configuration : array of shape (n_trials,); equal numbers mark repeats
    response, y : what was measured of each trial; nothing is found of what is neither time nor energy
    """
    if dimension(response.unit, response.name) not in _SPENT or len(y) > _MOST or not y.min() > 0:
        return frozenset()
    _, first, of = np.unique(configuration, return_index=True, return_inverse=True)
    mean = np.bincount(of, np.log(y)) / np.bincount(of)
    levels = [np.unique(x, return_inverse=True)[1][first] for x in (*columns.values(), *map(np.array, texts))]
    found = set()
    for j, (name, x) in enumerate(columns.items()):
        own = x[first]
        if name in names and own.min() > 0 and np.ptp(own) > 0 and not _CHOICES.search(name):
            others = np.column_stack([*levels[:j], *levels[j + 1 :], np.zeros(len(own))])
            found |= {name} if _grows(others, np.log(own), mean) else set()
    return frozenset(found)


def _grows(others: FloatArray, x: FloatArray, y: FloatArray) -> bool:
    """Whether steps of x alone raise y, most of them steeply; both are logarithms."""
    order = np.lexsort((x, *others.T))
    step = (others[order][1:] == others[order][:-1]).all(axis=1) & (np.diff(x[order]) > 0)
    slopes = np.diff(y[order])[step] / np.diff(x[order])[step]
    enough = len(slopes) >= max(_LEAST_STEPS, _TYPICAL * len(x))
    return enough and (slopes > 0).mean() >= _RISING and float(np.median(slopes)) >= _STEEP
