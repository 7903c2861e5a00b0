"""Values put down one by one and column by column, which give the same trials."""

from collections.abc import Callable

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest.readers._builder import Asked, Builder
from core.trial import Import, Kind

ASKED: tuple[Asked, ...] = (
    ("reads", "Kbyte", Kind.COUNTER),
    ("hits", "%", Kind.COUNTER),
    ("threads", "", Kind.PARAMETER),
)
VALUES = np.array([[1.5, np.nan, 64.0], [2.5, 40.0, 128.0]])


def begun() -> Builder:
    builder = Builder("a.csv", "0", "ncu")
    for name in "abc":
        builder.trial(name, where=f"line {name}")
    return builder


def by_columns(builder: Builder, rows: list[int], asked: tuple[Asked, ...], values: np.ndarray) -> None:
    builder.put_columns(rows, asked, values)


def one_by_one(builder: Builder, rows: list[int], asked: tuple[Asked, ...], values: np.ndarray) -> None:
    for (name, unit, kind), column in zip(asked, values.T.tolist(), strict=True):
        for row, value in zip(rows, column, strict=True):
            builder.put(row, name, value, unit, kind)


Put = Callable[[Builder, list[int], tuple[Asked, ...], np.ndarray], None]


def plain(builder: Builder, put: Put) -> None:
    put(builder, [0, 2], ASKED, VALUES)


def twice(builder: Builder, put: Put) -> None:
    put(builder, [0, 1], ASKED, VALUES)
    put(builder, [2], ASKED[1:], VALUES[1:, 1:])


def another_unit(builder: Builder, put: Put) -> None:
    put(builder, [0, 1], ASKED, VALUES)
    put(builder, [0, 2], (("reads", "inst", Kind.COUNTER),), VALUES[:, :1])


def one_name_of_two(builder: Builder, put: Put) -> None:
    put(builder, [0, 1], (*ASKED[:2], ("reads", "%", Kind.COUNTER)), VALUES)


def known_before(builder: Builder, put: Put) -> None:
    builder.put(2, "hits", 7.0, "%")
    put(builder, [0, 1], ASKED, VALUES)


def added_to(builder: Builder, put: Put) -> None:
    put(builder, [0, 1], ASKED, VALUES)
    builder.put(1, "hits", 41.0, "%", qualifier="section B")
    builder.put(2, "hits", 42.0, "%")


@pytest.mark.parametrize("case", [plain, twice, another_unit, one_name_of_two, known_before, added_to])
def test_columns_are_as_their_values_one_by_one(case: Callable[[Builder, Put], None]) -> None:
    def built(put: Put) -> Import:
        builder = begun()
        case(builder, put)
        return builder.build()

    own, other = built(by_columns), built(one_by_one)
    assert own.trials.metrics == other.trials.metrics
    assert len(own.trials.metrics) >= 3
    np.testing.assert_array_equal(own.trials.values, other.trials.values)
    assert own.original_units == other.original_units
    assert own.warnings == other.warnings


@pytest.mark.parametrize("put", [by_columns, one_by_one])
def test_another_value_of_a_column_is_refused_with_both(put: Put) -> None:
    builder = begun()
    put(builder, [0, 1], ASKED, VALUES)
    with pytest.raises(ReadError, match=r"a\.csv line b: 'hits' is 41 here and 40 elsewhere"):
        builder.put(1, "hits", 41.0, "%")


@pytest.mark.parametrize("put", [by_columns, one_by_one])
def test_an_infinite_value_is_refused_by_name(put: Put) -> None:
    with pytest.raises(ReadError, match="'threads' is infinite"):
        put(begun(), [0, 1], ASKED, np.array([[1.0, 2.0, 3.0], [1.0, 2.0, np.inf]]))
