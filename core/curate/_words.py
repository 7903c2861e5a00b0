"""Counts as words."""


def some(n: int, noun: str) -> str:
    """Return such as "1 trial" or "1,506 trials"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
