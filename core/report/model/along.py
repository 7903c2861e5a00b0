"""Errors along the number of terms of a selection: on groups held out, and in training."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.models.parts.along import values
from core.models.stepwise import StepwiseModel
from core.pipeline import FittedPipeline
from core.trial import Frame


@dataclass(frozen=True)
class Along:
    """Mean absolute errors on the scale of the fit, by number of terms.

    Attributes
    ----------
    sizes, held_out : arrays of shape (n_sizes,): numbers of terms that were tried on groups held out
    training : array of shape (n_terms,), after each step
    log : whether the scale is logarithmic, so that errors are logarithms of factors
    """

    sizes: IntArray
    held_out: FloatArray
    training: FloatArray
    log: bool

    @property
    def best(self) -> int:
        """The number of terms with which groups held out are predicted best."""
        return int(self.sizes[self.held_out.argmin()])


def along(model: FittedPipeline, frame: Frame, cluster: int = 0) -> Along | None:
    """Return the errors along the selection of one cluster's model; None where no groups held out chose it.

    Parameters
    ----------
    frame : that the model learnt from
    """
    own = model.clusters[cluster].model
    if not isinstance(own, StepwiseModel) or own.choice is None or not own.steps:
        return None
    X = model.rows(frame)
    scores = model.scores(X)
    there = np.flatnonzero(model.assign(scores) == cluster)
    rows = values(own.chosen, scores[there])
    y = model.forward(frame.y, X)[there]
    said = (step.intercept + step.coefficients @ rows[: len(step.coefficients)] for step in own.steps)
    errors = [float(np.nanmean(np.abs(predicted - y))) for predicted in said]
    return Along(own.choice.sizes, own.choice.errors, np.array(errors), model.scale.log)
