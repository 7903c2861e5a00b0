"""One model of a race in detail: its folds, workloads and metrics, and how much sooner it answers than a simulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.curate import Unjoined
from core.errors import FitError
from core.race.chosen import Failures, Stability, alike, stability
from core.race.result import Standing, Together
from core.report.shared.columns import columns_of
from core.report.shared.naming import trial_names
from core.trial import Frame
from core.validate.crossval import Validation


def unjoined_table(unjoined: Sequence[Unjoined]) -> pd.DataFrame:
    """Return a row per workload that only one of two machines has; columns that say nothing are left out."""
    columns = columns_of(unjoined, "only on: machine | application | input | parameters: setting")
    return pd.DataFrame({name: texts for name, texts in columns.items() if any(texts)})


def on_logarithms(frame: Frame) -> bool:
    """Whether a response is better looked at on logarithmic axes: positive, over more than a decade."""
    return bool(frame.y.min() > 0 and frame.y.max() / frame.y.min() > 10)


def fold_table(frame: Frame, validation: Validation, chosen: Standing | Together | None) -> pd.DataFrame:
    """Return a row per fold: what was left out, how well it was predicted, and what was chosen without it."""
    found = validation.by_fold(frame.y)
    columns: dict[str, object] = {
        "left out": list(validation.fold_names),
        "workloads": [s.n + s.n_refused for s in found],
        **columns_of(found, "MAPE (%): mape | median error (%): median_ape | within 20 % (%): inliers_20"),
    }
    if isinstance(chosen, Standing):
        columns["scale and weights"] = list(chosen.treatments)
        columns["features"] = list(chosen.n_features)
    if isinstance(chosen, Together):
        columns["made of"] = [_members(mixture.weights) for mixture in chosen.by_fold]
    return pd.DataFrame(columns)


def _members(weights: Mapping[str, float]) -> str:
    return " + ".join(f"{w:.2g} {entry}" for entry, w in sorted(weights.items(), key=lambda pair: -pair[1]))


def failures_table(found: Failures, frame: Frame) -> pd.DataFrame:
    """Return a row per workload, by observed value."""
    both = {f"observed {frame.response}": found.observed, f"predicted {frame.response}": found.predicted}
    return pd.DataFrame({"workload": found.names, **both, "error (%)": found.ape})


def chosen_metrics(frame: Frame, features: Sequence[Sequence[str]]) -> tuple[Stability, ...]:
    """Return how often each metric is looked at over the folds; metrics that tell the same count as one."""
    return stability(features, alike(frame)) if features else ()


def stability_table(found: Sequence[Stability]) -> pd.DataFrame:
    """Return a row per metric or group of metrics that tell the same."""
    return pd.DataFrame(
        {
            "metric": [s.metrics[0] for s in found],
            "chosen (% of folds)": [100 * s.share for s in found],
            "tells the same as": [", ".join(s.metrics[1:]) for s in found],
        }
    )


@dataclass(frozen=True)
class SpeedUp:
    """How much sooner a model answers than the simulator, per workload.

    Attributes
    ----------
    names : workloads, smallest speed-up first
    factor : array of shape (n,)
    simulator, host : arrays of shape (n,), in the same unit
    n_without : workloads of which one of the times is not known or not positive
    """

    names: tuple[str, ...]
    factor: FloatArray
    simulator: FloatArray
    host: FloatArray
    unit: str
    n_without: int = 0

    def sentence(self) -> str:
        """Say it in words."""
        return (
            f"On average the simulator takes {self.factor.mean():,.0f} times as long as running the workload on the "
            f"host, after which the model answers at once ({self.factor.min():,.3g} to {self.factor.max():,.3g} times)."
        )

    def table(self) -> pd.DataFrame:
        """Return a row per workload."""
        unit = f" ({self.unit})" if self.unit else ""
        times = {f"simulator{unit}": self.simulator, f"host{unit}": self.host}
        return pd.DataFrame({"workload": self.names, **times, "speed-up (times)": self.factor})


def speed_up(frame: Frame, simulated: Frame, host: str) -> SpeedUp:
    """Return the speed-up per workload, smallest first.

    Parameters
    ----------
    simulated : the same workloads (by trial id) with the simulator's time as response
    host : the metric of `frame` that says how long the workload ran on the host

    Raises
    ------
    FitError
        If the two times have different units, or no workload has both.
    """
    metric = frame.metrics[frame.names.index(host)]
    if metric.unit != simulated.response.unit:
        raise FitError(
            f"The simulator's time {simulated.response} and the host's time {metric} have different units, so their "
            "ratio says nothing. Choose times of the same unit."
        )
    known = dict(zip(simulated.ids, simulated.y.tolist(), strict=True))
    slow = np.array([known.get(id, np.nan) for id in frame.ids])
    quick = frame.X[:, frame.names.index(host)]
    there = np.isfinite(slow) & (slow > 0) & (quick > 0)
    if not there.any():
        raise FitError("No workload has both a simulator's time and a host's time above 0, so there is no speed-up.")
    rows = np.flatnonzero(there)
    rows = rows[np.argsort(slow[rows] / quick[rows], kind="stable")]
    names = trial_names(frame)
    slow, quick, own = slow[rows], quick[rows], tuple(names[i] for i in rows)
    return SpeedUp(own, slow / quick, slow, quick, metric.unit, int((~there).sum()))
