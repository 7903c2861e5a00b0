"""Models written as the original Eiger's files, evaluated by that program's own rule, written here anew."""

import ast
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from core.export import EXPORTERS, read_model
from core.export._eiger_sum import ONE
from core.export._lowered import prove, relative_difference
from core.export.base import rows
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.recipes.base import Treated
from tests.conftest import machine_frame
from tests.export.exported import model
from tests.race.made import host_target

pytestmark = pytest.mark.slow


class Consumer:
    """What a simulator does with such a file: x = metrics · rotation, nearest centre of z, Σ weight · function."""

    def __init__(self, text: str) -> None:
        if text.startswith("{"):
            self._from_json(json.loads(text))
        elif text.startswith("Model"):
            self._from_version_1(text.splitlines())
        else:
            self._from_text(text.splitlines())

    def _from_text(self, lines: list[str]) -> None:
        n = int(lines[0])
        self.names, rest = lines[1 : n + 1], lines[n + 1 :]
        self.means, self.stds = vector(rest[0]), vector(rest[1])
        self.rotation = matrix(rest[2], n)
        self.clusters, at = [], 3
        while at < len(rest):
            assert rest[at].startswith("Model")
            centre, weights = vector(rest[at + 1]), vector(rest[at + 2])
            codes = [[float(w) for w in line.split()] for line in rest[at + 3 : at + 3 + len(weights)]]
            self.clusters.append((centre, list(zip(weights, codes, strict=True))))
            at += 3 + len(weights)

    def _from_version_1(self, lines: list[str]) -> None:
        weights = vector(lines[2])
        codes = [[float(w) for w in line.split()] for line in lines[3 : 3 + len(weights)]]
        self.names = lines[3 + len(weights) :]
        self.rotation = matrix(lines[1], len(self.names))
        p = len(self.rotation[0])
        self.means, self.stds = [0.0] * p, [1.0] * p
        self.clusters = [([0.0] * p, list(zip(weights, codes, strict=True)))]

    def _from_json(self, plain: dict) -> None:
        numbers = {"identity": 0, "power": 1, "product": 2, "sqrt": 3, "log": 4, "quotient": 5}
        self.names, self.means, self.stds = plain["metric_names"], plain["means"], plain["std_devs"]
        self.rotation = plain["rotation_matrix"]
        fields = ("index", "first_idx", "exponent", "second_idx")
        self.clusters = [
            (
                c["center"],
                [
                    (r["weight"], [numbers[r["function"]], *(float(r[f]) for f in fields if f in r)])
                    for r in c["regressors"]
                ],
            )
            for c in plain["clusters"]
        ]

    def predict(self, values: dict[str, float]) -> float:
        given = [values[name] for name in self.names]
        x = [math.fsum(v * row[j] for v, row in zip(given, self.rotation, strict=True)) for j in range(len(self.means))]
        z = [(v - m) / (s or 1.0) for v, m, s in zip(x, self.means, self.stds, strict=True)]
        _, terms = min(self.clusters, key=lambda c: math.fsum((a - b) ** 2 for a, b in zip(z, c[0], strict=True)))
        return math.fsum(w * function(code, x) for w, code in terms)


def function(code: list[float], x: list[float]) -> float:
    i, j = (int(v) for v in [*code[1:], 0, 0][:2])
    if code[0] == 0:
        return 1.0
    if code[0] == 1:
        return 1.0 if x[i] == 0 else abs(x[i]) ** code[2]
    if code[0] == 2:
        return x[i] * x[j]
    if code[0] == 3:
        return math.sqrt(abs(x[i]))
    if code[0] == 4:
        return 1.0 if x[i] == 0 else math.log2(abs(x[i]))
    return x[i] / x[j]


def vector(line: str) -> list[float]:
    """`[size](values)`, parsed as the original does: what follows the size is a literal of Python."""
    values = ast.literal_eval(re.sub(r"^\[\d+(,\d+)?\]", "", line))
    return [float(v) for v in np.asarray(values, dtype=float).reshape(-1)]


def matrix(line: str, n: int) -> list[list[float]]:
    values = ast.literal_eval(re.sub(r"^\[\d+,\d+\]", "", line))
    return np.asarray(values, dtype=float).reshape(n, -1).tolist()


RAW = {"response_scale": "raw", "metric_scale": "raw"}


def treated(family: str) -> FittedPipeline:
    return Treated(family=FAMILIES[family](), **RAW).fit(machine_frame(12, 5, noise=0.3))


def eiger(**options: str) -> FittedPipeline:
    return make_recipe("eiger", options).fit(machine_frame(12, 5, noise=0.3))


MODELS = {
    "components, clusters, table1": lambda: model("eiger table1"),
    "components, quadratic": lambda: model("eiger quadratic"),
    "linear in logarithms": lambda: eiger(response_scale="raw", components="2", clusters="1", pool="linear"),
    "metrics as they are, table1": lambda: eiger(**RAW, components="none", clusters="1", pool="table1"),
    "the original's rule": lambda: eiger(semantics="eiger-1", response_scale="raw"),
    "the original's rule, clusters": lambda: eiger(semantics="eiger-1", response_scale="raw", clusters="3"),
    "least squares": lambda: treated("ols"),
    "lasso": lambda: treated("lasso"),
    "not negative": lambda: treated("nnls"),
    "ratio to a reference": lambda: Treated(family=FAMILIES["ols"](), response_scale="ratio", metric_scale="raw").fit(
        host_target()
    ),
}


@pytest.mark.parametrize("format", ["eiger", "eiger_v1", "eiger_json"])
@pytest.mark.parametrize("name", list(MODELS))
def test_the_rule_gives_what_the_model_says(name: str, format: str) -> None:
    one, exporter = MODELS[name](), EXPORTERS[format]()
    reason = exporter.can_express(one)
    if len(one.clusters) > 1 and format == "eiger_v1":
        assert "clusters" in str(reason)
        return
    assert reason is None
    consumer = Consumer(exporter.write(one).decode())
    X = rows(one, 300, inside=True)
    found = np.array([consumer.predict({**dict(zip(one.names, x, strict=True)), ONE: 1.0}) for x in X.tolist()])
    right = one.unheld().predict(X).value
    known = np.isfinite(right)
    assert known.sum() > 150
    assert relative_difference(found[known], right[known]) <= 1e-12
    assert (ONE in consumer.names) == (f"{ONE}, which" in exporter.caveat(one))
    assert prove(exporter, one, 300).holds


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"response_scale": "log"}, "exponential"),
        ({**RAW, "clusters": "1", "pool": "asinh"}, "asinh"),
        ({"response_scale": "raw", "clusters": "2", "pool": "linear", "components": "2"}, "one cluster"),
        ({"response_scale": "raw", "clusters": "1", "pool": "table1", "components": "2"}, "logarithms"),
    ],
)
def test_what_cannot_be_said_is_refused(options: dict[str, str], why: str) -> None:
    assert why in str(EXPORTERS["eiger"]().can_express(eiger(**options)))


@pytest.mark.parametrize("family", ["forest", "splines", "gaussian_process", "support_vectors", "roofline", "anova"])
def test_families_without_such_terms_are_refused(family: str) -> None:
    assert EXPORTERS["eiger"]().can_express(model(family)) is not None


TEXT = """1
size
[1](255.0)
[1](145.5)
[1,1]((1.0))
Model 0
[1](1.25e-17)
[4](1.5e-05, -0.0088573713956641049, 0.1857, -0.158)
1 0 2
1 0 1
1 0 0.5
4 0
"""


def test_a_file_of_the_original_comes_back_as_it_was() -> None:
    again = EXPORTERS["eiger"]().write(read_model(TEXT.encode())).decode()
    assert "".join(again.split()).replace(",)", ")") == "".join(TEXT.split()).replace(
        "0.0088573713956641049", "0.008857371395664105"
    )


def test_the_originals_own_file_comes_back(real_data: Path) -> None:
    raw = (real_data / "formats" / "eiger_lwperf" / "gold.model").read_bytes()
    first, again = Consumer(raw.decode()), EXPORTERS["eiger"]().write(read_model(raw)).decode()
    for size in (1.0, 3.5, 255.0, 1e4):
        assert Consumer(again).predict({"size": size}) == first.predict({"size": size})
        assert read_model(again.encode()).predict(np.array([[size]])).value[0] == pytest.approx(
            first.predict({"size": size}), rel=1e-12
        )
