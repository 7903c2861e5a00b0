"""Jobs beside each other and beside a slider, and jobs that are left: none keeps another waiting, none outlives its use."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np

from core.trial import Import, Metric
from tests.pages.toys import toy_import
from tests.prove.dashboard import served
from tests.prove.lab import own_import
from tests.prove.tab import SOON_S, Tab, stopped
from tests.prove.table import Line

WAITING_S = 10.0
"""So long a short job may wait for its place."""


def fairness(rounds: int, folder: Path) -> Line:
    """Move a slider, and start a short job, beside two races in other sessions and without, by turns."""
    imports = {f"probe{i}": own_import(i) for i in range(2 * rounds)} | {
        f"race{i}": toy_import(12 + i) for i in range(3)
    }
    moves: dict[bool, list[float]] = {False: [], True: []}
    waits: dict[bool, list[float]] = {False: [], True: []}
    with served(folder / "fair", imports) as (dashboard, _):
        racers = [Tab(dashboard.address) for _ in range(2)]
        probed(Tab(dashboard.address), "race2")  # imports what it needs
        for i in range(2 * rounds):
            racing = bool(i % 2)
            for k, racer in enumerate(racers if racing else ()):
                racer.visit("compare", f"dataset=race{k}")
                racer.press("race")
                racer.stay(2.0)
            moved, waited = probed(Tab(dashboard.address), f"probe{i}")
            moves[racing] += moved
            waits[racing].append(waited)
            for racer in racers if racing else ():
                stopped(racer)
    alone, beside = (np.quantile(moves[racing], [0.5, 0.95]) for racing in (False, True))
    bad = {
        "moves kept waiting": sum(s > 2 * alone[1] + 0.5 for s in moves[True]),
        "jobs kept waiting": sum(s > WAITING_S for s in waits[True]),
    }
    more = {
        "move alone, median s": f"{alone[0]:.2f}, 95 % {alone[1]:.2f}",
        "beside races": f"{beside[0]:.2f}, 95 % {beside[1]:.2f}",
        "job waits alone s": f"{max(waits[False]):.1f}",
        "beside races s": f"{max(waits[True]):.1f}",
    }
    return Line("a slider beside two races", len(moves[True]), bad, more)


def probed(tab: Tab, dataset: str) -> tuple[list[float], float]:
    """Open a model, wait until the job that judges it runs, move a slider; return seconds of the moves and of waiting."""
    tab.visit("model", f"dataset={dataset}&recipe=eiger&folds=kfold%3A3")
    begun = time.monotonic()
    while any("free place" in bar.text for bar in tab.all("progress")) and time.monotonic() - begun < 2 * WAITING_S:
        tab.stay(0.5)
    waited = time.monotonic() - begun
    stopped(tab)
    tab.set("checkbox", "eiger_threshold_given", bool_value=True)
    offered = tab.the("slider", "eiger_threshold").options
    moved = [tab.set("slider", "eiger_threshold", string_array_value={"data": [one]}) for one in offered[1:]]
    stopped(tab)
    tab.close()
    return moved, waited


def left(n: int, folder: Path) -> Line:
    """Leave tests alone, and leave some that another tab watches: the first end, the second go on until they are stopped."""
    names = [f"{what}{i}" for i in range(n) for what in ("alone", "shared")]
    found = Counter[str]()
    with served(folder / "left", {name: long_import(i) for i, name in enumerate(names)}) as (dashboard, path):
        for i in range(n):
            alone, first, second = (Tab(dashboard.address) for _ in range(3))
            found["never begun"] += not tested(alone, f"alone{i}")
            alone.close()
            found["never begun"] += not tested(first, f"shared{i}") or not tested(second, f"shared{i}")
            second.stay(2)
            first.close()
            second.stay(SOON_S)
            found["ended though watched"] += not is_tested(second)
            found["not stopped"] += not stopped(second)
            second.close()
    with duckdb.connect(str(path), read_only=True) as raw:
        sql = "SELECT state, epoch(finished - started) FROM job WHERE kind LIKE 'test of the Model page%' ORDER BY started"
        ends = raw.execute(sql).fetchall()
    found["never begun"] += len(ends) != len(names)
    found["went on for nobody"] = sum(state != "cancelled" or seconds > SOON_S for state, seconds in ends[::2])
    found["not called cancelled"] = sum(state != "cancelled" for state, _ in ends[1::2])
    more = {"ended after at most s": f"{max((seconds for _, seconds in ends[::2]), default=0.0):.1f}"}
    return Line(
        "jobs that are left or stopped",
        2 * n,
        {
            name: found[name]
            for name in (
                "went on for nobody",
                "ended though watched",
                "never begun",
                "not stopped",
                "not called cancelled",
            )
        },
        more,
    )


def tested(tab: Tab, dataset: str) -> bool:
    """Open a model whose test takes a quarter of an hour, and ask for it where it is not under way; return whether it is."""
    tab.visit("model", f"dataset={dataset}&recipe=gradient_boosting&folds=loo")
    if tab.find("button", "Test it") is not None:
        tab.press("Test it")
    return is_tested(tab)


def is_tested(tab: Tab) -> bool:
    """Return whether a page shows the test of its model under way."""
    return any(bar.text.startswith("Leaving out") for bar in tab.all("progress"))


def long_import(seed: int) -> Import:
    """Return trials from which a model of many trees takes seconds to learn."""
    made: Import = toy_import(60)
    draw, n, own = np.random.default_rng(seed), 30, made.trials
    metrics = (*(Metric(f"counter{i}") for i in range(n)), *own.metrics)
    noise = np.exp(draw.standard_normal((len(own.values), n)))
    return replace(
        made, trials=replace(own, metrics=metrics, values=np.column_stack([noise, own.values])), sha256=f"long {seed}"
    )
