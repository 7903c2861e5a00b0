"""Next-best experiments: the batch of designs that teaches most, or where the optimum may lie."""

import numpy as np
from scipy.special import ndtr

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.option import option
from core.pipeline import FittedPipeline
from core.progress import Progress, part, silent
from core.space.allowed import allowed_points, reference, spread
from core.space.believed import believe_in
from core.space.columns import columns_of, rows_of
from core.space.design_space import DesignSpace
from core.space.distinct import expected_best, gains_of
from core.space.plans.base import Belief, Evidence, PlanMethod, additive, believe, committee, conditioned
from core.trial import Frame

EXPLORE, MINIMISE, MAXIMISE = GOALS = ("explore", "minimise", "maximise")
_WHOLE = np.sqrt(2 * np.pi)
"""What the normal density is divided by, so that its integral is 1."""
_SURE = 2.0
"""Standard deviations of the optimistic bound."""
_FEW_DRAWS, _POOL = 500, 500


class Proposal(Frozen):
    """The designs to measure next, the most useful first.

    Attributes
    ----------
    codes : array of shape (n, n_parameters)
    expected, doubt : arrays of shape (n,): prediction in the response's unit, and the standard
        deviation of its error on the model's scale, as known before the batch
    how : what they were chosen by, in words
    gain : array of shape (n,), what each is expected to better the best measured by, in the response's unit, once
        those before it are measured; None where the best is not sought
    """

    codes: IntArray
    expected: FloatArray
    doubt: FloatArray
    how: str
    gain: FloatArray | None = None


def seek_together(
    space: DesignSpace, codes: IntArray, evidence: Evidence, n: int, goal: str, seed: int, progress: Progress
) -> Proposal:
    """Return the n of some designs whose best is expected to be farthest ahead of what was measured.

    What is expected follows from the errors on trials held out, so that a model that is wrong about parts of the
    space is not trusted there. Without a model, trees grown at random on the trials are it.

    References
    ----------
    Ginsbourger, Le Riche, Carraro 2010, Kriging is well-suited to parallelize optimization (the multi-points
    expected improvement, here of draws and one design after another).
    """
    believed = believe_in(evidence, space, seed=seed, progress=progress)
    sign = -1.0 if goal == MAXIMISE else 1.0
    y = evidence.measured.y
    known = float((sign * believed.scale.forward(y)).min())
    joint = believed.joint(codes)
    hope = _improvement(sign * joint.mean, np.maximum(joint.doubt, 1e-150), known)
    pool = np.argsort(-hope, kind="stable")[: max(_POOL, n)]
    drawn = sign * joint.take(pool).draws(_FEW_DRAWS, seed)
    places = expected_best(drawn, np.full(len(drawn), known), n)
    chosen, inverse = pool[places], believed.scale.inverse
    gain = gains_of(inverse(sign * drawn[:, places]), float(sign * (sign * y).min()), sign)
    how = f"{goal} by the improvement expected of the batch"
    return Proposal(codes[chosen], inverse(joint.mean[chosen]), joint.doubt[chosen], how, gain)


def seek(belief: Belief, model: FittedPipeline, frame: Frame | None, high: bool, bound: bool, n: int) -> list[int]:
    """Return the points where the best design may lie, each chosen as if those before it had come out as expected.

    Parameters
    ----------
    bound : by the optimistic bound, not the expected improvement

    References
    ----------
    Jones, Schonlau, Welch 1998, Efficient global optimization, equation 15; Ginsbourger, Le Riche,
    Carraro 2010, Kriging is well-suited to parallelize optimization (the "kriging believer").
    """
    sign = -1.0 if high else 1.0
    mean = sign * belief.mean
    best = float(np.nanmin(mean if frame is None else sign * model.scale.forward(frame.y)))
    chosen: list[int] = []
    for _ in range(n):
        doubt = np.sqrt(np.maximum(np.diag(belief.covariance), 1e-300))
        worth = _SURE * doubt - mean if bound else _improvement(mean, doubt, best)
        worth = np.where(np.isfinite(worth), worth, -np.inf)
        worth[chosen] = -np.inf
        chosen.append(int(np.argmax(worth)))
        belief = conditioned(belief, chosen[-1])
        best = min(best, float(mean[chosen[-1]]))
    return chosen


def _improvement(mean: FloatArray, doubt: FloatArray, best: float) -> FloatArray:
    """Return the logarithm of the expected improvement, which orders also what is nearly impossible."""
    u = (best - mean) / doubt
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.log(np.maximum(u * ndtr(u) + np.exp(-(u**2) / 2) / _WHOLE, 1e-300))
    far = -(u**2) / 2 - np.log(_WHOLE) - 2 * np.log(np.maximum(np.abs(u), 1.0))  # its limit far below
    return np.asarray(np.log(doubt) + np.where(u < -8, far, inside))


AUTO, VARIANCE, SPREAD = CRITERIA = ("auto", "variance", "spread")
IMPROVEMENT, BOUND = ACQUISITIONS = ("improvement", "bound")

MISFIT = 0.15
"""Share of the response's standard deviation left unexplained, above which a model's own doubts are no guide."""
PER_PARAMETER = 15
"""Trials per parameter, below which that share is not known well enough."""
_DRAWS = 1000
_SEEKING = 10
"""Times as many designs are looked at where the best is sought: there each costs little."""


class Next(PlanMethod):
    """What the next designs are for, and how they are chosen: where the model is least sure, or the optimum may lie."""

    label = "Next-best experiments"

    goal: str = option(EXPLORE, choices=GOALS).says(
        "explore makes the model better everywhere; minimise and maximise seek the best design"
    )
    criterion: str = option(AUTO, choices=CRITERIA, expert=True).says(
        "Of exploring: variance trusts the model's own doubts, spread keeps the measured points representative, "
        "auto decides by the number of trials and how much of the response the model explains"
    )
    acquisition: str = option(IMPROVEMENT, choices=ACQUISITIONS, expert=True).says(
        "Of seeking: expected improvement over the best measured, or the optimistic bound"
    )
    members: int = option(12, low=2, high=200, expert=True).says(
        "Models of resampled trials, for families that do not say how sure they are"
    )
    candidates: int = option(2000, low=10, high=10000, expert=True).says(
        "Designs drawn to choose from, ten times as many where the best is sought; more find better ones and take "
        "longer"
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
        together = goal != EXPLORE and acquisition == IMPROVEMENT and not evidence.why_not
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
