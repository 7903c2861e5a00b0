"""Where the best design may lie: by what a model believes of it, or by what trials held out taught of its errors."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.progress import Progress
from core.space.belief import Belief, conditioned
from core.space.believed import believe_in
from core.space.design_space import DesignSpace
from core.space.distinct import expected_best, gains_of
from core.space.plans.base import Evidence
from core.trial import Frame

EXPLORE, MINIMISE, MAXIMISE = GOALS = ("explore", "minimise", "maximise")
_WHOLE = np.sqrt(2 * np.pi)
"""What the normal density is divided by, so that its integral is 1."""
_SURE = 2.0
"""Standard deviations of the optimistic bound."""
_DRAWS, _POOL = 500, 500


@dataclass(frozen=True)
class Proposal:
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
    drawn = sign * joint.take(pool).draws(_DRAWS, seed)
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
