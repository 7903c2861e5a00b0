"""Filters as people write them: `machine=K40`, `cycles<=1000`."""

import re
from collections.abc import Iterable, Mapping

from core.errors import OptionError
from core.store.cards import Condition

_OPERATOR = re.compile(r"\s*(!=|<=|>=|=|<|>)\s*(.*)", re.DOTALL)
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
    known = sorted(set(columns), key=len, reverse=True)
    for column in known:
        found = _OPERATOR.fullmatch(text[len(column) :]) if text.startswith(column) else None
        if found:
            return column, found[1], found[2].strip()
    raise OptionError(
        f"Filter '{text}' is not understood: write a column, one of = != < <= > >=, and a value, "
        f"such as machine=K40. The columns are: {', '.join(sorted(known)[:12])}"
        f"{' and more' if len(known) > 12 else ''}."
    )
