"""The same trials give the same model file: in every process, for any number of threads, hash seed and order of rows."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from core.export import read_model, write_model
from core.pipeline import FittedPipeline
from core.recipes import train
from core.trial import Frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.contracts.test_recipes import EVERY, recipe_named, shuffled

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = [path for path in os.environ.get("RIDGELINE_PYTHONS", "").split(os.pathsep) if path]
"""Interpreters of other versions of Python, which have what `requirements.lock` names and pytest."""
ELSEWHERE = "from tests.contracts.test_same_bytes import print_digests; print_digests()"
THREADS = "4" if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else "1"
"""Of the other process: not as many as of this one."""


def fitted(name: str, frame: Frame) -> FittedPipeline:
    """Return the model of a recipe or family with an interval, which the folds give."""
    return train(recipe_named(name), frame, parse_folds("kfold:2")).model


@cache
def trained(name: str) -> FittedPipeline:
    return fitted(name, machine_frame(6, 4))


def digest(model: FittedPipeline) -> str:
    return sha256(write_model(model)).hexdigest()


def print_digests() -> None:
    """Print the digest of each model file, of the same trials in another order."""
    frame = shuffled(machine_frame(6, 4))
    print(json.dumps({name: digest(fitted(name, frame)) for name in EVERY}))


def elsewhere(python: str = sys.executable) -> Mapping[str, str]:
    """Return the digest of each model file, made by a process of other threads, hashes and order of rows."""
    threaded = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), THREADS)
    environment = {**os.environ, **threaded, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    command = [python, "-c", ELSEWHERE]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.fixture(scope="module")
def digests() -> Mapping[str, str]:
    return elsewhere()


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_every_process_and_every_order_of_rows_writes_the_same_bytes(name: str, digests: Mapping[str, str]) -> None:
    assert digests[name] == digest(trained(name))


@pytest.mark.skipif(not PYTHONS, reason="RIDGELINE_PYTHONS names no other interpreters")
@pytest.mark.parametrize("python", PYTHONS)
def test_every_version_of_python_writes_the_same_bytes(python: str, digests: Mapping[str, str]) -> None:
    assert elsewhere(python) == digests


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_model_file_predicts_alike(name: str) -> None:
    frame, model = machine_frame(), trained(name)
    back = read_model(write_model(model))
    one, other = model.predict(model.rows(frame)), back.predict(back.rows(frame))
    assert np.array_equal(one.value, other.value)
    assert np.array_equal(one.low, other.low)
    assert one.why == other.why
    assert write_model(back) == write_model(model)
