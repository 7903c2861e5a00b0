"""A blend: mixtures of predictions, and several trained models that are one model, in the file as well."""

import json
from dataclasses import replace

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from core.blend import MEAN, SUM, BlendModel, Mixture, apart, blend
from core.errors import FitError, ModelFileError, OptionError
from core.export import EXPORTERS, model_sha256, read_model, write_model
from core.export import json as model_file
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.race.reuse import recipe_again
from core.recipes.base import Treated
from core.report.model.formula import formula
from core.report.model.summary import fit_summary, importance
from core.scale import LOG
from tests.race.made import TIME, host_target

FRAME = host_target(4, 8)
WEIGHTS = {"ridge": 0.5, "nnls": 0.3, "forest": 0.2}
MIXTURE = Mixture(WEIGHTS, MEAN, True, float(np.log(2)))


def members() -> dict[str, FittedPipeline]:
    made = {"ridge": ("log_ratio", {}), "nnls": ("ratio", {}), "forest": ("log", {"trees": 5})}
    return {n: Treated(family=FAMILIES[n](**o), response_scale=s).fit(FRAME) for n, (s, o) in made.items()}


@pytest.fixture(scope="module")
def model() -> FittedPipeline:
    return blend(members(), MIXTURE, FRAME, "blend")


def test_the_mean_is_of_logarithms_and_those_who_refuse_are_spoken_for() -> None:
    said = {"a": np.array([1.0, 2.0, np.nan, np.nan, -1.0]), "b": np.array([4.0, np.nan, 3.0, np.nan, 5.0])}
    np.testing.assert_allclose(Mixture({"a": 1.0, "b": 1.0}).of(said), [2.0, 2.0, 3.0, np.nan, 5.0])
    np.testing.assert_allclose(Mixture({"a": 1.0, "b": 1.0}).of({"a": np.zeros(1), "b": np.ones(1)}), [1.0])
    np.testing.assert_allclose(Mixture({"a": 3.0, "b": 1.0}).of(said)[0], 4**0.25)
    np.testing.assert_allclose(Mixture({"a": 1.0, "b": 1.0}, log=False).of(said), [2.5, 2.0, 3.0, np.nan, 2.0])
    np.testing.assert_allclose(Mixture({"a": 0.5, "b": 0.5}, SUM).of(said), [2.5, 2.0, 3.0, np.nan, 2.0])


def test_a_wild_member_counts_as_a_factor_away_and_no_more() -> None:
    said = {"a": np.array([10.0]), "b": np.array([10.0]), "wild": np.array([1e80])}
    third = Mixture(dict.fromkeys(said, 1 / 3), MEAN, True, float(np.log(2)))
    np.testing.assert_allclose(third.of(said), [10 * 2 ** (1 / 3)])
    np.testing.assert_allclose(replace(third, log=False, bound=3.0).of(said), [11.0])
    assert third.of({**said, "b": np.array([1000.0])}) == pytest.approx(1000 * (0.5 * 1 * 2) ** (1 / 3))


def test_how_unsure_a_mixture_is_are_the_deviations_among_its_members_and_their_trees() -> None:
    columns, weights = np.array([[1.0, 4.0, 2.0], [3.0, 0.0, 3.0]]), np.array([0.5, 0.3, 0.2])
    trees = np.array([0.2, 0.4])
    found = apart(columns, [None, trees, trees / 2], weights, log=True)
    z, shares = np.log(columns[0]), weights
    np.testing.assert_allclose(found[0], [np.sqrt(np.average((z - z @ shares) ** 2, weights=shares)), 0.15])
    np.testing.assert_allclose(found[1], [0.0, 0.3], atol=1e-12)  # who refuses has no say
    plain = apart(columns, [None, None, None], weights, log=False)
    np.testing.assert_allclose(plain[:, 0], plain[:, 1])
    np.testing.assert_allclose(plain[1, 0], np.sqrt(0.3 * 0.7) * 3)


def test_it_says_what_the_mixture_of_its_members_says(model: FittedPipeline) -> None:
    own = members()
    said = {n: m.predict(m.rows(FRAME)).value for n, m in own.items()}
    found = model.predict(model.rows(FRAME))
    np.testing.assert_allclose(found.value, MIXTURE.of(said), rtol=1e-12)
    assert found.in_domain.all()
    assert model.scale.name == LOG
    assert set(model.names) == {name for m in own.values() for name in m.names}


def test_it_comes_back_from_its_file_and_fits_the_schema(model: FittedPipeline) -> None:
    raw = write_model(model)
    back = read_model(raw)
    rows = 1.3 * model.rows(FRAME)
    one, two = model.predict(rows), back.predict(rows)
    np.testing.assert_array_equal(one.value, two.value)
    assert one.why == two.why
    assert not one.in_domain.all()
    assert model_sha256(write_model(back)) == model_sha256(raw)
    plain = json.loads(raw)
    schema = model_file.model_schema()
    Draft202012Validator(schema).validate(plain)
    state = plain["clusters"][0]["family"]["state"]
    Draft202012Validator({**schema, "$ref": "#/$defs/state of blend"}).validate(state)


def test_where_nobody_predicts_the_reason_is_a_members(model: FittedPipeline) -> None:
    rows = model.rows(FRAME)[:2].copy()
    rows[0, model.names.index(TIME)] = -1.0
    alone = blend({"ridge": members()["ridge"]}, Mixture({"ridge": 1.0}), FRAME, "blend")
    said = alone.predict(rows)
    assert np.isnan(said.value).tolist() == [True, False]
    assert f"no member has one; ridge: the reference '{TIME}' is -1" in said.why[0]
    assert np.isfinite(model.predict(rows).value).all()  # the forest needs no reference


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", [0.5, 0.5, -1.0]),
        ("weights", [1.0]),
        ("columns", [[0], [0], [0]]),
        ("how", "shaken"),
        ("columns", [[99, 1, 2, 3, 4]] * 3),
        ("names", ["one"]),
        ("members", [{}, {}, {}]),
        ("members", []),
        ("bound", -1.0),
        ("secret", 1),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused(model: FittedPipeline, field: str, value: object) -> None:
    plain = json.loads(write_model(model))
    plain["clusters"][0]["family"]["state"][field] = value
    with pytest.raises(ModelFileError):
        read_model(json.dumps(plain).encode())


def test_a_blend_in_a_blend_is_refused(model: FittedPipeline) -> None:
    twice = blend({"blend": model}, Mixture({"blend": 1.0}), FRAME, "blend")
    with pytest.raises(ModelFileError, match="blend in a blend"):
        read_model(write_model(twice))


def test_people_can_read_it(model: FittedPipeline) -> None:
    own = model.clusters[0].model
    assert isinstance(own, BlendModel)
    assert "0.5·ln(ridge) + 0.3·ln(nnls) + 0.2·ln(forest)" in formula(model).text()
    assert "factor of 2" in own.formula(model.features)
    assert "0.5·ridge + 0.3·nnls" in replace(own, how=SUM).formula(model.features)
    assert set(fit_summary(model, FRAME).terms) == set(model.names)
    assert importance(model) is None
    assert model.provenance.options["weight of nnls"] == 0.3


def test_every_exporter_can_write_it_or_says_why_not(model: FittedPipeline) -> None:
    assert EXPORTERS["json"]().can_express(model) is None
    for cls in EXPORTERS.values():
        exporter = cls()
        assert exporter.can_express(model) or exporter.write(model)


def test_it_is_not_learnt_again_and_needs_a_member(model: FittedPipeline) -> None:
    with pytest.raises(OptionError, match="one of its members"):
        recipe_again(model)
    with pytest.raises(FitError, match="at least one model"):
        blend({}, MIXTURE, FRAME, "blend")
