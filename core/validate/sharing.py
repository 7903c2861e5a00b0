"""What cross-validation asks of fits, and how folds that are many share what is chosen inside them."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from core.codec import FloatArray
from core.errors import FitError
from core.grouped import all_but
from core.progress import Progress, in_turn
from core.scale import RowScale
from core.trial import Frame
from core.validate.domain import Domain
from core.validate.folds import DEALT, Fold, hashed


class Predictor(Protocol):
    """What cross-validation needs of a fitted value."""

    @property
    def domain(self) -> Domain:
        """Where the model has been."""

    def scale_of(self, X: FloatArray) -> RowScale:
        """Return how the model's output relates to the response, for rows of metrics."""

    def rows(self, frame: Frame) -> FloatArray:
        """Return the columns that the model takes, from a frame that has them all."""

    def predict_scaled(self, X: FloatArray) -> FloatArray:
        """Return predictions on the model's scale, NaN where refused."""

    def doubts(self, X: FloatArray) -> FloatArray:
        """Return what tells how unsure each row is, shape (n, k)."""


Fit = Callable[[Frame, Progress], Predictor]
Settle = Callable[[Frame, Progress], Fit | None]

MANY = 20
"""Folds beyond which they share what is chosen inside."""


def settled(fit: Fit, settle: Settle, frame: Frame, folds: Sequence[Fold], seed: int, progress: Progress) -> list[Fit]:
    """Return how to fit without each fold: what is chosen is chosen on trials of which it holds none, with others."""
    order = sorted(range(len(folds)), key=lambda i: hashed(folds[i].name, seed))
    fits = [fit] * len(folds)
    for share, k in in_turn(progress, range(DEALT)):
        own = order[k::DEALT]
        rest = all_but(len(frame), np.concatenate([folds[i].test for i in own]))
        share(0.0, f"choosing without a fifth of the folds, {k + 1} of {DEALT}")
        try:
            found = settle(frame.take(rest), share)
        except FitError:
            continue  # too few trials are left: each fold chooses for itself
        for i in own:
            fits[i] = found or fit
    return fits
