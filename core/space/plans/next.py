"""The next points to measure, from what was measured so far."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import IntArray
from core.progress import Progress, silent
from core.space.design_space import DesignSpace
from core.space.next_points import Wanted, propose
from core.space.plans.base import Evidence, PlanMethod


@dataclass(frozen=True)
class Next(Wanted, PlanMethod):
    """Where the model is least sure, or where the optimum may lie; see `next_points.propose`."""

    label: ClassVar[str] = "Next-best experiments"

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the n designs, the most useful first."""
        return propose(space, n, evidence, self, seed=seed, progress=progress).codes
