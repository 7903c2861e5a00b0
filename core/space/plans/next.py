"""Next-best experiments: the batch of designs that teaches most, or where the optimum may lie."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.option import option
from core.pipeline import FittedPipeline
from core.progress import Progress, part, silent
from core.space.allowed import allowed_points
from core.space.belief import Belief, additive, believe, committee, conditioned
from core.space.columns import columns_of, rows_of
from core.space.design_space import DesignSpace
from core.space.distinct import gains_of
from core.space.plans.base import Evidence, PlanMethod
from core.space.representative import reference, spread
from core.space.seek import EXPLORE, GOALS, MAXIMISE, Proposal, seek, seek_together
from core.trial import Frame

AUTO, VARIANCE, SPREAD = CRITERIA = ("auto", "variance", "spread")
IMPROVEMENT, BOUND = ACQUISITIONS = ("improvement", "bound")

MISFIT = 0.15
"""Share of the response's standard deviation left unexplained, above which a model's own doubts are no guide."""
PER_PARAMETER = 15
"""Trials per parameter, below which that share is not known well enough."""
_DRAWS = 1000
_SEEKING = 10
"""Times as many designs are looked at where the best is sought: there each costs little."""


@dataclass(frozen=True)
class Next(PlanMethod):
    """What the next designs are for, and how they are chosen: where the model is least sure, or the optimum may lie."""

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
        help="Designs drawn to choose from, ten times as many where the best is sought; more find better ones and take "
        "longer",
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the n designs, the most useful first."""
        return self.propose(space, n, evidence, seed, progress).codes

    def propose(
        self, space: DesignSpace, n: int, evidence: Evidence, seed: int = 0, progress: Progress = silent
    ) -> Proposal:
        """Return the next designs to measure, different from each other and from what was measured.

        An additive model with interactions knows how its errors go together; of another family, some
        models of resampled trials are asked how they disagree. Each design is chosen as if those before
        it in the batch had been measured, so that a batch spreads. Without a model, an additive one is
        fitted to the frame; families other than that need to know how they are fitted. Where the best is
        sought by improvement, errors on trials held out say what may be expected (`seek_together`).

        Raises
        ------
        OptionError
            If there are fewer designs, or nothing to learn from.
        """
        if evidence.frame is None and evidence.model is None:
            raise OptionError(
                "The next points follow from what was measured: give a dataset with its response, or a model."
            )
        goal, acquisition, known = self.goal, self.acquisition, evidence.taken(space)
        together = goal != EXPLORE and acquisition == IMPROVEMENT and evidence.repeatable
        codes = allowed_points(space).candidates(n, self.candidates * (_SEEKING if together else 1), seed, known)
        if together:
            return seek_together(space, codes, evidence, n, goal, seed, progress)
        model = evidence.model or additive(evidence.measured, part(progress, 0.0, 0.4))
        belief = believe(model, columns_of(model, space).rows(codes))
        if belief is None:
            if evidence.fit is None or evidence.frame is None:
                raise OptionError(
                    "A model of this family does not say how sure it is. Give the dataset it was trained on too."
                )
            rows = rows_of(evidence.frame, space, codes)
            belief = committee(evidence.fit, evidence.frame, rows, self.members, seed, part(progress, 0.4, 0.8))
        gain: FloatArray | None = None
        if goal == EXPLORE:
            chosen, how = _explore(space, codes, known, belief, self.criterion, n)
        else:
            chosen = seek(belief, model, evidence.frame, goal == MAXIMISE, acquisition == BOUND, n)
            how = f"{goal} by {acquisition}"
            gain = _gain(belief, model, evidence.frame, chosen, goal == MAXIMISE, seed)
        doubt = np.sqrt(np.maximum(np.diag(belief.covariance), 0.0))
        return Proposal(codes[chosen], model.scale.inverse(belief.mean[chosen]), doubt[chosen], how, gain)


def _gain(
    belief: Belief, model: FittedPipeline, frame: Frame | None, chosen: list[int], high: bool, seed: int
) -> FloatArray | None:
    """Return what chosen designs are expected to better the best by; None where nothing was measured."""
    if frame is None:
        return None
    sign, rng = -1.0 if high else 1.0, np.random.default_rng(seed)
    covariance = belief.covariance[np.ix_(chosen, chosen)]
    drawn = rng.multivariate_normal(belief.mean[chosen], covariance, _DRAWS, check_valid="ignore", method="eigh")
    return gains_of(model.scale.inverse(drawn), float(sign * (sign * frame.y).min()), sign)


def _explore(
    space: DesignSpace, codes: IntArray, known: IntArray, belief: Belief, criterion: str, n: int
) -> tuple[list[int], str]:
    if criterion == AUTO:
        few = belief.n_points < PER_PARAMETER * sum(size > 1 for size in space.shape)
        criterion = SPREAD if few or belief.misfit > MISFIT else VARIANCE
    if criterion == SPREAD:
        chosen = spread(space, codes, space.codes(known), n, reference(space))
        return chosen, "explore by spread: measured points stay representative of the space"
    return _by_variance(belief, n), "explore by variance: the mean variance of all predictions falls most"


def _by_variance(belief: Belief, n: int) -> list[int]:
    """Return the points whose measurement reduces the summed variance of all candidates most, one after another.

    References
    ----------
    Cohn 1996, Neural network exploration using optimal experiment design (the "ALC" criterion).
    """
    chosen: list[int] = []
    for _ in range(n):
        gain = (belief.covariance**2).sum(axis=1) / (np.maximum(np.diag(belief.covariance), 0.0) + belief.noise)
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
        belief = conditioned(belief, chosen[-1])
    return chosen
