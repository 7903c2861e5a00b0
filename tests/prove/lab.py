"""A lab's server: many sessions at once, none of which sees, delays or outlives what is another's."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from core.trial import Import
from tests.pages.toys import space_import, toy_import
from tests.prove.dashboard import served
from tests.prove.tab import SOON_S, Tab, stopped
from tests.prove.table import Line

ROOM_MB = 150.0
"""By which the memory of the server may grow after the warm-up, besides a quarter of what it was."""


def mark(k: int) -> str:
    """Return what every name of a session has in it, and no other's."""
    return f"zq{k:03}x"


def own_import(k: int) -> Import:
    """Return trials whose applications, machines and metrics are named after their session."""
    made: Import = toy_import(8 + k % 7)
    own = mark(k)
    metrics = tuple(m if m.name == "time" else replace(m, name=f"{m.name}_{own}") for m in made.trials.metrics)
    trials = replace(
        made.trials,
        metrics=metrics,
        values=made.trials.values * (1 + k / 1000),
        application=tuple(f"{name}{own}" for name in made.trials.application),
        machine=tuple(f"{name}{own}" for name in made.trials.machine),
    )
    return replace(made, trials=trials, sha256=own)


def own_space(k: int) -> Import:
    """Return designs whose applications and machine are named after their session."""
    made: Import = space_import(60 + k)
    own = mark(k)
    n = len(made.trials.application)
    return replace(
        made,
        trials=replace(made.trials, application=(f"loop_{own}",) * n, machine=(f"gpu_{own}",) * n),
        sha256=f"space {own}",
    )


@dataclass
class Session:
    """Somebody who uses the dashboard: pages at random, controls at random, now and then a job that is stopped.

    Attributes
    ----------
    shared : marks of all those who saved a model, as of when they did
    """

    k: int
    tab: Tab
    draw: random.Random
    seconds: list[float]
    n_jobs: int = 0
    not_stopped: int = 0
    shared: set[str] = field(default_factory=set)

    def step(self) -> None:
        """Do one thing."""
        deed = self.draw.choice(
            (self.look, self.look, self.model, self.model, self.filter, self.space, self.upload, self.job)
        )
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
            self.shared.add(mark(self.k))
            self.seconds.append(self.tab.press("save_model"))

    def filter(self) -> None:
        """Look at some of the trials."""
        where = f"where=machine%3Dgpu{self.draw.randrange(4)}{mark(self.k)}"
        self.seconds.append(
            self.tab.visit(self.draw.choice(("explore", "model", "trials")), f"dataset=set{self.k:03}&{where}")
        )

    def space(self) -> None:
        """Ask what designs would do."""
        view = self.draw.choice(("What+if", "Explore+the+space"))
        self.seconds.append(self.tab.visit("design_space", f"dataset=space{self.k:03}&space_view={view}"))
        self.tab.stay(1.0)

    def upload(self) -> None:
        """Upload a table in a tab of its own, and import it half of the time."""
        own, first = mark(self.k), self.draw.randrange(10**6)
        rows = "".join(f"app{i}_{own},gpu{i % 3},{first + i * i},{first + i}\n" for i in range(24))
        tab = Tab(self.tab.address, self.tab.marks, self.shared)
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


def mixed(n: int, seconds: float, folder: Path) -> Line:
    """Let sessions use the dashboard; no message may name what is another's, and memory stays bounded."""
    imports = {f"set{k:03}": own_import(k) for k in range(n)} | {f"space{k:03}": own_space(k) for k in range(n)}
    with served(folder / "mixed", imports) as (dashboard, _):
        marks, shared = tuple(mark(k) for k in range(n)), set[str]()
        sessions = [
            Session(k, Tab(dashboard.address, marks, shared), random.Random(k), [], shared=shared) for k in range(n)
        ]
        found = Counter[str]()
        together(sessions, warm, found)
        warmed = dashboard.megabytes()
        end = time.monotonic() + seconds
        together(sessions, partial(until, end), found)
        at_end = dashboard.megabytes()
        log = dashboard.log.read_text()
    met = [(s, name, page, times) for s in sessions for (name, page), times in s.tab.met.items()]
    foreign = [one for one in met if one[1] != mark(one[0].k)]
    found["foreign names"] = sum(times for _, _, _, times in foreign)
    found["own names never seen"] = n - len({s.k for s, name, _, _ in met if name == mark(s.k)})
    found["bugs shown"] = sum(len(s.tab.bugs) for s in sessions)
    found["tracebacks in the log"] = log.count("Traceback")
    found["jobs not stopped"] = sum(s.not_stopped for s in sessions)
    found["MB too many"] = max(0, round(at_end - 1.25 * warmed - ROOM_MB))
    answers = np.concatenate([s.seconds for s in sessions])
    bad = {
        name: found[name]
        for name in (
            "foreign names",
            "own names never seen",
            "bugs shown",
            "tracebacks in the log",
            "sessions broken",
            "jobs not stopped",
            "MB too many",
        )
    }
    more = {
        "messages, MB": round(sum(s.tab.n_bytes for s in sessions) / 2**20),
        "own names": sum(times for s, name, _, times in met if name == mark(s.k)),
        "jobs": sum(s.n_jobs for s in sessions),
        "server MB warm": round(warmed),
        "at the end": round(at_end),
        "answer median s": round(float(np.median(answers)), 2),
        "95 %": round(float(np.quantile(answers, 0.95)), 2),
    }
    told = [f"session {s.k} was sent {name} {times} times on {page}" for s, name, page, times in foreign]
    for text in [*told[:15], *(text for s in sessions for text in s.tab.bugs)][:20]:
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
