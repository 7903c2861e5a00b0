"""The contract of a way to choose points, the same for the same seed, and what is believed of unmeasured ones."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.grouped import all_but
from core.models.anova import Anova
from core.models.parts.story import Joint
from core.option import Options
from core.pipeline import FittedPipeline, Pipeline, Provenance
from core.progress import Progress, in_turn, silent
from core.scale import logarithm_of
from core.space.design_space import DesignSpace
from core.space.holes import on_levels
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.folds import DEALT

Fit = Callable[[Frame, Progress], FittedPipeline]


class Evidence(Frozen):
    """What is known already.

    Attributes
    ----------
    model : trained on what was measured
    frame : what was measured; its points are not proposed again
    fit : how the model is trained, where it is to be trained again
    tested : the model on trials of the frame that it had not seen, where that is known already
    """

    model: FittedPipeline | None = None
    frame: Frame | None = None
    fit: Fit | None = None
    tested: Validation | None = None

    @property
    def why_not(self) -> str:
        """Why it cannot be learnt again without some of what was measured, which takes five designs; "" if it can."""
        if self.frame is None:
            return "they follow from trials, and none are given."
        if self.model is not None and self.fit is None:
            return "the model cannot be trained again."
        n = len(np.unique(self.frame.configuration))
        few = self.model is not None and n < DEALT
        return f"they take {DEALT} measured designs, and there are {n}." if few else ""

    @property
    def measured(self) -> Frame:
        """The frame, where there is one."""
        assert self.frame is not None, "nothing was measured"
        return self.frame

    def taken(self, space: DesignSpace) -> IntArray:
        """Return the ranks of the points that were measured; points off the space's levels are left out."""
        if self.frame is None:
            return np.empty(0, dtype=np.int64)
        codes, there = on_levels(space, self.frame)
        return np.unique(space.ranks(codes[there]))


class PlanMethod(Options, ABC):
    """Options of a way to choose points, and how to choose."""

    label: ClassVar[str] = ""

    @abstractmethod
    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the codes of n different allowed points in the order to measure, shape (n, n_parameters).

        Raises
        ------
        OptionError
            If there are fewer points, or the evidence is not enough.
        """


class Belief(Joint):
    """What is believed of some points, on the model's scale.

    Attributes
    ----------
    mean : array of shape (n,)
    """

    mean: FloatArray


def believe(model: FittedPipeline, X: FloatArray) -> Belief | None:
    """Return what an additive model believes of rows of metrics, or None for another family."""
    joint = model.clusters[0].model.joint(model.scores(X)) if len(model.clusters) == 1 else None
    return None if joint is None else Belief(**vars(joint), mean=model.predict_scaled(X))


def committee(fit: Fit, frame: Frame, X: FloatArray, members: int, seed: int, progress: Progress = silent) -> Belief:
    """Return what models of resampled trials believe: their mean, and how they disagree.

    References
    ----------
    Seung, Opper, Sompolinsky 1992, Query by committee; Abe, Mamitsuka 1998 (bagging).

    Raises
    ------
    FitError
        If no member can be fitted.
    """
    rng = np.random.default_rng(seed)
    said, residuals, why = [], [], ""
    scale = None
    for told, _ in in_turn(progress, range(members)):
        rows = rng.integers(0, len(frame), len(frame)).astype(np.int64)
        try:
            member = fit(frame.take(rows), told)
        except FitError as error:
            why = str(error)
            continue
        scale = scale or member.scale
        columns = [frame.names.index(name) for name in member.names]  # those that are constant there are left out
        known = member.predict_scaled(X[:, columns])
        said.append(scale.forward(member.scale.inverse(known)))
        left = all_but(len(frame), rows)
        held = scale.forward(member.scale.inverse(member.predict_scaled(member.rows(frame.take(left)))))
        residuals.append(scale.forward(frame.y[left]) - held)
    if len(said) < 2 or scale is None:
        raise FitError(f"Of {members} models of resampled trials fewer than two could be fitted: {why}")
    values = np.array(said)
    values = np.where(np.isfinite(values), values, np.nanmedian(values))
    apart = values - values.mean(axis=0)
    covariance = apart.T @ apart / (len(values) - 1)
    typical = float(np.nanmedian(np.abs(np.concatenate(residuals)))) * 1.4826
    spread = float(np.std(scale.forward(frame.y))) or 1.0
    noise = max(typical**2 - float(np.diag(covariance).mean()), 1e-12)
    return Belief(covariance, noise, typical / spread, len(frame), values.mean(axis=0))


def additive(frame: Frame, progress: Progress = silent) -> FittedPipeline:
    """Return the additive model with interactions of a frame, of the logarithm where responses are positive."""
    if len(frame) < Anova().least_trials:
        raise OptionError(
            f"{len(frame)} measured points are too few to say where the next should be. "
            "Measure a first plan, such as --method sobol, of some 30 points."
        )
    provenance = Provenance("anova", {}, 0, "", frame.digest(), len(frame))
    return Pipeline((), Anova(), response_scale=logarithm_of(frame.y)).fit(frame, provenance, progress)


def conditioned(belief: Belief, place: int) -> Belief:
    """Return what would be believed if one of the points had been measured (and been as expected)."""
    row = belief.covariance[place]
    less = np.outer(row, row / (row[place] + belief.noise))
    return replace(belief, covariance=belief.covariance - less)
