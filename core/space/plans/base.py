"""The contract of a way to choose points: a design space and a number give points, the same for the same seed."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import IntArray
from core.option import Options
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.space.belief import Fit
from core.space.design_space import DesignSpace
from core.space.holes import on_levels
from core.trial import Frame


@dataclass(frozen=True)
class Evidence:
    """What is known already.

    Attributes
    ----------
    model : trained on what was measured
    frame : what was measured; its points are not proposed again
    fit : how the model is trained, where it is to be trained again
    """

    model: FittedPipeline | None = None
    frame: Frame | None = None
    fit: Fit | None = None

    @property
    def repeatable(self) -> bool:
        """Whether it can be learnt again without some of what was measured."""
        return self.frame is not None and (self.model is None or self.fit is not None)

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


@dataclass(frozen=True)
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
