"""Square roots that keep the sign, so that large metrics count less."""

from dataclasses import replace

import numpy as np

from core.codec import FloatArray
from core.errors import ModelFileError
from core.passes.base import Features, FittedPass, Pass


class FittedSignedRoot(FittedPass):
    """The number of columns; nothing else is learnt."""

    width: int

    def apply(self, X: FloatArray) -> FloatArray:
        """Return sign(x)·√|x|."""
        return np.asarray(np.sign(X) * np.sqrt(np.abs(X)))

    def features(self, before: Features) -> Features:
        """Return the same columns, as their roots."""
        return replace(before, X=self.apply(before.X))

    def check(self, width: int) -> int:
        """Hold the number of columns against the width."""
        if self.width != width:
            raise ModelFileError(f"The signed root is of {self.width} columns, but gets {width}.")
        return width


class SignedRoot(Pass):
    """The square root of each metric's size, with its sign."""

    def fit(self, before: Features) -> FittedSignedRoot:
        """Note the number of columns."""
        return FittedSignedRoot(before.X.shape[1])
