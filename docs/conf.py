"""The site: the pages of this folder, and a reference that is read from the program (`make docs`)."""

import contextlib
import inspect
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from core import __version__, api  # noqa: E402
from core.cli import VERBS, main  # noqa: E402
from core.cli.base import SCHEMAS, schema_of  # noqa: E402
from core.ingest import samples  # noqa: E402
from core.models import FAMILIES  # noqa: E402
from core.option import specs  # noqa: E402
from core.recipes import RECIPES  # noqa: E402
from core.workspace import SAMPLES  # noqa: E402
from tests.bench.record import Line, table  # noqa: E402

project = "Ridgeline"
release = version = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Ridgeline"
html_copy_source = False
html_show_copyright = False
html_favicon = "../pages/_ui/ridgeline.svg"
html_logo = "../pages/_ui/ridgeline.svg"
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # an ellipsis in C

PARTS = ("scale fit", "scale validate", "scale race", "scale predict")
_LINK = re.compile(r"\[([^\]]*)\]\(\.\./([^)#\s]+)\)")
_PAGE = re.compile(r"^- \[[^\]]*\]\((\w+)\.md\)", re.MULTILINE)
_log = logging.getLogger(__name__)


def options() -> str:
    """Return a table of options for each recipe and family."""
    return "\n".join(_table(name, known[name]) for known in (RECIPES, FAMILIES) for name in known)


def _table(name: str, cls: type) -> str:
    said = (inspect.getdoc(cls) or "").split("\n")[0]
    rows = [
        f"| `{spec.name}` | {spec.text(spec.default)} | {_allowed(spec)} | {spec.help} |".replace("*", "\\*")
        for spec in specs(cls)
    ]
    head = ["| option | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([f"## `{name}`", "", said, "", *(head + rows if rows else ["It has no options."]), ""])


def _allowed(spec: object) -> str:
    if spec.choices:
        return ", ".join(spec.choices)
    low, high = (f"{end:g}" if end is not None else "" for end in (spec.low, spec.high))
    bounds = f" {low} to {high}" if low and high else f" from {low}" if low else f" to {high}" if high else ""
    return {bool: "yes, no", int: "whole number", float: "number"}.get(spec.kind, "text") + bounds


def verbs() -> str:
    """Return the help of each verb, as the program prints it."""
    return "\n".join(f"## `ridgeline {name}`\n\n```text\n{_helped(name)}```\n" for name in [*VERBS, *PARTS])


def _helped(name: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([*name.split(), "--help"])
    return said.getvalue().replace(str(HERE.parent), "…")


def schemas() -> str:
    """Return a table of the keys of each verb's JSON, from its schema."""
    return "\n".join(_keys(path.stem.replace("_", " ")) for path in sorted(SCHEMAS.glob("*.json")))


def _keys(answers: str) -> str:
    schema = schema_of(answers)
    parts = {part["title"]: part for part in schema.get("oneOf", ())} or {"": schema}
    parts |= {f"In it, `{name}`": part for name, part in schema.get("$defs", {}).items()}
    tables = [text for title, part in parts.items() for text in (title, "", *_rows(part), "")]
    return "\n".join([f"## `ridgeline {answers} --json`", "", *tables])


def _rows(schema: dict) -> list[str]:
    head = ["| key | type | meaning |", "| --- | --- | --- |"]
    rows = [f"| `{key}` | {kind} | {said} |" for key, kind, said in _members(schema, "")]
    return head + rows if rows else [f"`{_kind(schema)}`"]


def _members(schema: dict, place: str) -> Iterator[tuple[str, str, str]]:
    required = schema.get("required", ())
    for key, part in schema.get("properties", {}).items():
        name = f"{place}{key}"
        yield name, _kind(part) + ("" if key in required else ", not always"), part["description"]
        yield from _members(part, f"{name}.")
        yield from _members(part.get("items", {}), f"{name}[].")
    if isinstance(more := schema.get("additionalProperties"), dict):
        yield from _members(more, f"{place}NAME.")


def _kind(schema: dict) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    kinds = [schema.get("type", "any")] if isinstance(schema.get("type", "any"), str) else schema["type"]
    of = f" of {_kind(schema['items'])}" if schema.get("items") else ""
    return " or ".join(f"{kind}{of if kind == 'array' else ''}" for kind in kinds)


def functions() -> str:
    """Return signature and docstring of each public function of Ridgeline in Python."""
    named = [(n, f) for n, f in vars(api).items() if inspect.isfunction(f) and f.__module__ == api.__name__]
    return "\n".join(
        f"### `{name}`\n\n```text\n{name}{inspect.signature(function)}\n\n{inspect.getdoc(function)}\n```\n"
        for name, function in named
        if not name.startswith("_")
    )


def known_answers() -> str:
    """Return each sample with its question, and the best answers that are known with their commands."""
    return "\n".join(
        f"## {card.title}\n\n`ridgeline sample {card.name}`: {card.holds}. {card.question}\n\n"
        + "".join(f"- {one.of}: {one.says}\n\n      {one.command}\n\n" for one in card.answers.values())
        for card in samples(SAMPLES)
    )


def notebooks() -> str:
    """Return the cells of the notebooks: texts, and code as it is run by a test."""
    books = sorted((HERE.parent / "examples" / "notebooks").glob("*.ipynb"))
    return "\n".join(_cell(cell) for book in books for cell in json.loads(book.read_text(encoding="utf-8"))["cells"])


def _cell(cell: dict[str, object]) -> str:
    text = "".join(cell["source"])
    return f"```python\n{text}\n```\n" if cell["cell_type"] == "code" else re.sub("^#", "##", text) + "\n"


def bench() -> str:
    """Return what was measured of the speed, the newest of each line, as `make bench` keeps it."""
    runs = json.loads((HERE / "bench.json").read_text(encoding="utf-8"))
    newest = {(line["work"], line["peer"]): (Line(**line), run) for run in runs for line in run["lines"]}
    return table((line, f"{run['date']}, {run['commit']}") for line, run in newest.values())


GENERATED = {
    "<!-- bench -->": bench,
    "<!-- options -->": options,
    "<!-- verbs -->": verbs,
    "<!-- schemas -->": schemas,
    "<!-- answers -->": known_answers,
    "<!-- functions -->": functions,
    "<!-- notebooks -->": notebooks,
}
"""What stands for each mark on a page."""


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Put in what is generated; what lies outside the site is named, if it is there."""
    text = _LINK.sub(lambda link: _outside(page, link), source[0])
    for mark, made in GENERATED.items():
        text = text.replace(mark, made() if mark in text else "")
    source[0] = text + (_trees(text) if page == "index" else "")


def _outside(page: str, link: re.Match[str]) -> str:
    if not (HERE.parent / link[2]).exists():
        _log.warning("%s links to %s, which is not there", page, link[2])
    return f"{link[1]} (`{link[2]}`)" if link[2] not in link[1] else link[1]


def _trees(text: str) -> str:
    """Return the site's contents: the lists of the first page, and whatever page they leave out."""
    chapters = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    named = {chapter.partition("\n")[0]: _PAGE.findall(chapter) for chapter in chapters}
    known = {"index", *(page for pages in named.values() for page in pages)}
    more = sorted(path.stem for path in HERE.glob("*.md") if path.stem not in known)
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
        for caption, pages in {**named, "More": more}.items()
        if pages
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Read pages through `read`."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
