"""Trials of a database, as the papers' artefacts ask for them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.curate import aggregate, join, usual_repeats
from core.errors import OptionError
from core.ingest import load_sample
from core.store import Store
from core.trial import Frame, Kind, Measured
from core.workspace import SAMPLES


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
