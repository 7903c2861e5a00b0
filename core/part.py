"""A part of a model file: what a registered class has learnt, written and read."""

from typing import Any, TypeVar

from core.codec import Frozen, from_plain, to_plain
from core.errors import ModelFileError
from core.registry import Registry, companion

T = TypeVar("T")


class Part(Frozen):
    """A fitted pass or model: the name it is registered under, and what it learnt."""

    name: str
    state: dict[str, Any]


def part_of(value: object, registry: Registry[Any]) -> Part:
    """Return what a file keeps of what a registered class has learnt."""
    return Part(registry.name_of(type(value)), to_plain(value))


def loaded(part: Part, registry: Registry[Any], base: type[T]) -> T:
    """Return what a part of a file says.

    Raises
    ------
    ModelFileError
        If its name is unknown, or the state is not its own.
    """
    if part.name not in registry:
        raise ModelFileError(f"The model file uses '{part.name[:80]}', which this version does not know.")
    return from_plain(companion(registry[part.name], base), part.state)
