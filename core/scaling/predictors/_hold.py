"""Refuse what was read from a file and does not hold together."""

from core.errors import ModelFileError


def hold(holds: bool, what: str) -> None:
    """Raise ModelFileError unless it holds."""
    if not holds:
        raise ModelFileError(f"The model file does not hold together: {what}.")
