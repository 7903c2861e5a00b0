"""The contract of an analysis pass: it learns from training scores and maps any rows alike."""

from abc import ABC, abstractmethod
from dataclasses import field, replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.option import Options


class Features(Frozen):
    """Columns on their way through the passes.

    Attributes
    ----------
    names : the columns of X
    X : array of shape (n_trials, n_columns)
    metrics : names of the metrics that the columns were made from
    loadings : array of shape (n_metrics, n_columns), the correlation of each metric with each
        column; empty until a pass such as `pca` has made components
    """

    names: tuple[str, ...]
    X: FloatArray
    metrics: tuple[str, ...] = ()
    loadings: FloatArray = field(default_factory=lambda: np.empty((0, 0)))


class FittedPass(Frozen, ABC):
    """What a pass learnt: plain numbers, enough to map new rows."""

    @abstractmethod
    def apply(self, X: FloatArray) -> FloatArray:
        """Map rows of shape (n, n_columns_in) to (n, n_columns_out)."""

    def features(self, before: Features) -> Features:
        """Return the training features after this pass: mapped rows, and names and loadings, if they are others."""
        return replace(before, X=self.apply(before.X))

    @abstractmethod
    def check(self, width: int) -> int:
        """Hold the state together: return how many columns come out of `width` columns.

        Raises
        ------
        ModelFileError
            If the state, as read from a file, has shapes or signs that cannot be right
            (arrays that do not fit each other or `width`, scales that are not positive).
        """

    def refuse(self, X: FloatArray) -> dict[int, str]:
        """Return, per row that cannot be mapped, the reason; such rows come out as NaN."""
        return {}


class Pass(Options, ABC):
    """Options of a pass, and how to learn from training features."""

    @abstractmethod
    def fit(self, before: Features) -> FittedPass:
        """Learn from the training rows alone."""

    def notes(self, fitted: FittedPass) -> tuple[str, ...]:
        """Return where the trials did not allow what the options ask for, one sentence each."""
        return ()


class FittedPartition(FittedPass):
    """A pass whose columns are distances to clusters, so that each row has a nearest one."""

    def assign(self, X: FloatArray) -> IntArray:
        """Return each row's cluster, the nearest; ties go to the lower number."""
        return np.asarray(np.argmin(self.apply(X), axis=1).astype(np.int64))


class Partition(Pass):
    """Options of a clustering."""

    @abstractmethod
    def fit(self, before: Features) -> FittedPartition:
        """Learn the clusters from the training rows alone."""
