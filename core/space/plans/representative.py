"""Points that represent the space best, each chosen in view of those before it."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.allowed import allowed_points
from core.space.design_space import DesignSpace
from core.space.plans.base import Evidence, PlanMethod
from core.space.representative import reference, spread


@dataclass(frozen=True)
class Representative(PlanMethod):
    """Kernel herding: even in all parameters together, also beside what was measured before and within constraints.

    References
    ----------
    Chen, Welling, Smola 2010, Super-samples from kernel herding.
    """

    label: ClassVar[str] = "Representative"

    candidates: int = option(
        3000, low=10, high=10000, expert=True, help="Points drawn to choose from; more are more even and take longer"
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points; those measured count as chosen already."""
        taken = evidence.taken(space)
        some = allowed_points(space).candidates(n, max(self.candidates, 2 * n), seed, taken)
        return some[spread(space, some, space.codes(taken), n, reference(space))]
