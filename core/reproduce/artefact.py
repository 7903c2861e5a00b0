"""A paper's figure or table made again from a database's trials: what is printed there beside what comes out here."""

import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from core.curate import aggregate, join, usual_repeats
from core.errors import OptionError, RidgelineError
from core.frozen import Frozen
from core.ingest import load_sample
from core.progress import Progress
from core.report.shared.naming import short_number
from core.report.shared.svg import Sketch
from core.store import Store
from core.trial import Frame, Kind, Measured
from core.workspace import SAMPLES

T = TypeVar("T")
P = ParamSpec("P")


class Trials:
    """A dataset of a database and the response to predict, the first one if none is named."""

    def __init__(self, database: Store, dataset: str, response: str = "") -> None:
        self._database, self.dataset = database, dataset
        known = [m.name for m in database.metric_names(dataset) if m.kind is Kind.RESPONSE]
        if not (response or known):
            raise OptionError("No metric is a response. Name what to predict with --response METRIC.")
        self.response = response or known[0]

    def frame(self) -> Frame:
        """Return all trials with the usual metrics."""
        usual = usual_repeats(source.format for source in self._database.datasets.sources(self.dataset))
        return aggregate(self._database.frame(self.dataset, self.response), usual)

    def joined(self, host: str, target: str) -> Frame:
        """Return the workloads of a host with the target's response."""
        return join(self._database.host_target(self.dataset, self.response, host, target)).frame

    def measured(self) -> Measured:
        """Return everything that was measured."""
        return self._database.measured(self.dataset)


@contextmanager
def sample_store(sample: str) -> Iterator[Store]:
    """Give a database with a sample alone, which is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="ridgeline-") as home, Store.open(Path(home) / "sample.duckdb") as store:
        store.add(sample, load_sample(SAMPLES / sample))
        yield store


class Given(Frozen):
    """What an artefact is made of: trials, read once, and the seed of every random draw.

    Attributes
    ----------
    shared : what several artefacts of a paper have computed together; see `once`
    """

    source: Trials
    seed: int = 0
    shared: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def frame(self) -> Frame:
        """All trials, with what is known of them."""
        return self.source.frame()

    @staticmethod
    def once(make: Callable[Concatenate["Given", P], T]) -> Callable[Concatenate["Given", P], T]:
        """Have what several artefacts of a paper need made once for the same trials and the same arguments.

        The first argument beside the trials, if there is any, is the progress, which changes nothing.
        """

        def made(given: "Given", /, *rest: P.args, **options: P.kwargs) -> T:
            key = (make, rest[1:], *options.items())
            if key not in given.shared:
                given.shared[key] = make(given, *rest, **options)
            return cast("T", given.shared[key])

        return made

    def labels(self, role: str) -> tuple[str, ...]:
        """Return the different values of a label, sorted."""
        return tuple(sorted(set(self.frame.labels.get(role, ()))))


class Compared(Frozen):
    """One thing that the paper prints, what it is here, and why the two may differ."""

    what: str
    paper: str
    here: str
    differs: str = ""


class Table(Frozen):
    """A table under a title."""

    title: str
    frame: pd.DataFrame


class Made(Frozen):
    """What came of an artefact.

    Attributes
    ----------
    compared : printed numbers beside those of here
    notes : what was done otherwise than in the paper, and how
    absent : why it cannot be had; "" where it can
    """

    compared: Sequence[Compared] = ()
    pictures: Sequence[Sketch] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    absent: str = ""


Make = Callable[[Given, Progress], Made]


class Artefact(Frozen):
    """A figure or table of a paper, or several of one kind."""

    title: str
    make: Make

    def made(self, given: Given, progress: Progress) -> Made:
        """Make it; where these trials do not allow it, say why."""
        try:
            return self.make(given, progress)
        except RidgelineError as why:
            return Made(absent=f"{given.source.dataset} does not have what it takes: {why}")


def never(why: str) -> Make:
    """Return what makes an artefact that no dataset can have, with the reason."""
    return lambda given, progress: Made(absent=why)


DIAGRAM = never("It is a diagram; nothing in it is computed.")


class Paper(Frozen):
    """A paper.

    Attributes
    ----------
    name : as the command line calls it
    sample : the shipped measurements that stand for the paper's own
    question : what it asks, in a sentence
    ours : what the sample is, beside the paper's measurements
    """

    name: str
    title: str
    citation: str
    sample: str
    question: str
    ours: str
    artefacts: tuple[Artefact, ...]


def paper(name: str, *artefacts: Artefact) -> Paper:
    """Return the paper that `papers.toml` tells of."""
    told = tomllib.loads(resources.files("core.reproduce").joinpath("papers.toml").read_text(encoding="utf-8"))
    return Paper(name, **told[name], artefacts=artefacts)


def percent(value: float | None) -> str:
    """Return an error in percent with three digits."""
    return "–" if value is None or not np.isfinite(value) else f"{short_number(value, 3)} %"


def counted(given: Given, role: str, title: str) -> Table:
    """Return how many trials each value of a label has."""
    names = given.frame.labels[role]
    rows = [(name, names.count(name)) for name in given.labels(role)]
    return Table(title, pd.DataFrame(rows, columns=[role, "trials"]))
