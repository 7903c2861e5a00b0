"""Tables of like values by the names of their attributes, so that a table is said in a line of its titles."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any


def row_of(value: object, titles: str) -> dict[str, Any]:
    """Return attributes by the titles of their columns; None for each of no value.

    Parameters
    ----------
    titles : such as "step: number | term | error (%): scores.mape": a title and the attribute that it stands for, or
        an attribute that is its own title; names from files have no place here, as they may hold a colon
    """
    return {title: None if value is None else attrgetter(name)(value) for title, name in _pairs(titles)}


def columns_of(values: Iterable[object], titles: str) -> dict[str, list[Any]]:
    """Return the columns of a table with a row per value; see `row_of`."""
    rows = list(values)
    return {title: [attrgetter(name)(one) for one in rows] for title, name in _pairs(titles)}


def _pairs(titles: str) -> list[tuple[str, str]]:
    parts = (one.partition(": ") for one in titles.split(" | "))
    return [(title, attribute or title) for title, _, attribute in parts]
