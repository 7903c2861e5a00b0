"""Model files of every version that was released: read, and predicting the numbers that were recorded then."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.export import read_model, write_model
from core.export._document import VERSION
from core.scaling.model_file import VERSION as SCALING_VERSION
from core.scaling.model_file import read_scaling, write_scaling
from core.scaling.scaling_model import Kernel

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.stem for path in GOLDEN.glob("v*.json") if not path.stem.endswith(".predictions"))


SCALING = sorted(path.stem for path in GOLDEN.glob("scaling_v*.json") if not path.stem.endswith(".predictions"))


def test_there_are_files_of_every_version() -> None:
    versions = {int(name.partition("_")[0][1:]) for name in FILES}
    assert versions == set(range(1, VERSION + 1))
    assert {int(name.split("_")[1][1:]) for name in SCALING} == set(range(1, SCALING_VERSION + 1))


def test_todays_files_are_of_many_kinds() -> None:
    today = [json.loads((GOLDEN / f"{name}.json").read_text()) for name in FILES if name.startswith(f"v{VERSION}_")]
    kinds = {cluster["family"]["name"] for plain in today for cluster in plain["clusters"]}
    assert kinds >= {"stepwise", "splines", "forest", "gaussian_process", "anova", "roofline", "blend"}
    assert {plain["scale"] for plain in today} >= {"raw", "log", "log_ratio"}
    assert all(path.stat().st_size < 32_000 for path in GOLDEN.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_predicts_what_it_did(name: str) -> None:
    raw = (GOLDEN / f"{name}.json").read_bytes()
    expected = json.loads((GOLDEN / f"{name}.predictions.json").read_text())
    assert json.loads(raw)["version"] == int(name.partition("_")[0][1:])
    model = read_model(raw)
    tolerance = 1e-9 if name.endswith("gaussian_process") else 1e-12  # large weights cancel, whoever adds them up
    for known in (model, read_model(write_model(model))):
        said = known.predict(np.array(expected["rows"]))
        for key in ("value", "low", "high"):
            np.testing.assert_allclose(getattr(said, key), expected[key], rtol=tolerance)
        assert said.in_domain.tolist() == expected["in_domain"]
        assert not all(expected["in_domain"])


@pytest.mark.parametrize("name", SCALING)
def test_a_file_of_a_scaling_model_predicts_what_it_did(name: str) -> None:
    raw = (GOLDEN / f"{name}.json").read_bytes()
    expected = json.loads((GOLDEN / f"{name}.predictions.json").read_text())
    assert json.loads(raw)["version"] == int(name.split("_")[1][1:])
    model = read_scaling(raw)
    for known in (model, read_scaling(write_scaling(model))):
        said = [known.predict(Kernel(**kernel, measured={})) for kernel in expected["kernels"]]
        for predicted, surfaces in zip(said, expected["surfaces"], strict=True):
            for response, ends in surfaces.items():
                for key, values in ends.items():
                    np.testing.assert_allclose(getattr(predicted.surfaces[response], key), values, rtol=1e-12)
        assert [p.in_domain for p in said] == expected["in_domain"]
        assert [p.nearest[0][0] for p in said] == expected["nearest"]
