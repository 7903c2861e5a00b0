"""Coefficients at knots are the model's own predictions there."""

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.model.summary import knots_table
from tests.report.designs import NAMES, designs


@pytest.mark.parametrize("log", [False, True])
def test_what_terms_add_at_knots_sums_to_the_prediction_there(log: bool) -> None:
    model = make_recipe("stargazer").fit(designs(log=log))
    fitted = model.clusters[0].model
    table = knots_table(model)
    assert table is not None
    assert len(table) == 1 + sum(len(t.coefficients) for t in fitted.chosen)
    first = {NAMES[a.column]: float(np.exp2(a.knots[0]) if a.log else a.knots[0]) for a in fitted.axes}
    row = np.array([[first.get(name, 0.0) for name in model.names]])
    assert model.predict_scaled(row)[0] == pytest.approx(fitted.intercept)
    name, place, added = table.iloc[1]
    assert name == model.clusters[0].model.terms(model.features)[0]
    row[0, model.names.index(name)] = float(place.split(" = ")[1])
    assert model.predict_scaled(row)[0] == pytest.approx(fitted.intercept + added, rel=1e-3)


def test_other_models_have_no_knots() -> None:
    assert knots_table(make_recipe("anova").fit(designs())) is None
