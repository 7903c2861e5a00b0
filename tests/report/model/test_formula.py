"""The written formula is the model: its numbers give the model's predictions."""

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.model.formula import formula, linear_definitions
from core.trial import Frame


def _columns(frame: Frame) -> dict[str, np.ndarray]:
    """Every text that a definition may use, evaluated."""
    found = {}
    for name, x in zip(frame.names, frame.X.T, strict=True):
        found |= {name: x, f"ln({name})": np.log(x), f"ln(1 + {name})": np.log1p(x)}
    return found


@pytest.mark.parametrize("settings", [{}, {"components": "2"}, {"rotation": "none"}, {"metric_scale": "raw"}])
def test_definitions_give_the_models_variables(frame: Frame, settings: dict[str, str]) -> None:
    model = make_recipe("eiger", settings).fit(frame)
    scores, columns = model.scores(model.rows(frame)), _columns(frame)
    for j, variable in enumerate(linear_definitions(model)):
        value = variable.constant + sum(
            w * columns[text] for w, text in zip(variable.weights, variable.metrics, strict=True)
        )
        assert value == pytest.approx(scores[:, j], abs=1e-8)


def test_the_original_rotation_is_written_out_too(frame: Frame) -> None:
    model = make_recipe("eiger", {"semantics": "eiger-1", "threshold": "0.05"}).fit(frame)
    scores = model.scores(model.rows(frame))
    first = linear_definitions(model)[0]
    columns = _columns(frame)
    value = sum(w * columns[text] for w, text in zip(first.weights, first.metrics, strict=True))
    assert value + first.constant == pytest.approx(scores[:, 0], rel=1e-9)


def test_only_used_variables_are_defined_and_components_are_named(frame: Frame) -> None:
    model = make_recipe("eiger", {"threshold": "0.2"}).fit(frame)
    written = formula(model)
    for variable in written.variables:
        assert variable.name in written.clusters[0].text
        assert variable.title.startswith(f"{variable.name}: ")
    assert written.clusters[0].text.startswith("ln(time) = ")
    assert "where" in written.text()
    assert written.variables[0].title in written.short_text()


def test_scaled_metrics_are_not_mistaken_for_the_metrics_themselves(frame: Frame) -> None:
    written = formula(make_recipe("stepwise").fit(frame))
    assert all(v.name.startswith("z(") for v in written.variables)
    assert "z(" in written.clusters[0].text
    assert "standard deviations from its mean" in written.short_text()


def test_clusters_have_a_formula_each_and_shared_ones_are_joined(frame: Frame) -> None:
    recipe = make_recipe("eiger", {"clusters": "3", "least_cluster_trials": "11", "threshold": "0.02"})
    model = recipe.fit(frame)
    written = formula(model)
    assert sorted(i for c in written.clusters for i in c.clusters) == [1, 2, 3]
    assert sum(c.n_trials for c in written.clusters) == len(frame)
    assert "cluster " in written.text()


def test_functions_that_need_a_positive_argument_say_their_shift(frame: Frame) -> None:
    model = make_recipe("eiger", {"pool": "log2", "threshold": "0.003"}).fit(frame)
    written = formula(model)
    assert written.shifts
    assert all(text.startswith("u(RC") for text in written.shifts)


def test_a_long_definition_counts_what_it_leaves_out(frame: Frame) -> None:
    variable = linear_definitions(make_recipe("eiger", {"threshold": "0.003"}).fit(frame))[0]
    assert len(variable.metrics) == 4
    assert variable.text(limit=2).endswith("+ 2 smaller ones")
    assert "smaller" not in variable.text(limit=3)
    assert "smaller" not in variable.text()
