"""Few points that stand for many: dense where those are dense, and apart from each other."""

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, IntArray
from core.space.allowed import allowed_points
from core.space.design_space import DesignSpace

_LENGTH = 0.5
"""Distance, in units of a parameter's range, over which points stand for each other."""
_REFERENCE = 8192
"""Points that stand for a larger space; always the same, so that one batch carries on where the last one ended."""


def reference(space: DesignSpace) -> IntArray:
    """Return the codes of all allowed points; of many, 8,192 drawn always alike."""
    return allowed_points(space).some(_REFERENCE)


def spread(space: DesignSpace, codes: IntArray, known: IntArray, n: int, whole: IntArray) -> list[int]:
    """Return the places of n points that, with those known, represent the whole best, one after another.

    Each is where the whole is dense and what is chosen is not, by the kernel Π (1 + exp(-d²/2l²)) of
    all parameters together and each by itself.

    Parameters
    ----------
    codes : points to choose from
    known : points chosen before
    whole : points to be represented; the same for every batch, or batches correct each other's sampling

    References
    ----------
    Chen, Welling, Smola 2010, Super-samples from kernel herding, equation 8.
    """
    tables = [_table(space, j) for j in range(len(space.shape))]
    chunks = row_blocks(len(codes), len(whole))
    dense = np.concatenate([_kernel(tables, codes[rows], whole).mean(axis=1) for rows in chunks])
    near = _kernel(tables, codes, known).sum(axis=1)
    own = float(np.prod([table[0, 0] for table in tables]))
    chosen: list[int] = []
    for _ in range(n):
        worth = dense - (near + own / 2) / (len(known) + len(chosen) + 1)
        worth[chosen] = -np.inf
        chosen.append(int(np.argmax(worth)))
        near = near + _kernel(tables, codes, codes[chosen[-1:]])[:, 0]
    return chosen


def _table(space: DesignSpace, j: int) -> FloatArray:
    """Return the kernel between a parameter's levels: evenly spaced from 0 to 1; categories all as far apart."""
    size = space.shape[j]
    if space.parameters[j].categorical:
        distance = 1.0 - np.eye(size)
    else:
        place = np.arange(size) / max(size - 1, 1)
        distance = place[:, None] - place[None, :]
    return 1 + np.exp(-(distance**2) / (2 * _LENGTH**2))


def _kernel(tables: list[FloatArray], a: IntArray, b: IntArray) -> FloatArray:
    found = np.ones((len(a), len(b)))
    for j, table in enumerate(tables):
        found *= table[a[:, j]][:, b[:, j]]
    return found
