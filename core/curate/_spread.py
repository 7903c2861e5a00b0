"""The response of measured trials, and how far repeats are apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.curate.base import BoolArray
from core.errors import OptionError
from core.grouped import group
from core.trial import Kind, Metric


def choose_response(metrics: Sequence[Metric], wanted: str, dataset: str) -> str:
    """Return the response asked for, or the only one there is.

    Raises
    ------
    OptionError
        If there is no such metric; or none was asked for, and there is not just one response.
    """
    names = [m.name for m in metrics]
    responses = [m.name for m in metrics if m.kind == Kind.RESPONSE]
    if wanted in names:
        return wanted
    if wanted:
        raise OptionError(
            f"There is no metric '{wanted}' in dataset '{dataset}'; responses: {', '.join(responses) or 'none'}."
        )
    if len(responses) == 1:
        return responses[0]
    if responses:
        raise OptionError(
            f"Dataset '{dataset}' has {len(responses)} responses: {', '.join(responses)}. Name one with --response."
        )
    raise OptionError(f"Dataset '{dataset}' has no response. Name the metric to judge by with --response.")


@dataclass(frozen=True)
class Spread:
    """Run-to-run spread over configurations: standard deviation / |mean| of the repeats, in percent.

    It is not robust on purpose: what outliers do to a mean, it shows.

    Attributes
    ----------
    median, p90, largest : over configurations with repeats; None where there are none
    n_configurations : configurations with two counted trials or more, and a mean other than 0
    """

    median: float | None
    p90: float | None
    largest: float | None
    n_configurations: int


def run_to_run(y: FloatArray, configuration: IntArray, counted: BoolArray) -> Spread:
    """Return the spread of the response over the trials that count.

    Parameters
    ----------
    y : array of shape (n_trials,), NaN where missing
    configuration : array of shape (n_trials,)
    counted : array of shape (n_trials,)
    """
    found = 100 * variation(y, configuration, counted)[1]
    if not len(found):
        return Spread(None, None, None, 0)
    return Spread(float(np.median(found)), float(np.quantile(found, 0.9)), float(found.max()), len(found))


def variation(y: FloatArray, configuration: IntArray, counted: BoolArray) -> tuple[IntArray, FloatArray]:
    """Return configurations that have repeats, ascending, and standard deviation / |mean| of each."""
    rows = np.flatnonzero(counted & np.isfinite(y))
    if not len(rows):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    groups = group(y[rows], configuration[rows])
    mean = np.add.reduceat(groups.ascending, groups.first) / groups.size
    squares = np.add.reduceat((groups.ascending - np.repeat(mean, groups.size)) ** 2, groups.first)
    known = (groups.size > 1) & (mean != 0)
    sd = np.sqrt(squares[known] / (groups.size[known] - 1))
    return np.unique(configuration[rows])[known].astype(np.int64), sd / np.abs(mean[known])
