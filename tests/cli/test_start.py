"""What the command line does without: each verb imports only what it uses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import VERBS
from core.export import write_model
from core.models import FAMILIES
from core.passes import PASSES
from core.recipes import make_recipe, train
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

OWN = {"core.export._lowered", "core.report.model.why", "core.space.held_out"}
"""Of this project what takes long and only some verbs use."""
HEAVY = OWN | {
    "numpy",
    "pandas",
    "scipy",
    "sklearn",
    "duckdb",
    "pyarrow",
    "plotly",
    "streamlit",
    "starlette",
    "msgspec",
}
WATCH = f"""
import sys
from core.cli import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    found = subprocess.run([sys.executable, "-c", WATCH, *words], capture_output=True, text=True, check=False)
    return set(found.stderr.splitlines()[-1].split())


@pytest.fixture(scope="module")
def formula(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formula") / "model.json"
    path.write_bytes(write_model(train(make_recipe("eiger"), machine_frame(6, 4), parse_folds("kfold:3")).model))
    return path


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_the_program_says_what_it_is_without_any_library(flag: str) -> None:
    assert imported(flag) == set()


def test_datasets_needs_the_database_alone(tmp_path: Path) -> None:
    assert imported("--db", str(tmp_path / "x.duckdb"), "datasets") == {"numpy", "duckdb", "msgspec"}


def test_import_of_a_table_needs_no_frames(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("application,size,time_s\na,1,2\na,2,4\nb,1,3\nb,2,6\n")
    needed = {"numpy", "duckdb", "msgspec", "pyarrow"}
    assert imported("--db", str(tmp_path / "x.duckdb"), "import", str(table)) == needed


@pytest.mark.slow
def test_export_of_a_formula_needs_arrays_alone(formula: Path, tmp_path: Path) -> None:
    needed = {"numpy", "msgspec", "core.export._lowered"}
    assert imported("export", str(formula), "--to", "c", "--out", str(tmp_path / "model.h")) == needed


@pytest.mark.slow
def test_predict_of_a_formula_needs_no_learner(formula: Path, tmp_path: Path) -> None:
    frame = machine_frame(1, 1)
    row = tmp_path / "row.csv"
    row.write_text(f"{','.join(frame.names)}\n{','.join(map(str, frame.X[0]))}\n")
    assert imported("predict", str(formula), str(row)) == {"numpy", "msgspec", "pyarrow"}


@pytest.mark.slow
def test_serve_needs_no_learner() -> None:
    assert imported("serve", "--help") == {"numpy", "msgspec", "starlette"}


def test_help_says_what_each_verb_says() -> None:
    """The listing reads the files; the verbs themselves are imported for their own help."""
    said = subprocess.run(
        [sys.executable, "-m", "core.cli", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for verb in VERBS:
        assert f"\n    {verb}" in said


def test_a_registry_knows_names_before_classes() -> None:
    assert "ridge" in FAMILIES
    assert 1 not in FAMILIES
    assert len(PASSES) == len(list(PASSES)) == len(dict(PASSES.items()))
    assert FAMILIES["ridge"] is FAMILIES.find("ridge")
    assert FAMILIES.name_of(FAMILIES["ridge"]) == "ridge"


def test_what_is_imported_late_adds_up_on_one_thread_too() -> None:
    told = (
        "import core.threads, scipy.linalg, threadpoolctl as t; print({i['num_threads'] for i in t.threadpool_info()})"
    )
    free = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    said = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, env=free).stdout
    assert said.strip() == "{1}"
