"""The house holds: imports point one way, every module says what it is, and nobody but pages knows Streamlit."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEVELS = [
    {"trial", "errors", "option", "registry", "codec", "progress", "jobs", "scale", "workspace", "threads", "texts", "mapped", "grouped", "closeness", "untold", "execution"},
    {"ingest", "store", "basis"},
    {"curate", "passes", "models"},
    {"validate"},
    {"pipeline"},
    {"blend"},
    {"recipes", "space", "scaling"},
    {"race", "sklearn"},
    {"experiment"},
    {"report"},
    {"export"},
    {"serve"},
    {"cli"},
]
LEVEL = {room: i for i, rooms in enumerate(LEVELS) for room in rooms}
CORE = sorted((ROOT / "core").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]


def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            names.append(node.module)
    return names


def room(path: Path) -> str:
    return path.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def rooms_imported(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(path) if name.startswith("core.")}


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_up(path: Path) -> None:
    mine = room(path)
    if mine == "__init__":
        return
    assert mine in LEVEL, f"{mine} has no place in the house: add it to LEVELS and to ARCHITECTURE.md"
    for other in rooms_imported(path) - {mine, "__init__"}:
        if LEVEL[mine] == 0:
            assert LEVEL[other] == 0, f"{path} imports core.{other}"
        else:
            assert LEVEL[other] < LEVEL[mine], f"{path} imports core.{other}, which is beside or below it"


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_core_does_not_know_streamlit(path: Path) -> None:
    assert not [name for name in imported(path) if name.split(".")[0] == "streamlit"]


def test_numerics_and_database_do_not_see_each_other() -> None:
    for path in CORE:
        uses = {name.split(".")[0] for name in imported(path)}
        assert "duckdb" not in uses or room(path) == "store", f"{path} speaks SQL"
        assert "sklearn" not in uses or room(path) in ("passes", "models", "report", "validate", "scaling", "sklearn"), f"{path} uses sklearn"


@pytest.mark.parametrize("path", CORE + PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_opens_with_a_sentence(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_text()))
    assert text, f"{path} has no docstring"
    assert text.split("\n")[0].rstrip().endswith((".", "?", ":", ";")), f"{path}: {text.splitlines()[0]}"


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_hold_no_numerics(path: Path) -> None:
    uses = {name.split(".")[0] for name in imported(path)}
    drawn = set() if path.name == "charts.py" else {"plotly"}
    assert not uses & {"numpy", "scipy", "sklearn", "duckdb", *drawn}, f"{path} computes, queries or draws"


def test_nothing_loads_code() -> None:
    for path in CORE + PAGES:
        tree = ast.parse(path.read_text())
        called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert not called & {"eval", "exec", "compile", "__import__"}, f"{path} runs text as code"
