"""The next points to measure, from what was measured so far."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.design_space import DesignSpace
from core.space.next_points import ACQUISITIONS, AUTO, CRITERIA, EXPLORE, GOALS, IMPROVEMENT, propose
from core.space.plans.base import Evidence, PlanMethod


@dataclass(frozen=True)
class Next(PlanMethod):
    """Where the model is least sure, or where the optimum may lie; see `next_points.propose`."""

    label: ClassVar[str] = "Next-best experiments"

    goal: str = option(
        EXPLORE,
        choices=GOALS,
        help="explore makes the model better everywhere; minimise and maximise seek the best design",
    )
    criterion: str = option(
        AUTO,
        choices=CRITERIA,
        expert=True,
        help="Of exploring: variance trusts the model's own doubts, spread keeps the measured points representative, "
        "auto decides by the number of trials and how much of the response the model explains",
    )
    acquisition: str = option(
        IMPROVEMENT,
        choices=ACQUISITIONS,
        expert=True,
        help="Of seeking: expected improvement over the best measured, or the optimistic bound",
    )
    members: int = option(
        12,
        low=2,
        high=200,
        expert=True,
        help="Models of resampled trials, for families that do not say how sure they are",
    )
    candidates: int = option(
        2000,
        low=10,
        high=10000,
        expert=True,
        help="Designs drawn to choose from; more find better ones and take longer",
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the n designs, the most useful first."""
        return propose(
            space,
            n,
            frame=evidence.frame,
            model=evidence.model,
            fit=evidence.fit,
            taken=evidence.taken(space),
            goal=self.goal,
            criterion=self.criterion,
            acquisition=self.acquisition,
            members=self.members,
            most_candidates=self.candidates,
            seed=seed,
            progress=progress,
        ).codes
