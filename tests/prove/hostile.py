"""Tables, models, addresses and bytes that somebody, or a bad disk, made up."""

import random
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

from core.errors import RidgelineError, StoreError
from core.store import Store
from core.workspace import APP
from tests.bench.fuzz_tables import run as mutated_tables
from tests.export.test_hostile_files import KINDS, damaged, read, use
from tests.pages.toys import space_import, toy_import
from tests.prove.dashboard import served
from tests.prove.tab import Tab
from tests.prove.table import Line
from tests.store.test_store import an_import

PAGES = sorted(path.stem for path in (APP.parent / "pages").glob("*.py"))
KEYS = (
    "dataset",
    "response",
    "metrics",
    "where",
    "repeats",
    "view",
    "model",
    "page",
    "x",
    "y",
    "seed",
    "pinned",
    "without",
)
"""What addresses may say besides the keys of what a page draws."""
VALUES = (
    "",
    "nan",
    "-1",
    "1e999",
    "9" * 400,
    "'; DROP TABLE trial; --",
    "<img src=x onerror=alert(1)>",
    "../../etc/passwd",
    "\x00",
    "\u202e",
    "{}",
    "[]",
    "%s%n",
    "=1+1",
    "toy",
    "time",
    "None",
    "a" * 5000,
    "\ud7ff\ue000",
    "true",
    "0",
)


def tables(n: int, seed: int = 1) -> Line:
    """Read tables that were mutated, beside the standard library."""
    wrong = mutated_tables(n, seed)
    return Line("mutated tables", n, {"crashed or read otherwise": len(wrong)}, {})


def models(n: int, seed: int = 1) -> Line:
    """Read model files that were damaged, and use those that are taken."""
    draw, wrong, refused = random.Random(seed), Counter[str](), 0
    for _ in range(n):
        try:
            model = read(damaged(draw.choice([*KINDS, "eiger_json"]), draw).encode("utf-8", "surrogatepass"))
            refused += model is None
            if model is not None:
                use(model)
        except Exception as error:
            wrong[type(error).__name__] += 1
    return Line("hostile models", n, {"crashes or numbers that are none": wrong.total()}, {"refused": refused})


def addresses(n: int, folder: Path, seed: int = 1) -> Line:
    """Open pages of a running dashboard with query strings of anything, some in the same tab, some in a new one.

    Every view of every page gets its share; most keys are those of what it draws.
    """
    draw, bugs = random.Random(seed), list[str]()
    with served(folder / "addresses", {"toy": toy_import(3), "space": space_import(40)}) as (dashboard, _):
        tab = Tab(dashboard.address)
        places = [place for page in PAGES for place in views(tab, page)]
        for i in range(n):
            page, view, keys = places[i % len(places)]
            given = {key: draw.choice(VALUES) for key in draw.sample(keys, draw.randint(1, 4))}
            tab.visit(page, urlencode({**given, **view}))
            if i % 20 == 19:
                bugs += tab.bugs
                tab.close()
                tab = Tab(dashboard.address)
        bugs += tab.bugs
        tab.close()
        logged = dashboard.log.read_text().count("Traceback")
    for bug in bugs[:5]:
        print("   ", bug[:300])
    more = {"views": len(places), "keys": len({key for _, _, keys in places for key in keys})}
    return Line(f"{len(PAGES)} pages x hostile addresses", n, {"tracebacks": len(bugs), "in the log": logged}, more)


Place = tuple[str, dict[str, str], list[str]]


def views(tab: Tab, page: str) -> list[Place]:
    """Return a page as it opens, and each of its views: the page, what its address says of the view, and its keys."""
    found: list[Place] = []
    for dataset in ("toy", "space"):
        tab.visit(page, urlencode({"dataset": dataset}))
        asked = [{"dataset": dataset}, *({"dataset": dataset, key: text} for key, text in tab.views())]
        for view in asked:
            tab.visit(page, urlencode(view))
            found.append((page, view, sorted({*KEYS, *tab.keys()} - {*view})))
    return found


def flipped(n: int, folder: Path, seed: int = 1) -> Line:
    """Flip single bytes of a database, and look at all of it."""
    path = folder / "flipped.duckdb"
    with Store.open(path) as store:
        store.add("d", an_import(400))
        before = (store.frame("d", "time", ["misses"]).digest(), store.labels("d"), store.metrics("d"))
    raw, draw, found = path.read_bytes(), random.Random(seed), Counter[str]()
    for _ in range(n):
        at = draw.randrange(len(raw))
        path.write_bytes(raw[:at] + bytes([raw[at] ^ (1 << draw.randrange(8))]) + raw[at + 1 :])
        try:
            with Store.open(path) as store:
                same = (store.frame("d", "time", ["misses"]).digest(), store.labels("d"), store.metrics("d")) == before
                found["read whole" if same else "silently wrong"] += 1
        except StoreError as error:
            found["told" if "\n" not in str(error) else "no sentence"] += 1
        except RidgelineError:
            found["silently wrong"] += 1
        except Exception:
            found["crashes"] += 1
        path.with_name(path.name + ".commits").unlink(missing_ok=True)
    bad = {name: found[name] for name in ("silently wrong", "crashes", "no sentence")}
    return Line("flipped bits", n, bad, {"told": found["told"], "of no effect": found["read whole"]})
