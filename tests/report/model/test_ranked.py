"""The terms of a formula are ranked by how far they move its predictions."""

import re

import numpy as np
import pytest

from core.recipes import make_recipe
from core.report.model.contributions import ranked_terms
from core.report.model.selection import candidates, selection
from core.trial import Frame


@pytest.mark.parametrize("name", ["stepwise", "ridge", "splines"])
def test_shares_are_those_of_the_terms_alone(frame: Frame, name: str) -> None:
    model = make_recipe(name, {}).fit(frame)
    rows, member = model.rows(frame), model.clusters[0].model
    ranked = ranked_terms(model, rows)
    assert ranked is not None
    assert sorted(ranked["term"]) == sorted(member.terms(model.features))
    assert (np.diff(ranked["movement (sd)"]) <= 0).all()
    scores = model.scores(rows)
    predicted, pieces = member.predict(scores), member.parts().pieces
    whole = sum(piece.of(scores[:, list(piece.columns)]) for piece in pieces)
    assert np.ptp(predicted - whole) == pytest.approx(0, abs=1e-8 * np.ptp(predicted))  # a constant is left
    first = pieces[member.terms(model.features).index(ranked["term"][0])]
    alone = np.std(first.of(scores[:, list(first.columns)])) / np.std(predicted)
    assert ranked["movement (sd)"][0] == pytest.approx(alone)


def test_no_component_stands_without_what_it_is_made_of(frame: Frame) -> None:
    model = make_recipe("eiger", {"components": "2", "threshold": "0.001"}).fit(frame)
    ranked = ranked_terms(model, model.rows(frame))
    assert ranked is not None
    steps = [step.term for step in selection(model).steps]
    assert steps
    for term in (*ranked["term"], *steps, *candidates(model, 1).terms):
        assert "RC" in term
        assert not re.search(r"RC\d+(?!\d*\[)", term), term


def test_candidates_are_grouped_by_functions_as_people_write_them(frame: Frame) -> None:
    model = make_recipe("eiger", {"components": "2", "threshold": "0.001", "variant": "ridgeline"}).fit(frame)
    found = candidates(model, 1)
    assert {"x", "x·y"} <= set(found.kinds)
    assert set(found.functions) <= set(found.kinds)


def test_what_is_no_sum_of_terms_has_no_ranking(frame: Frame) -> None:
    model = make_recipe("extra_trees", {"trees": "5"}).fit(frame)
    assert ranked_terms(model, model.rows(frame)) is None
