"""What the Design space page computes at once, kept by the keys of model and space."""

import hashlib
from collections.abc import Hashable, Sequence

from core.report.space.design_points import MeasuredDesigns, measured_designs
from core.space.design_space import DesignSpace
from core.space.sums import Surrogate, surrogate
from core.space.sweep import Design, best_design
from core.space.table import write_space
from core.space.wishes import Problem, problems
from core.trial import Frame
from pages._design_space.model import Asked
from pages._ui.database import kept


def space_key(space: DesignSpace) -> str:
    """Return a text that is the same for the same space."""
    return hashlib.sha256(write_space(space).encode()).hexdigest()


def _by_model(asked: Asked, space: DesignSpace, *more: str) -> Hashable:
    return (asked.full_key, space_key(space), *more)


@kept(_by_model, 16)
def surrogate_of(asked: Asked, space: DesignSpace) -> Surrogate:
    """Return a model over a space.

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives.
    """
    return surrogate(asked.model, space)


def measured_of(asked: Asked, space: DesignSpace) -> MeasuredDesigns | None:
    """Return the designs that were measured; None without trials that have all parameters."""
    frame = asked.frame
    if frame is None:
        return None
    known = {*frame.names, *frame.labels}
    return _measured(space, frame) if all(p.name in known or len(p.levels) == 1 for p in space.parameters) else None


_measured = kept(lambda space, frame: (frame.digest(), space_key(space)), 8)(measured_designs)


def problems_of(*asked: Asked, growing: bool = True) -> tuple[Problem, ...]:
    """Return the problems that were measured, that of most designs first; none where no parameter belongs to one."""
    return _problems(asked[0].space, [one.frame for one in asked if one.frame is not None], growing)


@kept(lambda space, frames, growing: (space_key(space), *(frame.digest() for frame in frames), growing), 8)
def _problems(space: DesignSpace, frames: Sequence[Frame], growing: bool) -> tuple[Problem, ...]:
    return problems(space, frames, growing=growing)


@kept(_by_model, 32)
def best_of(asked: Asked, space: DesignSpace, sense: str) -> Design | None:
    """Return the exactly best design; None if the model does not allow to find it at once."""
    return best_design(asked.model, space, sense)
