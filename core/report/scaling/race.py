"""Which predictor of scaling is best, which run to measure next, and time against power at all configurations."""

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.report.scaling.kernels import Relative
from core.report.scaling.predicted import outcome_of
from core.report.scaling.slices import texts_of
from core.report.shared.naming import columns_of, row_of
from core.scaling.outcome import EDP, ENERGY, Outcome
from core.scaling.race import Race
from core.scaling.scaling_model import Predicted, ScalingModel
from core.scaling.study import Study
from core.scaling.surfaces import covariance, next_configurations
from core.scaling.validation import ScalingValidation


class Finish(Frozen):
    """One row of a race; references have no time of their own."""

    name: str
    label: str
    error: float
    runs: int
    reference: bool = False


def finishes(found: Race) -> tuple[Finish, ...]:
    """Return predictors and references, the smallest error first."""
    rows = [Finish(e.name, e.label, e.validation.mape, 1 + e.n_measurements) for e in found.entries]
    first = found.reference
    if not any(row.name == "mean_surface" for row in rows):
        rows.append(Finish("mean_surface", "The mean surface", first.mean_surface_mape, 1, True))
    rows.append(Finish("best_cluster", "The best possible cluster of 12", first.best_cluster_mape, 1, True))
    return tuple(sorted(rows, key=lambda row: row.error))


def race_table(found: Race) -> pd.DataFrame:
    """Return a row per predictor."""
    entries = found.entries
    errors = "predictor: label | name | mean error (%): validation.mape"
    return pd.DataFrame(
        {
            **columns_of(entries, errors),
            "median error (%)": [float(np.nanmedian(e.validation.error)) for e in entries],
            **columns_of(entries, "90 % interval covers (%): validation.scores.coverage_90"),
            "runs per kernel": [1 + e.n_measurements for e in entries],
            **columns_of(entries, "seconds"),
        }
    )


def race_sentence(found: Race) -> str:
    """Say who errs least, and what clusters alone could reach."""
    ones = [e for e in found.entries if not e.n_measurements]
    first = found.reference
    parts = []
    if ones:
        best = ones[0].validation.mape
        parts.append(f"From one run of a kernel, “{ones[0].label}” errs least: {best:.3g} % on kernels held out.")
    more = [e for e in found.entries if e.n_measurements]
    if more:
        best, runs = more[0].validation.mape, 1 + more[0].n_measurements
        parts.append(f"With {runs} runs of each, “{more[0].label}” errs by {best:.3g} %.")
    parts.append(
        f"The mean surface errs by {first.mean_surface_mape:.3g} %, the best possible cluster by "
        f"{first.best_cluster_mape:.3g} %."
    )
    return " ".join(parts)


def worst_table(study_kernels: tuple[str, ...], found: ScalingValidation) -> pd.DataFrame:
    """Return a row per held-out kernel, the worst first."""
    folds = [found.fold_names[i] if i >= 0 else "" for i in found.fold_of_kernel.tolist()]
    rows = pd.DataFrame({"kernel": study_kernels, "held out with": folds, "mean error (%)": found.by_kernel})
    return rows[rows["mean error (%)"].notna()].sort_values("mean error (%)", ascending=False, kind="stable")


class NextRuns(Frozen):
    """Configurations to measure, one after another, and what is left of the variance then, in percent."""

    study: Study
    texts: tuple[str, ...]
    rows: IntArray
    left: FloatArray

    def table(self) -> pd.DataFrame:
        """Return a row per measurement, in order."""
        axes = {str(axis): self.study.grid[self.rows, j] for j, axis in enumerate(self.study.axes)}
        return pd.DataFrame({"run": range(1, len(self.rows) + 1), **axes, "left of the variance (%)": self.left})

    def sentence(self) -> str:
        """Say where to measure first, and what that leaves."""
        said = (
            f"Measure at {self.texts[self.rows[0]]} first: that leaves {self.left[0]:.3g} % of the variance "
            "between the kernels' surfaces"
        )
        if len(self.rows) == 1:
            return f"{said}."
        return f"{said}; {len(self.rows)} measurements leave {self.left[-1]:.3g} %."


def next_runs(of: Relative, n: int) -> NextRuns:
    """Return the n measurements besides the base that tell most of a kernel's surface."""
    rows, left = next_configurations(covariance(of.log), n)
    return NextRuns(of.study, texts_of(of.study.grid, of.study.axes), rows, 100 * left)


class Front(Frozen):
    """Time and power of a kernel over all configurations, and those that no other beats in both."""

    outcome: Outcome
    texts: tuple[str, ...]
    target: int

    def table(self) -> pd.DataFrame:
        """Return a row per configuration of the front, the fastest first."""
        titles = "time (s): time_s | power (W): power_w | energy (J): energy_j | energy-delay (J s): edp_js"
        table = pd.DataFrame({"configuration": self.texts, **row_of(self.outcome, titles)})
        return table.iloc[self.outcome.front].reset_index(drop=True)

    def sentence(self) -> str:
        """Say which configurations are best by energy and by energy-delay."""
        o, energy, edp = self.outcome, self.outcome.best(ENERGY), self.outcome.best(EDP)
        return (
            f"{len(o.front)} of {len(self.texts)} configurations are beaten by none in time and power. Least energy: "
            f"{self.texts[energy]} with {o.energy_j[energy]:.3g} J; least energy-delay: {self.texts[edp]} with "
            f"{o.edp_js[edp]:.3g} J s."
        )


def best_point(model: ScalingModel, front: Front, objective: str) -> dict[str, float]:
    """Return the configuration that is best by `time`, `power`, `energy` or `edp`."""
    return model.point(front.outcome.best(objective))


def front_of(model: ScalingModel, of: Predicted, target: int) -> Front | None:
    """Return the front of time and power; None without both."""
    found = outcome_of(of)
    return None if found is None else Front(found, texts_of(model.grid, model.axes), target)
