"""Roundness of whole numbers: odd parts and filled products by hand, no more columns than vary, and what they tell."""

from itertools import combinations
from math import ceil, prod

import numpy as np
import pytest

from core.errors import ModelFileError
from core.models import FAMILIES
from core.passes.base import Features
from core.passes.products import FittedWhole, Whole, odd_part, whole_columns
from core.race.chosen import chosen_features
from core.recipes import Treated
from core.recipes.base import WHOLE
from core.trial import Kind, Metric, make_frame

LEVELS = np.array(np.meshgrid([16, 32, 48, 64, 96], [1, 2, 3, 5], [1, 3, 6], [0, 1])).reshape(4, -1).T.astype(float)
NAMES = ("x", "y", "tile", "flag")


def odd(n: int) -> int:
    while n % 2 == 0:
        n //= 2
    return n


def fitted(X: np.ndarray) -> FittedWhole:
    return Whole().fit(Features(NAMES[: X.shape[1]], X))


def test_columns_of_small_whole_numbers_that_vary() -> None:
    X = np.column_stack([LEVELS, LEVELS[:, 0] / 2 + 0.5, 100 * LEVELS[:, 0], np.full(len(LEVELS), 7.0)])
    assert whole_columns(X) == (0, 1, 2)


def test_odd_parts_and_filled_products_one_by_one() -> None:
    own = fitted(LEVELS)
    made = own.apply(LEVELS)
    assert own.odd == ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    assert own.filled == ((0, 1, 32), (0, 1, 64), (0, 2, 32), (0, 2, 64))
    for row, given in zip(made.tolist(), LEVELS.astype(int).tolist(), strict=True):
        parts = [prod(odd(given[j]) for j in columns) for columns in own.odd]
        full = [ceil(given[i] * given[j] / m) * m / (given[i] * given[j]) for i, j, m in own.filled]
        assert row == [*given, *parts, *full]
    assert own.check(4) == made.shape[1] == len(own.features(Features(NAMES, LEVELS)).names)
    assert own.made_of(4 + 6) == (0, 1, 2)
    assert own.made_of(4 + 7) == (0, 1)
    assert own.made_of(3) == (3,)


def test_what_is_no_whole_number_is_its_own_odd_part() -> None:
    assert odd_part(np.array([0.5, 12.5, 12.0, 4096.0, 8192.0])).tolist() == [0.5, 12.5, 3.0, 1.0, 2.0]
    assert np.isnan(odd_part(np.array([np.nan]))).all()


def test_powers_of_two_have_no_odd_part() -> None:
    X = LEVELS[np.isin(LEVELS[:, 0], [16, 32, 64]) & (LEVELS[:, 1] < 3) & (LEVELS[:, 2] == 1)]
    assert fitted(X).odd == ()
    assert fitted(X).filled == ((0, 1, 32), (0, 1, 64))


def test_a_file_that_cannot_be_is_refused() -> None:
    own = fitted(LEVELS)
    for wrong in (
        FittedWhole(3, own.odd, own.filled),
        FittedWhole(4, ((4,),), ()),
        FittedWhole(4, ((),), ()),
        FittedWhole(4, (), ((0, 1, 0),)),
    ):
        with pytest.raises(ModelFileError, match="Whole numbers"):
            wrong.check(4)


def test_one_split_finds_what_is_round() -> None:
    even = np.array([all(odd(int(v)) == 1 for v in row[:3]) for row in LEVELS])
    full = LEVELS[:, 0] * LEVELS[:, 1] % 64 == 0
    metrics = [Metric(name, Kind.PARAMETER) for name in NAMES]
    stump = FAMILIES["gradient_boosting"](trees=1, rate=1.0, leaves=2, min_leaf=1, max_features=1.0, penalty=0.0)
    for told, columns in ((even, {"x", "y", "tile"}), (full, {"x", "y"})):
        frame = make_frame(LEVELS, np.where(told, 1.0, 9.0), metrics, Metric("time", Kind.RESPONSE, "s"))
        said = Treated(family=stump, response_scale="raw", metric_scale=WHOLE).fit(frame)
        assert said.predict(said.rows(frame)).value == pytest.approx(frame.y)
        assert set(chosen_features(said)) == columns


def test_only_the_metrics_are_paired() -> None:
    metrics = [Metric(name, Kind.PARAMETER) for name in NAMES]
    frame = make_frame(LEVELS, 1.0 + LEVELS[:, 0], metrics, Metric("time", Kind.RESPONSE, "s"))
    features = Treated(family=FAMILIES["ridge"](), metric_scale=WHOLE).fit(frame).features
    assert [f for f in features if " & " in f] == [f"{a} & {b}" for a, b in combinations(NAMES, 2)]
