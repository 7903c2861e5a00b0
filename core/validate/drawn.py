"""Some of the configurations of a frame, to learn from a few and see what the others would have said."""

import numpy as np

from core.trial import Frame
from core.validate.folds import shuffled_configurations


def some_configurations(frame: Frame, n: int, seed: int = 0) -> Frame:
    """Return the trials of n configurations drawn by the seed; all if there are no more.

    The configurations of a smaller n are among those of a larger one.
    """
    chosen = shuffled_configurations(frame, seed)[:n]
    return frame.take(np.flatnonzero(np.isin(frame.configuration, chosen)).astype(np.int64))
