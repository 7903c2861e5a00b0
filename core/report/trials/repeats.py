"""Configurations that were measured more than once, and how far their measurements are apart."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.report.shared.naming import trial_names
from core.trial import Frame, Metric


@dataclass(frozen=True)
class Repeated:
    """One configuration with several trials.

    Attributes
    ----------
    name : "application · input · machine"
    low, median, high : of the response, in its unit
    spread : (high - low) / |median| in percent; None where the median is 0
    """

    name: str
    n_trials: int
    low: float
    median: float
    high: float
    spread: float | None


@dataclass(frozen=True)
class Repeats:
    """All repeats of a frame, widest spread first.

    Attributes
    ----------
    n_configurations : different configurations, measured once or more often
    typical_spread : median of the spreads in percent; None without repeats
    """

    response: Metric
    n_configurations: int
    repeated: tuple[Repeated, ...]
    typical_spread: float | None


def repeats(frame: Frame) -> Repeats:
    """Find the configurations with more than one trial."""
    order = np.argsort(frame.configuration, kind="stable")
    starts = np.flatnonzero(np.diff(frame.configuration[order], prepend=-1))
    groups = [rows for rows in np.split(order, starts[1:]) if len(rows) > 1]
    names = trial_names(frame) if groups else ()
    found = [_repeated(names[rows[0]], np.sort(frame.y[rows])) for rows in groups]
    found.sort(key=lambda r: -1.0 if r.spread is None else r.spread, reverse=True)
    spreads = [r.spread for r in found if r.spread is not None]
    typical = float(np.median(spreads)) if spreads else None
    return Repeats(frame.response, len(starts), tuple(found), typical)


def repeats_table(value: Repeats) -> pd.DataFrame:
    """Return a row per configuration with repeats."""
    rows = value.repeated
    return pd.DataFrame(
        {
            "configuration": [r.name for r in rows],
            "trials": [r.n_trials for r in rows],
            f"lowest {value.response}": [r.low for r in rows],
            f"median {value.response}": [r.median for r in rows],
            f"highest {value.response}": [r.high for r in rows],
            "spread (% of median)": [r.spread for r in rows],
        }
    )


def _repeated(name: str, y: FloatArray) -> Repeated:
    low, median, high = float(y[0]), float(np.median(y)), float(y[-1])
    spread = 100 * (high - low) / abs(median) if median else None
    return Repeated(name, len(y), low, median, high, spread)
