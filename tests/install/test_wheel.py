"""What is installed is called `ridgeline`, and goes the whole way without the checkout."""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from core.cli import VERBS
from core.cli.app import AppVerb

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WAY = """
import json, os, sys
from contextlib import redirect_stdout
from io import StringIO
from ridgeline.cli import main

def said(words):
    with redirect_stdout(StringIO()) as out:
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    assert not code, words
    return out.getvalue()

answers = [said(words) for words in json.loads(sys.argv[1])]
from streamlit.testing.v1 import AppTest
from ridgeline.workspace import APP
os.chdir(APP.parent)
sys.path.insert(0, str(APP.parent))
shown = AppTest.from_file(str(APP), default_timeout=600).run()
print(json.dumps([*answers, [error.value for error in shown.exception], [title.value for title in shown.title]]))
"""
"""Runs commands one after another, then the page that opens, and prints what each says."""
EVERY = """
import importlib, pkgutil, sys, ridgeline
for module in pkgutil.walk_packages(ridgeline.__path__, "ridgeline."):
    if not module.name.endswith("__main__") and "._app" not in module.name:
        importlib.import_module(module.name)
print([name for name in sys.modules if name.split(".")[0] == "core"], ridgeline.__file__)
"""


def build(folder: Path) -> Path:
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder))))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout and unpacked as pip does."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RIDGELINE")}
    return {**kept, "PYTHONPATH": str(installed), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "share")}


def ran(folder: Path, environment: dict[str, str], *words: str) -> str:
    found = subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_its_only_package_is_ridgeline(installed: Path) -> None:
    assert sorted(path.name.split("-")[0] for path in installed.iterdir()) == ["ridgeline", "ridgeline"]
    (said,) = installed.glob("*.dist-info/entry_points.txt")
    assert "ridgeline = ridgeline.cli:main" in said.read_text()


def test_a_wheel_is_the_same_bytes_each_time(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_no_module_needs_the_checkout(installed: Path, environment: dict[str, str], tmp_path: Path) -> None:
    said = ran(tmp_path, environment, "-c", EVERY)
    assert said == f"[] {installed / 'ridgeline' / '__init__.py'}\n"


def test_it_starts_as_a_command(environment: dict[str, str], tmp_path: Path) -> None:
    assert ran(tmp_path, environment, "-m", "ridgeline.cli", "--version") == "ridgeline 0.1.0\n"


def test_the_way_from_a_sample_to_a_proof(environment: dict[str, str], tmp_path: Path) -> None:
    of = "--dataset design_space --response cycles --where application=butterfly_f64 --where dispatch_width=4 --folds kfold:3"
    lines = [
        "--help",
        "sample design_space --files .",
        "fit --json-schema",
        f"fit ridge {of} --out model.json",
        f"race {of} --entries ridge,ols --workers 2",
        *["export model.json --to c --out m.h --prove"] * bool(shutil.which("cc")),
    ]
    done = ran(tmp_path, environment, "-c", WAY, json.dumps([line.split() for line in lines]))
    usage, _, schema, _, race, *proof, wrong, title = json.loads(done.splitlines()[-1])
    assert [verb for verb in VERBS if f" {verb} " not in usage and f" {verb}\n" not in usage] == []
    assert (tmp_path / "design_space" / "trials.csv.gz").is_file()
    assert (tmp_path / "share" / "ridgeline" / "ridgeline.duckdb").is_file()
    assert json.loads(schema)["properties"]
    assert json.loads((tmp_path / "model.json").read_text())
    assert "winner: " in race
    assert all("proof holds" in said for said in proof)
    assert (wrong, title) == ([], ["Start"])


@pytest.fixture
def server(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ridgeline.cli", "app", "--port", str(port), "--no-browser"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(120)


def test_the_dashboard_answers(server: str) -> None:
    answered, until = 0, time.monotonic() + 300
    while not answered and time.monotonic() < until:
        try:
            answered = urllib.request.urlopen(server, timeout=60).status
        except OSError:
            time.sleep(0.2)
    assert answered == 200
    assert urllib.request.urlopen(f"{server}/_stcore/health", timeout=60).status == 200  # the Containerfile asks this


def test_the_container_runs_a_command_that_there_is_and_is_not_root() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    said = {line.split()[0]: line.partition(" ")[2] for line in lines if line and line[0].isalpha()}
    verb, *flags = json.loads(said["CMD"])
    parser = argparse.ArgumentParser()
    AppVerb().arguments(parser)
    words = parser.parse_args(flags)
    assert (verb, words.listen, words.behind_proxy) == ("app", "0.0.0.0", True)
    assert json.loads(said["ENTRYPOINT"]) == ["ridgeline"]
    assert said["USER"] == "10001"
    assert said["VOLUME"] == "/data"


def test_in_a_checkout_the_name_is_an_alias(tmp_path: Path) -> None:
    """What an editable installation adds makes each module of `core` known by both names, as one."""
    shutil.copyfile(ROOT / "install" / "checkout.py", tmp_path / "ridgeline.py")
    code = "import ridgeline.errors, core.errors, ridgeline; from ridgeline import api; import core.api\n"
    code += "print(ridgeline.errors is core.errors, api is core.api, ridgeline.__version__)"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    assert ran(tmp_path, environment, "-c", code) == "True True 0.1.0\n"
