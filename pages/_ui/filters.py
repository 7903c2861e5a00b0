"""Filters as people write them: `machine=K40`, `cycles<=1000`."""

from collections.abc import Iterable, Mapping

from core.errors import OptionError
from core.store.cards import Condition, condition_of

_MOST_VALUES = 60


def suggestions(labels: Mapping[str, Iterable[str]]) -> list[str]:
    """Return one equality per value of each label that has between 2 and 60 values."""
    offered = []
    for column, values in labels.items():
        distinct = [v for v in values if v]
        if 2 <= len(distinct) <= _MOST_VALUES:
            offered += [f"{column}={value}" for value in distinct]
    return offered


def parse_condition(text: str, columns: Iterable[str]) -> Condition:
    """Return the condition that a text stands for; the longest known column that it starts with counts.

    Raises
    ------
    OptionError
        If it names no known column, or no comparison follows it.
    """
    known = sorted(set(columns))
    if found := condition_of(text, known):
        return found
    raise OptionError(
        f"Filter '{text}' is not understood: write a column, one of = != < <= > >=, and a value, "
        f"such as machine=K40. The columns are: {', '.join(known[:12])}"
        f"{' and more' if len(known) > 12 else ''}."
    )
