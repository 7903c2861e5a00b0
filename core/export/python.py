"""One file of Python that needs the standard library alone, and takes rows all at once where NumPy is there."""

import csv
import io
import platform
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._python_text import python_text
from core.export._vectors import Answers, vectors
from core.export.base import CannotRunError
from core.pipeline import FittedPipeline

MOST_S = 300
"""Seconds that a run may take."""


class Python(Lowered):
    """`import model; model.predict(rows)`, `python model.py FILE.csv`, `python model.py --self-test`."""

    label: ClassVar[str] = "Python module"
    suffix: ClassVar[str] = ".py"

    def write(self, model: FittedPipeline) -> bytes:
        """Return the module's text."""
        return python_text(lower(model), vectors(model)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Run it as its users do: self-test first, then a CSV."""
        (folder / "model.py").write_bytes(raw)
        _run(folder, "--self-test")
        with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(model.names)
            out.writerows(map(repr, row) for row in X.tolist())
        cells = list(csv.DictReader(io.StringIO(_run(folder, "rows.csv"))))
        value, low, high = (np.array([float(r[k] or "nan") for r in cells]) for k in ("prediction", "low", "high"))
        flags = np.array([int(r["flags"]) for r in cells])
        return Answers(value, low, high, flags, f"Python {platform.python_version()}")


def _run(folder: Path, argument: str) -> str:
    command = [sys.executable, "-I", "-X", "utf8", str(folder / "model.py"), argument]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=MOST_S, check=False, encoding="utf-8")
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"it ran longer than {MOST_S} s") from None
    if done.returncode:
        raise CannotRunError(f"it ended with {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout
