"""A response over a design space: what a model says of any design, what was measured, and how sure both are."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import FitError
from core.progress import Progress, silent
from core.scale import ResponseScale, logarithm_of
from core.space.columns import Fixed, idle
from core.space.design_space import DesignSpace
from core.space.held_out import held_out, learn_doubt
from core.space.joint import Doubt, Joint, Known, measured, places_of
from core.space.plans.base import Evidence
from core.space.sums import Surrogate, surrogate
from core.validate.folds import DEALT, FoldPlan


class Believed(Frozen):
    """A response over a design space.

    Attributes
    ----------
    scale : of the errors: logarithms of positive responses
    asked : the model; None where the trees of `doubt` are it
    doubt : None without trials that the model can be trained again on
    level : what `asked` and `doubt` speak of is the response divided by it
    fixed : columns that no parameter gives; not empty for one of several applications, whose `doubt` is one
    why : why there is no `doubt`
    """

    space: DesignSpace
    evidence: Evidence
    scale: ResponseScale
    asked: Surrogate | None
    doubt: Doubt | None
    level: float = 1.0
    fixed: Fixed = field(default_factory=dict)
    why: str = ""

    def values(self, codes: IntArray) -> FloatArray:
        """Return what is known of designs in the response's unit: measured, else predicted; NaN where nothing is."""
        if self.asked is None:
            return self.level * self.scale.inverse(self.joint(codes).mean)
        found = self.asked.values(codes)
        ranks, means, _ = self.measured
        place, known = places_of(ranks, self.space.ranks(codes))
        return self.level * (np.where(known, self.scale.inverse(means[place]), found) if len(ranks) else found)

    def draws(
        self, codes: IntArray, n: int, seed: int, other: int = 0, *, orders: bool = False, chosen: bool = False
    ) -> FloatArray:
        """Return what designs may turn out to be together, n times, in the response's unit: shape (n, n_designs).

        Parameters
        ----------
        other : the number of one of several applications, drawn with the same seed
        """
        alike = 0.0 if self.doubt is None else self.doubt.alike
        joint = self.joint(codes, orders=orders, chosen=chosen)
        drawn = self.level * self.scale.inverse(joint.draws(n, seed, other, alike))
        return drawn if self.may_be_negative else np.maximum(drawn, 0.0)

    def joint(self, codes: IntArray, *, orders: bool = False, chosen: bool = False) -> Joint:
        """Return how sure that is, of designs together: by how much one is better, or (`orders`) which is.

        Of designs that were `chosen` as the best, those better than all that was measured are less sure.

        Raises
        ------
        ValueError
            Without `doubt`.
        """
        if self.doubt is None:
            raise ValueError("nothing was learnt of the model's errors")
        said = None if self.asked is None else self.asked.values(codes)
        return self.doubt.joint(self.space, codes, self.measured, said, self.fixed, orders=orders, chosen=chosen)

    @cached_property
    def measured(self) -> Known:
        """Measured designs: ranks, means of the response over its level on the scale, numbers of trials."""
        frame = self.evidence.frame
        if frame is None:
            return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64)
        return measured(replace(frame, y=frame.y / self.level), self.scale, self.space)

    @property
    def may_be_negative(self) -> bool:
        """Whether a value below 0 was measured, so that one may be predicted."""
        return self.evidence.frame is not None and bool(self.evidence.frame.y.min() < 0)

    def outside(self, codes: IntArray) -> BoolArray:
        """Return which designs lie outside what the model learnt from; those that were measured do not."""
        if self.asked is None:
            return np.zeros(len(codes), dtype=bool)
        return self.asked.outside(codes) & ~places_of(self.measured[0], self.space.ranks(codes))[1]


def believe_in(evidence: Evidence, space: DesignSpace, *, seed: int = 0, progress: Progress = silent) -> Believed:
    """Return what is believed of a response over a design space.

    Raises
    ------
    RidgelineError
        If the model has a column that no parameter gives, or the trials are too few.
    """
    model, frame = evidence.model, evidence.frame
    if model is not None and frame is not None and (less := idle(model, space)):  # trees would look at these
        frame = frame.select([name for name in frame.names if name not in less])
        evidence = replace(evidence, frame=frame)
    asked = surrogate(model, space) if model is not None else None
    scale = LOGS if frame is None else ResponseScale(logarithm_of(frame.y))
    if frame is None or evidence.why_not:
        return Believed(space, evidence, scale, asked, None, why=evidence.why_not)
    plan, known = FoldPlan("kfold", DEALT), evidence.tested
    if known is not None and known.folds == str(plan) and len(known.predicted) == len(frame):
        tests = [np.flatnonzero(known.fold_of_row == i) for i in range(DEALT)]
        return Believed(space, evidence, scale, asked, learn_doubt(frame, scale, tests, known.predicted, None, seed))
    tests = [fold.test for fold in plan.split(frame, seed)]
    every = [np.arange(len(frame), dtype=np.int64)]
    try:
        said = None if evidence.fit is None else held_out(evidence.fit, [frame], every, tests, progress)
    except FitError as error:  # a family may take more trials than a fold leaves
        return Believed(space, evidence, scale, asked, None, why=f"without a fifth of the designs: {error}")
    return Believed(space, evidence, scale, asked, learn_doubt(frame, scale, tests, said, None, seed))


Responses = Mapping[str, Believed]
LOGS = ResponseScale("log")
