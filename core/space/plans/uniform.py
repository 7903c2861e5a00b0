"""Points drawn uniformly at random, none twice."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import IntArray
from core.progress import Progress, silent
from core.space._allowed import allowed_points
from core.space.design_space import DesignSpace
from core.space.plans.base import Evidence, PlanMethod


@dataclass(frozen=True)
class Uniform(PlanMethod):
    """Every set of n allowed points is as likely as every other.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 5.1.
    """

    label: ClassVar[str] = "Uniform random"

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points without replacement, in random order."""
        return allowed_points(space).draw(n, np.random.default_rng(seed), evidence.taken(space))
