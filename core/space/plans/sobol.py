"""Sobol' points: an even sequence, of which every part is even too."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import qmc

from core.codec import FloatArray, IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.design_space import DesignSpace
from core.space.plans._spread import snapped
from core.space.plans.base import Evidence, PlanMethod


@dataclass(frozen=True)
class Sobol(PlanMethod):
    """Sobol' sequence; unlike a Latin hypercube it can be continued, or stopped early.

    References
    ----------
    Sobol' 1967; scrambled after Owen 1998, Scrambling Sobol' and Niederreiter-Xing points.
    """

    label: ClassVar[str] = "Sobol'"

    scramble: bool = option(True, label="Scramble", expert=True, help="Shift and shuffle the sequence by the seed")

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the first n different points of the sequence."""
        sampler = qmc.Sobol(len(space.parameters), scramble=self.scramble, rng=np.random.default_rng(seed))

        def cube(m: int) -> FloatArray:
            return sampler.random(1 << max(m - 1, 0).bit_length())

        return snapped(space, n, cube, evidence.taken(space), seed)
