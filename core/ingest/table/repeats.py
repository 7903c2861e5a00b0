"""Rows with lists of numbers that are repeats of a run, as a row for each of these."""

import json
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from core.ingest._units import dimension, stem, unit_of_name
from core.ingest.recognition.words import BETTER, SPREAD, STATISTIC, is_outcome, tokens
from core.ingest.table.as_text import one_line
from core.ingest.table.dialect import as_float, is_number

_ROUNDED = 0.005
"""By which share a mean may be another than that of its list, as it is written with few digits."""


def run_by_run(lines: list[int], rows: list[dict[str, str]]) -> tuple[list[int], list[dict[str, str]]]:
    """Return rows of which some have lists of repeats of a run, with a row for each of these.

    They are repeats beside a mean or the like of theirs, in whose place they stand. Of other lists each row has one,
    of times by its name, or of fractions, which stand nowhere else where there are several rows.
    """
    lists, told = repeats(rows)
    if not any(own for own, *_ in told):
        return lines, rows
    runs = list[tuple[int, dict[str, str]]]()
    for i, row, many, (name, called, others) in zip(lines, rows, lists, told, strict=True):
        same = {own: texts for own, texts in many.items() if name and len(texts) == len(many[name])}
        once = {own: text for own, text in row.items() if own not in others and own not in same}
        each = [
            {called if own == name else own: texts[k] for own, texts in same.items()} | {"run": str(k + 1)}
            for k in range(len(many.get(name, ())))
        ]
        order = dict.fromkeys([called if own == name or own in others else own for own in row] + ["run"])
        runs += [
            (i, {own: whole[own] for own in order if own in whole}) for one in each or [{}] for whole in [once | one]
        ]
    return [i for i, _ in runs], [row for _, row in runs]


Repeats: TypeAlias = tuple[str, str, frozenset[str]]
"""A list of repeats, what each of them is called, and the statistics beside it; no names where there is none."""
_NO_REPEATS: Repeats = ("", "", frozenset())


def repeats(rows: Sequence[Mapping[str, str]]) -> tuple[list[dict[str, list[str]]], list[Repeats]]:
    """Return the lists of numbers of each row, and which of them are repeats."""
    lists = [{name: _numbers(text) for name, text in row.items() if text.startswith("[")} for row in rows]
    told = [_summed_up(row, own) for row, own in zip(rows, lists, strict=True)]
    found = {own for own, *_ in told if own}
    if any(not own and found & {*many} for (own, *_), many in zip(told, lists, strict=True)):
        return lists, [_NO_REPEATS] * len(rows)
    name = next(iter(lists[0]), "")
    one = all([*own] == [name] and own[name] for own in lists) and max(len(own[name]) for own in lists) > 1
    if one and not found:
        texts = [
            (n == name, x) for row, many in zip(rows, lists, strict=True) for n in row for x in many.get(n, [row[n]])
        ]
        fractions = {listed for listed, text in texts if "." in text and is_number(text)}
        alone = fractions == {True} or (len(rows) == 1 and all("." in text for listed, text in texts if listed))
        if alone or dimension(unit_of_name(name)) == "time":
            told = [(name, name, frozenset())] * len(rows)
    return lists, told


def _numbers(text: str) -> list[str]:
    """Return the numbers of a list that was written as text; none of anything else."""
    with suppress(ValueError):
        texts = [*map(one_line, json.loads(text))]
        return texts if any(texts) and all(as_float(own or "0") is not None for own in texts) else []
    return []


def _summed_up(row: Mapping[str, str], lists: Mapping[str, list[str]]) -> Repeats:
    """Return the repeats of a row that have their mean or the like beside them, and the statistics of all such lists.

    What is called `runs` has the name of its mean.
    """
    found = {name: own for name, texts in lists.items() if (own := _statistics_of(row, name, texts))}
    if not found:
        return _NO_REPEATS
    name, (mean, _) = next(iter(found.items()))
    called = name if is_outcome(name, unit_of_name(name)) else mean
    beside = (whole for own, (_, whole) in found.items() if len(lists[own]) == len(lists[name]))
    return name, called, frozenset[str]().union(*beside) - {called}


def _statistics_of(row: Mapping[str, str], name: str, texts: list[str]) -> tuple[str, Set[str]] | None:
    """Return the mean of a list, or the like, and all statistics beside it; None if none is as the list says."""
    whole = {own: x for own in _statistics(name, tuple(row)) if (x := as_float(row[own])) is not None}
    if not whole or len(texts) < 2:
        return None
    numbers = np.array([float(text or "nan") for text in texts])
    of_all = [own(numbers) for own in (np.mean, np.median, np.min, np.max)]
    close = (own for own, x in whole.items() if np.isclose(x, of_all, rtol=_ROUNDED).any())
    means = [(BETTER.index(word), own) for own in close for word in _last(own) if word in BETTER]
    return (min(means)[1], whole.keys()) if means else None


@lru_cache(256)  # rows of a file have the same names
def _statistics(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of a row's names that are statistics of what has a name."""
    within, known = name.rpartition(".")[0], STATISTIC | SPREAD | {*tokens(name)}
    beside = (own for own in names if own.rpartition(".")[0] == within)
    return tuple(own for own in beside if _last(own) & (STATISTIC | SPREAD) and _last(own) <= known)


def _last(name: str) -> frozenset[str]:
    """Return the words of a name's last part."""
    return frozenset(tokens(stem(name.rpartition(".")[2])))
