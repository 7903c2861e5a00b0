"""The allowed points of a design space, numbered and reached from the unit cube; and few that stand for many."""

import math
from functools import cached_property

import numpy as np

from core.blocks import row_blocks
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.space.design_space import DesignSpace, blocks

_LISTED = 1 << 24
"""Combinations of parameters tied together that are enumerated; beyond it points are drawn and thrown back."""
_TRIES = 1 << 24
_BATCH = 1 << 16


class Group(Frozen):
    """Parameters that constraints tie together (or one alone), and which of their combinations are allowed.

    Attributes
    ----------
    parameters : their numbers, ascending
    space : of these parameters alone
    ranks : the allowed combinations, ascending; None if all are allowed, or too many to list
    listed : whether `ranks` (or their absence) is exactly what is allowed
    """

    parameters: tuple[int, ...]
    space: DesignSpace
    ranks: IntArray | None
    listed: bool

    @property
    def size(self) -> int:
        """How many combinations are allowed, or might be where they are not listed."""
        return self.space.n_combinations if self.ranks is None else len(self.ranks)

    def codes(self, numbers: IntArray) -> IntArray:
        """Return the combinations of some numbers, 0 to size - 1."""
        return self.space.codes(numbers if self.ranks is None else self.ranks[numbers])

    def at(self, cube: FloatArray) -> IntArray:
        """Return the combinations at points of the unit cube, one coordinate per parameter.

        The first coordinate picks the first parameter's level in proportion to how many allowed
        combinations have it, the next the next parameter's among those, and so on, so that even
        points of the cube are even over what is allowed.

        References
        ----------
        Rosenblatt 1952, Remarks on a multivariate transformation.
        """
        if self.ranks is None:
            return np.asarray(np.minimum((cube * self.space.shape).astype(np.int64), np.array(self.space.shape) - 1))
        low, high = np.zeros(len(cube), dtype=np.int64), np.full(len(cube), len(self.ranks), dtype=np.int64)
        prefix, stride = np.zeros(len(cube), dtype=np.int64), self.space.n_combinations
        codes = np.empty((len(cube), len(self.parameters)), dtype=np.int64)
        for j, size in enumerate(self.space.shape):
            stride //= size
            place = np.minimum(low + (cube[:, j] * (high - low)).astype(np.int64), high - 1)
            codes[:, j] = self.ranks[place] // stride % size
            prefix = prefix + codes[:, j] * stride
            low = np.searchsorted(self.ranks, prefix).astype(np.int64)
            high = np.searchsorted(self.ranks, prefix + stride).astype(np.int64)
        return codes


class AllowedPoints(Frozen):
    """The points of a design space that fulfil its constraints."""

    space: DesignSpace
    groups: tuple[Group, ...]

    @cached_property
    def size(self) -> int:
        """How many there are, or might be where they cannot be listed."""
        return math.prod(group.size for group in self.groups)

    @property
    def listed(self) -> bool:
        """Whether every number below `size` is an allowed point."""
        return all(group.listed for group in self.groups)

    @property
    def every(self) -> IntArray:
        """The codes of all of them, where they are listed."""
        return self.codes(np.arange(self.size, dtype=np.int64))

    def some(self, most: int, seed: int = 0) -> IntArray:
        """Return all points where there are at most so many, else so many drawn."""
        return self.every if self.listed and self.size <= most else self.draw(most, np.random.default_rng(seed))

    def candidates(self, n: int, most: int, seed: int, taken: IntArray) -> IntArray:
        """Return drawn points to choose n from: `most` or n, fewer where fewer are left.

        Raises
        ------
        OptionError
            If fewer than n are left, ranks in `taken` being gone.
        """
        if self.listed:
            check_count(n, self.size, len(taken))
            most = min(most, self.size - len(taken))
        return self.draw(max(most, n), np.random.default_rng(seed), taken)

    def codes(self, numbers: IntArray) -> IntArray:
        """Return the points of some numbers, 0 to size - 1; where not listed, some may not be allowed."""
        found = np.empty((len(numbers), len(self.space.shape)), dtype=np.int64)
        rest = np.asarray(numbers, dtype=np.int64)
        for group in reversed(self.groups):
            rest, own = np.divmod(rest, group.size)
            found[:, group.parameters] = group.codes(own)
        return found

    def at(self, cube: FloatArray) -> IntArray:
        """Return the points at points of the unit cube; where not listed, some may not be allowed."""
        found = np.empty((len(cube), len(self.space.shape)), dtype=np.int64)
        for group in self.groups:
            found[:, group.parameters] = group.at(cube[:, group.parameters])
        return found

    def draw(self, n: int, rng: np.random.Generator, taken: IntArray | None = None) -> IntArray:
        """Return the codes of n points drawn uniformly without replacement.

        Parameters
        ----------
        taken : ranks of points that are not to be drawn

        Raises
        ------
        OptionError
            If there are fewer points, or allowed ones are too rare to be found by drawing.
        """
        gone = np.unique(taken) if taken is not None else np.empty(0, dtype=np.int64)
        if self.listed and self.size <= max(_BATCH, 4 * (n + len(gone))):
            return self._from_all(n, rng, gone)
        found, tries = np.empty(0, dtype=np.int64), 0
        while len(found) < n:
            if tries >= _TRIES:
                raise OptionError(self._too_rare(len(found), n, tries))
            ranks = self._some(max(_BATCH if not self.listed else 0, 2 * (n - len(found))), rng)
            tries += _BATCH
            ranks = ranks[~np.isin(ranks, gone)]
            found = np.concatenate([found, ranks])
            found = found[np.sort(np.unique(found, return_index=True)[1])]
        return self.space.codes(found[:n])

    def _from_all(self, n: int, rng: np.random.Generator, gone: IntArray) -> IntArray:
        codes = self.every
        left = np.flatnonzero(~np.isin(self.space.ranks(codes), gone))
        check_count(n, self.size, self.size - len(left))
        return codes[left[rng.permutation(len(left))[:n]]]

    def _some(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return ranks of random allowed points; without a list, those of n tries that are allowed."""
        codes = self.codes(rng.integers(0, self.size, n))
        return self.space.ranks(codes if self.listed else codes[self.space.allowed(codes)])

    def _too_rare(self, found: int, n: int, tries: int) -> str:
        tied = max((g for g in self.groups if not g.listed), key=lambda g: g.size, default=self.groups[0])
        return (
            f"Only {found:,} of {n:,} points were found in {tries:,} tries: points that fulfil the constraints on "
            f"{', '.join(tied.space.names)} are too rare to be drawn. Ask for fewer, or give fewer levels, "
            f"so that at most {_LISTED:,} combinations need be listed."
        )


def allowed_points(space: DesignSpace) -> AllowedPoints:
    """Return the allowed points of a design space.

    Raises
    ------
    OptionError
        If no point fulfils the constraints.
    """
    found = AllowedPoints(space, tuple(_group(space, tied) for tied in space._tied()))
    if found.size == 0:
        raise OptionError("No point of the design space fulfils its constraints. Loosen one.")
    return found


def check_count(n: int, n_points: int, n_taken: int = 0) -> None:
    """Raise OptionError unless so many points can be drawn."""
    if n < 1:
        raise OptionError(f"A plan needs at least one point, got {n}.")
    if 0 < n_points <= n_taken:
        raise OptionError(f"Every one of the {n_points:,} points of the design space is measured already.")
    if n > n_points - n_taken:
        measured = f", {n_taken:,} of them measured already" if n_taken else ""
        raise OptionError(f"{n:,} points were asked for; the design space has {n_points:,}{measured}. Ask for fewer.")


def _group(space: DesignSpace, tied: tuple[int, ...]) -> Group:
    part = space.part(tied)
    if not part.constraints:
        return Group(tied, part, None, True)
    if part.n_combinations > _LISTED:
        return Group(tied, part, None, False)
    kept = [ranks[part.allowed(part.codes(ranks))] for ranks in blocks(part.n_combinations)]
    return Group(tied, part, np.concatenate(kept), True)


def first_places(ranks: IntArray, taken: IntArray) -> BoolArray:
    """Return which of some ranks are there for the first time, and not in `taken`."""
    first = np.zeros(len(ranks), dtype=bool)
    first[np.unique(ranks, return_index=True)[1]] = True
    return first & ~np.isin(ranks, taken)


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
    chunks = row_blocks(len(codes), len(whole))
    dense = np.concatenate([_kernel(space, codes[rows], whole).mean(axis=1) for rows in chunks])
    near = _kernel(space, codes, known).sum(axis=1)
    own = 2.0 ** len(space.shape)
    chosen: list[int] = []
    for _ in range(n):
        worth = dense - (near + own / 2) / (len(known) + len(chosen) + 1)
        worth[chosen] = -np.inf
        chosen.append(int(np.argmax(worth)))
        near = near + _kernel(space, codes, codes[chosen[-1:]])[:, 0]
    return chosen


def _near(space: DesignSpace, j: int, a: IntArray, b: IntArray) -> FloatArray:
    """Return the kernel between levels of a parameter: evenly spaced from 0 to 1; categories all as far apart."""
    if space.parameters[j].categorical:
        distance = np.where(a[:, None] == b, 0.0, 1.0)
    else:
        place = np.arange(space.shape[j]) / max(space.shape[j] - 1, 1)
        distance = place[a][:, None] - place[b]
    return 1 + np.exp(-(distance**2) / (2 * _LENGTH**2))


def _kernel(space: DesignSpace, a: IntArray, b: IntArray) -> FloatArray:
    """Return the kernel between points, of each parameter from a table of the levels that are there."""
    found = np.ones((len(a), len(b)))
    for j in range(len(space.shape)):
        (own, rows), (other, columns) = (np.unique(codes[:, j], return_inverse=True) for codes in (a, b))
        found *= _near(space, j, own, other)[rows][:, columns]
    return found
