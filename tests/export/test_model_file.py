"""The model file: predicts with json and math alone, fits its schema, and hostile files end in one sentence."""

import importlib
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from core import export
from core.errors import ModelFileError, OptionError, RidgelineError
from core.export import EXPORTERS, model_sha256, read_model, write_model
from core.export import json as model_file
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import RECIPES, make_recipe, train
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.export.by_hand import predict, predict_whole

json_exporter = importlib.import_module("core.export.json")

SETTINGS = {
    "default": {},
    "table1": {"pool": "table1", "components": "3", "clusters": "2", "least_cluster_trials": "8"},
    "metrics": {"components": "none", "pool": "signed,log2,power:-1", "extrapolation": "flag"},
    "raw": {"response_scale": "raw", "metric_scale": "raw", "rotation": "none", "extrapolation": "refuse"},
    "original": {"semantics": "eiger-1", "clusters": "2", "threshold": "0.01"},
}


@cache
def trained(name: str) -> FittedPipeline:
    return train(make_recipe("eiger", SETTINGS[name]), machine_frame(12, 5), parse_folds("kfold:4"), dataset="d").model


@pytest.mark.parametrize("name", list(SETTINGS))
def test_json_and_math_alone_predict_the_same(name: str) -> None:
    frame = machine_frame(12, 5)
    model = trained(name)
    document = json.loads(write_model(model))
    rows = model.rows(frame)
    ours = model.predict(rows)
    for row, value in zip(rows.tolist(), ours.value, strict=True):
        assert predict(document, row) == pytest.approx(value, rel=1e-12, abs=0)
    for i, row in enumerate(rows.tolist()):
        value, low, high, within = predict_whole(document, row)
        assert (value, low, high) == pytest.approx((ours.value[i], ours.low[i], ours.high[i]), rel=1e-11, abs=0)
        assert within == ours.in_domain[i]


def designs(n: int = 150, seed: int = 0) -> Frame:
    """Points of a design space whose response has interactions, over doubling and other levels."""
    rng = np.random.default_rng(seed)
    levels = ((8.0, 16.0, 32.0, 64.0), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.0, 1.0), (10.0, 20.0, 50.0, 55.0))
    X = np.column_stack([rng.choice(own, n) for own in levels])
    y = 1e3 / X[:, 0] * (1 + 5 / X[:, 1]) + X[:, 2] * X[:, 3] / 8 + 20 + rng.normal(0, 10.0, n)
    metrics = [Metric(name, Kind.PARAMETER) for name in ("simd", "blocks", "cache", "queue")]
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "us"))


SMALL = {
    "forest": {"trees": "20"},
    "extra_trees": {"trees": "20"},
    "gradient_boosting": {"trees": "20"},
    "roofline": {"trees": "20"},
    "trended": {"trees": "20"},
    "auto": {"trees": "10"},
    "halwpe": {"model": "nnls_forward_bic"},
}
FEWEST = {name: {"trees": "4"} for name in ("forest", "extra_trees", "gradient_boosting", "roofline", "trended")}
SPACES = {"designs": designs(), "trials": machine_frame(12, 5, noise=0.5)}
TOLERANCES = {
    ("support_vectors", "designs"): 1e-10,
    ("support_vectors", "trials"): 1e-10,
    ("gaussian_process", "designs"): 1e-9,
    ("gaussian_process", "trials"): 1e-9,
    ("stargazer", "trials"): 1e-11,
}
"""Relative, where large numbers cancel, which costs digits whoever computes: weights of near trials, or
splines of metrics that span decades and are no parameters of a design space."""


@cache
def fitted(name: str, space: str = "designs") -> FittedPipeline:
    return make_recipe(name, SMALL.get(name)).fit(SPACES[space])


@pytest.mark.slow
@pytest.mark.parametrize("space", list(SPACES))
@pytest.mark.parametrize("name", [*RECIPES, *FAMILIES])
def test_every_family_is_predicted_by_hand(name: str, space: str) -> None:
    frame = SPACES[space]
    model = fitted(name, space)
    document = json.loads(write_model(model))
    rows = np.vstack([model.rows(frame)[:40], (model.domain.low + model.domain.high) / 2])
    tolerance = TOLERANCES.get((name, space), 1e-12)
    for row, value in zip(rows.tolist(), model.predict(rows).value, strict=True):
        assert predict(document, row) == pytest.approx(value, rel=tolerance, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RECIPES, *FAMILIES])
def test_outside_the_trained_range_too(name: str) -> None:
    model = fitted(name)
    document = json.loads(write_model(model))
    rows = np.vstack([model.domain.low * 0.75, model.domain.high * 1.5])
    for row, value in zip(rows.tolist(), model.predict(rows).value, strict=True):
        assert predict(document, row) == pytest.approx(value, rel=1e-9, abs=0)


@pytest.mark.parametrize(("order", "n_axes"), [("1", 1), ("3", 3)])
def test_spline_terms_of_one_to_three_axes_are_predicted_by_hand(order: str, n_axes: int) -> None:
    frame = SPACES["designs"]
    X = frame.X
    y = frame.y + X[:, 0] * X[:, 1] * X[:, 2]
    frame = make_frame(X, y, frame.metrics, frame.response)
    settings = {"order": order, "theta": "0", "phi": "0", "variant": "paper"}
    model = make_recipe("stargazer", settings).fit(frame)
    assert max(len(t.axes) for t in model.clusters[0].model.chosen) == n_axes
    document = json.loads(write_model(model))
    for row, value in zip(model.rows(frame).tolist(), model.predict(model.rows(frame)).value, strict=True):
        assert predict(document, row) == pytest.approx(value, rel=1e-12, abs=0)


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema of model files, which is a schema itself: `validate` would see to it each time."""
    found: dict[str, Any] = json.loads(Path(model_file.__file__).with_name("model.schema.json").read_text())
    Draft202012Validator.check_schema(found)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RECIPES, *FAMILIES])
def test_every_familys_file_fits_the_schema_and_its_state_too(name: str, schema: dict[str, Any]) -> None:
    raw = write_model(fitted(name))
    document = json.loads(raw)
    Draft202012Validator(schema).validate(document)
    family = document["clusters"][0]["family"]
    state = {"$ref": f"#/$defs/state of {family['name']}", "$defs": schema["$defs"]}
    Draft202012Validator(state).validate(family["state"])
    assert write_model(read_model(raw)) == raw


@pytest.mark.slow
@pytest.mark.parametrize("name", list(FAMILIES))
def test_mutated_files_of_every_family_are_refused_or_predict_without_a_crash(name: str) -> None:
    model = make_recipe(name, FEWEST.get(name, {})).fit(SPACES["designs"].take(np.arange(40)))
    document = json.loads(write_model(model))
    rng = random.Random(1)
    refused = 0
    for _ in range(120):
        state = mutated(document["clusters"][0]["family"]["state"], rng)
        family = {"name": name, "state": state}
        changed = {**document, "clusters": [{**document["clusters"][0], "family": family}]}
        try:
            model = read_model(json.dumps(changed).encode())
        except RidgelineError as error:
            assert "\n" not in str(error)
            refused += 1
            continue
        width = len(model.metrics)
        found = model.predict(
            np.array([[0.0] * width, [1.0] * width, [-1.0] * width, [1e300] * width, [np.nan] * width])
        )
        for value, why in zip(found.value, found.why, strict=True):
            assert np.isfinite(value) or why
    assert refused > 20


def test_a_forest_that_is_too_large_for_a_file_says_what_would_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_recipe("forest", {"trees": "40"}).fit(SPACES["designs"])
    exporter = EXPORTERS.find("json")()
    size = len(exporter.write(model))
    for module in (json_exporter, export):
        monkeypatch.setattr(module, "MAX_BYTES", size)
    assert exporter.can_express(model) is None
    for module in (json_exporter, export):
        monkeypatch.setattr(module, "MAX_BYTES", size // 2)
    reason = exporter.can_express(model)
    nodes = len(model.clusters[0].model.feature)
    assert reason is not None
    assert f"40 trees have {nodes:,} nodes. Use at most 1" in reason
    assert "min_leaf" in reason
    with pytest.raises(ModelFileError, match="cannot be kept: its file would have"):
        write_model(model)
    fitting = int(reason.split("at most ")[2].split(" ")[0])
    smaller = make_recipe("forest", {"trees": str(fitting)}).fit(SPACES["designs"])
    assert exporter.can_express(smaller) is None


def test_other_large_models_are_told_to_take_fewer_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained("default")
    monkeypatch.setattr(json_exporter, "MAX_BYTES", 1000)
    reason = EXPORTERS.find("json")().can_express(model)
    assert reason is not None
    assert reason.endswith("Choose fewer metrics, or fewer trials.")


@pytest.mark.slow
def test_the_bound_on_a_files_size_holds() -> None:
    for name in [*RECIPES, *FAMILIES]:
        model = fitted(name)
        assert len(write_model(model)) <= json_exporter.most_bytes(model)


@pytest.mark.parametrize("name", list(SETTINGS))
def test_files_fit_the_schema_and_come_back_byte_for_byte(name: str, schema: dict[str, Any]) -> None:
    raw = write_model(trained(name))
    Draft202012Validator(schema).validate(json.loads(raw))
    assert write_model(read_model(raw)) == raw
    assert model_sha256(raw) == model_sha256(write_model(trained(name)))


def test_the_schema_beside_the_exporter_is_of_today() -> None:
    assert Path(model_file.__file__).with_name("model.schema.json").read_text() == model_file.schema_text()


def test_the_file_says_where_it_comes_from() -> None:
    document = json.loads(write_model(trained("default")))
    assert document["format"] == "ridgeline-model"
    assert document["version"] == 4
    assert document["response"] == {"name": "time", "kind": "response", "unit": "s"}
    source = document["provenance"]
    assert (source["dataset"], source["recipe"], source["n_trials"], source["seed"]) == ("d", "eiger", 60, 0)
    assert (source["options"]["variant"], source["options"]["threshold"]) == ("ridgeline", None)
    assert json.loads(write_model(trained("original")))["provenance"]["options"]["threshold"] == 0.01
    assert document["validation"]["folds"] == "kfold:4"
    assert document["validation"]["scores"]["mape"] > 0
    assert document["interval"]["nominal"] == 0.9


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_older_versions_predict_as_they_did(version: int) -> None:
    model = trained("table1")
    document = json.loads(write_model(model))
    width = document["interval"]["half_widths"][0]
    old = {**document, "version": version, "domain": {name: document["domain"][name] for name in ("low", "high")}}
    old["interval"] = {"half_width": width, **{n: document["interval"][n] for n in ("nominal", "n_residuals", "folds")}}
    for name in ("reference", "factor", "power") if version == 1 else ():
        del old[name]
    rows = np.vstack([model.domain.low, model.domain.high, model.domain.high * 2])
    found = read_model(json.dumps(old).encode())
    ours, theirs = model.predict(rows), found.predict(rows)
    np.testing.assert_array_equal(theirs.value, ours.value)
    np.testing.assert_allclose(np.log(theirs.high / theirs.value), width, rtol=1e-9)
    assert [why.split(" is ")[0] for why in theirs.why] == ["", "", ours.why[2].split(" is ")[0]]
    assert found.interval.half_widths.tolist() == [width] * len(model.clusters)
    assert not found.domain.knows_leverage
    again = json.loads(write_model(found))
    assert again["version"] == 4
    assert again["domain"]["directions"] == []
    assert again["domain"]["landmarks"] == {"labels": [], "rows": [], "responses": []}


@pytest.mark.parametrize("raw", [b"", b" \n"])
def test_an_empty_file_is_called_empty(raw: bytes) -> None:
    with pytest.raises(ModelFileError, match="The file is empty"):
        read_model(raw)


@pytest.mark.parametrize("raw", [b"hello world\n", b"\x89PNG\r\n\x1a\n\0\0"])
def test_what_is_no_model_at_all_is_told_so(raw: bytes) -> None:
    with pytest.raises(ModelFileError, match="neither Ridgeline's JSON, nor"):
        read_model(raw)


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(cut: float) -> None:
    raw = write_model(trained("default"))
    with pytest.raises(ModelFileError, match="not whole JSON"):
        read_model(raw[: int(len(raw) * cut)])


def spoil(document: dict, path: tuple, value: object) -> bytes:
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(document).encode()


STATE = ("clusters", 0, "family", "state")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("format",), "pickle", "not 'ridgeline-model'"),
        (("version",), 99, "version 99, newer"),
        (("version",), "1", "no version number"),
        (("scale",), "sqrt", "scale is none of"),
        (("extrapolation",), "guess", "policy is unknown"),
        (("metrics",), [], "metrics are none or named twice"),
        (("clusters",), [], "it has no model"),
        (("features",), ["RC1"], "features do not fit"),
        (("domain", "low"), [1.0], "domain does not fit"),
        (("domain", "low"), [1e99] * 4, "ends before it starts"),
        (("interval", "half_widths"), [-1.0], "interval is negative"),
        (("interval", "half_widths"), [1.0, 1.0], "interval does not fit its clusters"),
        (("interval", "by"), "weather", "difficulty of its interval is none of"),
        (("interval", "by"), "leverage", "difficulty does not fit its knots"),
        (("interval", "knots"), [1.0], "knots without factors"),
        (("domain", "centre"), [1.0], "leverage does not fit its metrics"),
        (("domain", "furthest"), -1.0, "leverage is negative"),
        (("domain", "landmarks", "labels"), ["one"], "landmarks do not fit"),
        (("passes", 1, "name"), "os.system", "does not know"),
        (("passes", 1, "state", "scale"), [0.0, 1.0, 1.0, 1.0], "scale that is not positive"),
        (("passes", 1, "state", "mean"), [0.0], "centres"),
        (("passes", 0, "state", "scales"), ["exp"] * 4, "none of raw, log, log1p"),
        (("clusters", 0, "family", "name"), "boosting", "does not know"),
        ((*STATE, "coefficients"), [1.0], "one coefficient per term"),
        ((*STATE, "chosen", 0, "factors", 0, "variable"), 77, "column that is not there"),
        ((*STATE, "chosen", 0, "factors", 0, "variable"), -1, "column that is not there"),
        ((*STATE, "chosen", 0, "factors", 0, "function"), "__import__", "no pool or function"),
        ((*STATE, "chosen", 0, "factors", 0, "width"), 0.0, "without a range"),
        ((*STATE, "intercept"), "1.0", "does not fit its schema"),
        ((*STATE, "intercept"), True, "does not fit its schema"),
        ((*STATE, "surprise"), 1, "unknown field 'surprise'"),
    ],
)
def test_parts_that_cannot_be_right_are_refused(path: tuple, value: object, sentence: str) -> None:
    document = json.loads(write_model(trained("default")))
    with pytest.raises(ModelFileError, match=sentence) as caught:
        read_model(spoil(document, path, value))
    assert "\n" not in str(caught.value)


def mutated(document: object, rng: random.Random) -> object:
    """Change one thing anywhere: drop, double, swap the type, or put a number that hurts."""
    plain = json.loads(json.dumps(document))
    node, where = plain, []
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = rng.choice(keys)
        where.append((node, key))
        if not isinstance(node[key], dict | list) or rng.random() < 0.1:
            break
        node = node[key]
    holder, key = where[-1]
    action = rng.randrange(4)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = rng.choice([0, -1, 1e300, -1e300, 1e-300, 5, "x", "", None, True, [], {}, [1], [[1.0]], {"a": 1}])
    return plain


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "table1", "original"])
def test_mutated_files_are_refused_or_predict_without_a_crash(name: str) -> None:
    document = json.loads(write_model(trained(name)))
    rng = random.Random(0)
    refused: list[str] = []
    for _ in range(120):
        raw = json.dumps(mutated(document, rng)).encode()
        try:
            model = read_model(raw)
        except RidgelineError as error:
            refused.append(str(error))
            continue
        width = len(model.metrics)
        X = np.array([[0.0] * width, [1.0] * width, [-1.0] * width, [1e300] * width, [np.nan] * width])
        found = model.predict(X)
        for value, why in zip(found.value, found.why, strict=True):
            assert np.isfinite(value) or why
    assert len(refused) > 24
    assert not [text for text in refused if "\n" in text]


def test_exporters_say_what_they_can() -> None:
    exporter = EXPORTERS.find("json")()
    assert exporter.can_express(trained("default")) is None
    assert exporter.write(trained("default")) == write_model(trained("default"))
    with pytest.raises(OptionError, match="no export format 'pickle'; there are: c, card, "):
        EXPORTERS.find("pickle")
