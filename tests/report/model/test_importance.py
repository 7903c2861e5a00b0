"""What matters to models that were not chosen term by term."""

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.model.summary import importance, why_no_selection
from tests.report.designs import designs


def told(name: str, **settings: str):
    return importance(make_recipe(name, settings).fit(designs()))


def test_shares_of_an_additive_model_are_those_of_its_effects() -> None:
    value = told("anova")
    assert value.names[0] == "simd"
    assert "simd:blocks" in value.names
    assert (np.diff(value.values) <= 0).all()
    assert 99 < value.values.sum() <= 100 + 1e-9
    assert "idle" not in value.names
    assert value.n_hidden > 0


@pytest.mark.parametrize("name", ["forest", "extra_trees"])
def test_shares_of_a_forest_go_by_its_splits(name: str) -> None:
    value = told(name, trees="30")
    assert value.names[0] == "simd"
    assert value.values.sum() == pytest.approx(100, abs=0.3)
    assert list(value.table().columns) == ["metric", "share of the error taken away (%)"]


def test_length_scales_of_a_gaussian_process_are_shortest_first() -> None:
    value = told("gaussian_process")
    assert value.smaller_matters
    assert (np.diff(value.values) >= 0).all()
    assert value.names[-1] == "idle" or value.values[list(value.names).index("idle")] > value.values[0]


def test_a_family_that_tells_nothing_says_so_in_a_sentence() -> None:
    model = make_recipe("stepwise").fit(designs())
    assert importance(model) is None
    assert why_no_selection(model).startswith("This model of the family stepwise keeps neither")
