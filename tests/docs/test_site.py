"""The site builds without a warning, asks nobody outside for anything, and holds the whole program."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.cli import VERBS
from core.cli.base import SCHEMAS
from core.models import FAMILIES
from core.recipes import RECIPES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-q",
        "--keep-going",
        "-b",
        "html",
        "-d",
        f"{folder}/read",
        "docs",
        f"{folder}/html",
    ]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "html"


class Page(HTMLParser):
    """What a browser fetches for a page by itself, where its links lead, and what can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.places |= {said[name] for name in ("id", "name") if name in said}
        if "src" in said or (tag == "link" and "href" in said):
            self.fetched.append(said.get("src") or said["href"])
        elif tag == "a" and "href" in said:
            self.links.append(said["href"])


def test_no_page_asks_anybody_outside(site: Path) -> None:
    pages = {path.name: Page(path) for path in site.glob("*.html")}
    assert [
        (name, what) for name, page in pages.items() for what in page.fetched if re.match(r"(https?:)?//", what)
    ] == []
    styles = {path.name: path.read_text(encoding="utf-8") for path in site.glob("_static/**/*.css")}
    assert [name for name, text in styles.items() if re.search(r"url\(\s*[\"']?(https?:)?//|@import", text)] == []


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {path.name: Page(path) for path in site.glob("*.html")}
    broken = []
    for name, page in pages.items():
        for link in page.links:
            target, _, place = link.partition("#")
            if ":" in target:
                continue
            there = pages.get(target or name)
            if there is None or (place and place not in there.places):
                broken.append((name, link))
    assert broken == []


def test_every_page_verb_recipe_and_family_is_there(site: Path) -> None:
    contents = set(Page(site / "index.html").links)
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"} <= {
        link.removesuffix(".html") for link in contents
    }
    verbs, options, keys = (
        (site / f"{name}.html").read_text(encoding="utf-8") for name in ("verbs", "options", "json")
    )
    assert [verb for verb in VERBS if f"usage: ridgeline {verb}" not in verbs] == []
    assert [name for name in (*RECIPES, *FAMILIES) if f">{name}</span>" not in options] == []
    keys = re.sub(r"<[^>]*>", "", keys)
    named = {key for path in SCHEMAS.iterdir() for key in re.findall(r'"(\w+)": \{\s+"description"', path.read_text())}
    assert [
        path.stem for path in SCHEMAS.iterdir() if f"ridgeline {path.stem.replace('_', ' ')} --json" not in keys
    ] == []
    assert [key for key in named if key not in keys] == []


METHODS = ("eiger", "stargazer", "halwpe", "scaling", "first_model", "formula")
FORM = ("Method", "Equations", "What we changed, and why", "Checked against", "Measured")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_told_in_one_order(name: str) -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading in FORM] == list(FORM)


def test_what_was_measured_names_its_commit(site: Path) -> None:
    page = (site / "measured.html").read_text(encoding="utf-8")
    assert "DuckDB" in page
    assert re.search(r"\d{4}-\d{2}-\d{2}, [0-9a-f]{7,}", page)
