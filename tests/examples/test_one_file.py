"""A file put into a copy of the program adds its one thing everywhere: command line, files, race, page, every export."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASIS = '''"""The cube root of a number of any sign."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, power, sign, size
from core.basis.base import Basis


@dataclass(frozen=True)
class CubeRoot(Basis):
    """sign(x)·|x|^(1/3)."""

    label: ClassVar[str] = "Cube root"

    @property
    def expression(self) -> Expression:
        """A power that keeps the sign."""
        return sign(X) * power(size(X), 1 / 3)
'''
FAMILY = '''"""A straight line through the one metric that tells most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import ModelFileError
from core.models._trees import check_trials
from core.models.base import Family, Model
from core.option import option
from core.progress import Progress, silent


@dataclass(frozen=True)
class SingleMetricModel(Model):
    """intercept + slope · column."""

    column: int
    intercept: float
    slope: float

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the line."""
        return np.asarray(self.intercept + self.slope * X[:, self.column])

    def formula(self, names: Sequence[str]) -> str:
        """Return the line."""
        return f"{self.intercept:.4g} + {self.slope:.4g}·{names[self.column]}"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the metric."""
        return (names[self.column],)

    def check(self, width: int) -> None:
        """Hold the column against the width."""
        if not 0 <= self.column < width:
            raise ModelFileError("The line is through a metric that is not there.")


@dataclass(frozen=True)
class SingleMetric(Family):
    """Least squares on one metric."""

    label: ClassVar[str] = "Single metric"

    flat: float = option(1.0, low=0.0, high=1.0, help="What the slope is multiplied by, to hold it small")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> SingleMetricModel:
        """Take the metric of the largest correlation."""
        check_trials(X, y, self.least_trials, "A line")
        with np.errstate(invalid="ignore"):
            told = np.nan_to_num(np.abs([np.corrcoef(x, y)[0, 1] for x in X.T]))
        column = int(told.argmax())
        slope = self.flat * float(np.polyfit(X[:, column], y, 1)[0])
        return SingleMetricModel(column, float(y.mean() - slope * X[:, column].mean()), slope)
'''
FILES = {"core/basis/cube_root.py": BASIS, "core/models/single_metric.py": FAMILY}
DRIVER = """
import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np


def main():
    from core.cli import main as run

    def told(*words):
        with redirect_stdout(StringIO()) as said:
            code = run(["-q", *words])
        return code, json.loads(said.getvalue() or "{}")

    rng, found = np.random.default_rng(0), {}
    x, z = rng.uniform(-4, 4, 80), rng.uniform(0, 1, 80)
    rows = [f"app{i % 5},{x[i]},{z[i]},{10 + 3 * np.cbrt(x[i]) + 0.1 * z[i]}" for i in range(80)]
    Path("t.csv").write_text("application,level,other,time (s)\\n" + "\\n".join(rows) + "\\n")
    found["import"] = told("import", "t.csv", "--dataset", "t", "--json")[0]
    own = ("--dataset", "t", "--response", "time", "--folds", "kfold:3", "--json")
    pool = ("--set", "pool=linear,cube_root")
    found["fit"] = told("fit", "stepwise", *own, *pool, "--out", "basis.json")[0]
    found["in the file"] = "cube_root" in Path("basis.json").read_text()
    for form in ("c", "cpp", "python", "sql", "onnx"):
        code, said = told("export", "basis.json", "--to", form, "--out", f"m.{form}", "--prove", "--rows", "200", "--json")
        found[form] = [code, said.get("proof", {}).get("holds") or said.get("proof")]
    found["family"] = told("fit", "single_metric", *own, "--set", "flat=0.9", "--out", "family.json")[0]
    found["predicted"] = told("predict", "family.json", "t.csv", "--json")[0]
    found["refused"] = told("export", "family.json", "--to", "c", "--out", "f.c", "--json")[0]
    race = told("race", *own, "--entries", "single_metric,ridge")
    found["race"] = [race[0], "single_metric" in json.dumps(race[1])]

    from streamlit.testing.v1 import AppTest

    from core.workspace import APP

    at = AppTest.from_file(str(APP), default_timeout=600)
    at.switch_page("pages/model.py")
    at.query_params["recipe"] = "single_metric"
    at.run()
    found["page"] = [e.message for e in at.exception] + [e.value for e in at.error]
    found["form"] = "single_metric_flat" in {s.key for s in (*at.slider, *at.number_input, *at.text_input)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the program with the files says of them."""
    home = tmp_path_factory.mktemp("copy")
    for name in ("core", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, home / name)
    shutil.copy(ROOT / "app.py", home)
    (home / "data").symlink_to(ROOT / "data")
    for name, text in FILES.items():
        assert not (ROOT / name).exists()
        (home / name).write_text(text)
    (home / "driver.py").write_text(DRIVER)
    environment = {**os.environ, "PYTHONPATH": str(home), "RIDGELINE_DB": str(home / "t.duckdb")}
    ran = subprocess.run([sys.executable, "driver.py"], cwd=home, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize("form", ["c", "cpp", "python", "sql", "onnx"])
def test_a_basis_function_is_said_in_every_language(found: dict[str, Any], form: str) -> None:
    code, proof = found[form]
    assert (found["import"], found["fit"], found["in the file"]) == (0, 0, True)
    assert code == 0
    assert proof is True or "there is no compiler" in proof or "not installed" in proof


def test_a_family_is_fitted_predicts_races_and_is_refused_where_it_cannot_be_said(found: dict[str, Any]) -> None:
    assert (found["family"], found["predicted"], found["refused"], found["race"]) == (0, 0, 2, [0, True])


def test_a_family_has_a_page_and_a_form(found: dict[str, Any]) -> None:
    assert found["page"] == []
    assert found["form"]
