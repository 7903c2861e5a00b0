"""The best design of a space exactly, without enumerating it, by eliminating one parameter after another."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.space.design_space import DesignSpace
from core.space.sums import Sum, Table, sum_of
from core.space.sweep import Design, designs
from core.space.wishes import LOW

_MOST_CELLS = 1 << 22
"""Cells of the largest table that is made on the way."""


def best_design(model: FittedPipeline, space: DesignSpace, sense: str = LOW) -> Design | None:
    """Return the best allowed design; None if the model is no sum of tables, or elimination takes too large tables.

    Where several are equally good it is one of them.

    References
    ----------
    Bertelè, Brioschi 1972, Nonserial Dynamic Programming.
    """
    sums = sum_of(model, space)
    codes = None if sums is None else best_codes(sums, space, sense)
    return None if codes is None else designs(model, space, space.ranks(codes[None]))[0]


def best_codes(sums: Sum, space: DesignSpace, sense: str = LOW) -> IntArray | None:
    """Return the best allowed design by a sum of tables, or None as `best_design` does; also if none is allowed."""
    conditions = _conditions(space)
    if conditions is None:
        return None
    sign = 1.0 if sense == LOW else -1.0
    factors = [Table(t.parameters, sign * t.values) for t in sums.tables]
    factors += [Table((i,), np.where(bad, np.inf, 0.0)) for i, bad in enumerate(sums.refused)]
    return _eliminate([*factors, *conditions], space.shape)


def _conditions(space: DesignSpace) -> list[Table] | None:
    found = []
    for constraint in space.constraints:
        own = tuple(sorted(space.names.index(name) for name in constraint.names))
        part = space.part(own, (constraint,))
        if part.n_combinations > _MOST_CELLS:
            return None
        holds = part.allowed(part.codes(np.arange(part.n_combinations, dtype=np.int64)))
        found.append(Table(own, np.where(holds, 0.0, np.inf).reshape(part.shape)))
    return found


def _eliminate(factors: list[Table], shape: Sequence[int]) -> IntArray | None:
    """Minimise Σ factors: forward remember each parameter's best level per neighbours' levels, then read it back."""
    left = set(range(len(shape)))
    steps: list[tuple[int, tuple[int, ...], IntArray]] = []
    while left:
        chosen = min(left, key=lambda i: (_cells(i, factors, shape), i))
        if _cells(chosen, factors, shape) > _MOST_CELLS:
            return None
        own = [f for f in factors if chosen in f.parameters]
        around = tuple(sorted({i for f in own for i in f.parameters} - {chosen}))
        joined = _joined(own, (*around, chosen), shape)
        steps.append((chosen, around, np.asarray(joined.argmin(axis=-1), dtype=np.int64)))
        factors = [f for f in factors if chosen not in f.parameters] + [Table(around, joined.min(axis=-1))]
        left.remove(chosen)
    if not np.isfinite(sum(float(f.values) for f in factors)):
        return None
    codes = np.zeros(len(shape), dtype=np.int64)
    for chosen, around, best in reversed(steps):
        codes[chosen] = best[tuple(codes[i] for i in around)]
    return codes


def _cells(i: int, factors: Sequence[Table], shape: Sequence[int]) -> int:
    around = {k for f in factors if i in f.parameters for k in f.parameters} | {i}
    return int(np.prod([float(shape[k]) for k in around]))


def _joined(factors: Sequence[Table], order: tuple[int, ...], shape: Sequence[int]) -> FloatArray:
    total = np.zeros([shape[i] for i in order])
    for f in factors:
        places = [order.index(i) for i in f.parameters]
        wide = np.ones(len(order), dtype=np.int64)
        wide[places] = [shape[i] for i in f.parameters]
        total += f.values.transpose(np.argsort(places)).reshape(wide)
    return total
