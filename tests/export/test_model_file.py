"""The model file: predicts with json and math alone, fits its schema, and hostile files end in one sentence."""

import json
import math
import random
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from core.errors import ModelFileError, OptionError, RidgelineError
from core.export import EXPORTERS, _schema, model_sha256, read_model, write_model
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.trial import Frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

SETTINGS = {
    "default": {},
    "table1": {"pool": "table1", "components": "3", "clusters": "2", "least_cluster_trials": "8"},
    "metrics": {"components": "none", "pool": "signed,log2,power:-1", "extrapolation": "flag"},
    "raw": {"response_scale": "raw", "metric_scale": "raw", "rotation": "none", "extrapolation": "refuse"},
    "original": {"semantics": "eiger-1", "clusters": "2", "threshold": "0.01"},
}


def trained(name: str, frame: Frame | None = None) -> FittedPipeline:
    frame = frame or machine_frame(12, 5)
    return train(make_recipe("eiger", SETTINGS[name]), frame, parse_folds("kfold:4"), dataset="d").model


def predict_by_hand(document: dict, row: list[float]) -> float:
    """Everything a stranger needs to predict from a model file: json, math, and these thirty lines."""
    x = row
    if document["extrapolation"] == "clamp":
        domain = document["domain"]
        x = [min(max(v, lo), hi) for v, lo, hi in zip(x, domain["low"], domain["high"], strict=True)]
    for part in document["passes"]:
        s = part["state"]
        if part["name"] == "log":
            scales = {"raw": lambda v: v, "log": math.log, "log1p": math.log1p}
            x = [scales[k](v) for k, v in zip(s["scales"], x, strict=True)]
        elif part["name"] == "standardize":
            x = [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
        elif part["name"] == "pca":
            z = [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
            x = [
                math.fsum(v * w[j] for v, w in zip(z, s["vectors"], strict=True)) / math.sqrt(s["eigenvalues"][j])
                for j in range(len(s["vectors"][0]))
            ]
        else:  # varimax, eiger_rotation
            x = [
                math.fsum(v * w[j] for v, w in zip(x, s["rotation"], strict=True)) for j in range(len(s["rotation"][0]))
            ]
    cluster = 0
    if document["partition"]:
        s = document["partition"]["state"]
        z = [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
        distances = [math.fsum((v - c) ** 2 for v, c in zip(z, centre, strict=True)) for centre in s["centres"]]
        cluster = distances.index(min(distances))
    state = document["clusters"][cluster]["family"]["state"]
    terms = [math.prod(factor_by_hand(f, x) for f in term["factors"]) for term in state["chosen"]]
    z = state["intercept"] + math.fsum(c * t for c, t in zip(state["coefficients"], terms, strict=True))
    return math.exp(z) if document["scale"] == "log" else z


def factor_by_hand(f: dict, x: list[float]) -> float:
    u = (x[f["variable"]] - f["low"]) / f["width"] + f["shift"]
    name, _, number = f["function"].partition(":")
    n = float(number or 1)
    if name == "eiger_power":
        return 1.0 if u == 0 else abs(u) ** n
    if name == "eiger_log":
        return 1.0 if u == 0 else math.log2(abs(u))
    if name == "signed_power":
        return math.copysign(abs(u) ** n, u)
    return {"power": lambda: u**n, "log2": lambda: math.log2(u), "asinh": lambda: math.asinh(u)}[name]()


@pytest.mark.parametrize("name", list(SETTINGS))
def test_json_and_math_alone_predict_the_same(name: str) -> None:
    frame = machine_frame(12, 5)
    model = trained(name, frame)
    document = json.loads(write_model(model))
    rows = model.rows(frame)
    ours = model.predict(rows)
    for row, value in zip(rows.tolist(), ours.value, strict=True):
        assert predict_by_hand(document, row) == pytest.approx(value, rel=1e-12, abs=0)
    half = document["interval"]["half_width"]
    if document["scale"] == "log":
        np.testing.assert_allclose(ours.high, ours.value * math.exp(half), rtol=1e-12)
    else:
        np.testing.assert_allclose(ours.high, ours.value + half, rtol=1e-12)


@pytest.mark.parametrize("name", list(SETTINGS))
def test_files_fit_the_schema_and_come_back_byte_for_byte(name: str) -> None:
    raw = write_model(trained(name))
    schema = json.loads(Path(_schema.__file__).with_name("model.schema.json").read_text())
    jsonschema.validate(json.loads(raw), schema)
    assert write_model(read_model(raw)) == raw
    assert model_sha256(raw) == model_sha256(write_model(trained(name)))


def test_the_schema_beside_the_exporter_is_of_today() -> None:
    assert Path(_schema.__file__).with_name("model.schema.json").read_text() == _schema.schema_text()


def test_the_file_says_where_it_comes_from() -> None:
    document = json.loads(write_model(trained("default")))
    assert document["format"] == "ridgeline-model"
    assert document["version"] == 1
    assert document["response"] == {"name": "time", "kind": "response", "unit": "s"}
    source = document["provenance"]
    assert (source["dataset"], source["recipe"], source["n_trials"], source["seed"]) == ("d", "eiger", 60, 0)
    assert source["options"]["threshold"] == 0.003
    assert document["validation"]["folds"] == "kfold:4"
    assert document["validation"]["scores"]["mape"] > 0
    assert document["interval"]["nominal"] == 0.9


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.5, 0.9, 0.999])
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
        (("format",), "pickle", "no format 'ridgeline-model'"),
        (("version",), 99, "version 99, newer"),
        (("version",), "1", "no version number"),
        (("scale",), "sqrt", "scale is neither"),
        (("extrapolation",), "guess", "policy is unknown"),
        (("metrics",), [], "metrics are none or named twice"),
        (("clusters",), [], "it has no model"),
        (("features",), ["RC1"], "features do not fit"),
        (("domain", "low"), [1.0], "domain does not fit"),
        (("domain", "low"), [1e99] * 4, "ends before it starts"),
        (("interval", "half_width"), -1.0, "interval is negative"),
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


@pytest.mark.parametrize("name", ["default", "table1", "original"])
def test_mutated_files_are_refused_or_predict_without_a_crash(name: str) -> None:
    document = json.loads(write_model(trained(name)))
    rng = random.Random(0)
    refused: list[str] = []
    for _ in range(250):
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
    assert len(refused) > 50
    assert not [text for text in refused if "\n" in text]


def test_exporters_say_what_they_can() -> None:
    exporter = EXPORTERS.find("json")()
    assert exporter.can_express(trained("default")) is None
    assert exporter.write(trained("default")) == write_model(trained("default"))
    with pytest.raises(OptionError, match="no export format 'pickle'; there are: json"):
        EXPORTERS.find("pickle")
