"""Predictors of surfaces side by side, beside the best possible cluster, and where to measure a kernel next."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.report.scaling.kernels import Relative
from core.report.scaling.slices import texts_of
from core.scaling.race import Race
from core.scaling.study import Study
from core.scaling.surfaces import NextConfiguration, covariance, next_configurations
from core.scaling.validation import ScalingValidation


@dataclass(frozen=True)
class Finish:
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
    scores = [e.validation.scores for e in found.entries]
    return pd.DataFrame(
        {
            "predictor": [e.label for e in found.entries],
            "name": [e.name for e in found.entries],
            "mean error (%)": [e.validation.mape for e in found.entries],
            "median error (%)": [float(np.nanmedian(e.validation.error)) for e in found.entries],
            "90 % interval covers (%)": [s.coverage_90 for s in scores],
            "runs per kernel": [1 + e.n_measurements for e in found.entries],
            "seconds": [e.seconds for e in found.entries],
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
    rows = pd.DataFrame(
        {
            "kernel": study_kernels,
            "held out with": [_fold(found, i) for i in found.fold_of_kernel.tolist()],
            "mean error (%)": found.by_kernel,
        }
    )
    return rows[rows["mean error (%)"].notna()].sort_values("mean error (%)", ascending=False, kind="stable")


def _fold(found: ScalingValidation, i: int) -> str:
    return found.fold_names[i] if i >= 0 else ""


@dataclass(frozen=True)
class NextRuns:
    """Configurations to measure, one after another."""

    study: Study
    texts: tuple[str, ...]
    steps: tuple[NextConfiguration, ...]

    def table(self) -> pd.DataFrame:
        """Return a row per measurement, in order."""
        rows = [step.configuration for step in self.steps]
        axes = {str(axis): self.study.grid[rows, j] for j, axis in enumerate(self.study.axes)}
        return pd.DataFrame(
            {"run": range(1, len(rows) + 1), **axes, "left of the variance (%)": [100 * s.left for s in self.steps]}
        )

    def sentence(self) -> str:
        """Say where to measure first, and what that leaves."""
        first, last = self.steps[0], self.steps[-1]
        said = (
            f"Measure at {self.texts[first.configuration]} first: that leaves {100 * first.left:.3g} % of the variance "
            "between the kernels' surfaces"
        )
        if len(self.steps) == 1:
            return f"{said}."
        return f"{said}; {len(self.steps)} measurements leave {100 * last.left:.3g} %."


def next_runs(of: Relative, n: int) -> NextRuns:
    """Return the n measurements besides the base that tell most of a kernel's surface."""
    study = of.study
    return NextRuns(study, texts_of(study.grid, study.axes), next_configurations(covariance(of.log), n))
