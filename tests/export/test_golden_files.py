"""Model files of every version that was released: read, and predicting the numbers that were recorded then."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.export import read_model, write_model
from core.export._document import VERSION

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.stem for path in GOLDEN.glob("v*.json") if not path.stem.endswith(".predictions"))


def test_there_are_files_of_every_version_but_at_most_todays() -> None:
    versions = {int(name.partition("_")[0][1:]) for name in FILES}
    assert versions >= set(range(1, VERSION))


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
