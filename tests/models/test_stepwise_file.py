"""A stepwise model as a file: exact both ways, and refused when its parts do not fit each other."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.codec import dumps, from_plain, loads, to_plain
from core.errors import ModelFileError
from core.models.stepwise import Stepwise, StepwiseModel


def fitted() -> StepwiseModel:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(60)
    X = np.column_stack([a, 2 * a + 1, np.full(60, 3.0), rng.uniform(1, 9, 60)])
    y = a - 1 / X[:, 3] + 0.1 * rng.standard_normal(60)
    return Stepwise(pool=("table1", "identity"), threshold=0.001).fit(X, y)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal to the last digit, arrays included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, f), getattr(other, f)) for f in one.__dataclass_fields__)
    return bool(one == other)


def test_round_trip_keeps_the_whole_story_exactly() -> None:
    model = fitted()
    assert model.dropped
    raw = dumps(to_plain(model))
    back = from_plain(StepwiseModel, loads(raw))
    assert same(back, model)
    assert dumps(to_plain(back)) == raw
    back.check(4)


def test_a_large_story_stays_small() -> None:
    rng = np.random.default_rng(1)
    X = rng.lognormal(size=(100, 46))
    model = Stepwise(pool=("eiger1",), semantics="eiger-1", threshold=0.0).fit(X, rng.standard_normal(100))
    assert len(dumps(to_plain(model))) < 2_000_000


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a coefficient is gone": lambda p: p["coefficients"].pop(),
    "a term is gone": lambda p: p["chosen"].pop(),
    "a step is gone": lambda p: p["steps"].pop(),
    "no terms": lambda p: p.update(coefficients=[], chosen=[], steps=[]),
    "a table of coefficients": lambda p: p.update(coefficients=[[c] for c in p["coefficients"]]),
    "a term of column 9": lambda p: p["chosen"][0]["factors"][0].update(variable=9),
    "an unknown function": lambda p: p["chosen"][0]["factors"][0].update(function="system"),
    "a product as a function": lambda p: p["chosen"][0]["factors"][0].update(function="product"),
    "a pool's function is unknown": lambda p: p["pool"]["functions"].__setitem__(0, "sin"),
    "a pool's function number": lambda p: p["pool"]["function"].__setitem__(0, 99),
    "a pool's column": lambda p: p["pool"]["first"].__setitem__(-1, 4),
    "a pool's product of one column": lambda p: p["pool"]["second"].__setitem__(-1, -1),
    "a pool's arrays": lambda p: p["pool"]["second"].pop(),
    "a pool's floors": lambda p: p["pool"]["floor"].pop(),
    "a winner outside the pool": lambda p: p["steps"][0].update(candidate=1000),
    "a rival outside the pool": lambda p: p["steps"][0]["tried"].__setitem__(0, -1),
    "rivals without a score": lambda p: p["steps"][0]["adjusted"].pop(),
    "a step's coefficients": lambda p: p["steps"][0]["coefficients"].append(1.0),
    "a dropped candidate outside the pool": lambda p: p["dropped"][0].update(candidate=-1),
    "a whole number that is not": lambda p: p["steps"][0]["tried"].__setitem__(0, 0.5),
    "a text for a number": lambda p: p.update(intercept="0"),
    "an unknown field": lambda p: p.update(code="import os"),
    "a missing field": lambda p: p.pop("pool"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_before_use(damage: str) -> None:
    plain = copy.deepcopy(json.loads(dumps(to_plain(fitted()))))
    DAMAGES[damage](plain)
    with pytest.raises(ModelFileError):
        from_plain(StepwiseModel, plain).check(4)


def test_other_columns_than_it_was_made_of() -> None:
    for width in (3, 5):
        with pytest.raises(ModelFileError, match=r"pool|column"):
            fitted().check(width)
