"""Time and power of a kernel over all configurations, and the ones that no other beats in both."""

from dataclasses import dataclass

import pandas as pd

from core.report.scaling.predicted import outcome_of
from core.report.scaling.slices import texts_of
from core.scaling.outcome import EDP, ENERGY, Outcome
from core.scaling.scaling_model import Predicted, ScalingModel


@dataclass(frozen=True)
class Front:
    """Time and power of a kernel over all configurations, and those that no other beats in both."""

    outcome: Outcome
    texts: tuple[str, ...]
    target: int

    def table(self) -> pd.DataFrame:
        """Return a row per configuration of the front, the fastest first."""
        rows, o = self.outcome.front, self.outcome
        return pd.DataFrame(
            {
                "configuration": [self.texts[i] for i in rows],
                "time (s)": o.time_s[rows],
                "power (W)": o.power_w[rows],
                "energy (J)": o.energy_j[rows],
                "energy-delay (J s)": o.edp_js[rows],
            }
        )

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
    row = model.grid[front.outcome.best(objective)].tolist()
    return {axis.name: x for axis, x in zip(model.axes, row, strict=True)}


def front_of(model: ScalingModel, of: Predicted, target: int) -> Front | None:
    """Return the front of time and power; None without both."""
    found = outcome_of(of)
    return None if found is None else Front(found, texts_of(model.grid, model.axes), target)
