"""Products of a growing orthonormal basis with all candidates, by as few passes over these as rounding allows."""

from collections.abc import Callable

import numpy as np

from core.codec import FloatArray
from core.models.parts.columns import Candidates

FAR = 4.0
"""Roundings of a pass over the candidates that products may have without one."""
FEWER = 4
"""Where no product with those that might win next was of use, so many times fewer are taken."""
Latest = tuple[int, FloatArray, float]
"""A candidate, that on the basis before it, and the length that this left of it."""


class Passes:
    """What a selection has learnt of its candidates' products.

    Where a pass is dear it takes products with those that may win next, too. A winner is z = Q w + |v| q, so that Z'q
    follows from Z'z and Z'Q without a pass, as long as its rounding stays near to one's. Where none of those was of
    use, fewer are taken the next time.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates, self.several, self.of_use = candidates, candidates.together - 1, True
        self.ahead: dict[int, FloatArray] = {}
        self.taken: list[FloatArray] = []
        self.roundings: list[float] = []

    def newest(self, latest: Latest, q: FloatArray, scale: FloatArray, gains: Callable[[], FloatArray]) -> FloatArray:
        """Return the products of the newest basis vector with candidates of length 1, 0 where one is closed.

        Parameters
        ----------
        latest, q : what it was made of, and the vector
        scale : array of shape (n_candidates,), 1 / length, 0 of those that are closed
        gains : returns an array of shape (n_candidates,), of which the largest may win next
        """
        if not self.several:
            return self.candidates.times(q) * scale
        winner, weights, norm = latest
        rounding = (1 + float(np.abs(weights) @ self.roundings)) / norm
        if winner in self.ahead and rounding < FAR:
            self.of_use = True
            known = weights @ np.reshape(self.taken, (len(weights), -1))
            found: FloatArray = (self.ahead[winner] - known) / norm * (scale > 0)
        else:
            self.several = self.several if self.of_use else self.several // FEWER
            self.of_use = False
            near = np.argsort(-gains(), kind="stable")[: self.several].tolist()
            rows = self.candidates.some(near)
            rows *= scale[near, None]
            found, *others = self.candidates.times(np.vstack([q, rows])) * scale
            self.ahead, rounding = dict(zip(near, others, strict=True)), 1.0
        self.taken.append(found)
        self.roundings.append(rounding)
        return found.copy()
