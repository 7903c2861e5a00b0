"""Trials by how far they are from their repeats, for people who leave some out by hand."""

import numpy as np
import pandas as pd

from core.codec import IntArray
from core.curate import RULES
from core.report.trials.curation import configuration_names
from core.trial import Measured


def furthest(measured: Measured, response: str, first: frozenset[str] = frozenset(), limit: int = 2000) -> IntArray:
    """Return rows: those of `first`, then by relative distance to the median of their configuration, far ones first."""
    y = pd.Series(measured.column(response))
    middle = y.groupby(measured.configuration).transform("median")
    size = middle.abs()
    distance = ((y - middle).abs() / size.where(size > 0)).fillna(-1.0).to_numpy()
    mine = np.array([id in first for id in measured.ids], dtype=bool)
    return np.lexsort((np.arange(len(y)), -distance, ~mine))[:limit].astype(np.int64)


def furthest_table(measured: Measured, response: str, rows: IntArray) -> pd.DataFrame:
    """Return the trials of some rows: what ran where, which repeat, the response, and the rules that exclude it."""
    why: dict[str, list[str]] = {}
    for rule, ids in sorted(measured.excluded.items()):
        for id in ids:
            why.setdefault(id, []).append(RULES[rule].label if rule in RULES else rule)
    titled = next(str(m) for m in measured.metrics if m.name == response)
    return pd.DataFrame(
        {
            "trial": configuration_names(measured, rows),
            "run": measured.run[rows],
            titled: measured.column(response)[rows],
            "left out by": [", ".join(why.get(measured.ids[i], ())) for i in rows],
        }
    )
