"""The first points in the order of the space."""

from typing import ClassVar

from core.codec import IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.allowed import allowed_points
from core.space.design_space import DesignSpace
from core.space.plans.base import Evidence, PlanMethod


class First(PlanMethod):
    """Every so many points of those that are allowed."""

    label: ClassVar[str] = "In order"

    stride: int = option(1, low=1, high=1000, help="Take every so many points; more spreads them wider")

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return points in order, whatever was measured."""
        return allowed_points(space).every[:: self.stride][:n]
