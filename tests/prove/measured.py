"""Kill `ridgeline measure` at any moment, go on with it, and look at what is stored."""

import contextlib
import json
import multiprocessing
import os
import random
import time
from collections import Counter
from pathlib import Path

from core.cli import main
from core.cli._runs import NAME, STORED
from core.errors import StoreError
from core.store import Store
from tests.prove.kills import await_lines
from tests.prove.table import Line

POINTS = 300
COMMAND = "printf 'application,time\\nsim,%d\\n' {width}"
WORDS = ["measure", "plan.csv", "--command", COMMAND, "--dataset", "d", "--response", "time:s"]


def measure(folder: Path) -> None:
    """Measure what is left of a plan; says nothing."""
    os.chdir(folder)
    os.environ["RIDGELINE_DB"] = str(folder / "x.duckdb")
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        main([*WORDS, "--resume"] if journal(folder).exists() else WORDS)


def journal(folder: Path) -> Path:
    """Return where a series says what it has done."""
    return folder / "plan.runs" / NAME


def kills(n: int, folder: Path, seed: int = 0) -> Line:
    """Kill a series n times, each time going on with it; a new one begins where all points are measured."""
    draw, found, acknowledged = random.Random(seed), Counter[str](), 0
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.prove.kills", "tests.prove.measured", "core.cli.measure", "core.ingest"])
    series = iter(new(folder / f"measure-{i}") for i in range(n + 1))
    at, done = next(series), 0
    for _ in range(n):
        if done > 0.8 * POINTS:
            at, done = next(series), 0
        process = context.Process(target=measure, args=(at,))
        process.start()
        before = journal(at).read_text().count("\n") if journal(at).exists() else 0
        await_lines(process, journal(at), before + 2)
        time.sleep(draw.uniform(0.0, 0.25))
        process.kill()
        process.join()
        told = stored(at)
        acknowledged, done = acknowledged + len(told) - done, len(told)
        found += after(at, told)
    bad = {name: found[name] for name in ("lost", "stored twice", "other numbers", "failed opens")}
    return Line("kill -9 during measure", n, bad, {"acknowledged": acknowledged})


def new(folder: Path) -> Path:
    """Make a plan."""
    folder.mkdir()
    (folder / "plan.csv").write_text("run,width\n" + "".join(f"{i:04},{i + 1}\n" for i in range(POINTS)))
    return folder


def stored(folder: Path) -> set[int]:
    """Return the widths that the journal calls stored; a line that was cut off is none."""
    found = set()
    for line in journal(folder).read_text().splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if entry.get("state") == STORED:
                found.add(int(entry["run"]) + 1)
    return found


def after(folder: Path, told: set[int]) -> Counter[str]:
    """Count points that are gone, that are there twice, and whose time is not that of their width."""
    try:
        with Store.open(folder / "x.duckdb") as store:
            if not store.datasets.all():
                return Counter(lost=len(told))
            frame = store.frame("d", "time", ["width"])
    except StoreError:
        return Counter({"failed opens": 1})
    widths = Counter(int(width) for width in frame.X[:, 0])
    wrong = sum(width != time for width, time in zip(frame.X[:, 0], frame.y, strict=True))
    return Counter(
        {"lost": len(told - set(widths)), "stored twice": widths.total() - len(widths), "other numbers": wrong}
    )
