"""The original Eiger's model files: every version read, and evaluated by the rule of its consumers."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelFileError
from core.export import read_model, write_model

TEXT = """2
size
count
[2](10.0, -1.0)
[2](2.0, 0.0)
[2,2]((1.0, 0.5), (0.0, 2.0))
Model 0
[2](-5.0, 0.0)
[3](2.0, -1.5, 0.25)
0
1 0 -2
2 0 1
Model 1
[2](3.0, 0.0,)
[4](1.0, 2.0, 3.0, 4.0)
4 1
3 0
5 0 1
1 1 0.5
"""
VERSION_1 = """Model 0
[2,1]((2.0,),(0.5,),)
[2](3.0,-1.0,)
1 0 2
5 0
size
count
"""


def by_the_rule(size: float, count: float) -> float:
    """x = metrics · rotation; z = (x - means) / stds, a deviation of 0 counting as 1; nearest centre; Σ w f(x)."""
    x = (size * 1.0 + count * 0.0, size * 0.5 + count * 2.0)
    z = ((x[0] - 10) / 2, x[1] + 1)
    first = (z[0] + 5) ** 2 + z[1] ** 2 <= (z[0] - 3) ** 2 + z[1] ** 2
    power = [1.0 if v == 0 else abs(v) for v in x]
    if first:
        return 2.0 - 1.5 * power[0] ** -2 + 0.25 * x[0] * x[1]
    return math.log2(power[1]) + 2 * math.sqrt(abs(x[0])) + 3 * x[0] / x[1] + 4 * power[1] ** 0.5


@pytest.mark.parametrize("row", [(1.0, 1.0), (-4.0, 3.0), (30.0, -2.0), (100.0, 0.5), (0.0, 5.0)])
def test_text_is_evaluated_by_the_rule(row: tuple[float, float]) -> None:
    model = read_model(TEXT.encode())
    assert model.names == ("size", "count")
    assert model.predict(np.array([row])).value[0] == pytest.approx(by_the_rule(*row), rel=1e-12)


def test_version_1_has_its_names_at_the_end_and_one_argument_for_code_5() -> None:
    model = read_model(VERSION_1.encode())
    x = 2.0 * 3 + 0.5 * 4
    assert model.predict(np.array([[3.0, 4.0]])).value[0] == pytest.approx(3 * x**2 - 1 / x)


def test_json_of_the_original() -> None:
    document = {
        "metric_names": ["size", "count"],
        "means": [10.0, -1.0],
        "std_devs": [2.0, 0.0],
        "rotation_matrix": [[1.0, 0.5], [0.0, 2.0]],
        "clusters": [
            {
                "center": [-5.0, 0.0],
                "regressors": [
                    {"function": "identity", "weight": 2.0},
                    {"function": "power", "index": 0, "exponent": -2, "weight": -1.5},
                    {"function": "product", "first_idx": 0, "second_idx": 1, "weight": 0.25},
                ],
            },
            {
                "center": [3.0, 0.0],
                "regressors": [
                    {"function": "log", "index": 1, "weight": 1.0},
                    {"function": "sqrt", "index": 0, "weight": 2.0},
                    {"function": "quotient", "first_idx": 0, "second_idx": 1, "weight": 3.0},
                    {"function": "power", "index": 1, "exponent": 0.5, "weight": 4.0},
                ],
            },
        ],
    }
    rows = np.array([[1.0, 1.0], [30.0, -2.0], [-4.0, 3.0]])
    text, plain = read_model(TEXT.encode()), read_model(json.dumps(document).encode())
    assert np.array_equal(text.predict(rows).value, plain.predict(rows).value)


def test_a_model_read_can_be_kept_as_ours() -> None:
    model = read_model(TEXT.encode())
    again = read_model(write_model(model))
    rows = np.array([[1.0, 1.0], [30.0, -2.0]])
    assert np.array_equal(model.predict(rows).value, again.predict(rows).value)


def test_division_by_zero_is_no_prediction() -> None:
    found = read_model(TEXT.encode()).predict(np.array([[100.0, -25.0]]))  # x = (100, 0)
    assert np.isnan(found.value[0])
    assert found.why[0].startswith("no prediction")


@pytest.mark.parametrize("line", range(len(TEXT.splitlines()) - 1))
def test_a_file_cut_short_or_garbled_names_its_line(line: int) -> None:
    lines = TEXT.splitlines()
    for broken in ("\n".join(lines[:line]), "\n".join([*lines[:line], "?!", *lines[line + 1 :]])):
        if line in (1, 2) and "?!" in broken:
            continue  # any text is a metric's name
        if line == 12 and "?!" not in broken:
            continue  # a file of one whole cluster
        with pytest.raises(ModelFileError) as caught:
            read_model(broken.encode())
        assert "\n" not in str(caught.value)


def test_the_originals_own_file(real_data: Path) -> None:
    model = read_model((real_data / "formats" / "eiger_lwperf" / "gold.model").read_bytes())
    weights = (1.0037181792658046e-05, -0.0088573713956641049, 0.18572017261061566, -0.15834192882186315)
    for size in (1.0, 4.0, 255.0, 500.0):
        x = size * 1.0
        expected = sum(w * f for w, f in zip(weights, (x**2, x, math.sqrt(x), math.log2(x)), strict=True))
        assert model.predict(np.array([[size]])).value[0] == pytest.approx(expected, rel=1e-12)


def test_a_rotation_without_end_is_a_sentence() -> None:
    with pytest.raises(ModelFileError, match="rotation with a number that is not finite"):
        read_model(b"1\nm\n[1](0.0,)\n[1](1.0,)\n[1,1]((1e400,),)\nModel 0\n[1](0.0,)\n[1](1.0,)\n1 0 1\n")
