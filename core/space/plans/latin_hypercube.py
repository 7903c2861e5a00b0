"""Latin hypercube: every level of every parameter is there as often as it can be."""

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
class LatinHypercube(PlanMethod):
    """Each parameter's range is cut into n parts and each part used once.

    References
    ----------
    McKay, Beckman, Conover 1979, A comparison of three methods for selecting values of input variables.
    """

    label: ClassVar[str] = "Latin hypercube"

    centred: bool = option(
        False, label="Centred", expert=True, help="Take the middle of each part instead of a random place in it"
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points; with constraints the parts are even over what they allow."""
        rng = np.random.default_rng(seed)

        def cube(m: int) -> FloatArray:
            sampler = qmc.LatinHypercube(len(space.parameters), scramble=not self.centred, rng=rng)
            found: FloatArray = sampler.random(m)
            return found

        return snapped(space, n, cube, evidence.taken(space), seed)
