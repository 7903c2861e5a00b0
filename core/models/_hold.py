"""What checks of a model read from a file share."""

from collections.abc import Callable

from core.codec import IntArray
from core.errors import ModelFileError


def holder(noun: str) -> Callable[[bool, str], None]:
    """Return what raises ModelFileError saying what a model of that name has, unless it holds together."""

    def hold(holds: bool, what: str) -> None:
        if not holds:
            raise ModelFileError(f"{noun} {what}.")

    return hold


hold = holder("The stepwise model")


def within(numbers: IntArray, stop: int) -> bool:
    """Return whether all numbers are from 0 to stop - 1."""
    return bool(((numbers >= 0) & (numbers < stop)).all())
