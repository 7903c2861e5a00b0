"""Where to measure a kernel next, so that its whole surface is known best."""

from dataclasses import dataclass

import pandas as pd

from core.report.scaling.kernels import Relative
from core.report.scaling.slices import texts_of
from core.scaling.study import Study
from core.scaling.surfaces import NextConfiguration, covariance, next_configurations


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
