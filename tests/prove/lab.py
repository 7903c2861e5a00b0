"""A lab's server: many sessions at once, none of which sees, delays or outlives what is another's."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from core.trial import Import, Metric
from tests.pages.toys import space_import, toy_import
from tests.prove.dashboard import served
from tests.prove.tab import Tab
from tests.prove.table import Line

ROOM_MB = 150.0
"""By which the memory of the server may grow after the warm-up, besides a quarter of what it was."""
SOON_S, WAITING_S = 30.0, 10.0


def mark(k: int) -> str:
    """Return what every name of a session has in it, and no other's."""
    return f"zq{k:03}x"


def own_import(k: int) -> Import:
    """Return trials whose applications, machines and metrics are named after their session."""
    made, own = toy_import(8 + k % 7), mark(k)
    metrics = tuple(m if m.name == "time" else replace(m, name=f"{m.name}_{own}") for m in made.trials.metrics)
    trials = replace(
        made.trials, metrics=metrics, values=made.trials.values * (1 + k / 1000),
        application=tuple(f"{name}{own}" for name in made.trials.application),
        machine=tuple(f"{name}{own}" for name in made.trials.machine),
    )  # fmt: skip
    return replace(made, trials=trials, sha256=own)


def own_space(k: int) -> Import:
    """Return designs whose applications and machine are named after their session."""
    made, own = space_import(60 + k), mark(k)
    n = len(made.trials.application)
    return replace(made, trials=replace(made.trials, application=(f"loop_{own}",) * n, machine=(f"gpu_{own}",) * n), sha256=f"space {own}")


@dataclass
class Session:
    """Somebody who uses the dashboard: pages at random, controls at random, now and then a job that is stopped."""

    k: int
    tab: Tab
    draw: random.Random
    seconds: list[float]
    n_jobs: int = 0
    not_stopped: int = 0
    has_saved: bool = False

    def step(self) -> None:
        """Do one thing."""
        deed = self.draw.choice((self.look, self.look, self.model, self.model, self.filter, self.space, self.upload, self.job))
        deed()

    def look(self) -> None:
        """Look at a page."""
        page = self.draw.choice(("trials", "explore", "compare", "experiments", "models", "scaling"))
        self.seconds.append(self.tab.visit(page, f"dataset=set{self.k:03}"))

    def model(self) -> None:
        """Move the controls of a model, then save it or leave it."""
        recipe = self.draw.choice(("eiger", "ridge", "extra_trees"))
        self.seconds.append(self.tab.visit("model", f"dataset=set{self.k:03}&recipe={recipe}&folds=kfold%3A3"))
        for _ in range(3):
            self.seconds.append(self.tab.set("number_input", "eiger_components", double_value=self.draw.randint(1, 4)))
            self.tab.stay(0.3)
        if self.draw.random() < 0.1:
            self.seconds.append(self.tab.press("save_model"))
            self.has_saved = True

    def filter(self) -> None:
        """Look at some of the trials."""
        where = f"where=machine%3Dgpu{self.draw.randrange(4)}{mark(self.k)}"
        self.seconds.append(self.tab.visit(self.draw.choice(("explore", "model", "trials")), f"dataset=set{self.k:03}&{where}"))

    def space(self) -> None:
        """Ask what designs would do."""
        view = self.draw.choice(("What+if", "Explore+the+space"))
        self.seconds.append(self.tab.visit("design_space", f"dataset=space{self.k:03}&space_view={view}"))
        self.tab.stay(1.0)

    def upload(self) -> None:
        """Upload a table in a tab of its own, and import it half of the time."""
        own, first = mark(self.k), self.draw.randrange(10**6)
        rows = "".join(f"app{i}_{own},gpu{i % 3},{first + i * i},{first + i}\n" for i in range(24))
        tab = Tab(self.tab.address, self.tab.marks)
        self.seconds.append(tab.visit("trials", "trials_view=Upload"))
        table = f"program,gpu,count_{own},time (ms)\n{rows}".encode()
        self.seconds.append(tab.upload("Files of trials", f"up{self.k:03}.csv", table))
        if self.draw.random() < 0.5 and tab.find("button", "import") is not None:
            self.seconds.append(tab.press("import"))
        self.tab.met += tab.met
        self.tab.bugs += tab.bugs
        tab.close()

    def job(self) -> None:
        """Start a race or an experiment, watch it, and stop it."""
        page, button = self.draw.choice((("compare", "race"), ("experiments", "run_experiment")))
        self.seconds.append(self.tab.visit(page, f"dataset=set{self.k:03}"))
        if self.tab.find("button", button) is None:
            return
        self.tab.press(button)
        self.tab.stay(self.draw.uniform(0.5, 3.0))
        self.n_jobs += 1
        self.not_stopped += not stopped(self.tab, 4 * SOON_S)  # the machine is busy


def stopped(tab: Tab, within_s: float = SOON_S) -> bool:
    """Press what stops the job that a page shows, and return whether it ended soon."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        stop = tab.find("button", "Stop")
        if stop is None:
            return True
        tab.press("Stop")
        tab.stay(1.0)
    return False


def mixed(n: int, seconds: float, folder: Path) -> Line:
    """Let sessions use the dashboard; no message may name what is another's, and memory stays bounded."""
    imports = {f"set{k:03}": own_import(k) for k in range(n)} | {f"space{k:03}": own_space(k) for k in range(n)}
    with served(folder / "mixed", imports) as (dashboard, _):
        marks = tuple(mark(k) for k in range(n))
        sessions = [Session(k, Tab(dashboard.address, marks), random.Random(k), []) for k in range(n)]
        found = Counter[str]()
        together(sessions, warm, found)
        warmed = dashboard.megabytes()
        end = time.monotonic() + seconds
        together(sessions, partial(until, end), found)
        at_end = dashboard.megabytes()
        log = dashboard.log.read_text()
    met = [(s, name, page, times) for s in sessions for (name, page), times in s.tab.met.items()]
    shared = {mark(s.k) for s in sessions if s.has_saved}  # everybody's models are on the page Models
    foreign = [one for one in met if one[1] != mark(one[0].k) and not (one[2] == "models" and one[1] in shared)]
    found["foreign names"] = sum(times for _, _, _, times in foreign)
    found["own names never seen"] = n - len({s.k for s, name, _, _ in met if name == mark(s.k)})
    found["bugs shown"] = sum(len(s.tab.bugs) for s in sessions)
    found["tracebacks in the log"] = log.count("Traceback")
    found["jobs not stopped"] = sum(s.not_stopped for s in sessions)
    found["MB too many"] = max(0, round(at_end - 1.25 * warmed - ROOM_MB))
    answers = np.concatenate([s.seconds for s in sessions])
    bad = {name: found[name] for name in ("foreign names", "own names never seen", "bugs shown", "tracebacks in the log", "sessions broken", "jobs not stopped", "MB too many")}
    more = {
        "messages, MB": round(sum(s.tab.n_bytes for s in sessions) / 2**20),
        "own names": sum(times for s, name, _, times in met if name == mark(s.k)), "jobs": sum(s.n_jobs for s in sessions),
        "server MB warm": round(warmed), "at the end": round(at_end),
        "answer median s": round(float(np.median(answers)), 2), "95 %": round(float(np.quantile(answers, 0.95)), 2),
    }  # fmt: skip
    told = [f"session {s.k} was sent {name} on {page}" for s, name, page, _ in foreign]
    for text in [*told, *(text for s in sessions for text in s.tab.bugs)][:5]:
        print("   ", text[:300])
    return Line(f"a lab: {n} sessions", len(answers), bad, more)


def warm(session: Session) -> None:
    """Do everything once."""
    for deed in (session.look, session.model, session.filter, session.space, session.upload, session.job):
        deed()


def until(end: float, session: Session) -> None:
    """Use the dashboard for so long, with pauses as people make them."""
    while time.monotonic() < end:
        session.step()
        session.tab.stay(session.draw.uniform(0.2, 2.0))


def together(sessions: list[Session], work: Callable[[Session], None], found: Counter[str]) -> None:
    """Let all sessions do something at the same time."""

    def one(session: Session) -> None:
        try:
            work(session)
        except Exception as error:
            found["sessions broken"] += 1
            print(f"    session {session.k}: {type(error).__name__}: {str(error)[:300]}")

    threads = [threading.Thread(target=one, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fairness(rounds: int, folder: Path) -> Line:
    """Move a slider, and start a short job, beside two races in other sessions and without, by turns."""
    imports = {f"probe{i}": own_import(i) for i in range(2 * rounds)} | {f"race{i}": toy_import(12 + i) for i in range(3)}
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
        "moves kept waiting": sum(s > 4 * alone[1] + 2 for s in moves[True]),
        "jobs kept waiting": sum(s > WAITING_S for s in waits[True]),
    }
    more = {
        "move alone, median s": f"{alone[0]:.2f}, 95 % {alone[1]:.2f}", "beside races": f"{beside[0]:.2f}, 95 % {beside[1]:.2f}",
        "job waits alone s": f"{max(waits[False]):.1f}", "beside races s": f"{max(waits[True]):.1f}",
    }  # fmt: skip
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
    offered = tab.find("slider", "eiger_threshold").options
    moved = [tab.set("slider", "eiger_threshold", string_array_value={"data": [one]}) for one in offered[1:]]
    stopped(tab)
    tab.close()
    return moved, waited


def left(n: int, folder: Path) -> Line:
    """Leave jobs alone, and leave some that another tab watches: the first end, the second go on until they are stopped."""
    names = [f"{what}{i}" for i in range(n) for what in ("alone", "shared")]
    found = Counter[str]()
    with served(folder / "left", {name: long_import(i) for i, name in enumerate(names)}) as (dashboard, path):
        for i in range(n):
            alone, first, second = (Tab(dashboard.address) for _ in range(3))
            alone.visit("model", f"dataset=alone{i}")
            begun = alone.find("button", "Stop") is not None
            alone.close()
            for tab in (first, second):
                tab.visit("model", f"dataset=shared{i}")
            second.stay(2)
            first.close()
            second.stay(SOON_S)
            found["ended at once"] += not begun
            found["ended though watched"] += second.find("button", "Stop") is None
            found["not stopped"] += not stopped(second)
            second.close()
    with duckdb.connect(str(path), read_only=True) as raw:
        states = [row[0] for row in raw.execute("SELECT state FROM job WHERE kind = 'auto' ORDER BY started").fetchall()]
    found["went on for nobody"] = sum(state != "cancelled" for state in states[::2])
    found["not called cancelled"] = sum(state != "cancelled" for state in states[1::2])
    return Line("jobs that are left or stopped", 2 * n, {name: found[name] for name in (
        "went on for nobody", "ended though watched", "ended at once", "not stopped", "not called cancelled")}, {})  # fmt: skip


def long_import(seed: int) -> Import:
    """Return trials of which the best model takes minutes to find."""
    made, draw = toy_import(60), np.random.default_rng(seed)
    n, own = 30, made.trials
    metrics = (*(Metric(f"counter{i}") for i in range(n)), *own.metrics)
    noise = np.exp(draw.standard_normal((len(own.values), n)))
    return replace(made, trials=replace(own, metrics=metrics, values=np.column_stack([noise, own.values])), sha256=f"long {seed}")
