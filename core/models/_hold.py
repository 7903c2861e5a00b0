"""What checks of a model read from a file share."""

from core.codec import IntArray
from core.errors import ModelFileError


def hold(holds: bool, what: str) -> None:
    """Raise ModelFileError saying what the stepwise model has, unless it holds together."""
    if not holds:
        raise ModelFileError(f"The stepwise model {what}.")


def within(numbers: IntArray, stop: int) -> bool:
    """Return whether all numbers are from 0 to stop - 1."""
    return bool(((numbers >= 0) & (numbers < stop)).all())
