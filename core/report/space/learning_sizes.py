"""How many designs a learning curve learns from and predicts, where there are so many."""

from dataclasses import dataclass

import numpy as np

from core.errors import OptionError
from core.trial import Frame

_PAPER_LARGEST, _PAPER_TEST, _STEPS = 300, 200, 10
_LEAST = 4
_FEWEST = 6
"""Fewer designs are hardly worth learning from."""


@dataclass(frozen=True)
class LearningSizes:
    """The largest number to learn from, the step up to it, how many unseen ones are predicted, and how many there are.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 7.3: 30 to 300 in steps of 30, and 200 unseen.
    """

    largest: int
    step: int
    n_test: int
    n_designs: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers to learn from, ascending; the largest is always among them."""
        return tuple(sorted({*range(self.step, self.largest, self.step), self.largest}))


def suggested_sizes(frame: Frame) -> LearningSizes:
    """Return the paper's sizes, or smaller ones where fewer designs were measured.

    Raises
    ------
    OptionError
        If next to nothing was measured.
    """
    n = len(np.unique(frame.configuration))
    if n < _LEAST:
        raise OptionError(f"A learning curve needs at least {_LEAST} measured designs, got {n}. Measure more.")
    n_test = min(_PAPER_TEST, max(1, n // 3))
    largest = min(_PAPER_LARGEST, n - n_test)
    return LearningSizes(largest, max(largest // _STEPS, min(_FEWEST, largest)), n_test, n)
