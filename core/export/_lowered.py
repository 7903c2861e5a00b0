"""What exporters share that print a model's program; how that is compiled and run, and proved beside `predict`."""

import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.export._lower import reason_against
from core.export.base import Answers, CannotRunError, Exporter, FailedRunError, Proof, answers, rows
from core.pipeline import FittedPipeline
from core.validate.intervals import LEARNT

MOST_S = 300
"""Seconds that a compiler, or what it made, may take."""
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror")
FLAT = "Its interval is as wide everywhere: that of the model follows how unsure its parts are, which no program knows."
EDGE = "Beyond the trained range its interval is as wide as at the edge: that of the model grows with the distance."
C, CPP = ("cc", "gcc", "clang"), ("c++", "g++", "clang++")


def compile_and_run(source: str, language: str, X: FloatArray, folder: Path) -> Answers:
    """Compile a program that reads rows of doubles and writes four doubles per row; return what it writes.

    Parameters
    ----------
    source : name of the file in the folder
    language : "c" or "c++"
    """
    compiler = find(language)
    binary = folder / "rows"
    build(compiler, language, folder / source, binary)
    raw = run([str(binary)], folder, np.ascontiguousarray(X, dtype=np.float64).tobytes())
    table = np.frombuffer(raw, dtype=np.float64).reshape(-1, 4)
    if len(table) != len(X):
        raise FailedRunError(f"it answered {len(table)} of {len(X)} rows")
    value, low, high, flags = table.T
    version = run([compiler, "--version"], folder).decode("utf-8", "replace").split("\n")[0].strip()
    return Answers(value, low, high, flags.astype(np.int64), version)


def self_test(source: str, language: str, folder: Path) -> None:
    """Compile a header as its users do for the self-test, and run it."""
    binary = folder / "self_test"
    build(find(language), language, folder / source, binary, "-DRIDGELINE_SELF_TEST")
    run([str(binary)], folder)


def find(language: str) -> str:
    """Return the path of a compiler, or say that there is none."""
    names = C if language == "c" else CPP
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise CannotRunError(f"there is no compiler here, none of {', '.join(names)}")
    return found


def build(compiler: str, language: str, source: Path, binary: Path, *options: str) -> None:
    """Compile one file without a warning."""
    standard = "-std=c99" if language == "c" else "-std=c++17"
    command = [compiler, standard, "-O2", *WARNINGS, *options, "-x", language, str(source), "-o", str(binary), "-lm"]
    run(command, source.parent)


def run(command: list[str], folder: Path, given: bytes = b"") -> bytes:
    """Return what a command prints; an error of it is why there is no proof."""
    try:
        done = subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=MOST_S, check=False)
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"{Path(command[0]).name} took longer than {MOST_S} s") from None
    except OSError as error:
        raise CannotRunError(f"{command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        first = next((line for line in said if "error" in line), said[0] if said else str(done.returncode))
        raise FailedRunError(f"{Path(command[0]).name} ended with {first}")
    return done.stdout


class Lowered(Exporter):
    """Prints a model's program."""

    says: ClassVar[str] = "every family, with intervals and domain flags"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations."""
        return reason_against(model)

    def said(self, model: FittedPipeline) -> FittedPipeline:
        """Return the model with the interval of a program, which makes one prediction and knows no parts."""
        return model.alone()

    def caveat(self, model: FittedPipeline) -> str:
        """Say so."""
        own = model.interval
        if own is None:
            return ""
        if own.by == LEARNT:
            return FLAT
        return EDGE if own.reach.size else ""


FLOOR = 1e-2
"""Of the median size: what is nearer to 0 is compared by that much."""


def prove(exporter: Exporter, model: FittedPipeline, n: int = 10_000) -> Proof:
    """Write a model, run what was written on n rows, and compare; or say why it was not run."""
    started = time.perf_counter()
    reason = exporter.can_express(model)
    if reason:
        return Proof(float("nan"), 0, None, "", 0.0, reason)
    X = rows(model, n, inside=exporter.only_values)
    with tempfile.TemporaryDirectory(prefix="ridgeline-") as folder:
        try:
            found = exporter.run(model, exporter.write(model), X, Path(folder))
        except CannotRunError as error:
            return Proof(float("nan"), 0, None, "", time.perf_counter() - started, str(error))
        except FailedRunError as error:
            return Proof(float("nan"), 0, None, "", time.perf_counter() - started, failed=str(error))
    right = answers(exporter.said(model), X)
    flags = None if exporter.only_values else bool(np.array_equal(found.flags, right.flags))
    worst = partial(largest_difference, found, right, only_values=exporter.only_values)
    return Proof(worst(), n, flags, found.runner, time.perf_counter() - started, plain_difference=worst(floor=0.0))


def largest_difference(found: Answers, right: Answers, *, only_values: bool = False, floor: float = FLOOR) -> float:
    """Return the largest relative difference of predictions and their bounds; infinite if one alone is missing.

    A form that has predictions alone is compared where there is one; it does not know of refusals.
    """
    if only_values:
        known = np.isfinite(right.value)
        return relative_difference(found.value[known], right.value[known], floor)
    pairs = [(found.value, right.value), (found.low, right.low), (found.high, right.high)]
    return max(relative_difference(a, b, floor) for a, b in pairs)


def relative_difference(found: FloatArray, right: FloatArray, floor: float = FLOOR) -> float:
    """Return the largest |found - right| / |right|, where both are numbers.

    What is nearer to 0 than a hundredth of the median size is compared by that hundredth: where a sum
    crosses 0 it has lost its digits, in the model as in what was exported.

    Parameters
    ----------
    floor : that share of the median size
    """
    if not np.array_equal(np.isnan(found), np.isnan(right)):
        return float("inf")
    known = np.isfinite(right) & (found != right)
    if not known.any():
        return 0.0
    least = max(floor * float(np.median(np.abs(right[np.isfinite(right)]))), np.finfo(np.float64).tiny)
    return float((np.abs(found[known] - right[known]) / np.maximum(np.abs(right[known]), least)).max())
