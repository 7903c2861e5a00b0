"""A model of one target used for a similar one: what a few runs of that are worth, and when to train anew."""

import numpy as np
import pandas as pd

from core.race.reuse import METHODS, RETRAINED, Reuse

IN_WORDS = {
    "as it is": "the model as it is",
    "factor": "times a factor",
    "line": "a line in logarithms",
    RETRAINED: "trained anew",
}


def reuse_table(found: Reuse) -> pd.DataFrame:
    """Return a row per number of runs, with the error of each method in percent."""
    columns = {f"{IN_WORDS[m]} (MAPE, %)": found.mape[:, i] for i, m in enumerate(METHODS)}
    best = [IN_WORDS[METHODS[int(np.nanargmin(row))]] for row in found.mape]
    return pd.DataFrame({"runs of the new target": found.sizes, **columns, "best": best})


def reuse_sentence(found: Reuse, first: str, second: str) -> str:
    """Say when a model of the first target is good enough for the second, and when to train anew."""
    few = found.sizes[0]
    error = float(np.nanmin(found.mape[0, :-1]))
    how = IN_WORDS[METHODS[int(np.nanargmin(found.mape[0, :-1]))]]
    said = f"With {few} runs of {second}, the model of {first} is off by {error:.3g} % at best ({how}). "
    pays = found.retrain_from
    if pays is None:
        return f"{said}Training anew does not pay with up to {found.sizes[-1]} runs: go on with the model of {first}."
    return f"{said}Training anew is worth it from {pays} runs on."
