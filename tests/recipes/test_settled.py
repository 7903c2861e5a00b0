"""What folds that are many share: it is searched for five times, on trials that none of the folds in question hold out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.grouped import all_but
from core.models.formula import Formula
from core.models.parts.anova_likelihood import Likelihood as AnovaLikelihood
from core.models.parts.matern import Likelihood as MaternLikelihood
from core.recipes import make_recipe
from core.recipes.halwpe import Halwpe
from core.validate.crossval import cross_validate, held_out, without
from core.validate.folds import DEALT, hashed, parse_folds
from core.validate.sharing import MANY
from tests.conftest import machine_frame

BY = parse_folds("by:application")
SEARCHES = [
    ("formula", Formula, "_chosen", {}),
    ("gaussian_process", MaternLikelihood, "search", {}),
    ("anova", AnovaLikelihood, "search", {"iterations": "5"}),
    pytest.param("halwpe", Halwpe, "_best", {"trees": "10"}, marks=pytest.mark.slow),
]


def counted(inner: Callable[..., Any], calls: list[int]) -> Callable[..., Any]:
    def outer(*values: Any, **named: Any) -> Any:
        calls.append(1)
        return inner(*values, **named)

    return outer


@pytest.mark.parametrize(("name", "owner", "search", "options"), SEARCHES)
def test_what_is_searched_for_is_shared_by_many_folds(
    name: str, owner: type, search: str, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, recipe = machine_frame(MANY + 4, 2), make_recipe(name, options).asking(BY)
    calls: list[int] = []
    monkeypatch.setattr(owner, search, counted(getattr(owner, search), calls))
    found = cross_validate(recipe.fit, frame, BY, workers=1, settle=recipe.settled)
    assert len(calls) == DEALT
    folds = sorted(BY.split(frame, 0), key=lambda fold: hashed(fold.name, 0))
    rest = all_but(len(frame), np.concatenate([fold.test for fold in folds[::DEALT]]))
    fit = recipe.settled(frame.take(rest))
    assert fit is not None
    alone = held_out(fit(without(frame, folds[0]), lambda *_: None), frame.take(folds[0].test))
    np.testing.assert_allclose(found.predicted[folds[0].test], alone.predicted, rtol=1e-9)


def test_a_fold_with_other_columns_searches_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, recipe = machine_frame(8, 3), make_recipe("gaussian_process").asking(BY)
    fit = recipe.settled(frame)
    assert fit is not None
    calls: list[int] = []
    monkeypatch.setattr(MaternLikelihood, "search", counted(MaternLikelihood.search, calls))
    fit(frame.select(("instructions", "bytes", "clock")), lambda *_: None)
    assert len(calls) == 1
