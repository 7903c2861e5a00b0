"""The house holds: imports point one way, every module says what it is, and nobody but pages knows Streamlit."""

import ast
import gc
import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEVELS = [
    {
        "trial",
        "errors",
        "frozen",
        "option",
        "registry",
        "codec",
        "part",
        "progress",
        "jobs",
        "scale",
        "workspace",
        "threads",
        "blocks",
        "texts",
        "mapped",
        "grouped",
        "closeness",
        "untold",
        "journal",
        "locked",
        "execution",
        "arrow",
    },
    {"ingest", "store", "basis"},
    {"curate", "passes", "models", "work"},
    {"validate"},
    {"pipeline"},
    {"blend"},
    {"recipes", "space", "scaling"},
    {"race", "sklearn"},
    {"experiment"},
    {"report"},
    {"export", "reproduce"},
    {"serve"},
    {"cli", "api"},
]
LEVEL = {room: i for i, rooms in enumerate(LEVELS) for room in rooms}
CORE = sorted((ROOT / "core").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]


@pytest.fixture(scope="module", autouse=True)
def _no_collections() -> Iterator[None]:
    """Trees hold no cycles, and to look for some takes twice as long as parsing all of them."""
    gc.disable()
    yield
    gc.enable()


parse = cache(ast.parse)


def tree(path: Path) -> ast.Module:
    return parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What the tests ask about, of one walk: to walk is most of what they take."""
    asked = (ast.Import, ast.ImportFrom, ast.Call, ast.ClassDef, ast.MatchClass)
    return tuple(node for node in ast.walk(tree(path)) if isinstance(node, asked))


@cache
def imported(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    return tuple(names)


def room(path: Path) -> str:
    return path.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def rooms_imported(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(path) if name.startswith("core.")}


def tops(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def may_import(mine: str, other: str) -> bool:
    """Rooms of level 0 import each other; all others what is above them."""
    return LEVEL[other] < LEVEL[mine] or LEVEL[mine] == LEVEL[other] == 0


def test_every_room_has_a_place() -> None:
    rooms = {room(path) for path in CORE} - {"__init__"}
    assert rooms == LEVEL.keys(), "add it to LEVELS and to ARCHITECTURE.md, or take it out of both"


def test_imports_are_absolute() -> None:
    assert [str(path) for path in CORE + PAGES if any(name.startswith(".") for name in imported(path))] == []


def test_imports_point_up() -> None:
    wrong = [
        f"{path} imports core.{other}, which is beside or below it"
        for path in CORE
        if room(path) != "__init__"
        for other in rooms_imported(path) - {room(path), "__init__"}
        if not may_import(room(path), other)
    ]
    assert wrong == []


def test_the_picture_is_the_code_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast, "parse", parse)
    drawn = runpy.run_path(str(ROOT / "docs" / "rooms.py"))["drawn"]()
    assert (ROOT / "docs" / "rooms.svg").read_text("utf-8") == drawn, "python docs/rooms.py draws it anew"


def test_core_does_not_know_streamlit() -> None:
    assert [str(path) for path in CORE if "streamlit" in tops(path)] == []


def test_numerics_and_database_do_not_see_each_other() -> None:
    learners = ("passes", "models", "report", "validate", "scaling", "sklearn")
    assert [f"{path} speaks SQL" for path in CORE if "duckdb" in tops(path) and room(path) != "store"] == []
    assert [f"{path} uses sklearn" for path in CORE if "sklearn" in tops(path) and room(path) not in learners] == []


def test_every_module_opens_with_a_sentence() -> None:
    said = {path: (ast.get_docstring(tree(path)) or "").split("\n")[0].rstrip() for path in CORE + PAGES}
    assert [f"{path}: {text}" for path, text in said.items() if not text.endswith((".", "?", ":", ";"))] == []


def test_what_a_room_says_of_itself_is_there() -> None:
    wrong: list[str] = []
    for path in (path for path in CORE + PAGES if path.name == "__init__.py"):
        beside = {own.stem for folder in (path.parent, path.parent.parent) for own in folder.iterdir()}
        text = "\n".join(own.read_text("utf-8") for own in path.parent.rglob("*.py"))
        for name in re.findall(r"`([a-z_]+)`", ast.get_docstring(tree(path)) or ""):
            defined = rf"\b(?:def|class|as) {name}\b|^{name}\b *[:=]"
            if name not in beside and not re.search(defined, text, re.MULTILINE):
                wrong.append(f"{path} speaks of {name}, which is not there")
    assert wrong == []


def test_no_module_needs_one_system() -> None:
    barred = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "msvcrt", "winreg", "_winapi"}
    switched = {ROOT / "core" / "locked.py": {"fcntl", "msvcrt"}}
    wrong = [path for path in CORE + PAGES if tops(path) & barred - switched.get(path, set())]
    assert [f"{path} cannot be imported on every system" for path in wrong] == []


def test_pages_hold_no_numerics() -> None:
    barred = {"numpy", "scipy", "sklearn", "duckdb", "plotly"}
    drawn = {path: {"plotly"} if path.name == "drawn.py" else set() for path in PAGES}
    wrong = [f"{path} computes, queries or draws" for path in PAGES if tops(path) & (barred - drawn[path])]
    assert wrong == []


def test_only_families_ask_what_kind_of_model_one_is() -> None:
    """Others ask the model (`core/models/parts/story.py`), so that a new family has all that there is."""
    homes = sorted((ROOT / "core" / "models").rglob("*.py"))
    families = {
        node.name
        for path in homes
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and any("Model" in ast.unparse(base) for base in node.bases)
    }
    assert {"SumModel", "SplinesModel", "ForestModel"} <= families
    asked = {path: [*_kinds_asked(path)] for path in CORE + PAGES if path not in homes}
    assert [f"{path}: {kinds}" for path, kinds in asked.items() if families & {k for own in kinds for k in own}] == []


def _kinds_asked(path: Path) -> Iterator[set[str]]:
    """Yield the names of the classes that a module tells values apart by, place by place."""
    for node in nodes(path):
        told = isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass")
        if told or isinstance(node, ast.MatchClass):
            yield {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def test_nothing_loads_code() -> None:
    barred = {"eval", "exec", "compile", "__import__"}
    calls = {
        path: {n.func.id for n in nodes(path) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        for path in CORE + PAGES
    }
    assert [str(path) for path, names in calls.items() if names & barred] == []


def private_imports(path: Path) -> list[str]:
    """Return modules with an underscore that a file imports though they are another room's; pages are one room."""
    home = path.relative_to(ROOT).parts[: 2 if path.is_relative_to(ROOT / "core") else 1]
    found = []
    for name in imported(path):
        parts = name.split(".")
        own = parts[0] == "pages" if home[0] in ("pages", "app.py") else tuple(parts[:2]) == home
        if parts[0] in ("core", "pages") and not own and any(part.startswith("_") for part in parts):
            found.append(name)
    return found


def test_modules_with_an_underscore_are_a_room_s_own() -> None:
    assert [f"{path} imports {name}" for path in CORE + PAGES for name in private_imports(path)] == []
