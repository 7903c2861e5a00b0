"""One module of Python that needs the standard library alone: its tables, and the modules that evaluate them."""

import ast
import csv
import inspect
import io
import platform
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from core import __version__
from core.codec import FloatArray
from core.export import _python_frame, _python_main, _python_nodes
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._names import comment, filled, with_unit
from core.export._program import Program, plain_program
from core.export.base import Answers, CannotRunError, FailedRunError, Vector, vectors
from core.pipeline import FittedPipeline

_FOOT = """

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
_TABLES = {"METRICS", "PROGRAM", "VECTORS"}


def python_text(program: Program, vectors: list[Vector]) -> str:
    """Return the whole module; names from users stand in it as escaped texts only."""
    listed = "\n".join(f"    {with_unit(m)}" for m in program.metrics)
    title, response = (_quoted(comment(text)) for text in (program.title, str(program.response)))
    head = filled("module.txt", title=title, version=__version__, metrics=_quoted(listed), response=response)
    names = [m.name for m in program.metrics]
    tables = {"METRICS": names, "PROGRAM": plain_program(program), "VECTORS": vectors}
    assigned = "\n".join(f"{name} = {_literal(value)}" for name, value in tables.items())
    own = (_python_nodes, _python_frame, _python_main)
    return "\n".join([head, assigned, "", "", "\n\n\n".join(map(_definitions, own))]) + _FOOT


def _quoted(text: str) -> str:
    """Return a text that cannot end the docstring."""
    return text.replace('"', "'")


def _literal(value: Any, indent: str = "") -> str:
    """Return a value as Python writes it, in lines of a readable length."""
    inner = indent + "    "
    if isinstance(value, dict):
        return "{\n" + "".join(f"{inner}{k!a}: {_literal(v, inner)},\n" for k, v in value.items()) + indent + "}"
    if isinstance(value, list) and value and (isinstance(value[0], dict) or len(ascii(value[:8])) > 100):
        return "[\n" + "".join(f"{inner}{_literal(v, inner)},\n" for v in value) + indent + "]"
    if isinstance(value, list) and len(value) > 8:
        lines = [ascii(value[i : i + 8])[1:-1] for i in range(0, len(value), 8)]
        return "[\n" + "".join(f"{inner}{line},\n" for line in lines) + indent + "]"
    return ascii(value)


def _definitions(module: ModuleType) -> str:
    """Return what a module defines, without its docstring, its imports and the tables that are given."""
    source = inspect.getsource(module)
    kept = [node for node in ast.parse(source).body if not _is_frame(node)]
    return "\n\n\n".join(str(ast.get_source_segment(source, node)) for node in kept)


def _is_frame(node: ast.stmt) -> bool:
    target = getattr(node, "target", None)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Expr) or getattr(target, "id", "") in _TABLES


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
        raise FailedRunError(f"it ended with {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout
