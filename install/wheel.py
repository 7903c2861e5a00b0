"""How a checkout becomes a wheel: the package `core` is called `ridgeline` where it is installed."""

import ast
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "ridgeline"
CARRIED = ("app.py", "pages", ".streamlit/config.toml", "data/samples", "data/spaces", "data/experiments")
"""What is carried along in the package's folder `_app`, as it lies in the checkout."""


class Wheel(BuildHookInterface[Any]):
    """Lays the package out under its own name; in a checkout that name is an alias of `core`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what goes into the wheel: the alias alone if it is editable."""
        root = Path(self.root)
        if version == "editable":
            build_data["force_include_editable"][str(root / "install" / "checkout.py")] = f"{NAME}.py"
            return
        self._laid_out = tempfile.TemporaryDirectory()
        lay_out(root, Path(self._laid_out.name) / NAME)
        build_data["force_include"][str(Path(self._laid_out.name) / NAME)] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was laid out."""
        if version != "editable":
            self._laid_out.cleanup()


def lay_out(root: Path, package: Path) -> None:
    """Write the package as it is installed.

    Raises
    ------
    ValueError
        If a module would still import `core`.
    """
    rooms = "|".join(sorted(path.stem for path in (root / "core").iterdir() if not path.name.startswith("__")))
    core = re.compile(rf"(?<![\w.])core(?=\.(?:{rooms})\b| import\b)")
    for source, target in [("core", "."), *((name, f"_app/{name}") for name in CARRIED)]:
        for path in _files(root / source):
            copy = package / target / path.relative_to(root / source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".py":
                copy.write_bytes(_renamed(path, core))
            else:
                shutil.copyfile(path, copy)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def _renamed(path: Path, core: re.Pattern[str]) -> bytes:
    text = core.sub(NAME, path.read_text(encoding="utf-8"))
    if not re.search(r"\bcore\b", text):
        return text.encode()
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] == "core" for name in names):
            raise ValueError(f"{path} would import core where it is installed; import a module of core by its name.")
    return text.encode()
