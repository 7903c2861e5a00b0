"""The same trials give the same model file: in every process, for any number of threads, hash seed and order of rows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.models import FAMILIES
from core.recipes import RECIPES

ROOT = Path(__file__).resolve().parents[2]
BLEND = "blend"
PYTHONS = [path for path in os.environ.get("RIDGELINE_PYTHONS", "").split(os.pathsep) if path]
"""Interpreters of other versions of Python, which have what `requirements.lock` names and pytest."""
MADE = """
import hashlib, json, sys
from core.export import write_model
from core.models import FAMILIES
from core.recipes import RECIPES, make_recipe, train
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.contracts.test_recipes import FEWER, shuffled
frame = machine_frame(6, 4)
if sys.argv[1] == "shuffled":
    frame = shuffled(frame)
plan, found = parse_folds("kfold:2"), {}
for name in [*FAMILIES, *(r for r in RECIPES if r != "auto")]:
    raw = write_model(train(make_recipe(name, FEWER.get(name)), frame, plan).model)
    found[name] = hashlib.sha256(raw).hexdigest()
found["blend"] = hashlib.sha256(write_model(train(make_recipe("auto", {"trees": "10"}), frame, plan).model)).hexdigest()
print(json.dumps(found))
"""


def made(order: str, threads: str, seed: str, python: str = sys.executable) -> dict[str, str]:
    """Return the digest of each model file, made by a process of its own."""
    threaded = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), threads)
    environment = {**os.environ, **threaded, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [python, "-c", MADE, order]
    return json.loads(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout)


@pytest.fixture(scope="module")
def digests() -> list[dict[str, str]]:
    return [made("as it is", "1", "0"), made("shuffled", "2", "1"), made("as it is", "4", "12345")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FAMILIES, *(name for name in RECIPES if name != "auto"), BLEND])
def test_every_process_writes_the_same_bytes(name: str, digests: list[dict[str, str]]) -> None:
    assert len({found[name] for found in digests}) == 1


@pytest.mark.skipif(not PYTHONS, reason="RIDGELINE_PYTHONS names no other interpreters")
@pytest.mark.parametrize("python", PYTHONS)
def test_every_version_of_python_writes_the_same_bytes(python: str, digests: list[dict[str, str]]) -> None:
    assert made("as it is", "1", "0", python) == digests[0]
