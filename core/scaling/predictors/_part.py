"""What a predictor learnt as a named part of a file, and back."""

from dataclasses import dataclass
from typing import Any

from core.codec import from_plain, to_plain
from core.errors import ModelFileError
from core.registry import companion
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Learnt


@dataclass(frozen=True)
class Part:
    """The name a predictor is registered under, and what it learnt."""

    name: str
    state: dict[str, Any]


def part_of(learnt: Learnt) -> Part:
    """Return what a predictor learnt as plain data."""
    return Part(PREDICTORS.name_of(type(learnt)), to_plain(learnt))


def load_part(part: Part) -> Learnt:
    """Return what plain data says.

    Raises
    ------
    ModelFileError
        If the predictor is unknown, or the state is not its own.
    """
    if part.name not in PREDICTORS:
        raise ModelFileError(f"The model file uses '{part.name[:80]}', which this version does not know.")
    return from_plain(companion(PREDICTORS[part.name], Learnt), part.state)
