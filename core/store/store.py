"""The database of one user: datasets in, frames out, models and jobs kept."""

from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from core.errors import StoreError
from core.progress import Progress, in_turn, silent
from core.store._add import add_imports
from core.store._categories import indicators
from core.store._connection import Connection, Cursor, one
from core.store._curation import Curation, read_measured
from core.store._datasets import Datasets, folder_metrics, metric_cards
from core.store._frame import build_frame
from core.store._machines import Machines, host_side, target_side
from core.store._narrow import different_texts, is_beyond_memory
from core.store._parquet.registered import read_folder, read_summary, refuse_folder
from core.store._read import read_metrics, read_table, read_values, select, take
from core.store._records import Experiments, Jobs, Models, Races, interrupt_jobs
from core.store._rows import dataset_id, named
from core.store._schema import prepare
from core.store._together import in_lots
from core.store.backup import back_up
from core.store.cards import Condition, Delivery, MetricCard, Receipt, Sample
from core.store.folders import Folders
from core.trial import Frame, Import, Kind, Measured, Metric, Sides

if TYPE_CHECKING:
    import pandas as pd


class Store:
    """One DuckDB file, owned by this process while it is open; safe to use from many threads.

    Writes run one after another, each in one transaction; every method uses a cursor of its own.

    Attributes
    ----------
    path : where the database is
    read_only : whether that is where this process may not write, so that it can only be looked at
    datasets : which there are, what they are called, and where their trials came from
    folders : those that stay Parquet files
    curation : which trials and metrics count, and why
    machines : what is known of them
    models, experiments, races, jobs : what is kept beside the trials
    """

    def __init__(self, connection: Connection) -> None:
        self._connection, self.path, self.read_only = connection, connection.path, connection.read_only
        self.datasets, self.folders, self.curation = Datasets(connection), Folders(connection), Curation(connection)
        self.machines, self.models, self.jobs = Machines(connection), Models(connection), Jobs(connection)
        self.experiments, self.races = Experiments(connection), Races(connection)

    @classmethod
    def open(cls, path: Path, memory: str = "") -> Self:
        """Open the database, or make it; takes ownership until `close`, unless it can only be read here.

        Parameters
        ----------
        memory : what the database may take, such as "512MB"; RIDGELINE_MEMORY goes before it

        Raises
        ------
        StoreError
            If another process owns it, it is damaged, of a newer version, or of something else; and
            once, if changes that were stored before cannot be read any more.
        """
        connection = Connection(path, path.resolve().parent / "backups", memory)
        try:
            prepare(connection)
            connection.count_commits()
            if not connection.read_only:
                interrupt_jobs(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def add(self, dataset: str, imported: Import) -> Receipt:
        """Store an import whole, or raise and store nothing; a file already there is recognised."""
        return self.add_all(dataset, [imported])[0]

    def add_all(self, dataset: str, imports: Sequence[Import], progress: Progress = silent) -> tuple[Receipt, ...]:
        """Store several imports in one transaction."""
        return self.add_delivered([Delivery(dataset, imported) for imported in imports], progress)

    def add_delivered(self, deliveries: Sequence[Delivery], progress: Progress = silent) -> tuple[Receipt, ...]:
        """Store imports for several datasets in one transaction."""

        def add(cursor: Cursor) -> tuple[Receipt, ...]:
            every = list[Receipt]()
            for told, lot in in_turn(progress, [*in_lots(deliveries)]):
                imports = [one.imported for one in lot]
                every += add_imports(cursor, lot[0].dataset.strip(), imports, grows=lot[0].grows, progress=told)
            return tuple(every)

        return self._connection.write(add)

    def takes(self, dataset: str) -> bool:
        """Whether a dataset to which trials are to be added is there already.

        Raises
        ------
        StoreError
            If nothing can be added to it: it is a folder, its name is impossible, or the database is only read.
        """
        self._connection.need_writable()
        with self._connection.reading() as cursor:
            row = one(cursor, "SELECT id FROM dataset WHERE name = ?", [named(dataset, "dataset")])
            if row is not None:
                refuse_folder(cursor, int(row[0]), "nothing can be added to it")
        return row is not None

    def metrics(self, dataset: str) -> tuple[MetricCard, ...]:
        """Return the metrics of a dataset with their ranges over its trials."""
        with self._connection.reading() as cursor:
            home = dataset_id(cursor, dataset)
            summary = read_summary(cursor, home)
            return metric_cards(cursor, home) if summary is None else folder_metrics(summary)

    def metric_names(self, dataset: str) -> tuple[Metric, ...]:
        """Return the metrics of a dataset without looking at their values."""
        with self._connection.reading() as cursor:
            home = dataset_id(cursor, dataset)
            if (folder := read_folder(cursor, home)) is not None:
                return tuple(m for _, m in folder.roles.metrics)
            return tuple(m for _, m in read_metrics(cursor, home).values())

    def indicator_names(self, dataset: str, kinds: Container[Kind] = tuple(Kind)) -> tuple[str, ...]:
        """Return what `frame` offers of texts known before a run, one name `text=value` per value."""
        with self.folders.trials_of(dataset) as (cursor, home, _):
            found = indicators(read_table(cursor, home), read_metrics(cursor, home))
            return tuple(name for name, own in found.items() if own.kind in kinds)

    def labels(self, dataset: str) -> dict[str, tuple[str, ...]]:
        """Return the different values of each role and label of a dataset; of a folder, of its sample if too many."""
        with self._connection.reading() as cursor:
            summary = read_summary(cursor, dataset_id(cursor, dataset))
        if summary is not None and all(bool(own) for own in summary.texts.values()):
            return dict(summary.texts)
        with self.folders.trials_of(dataset) as (cursor, home, _):
            if is_beyond_memory(cursor, home):
                return different_texts(cursor, home)
            table = read_table(cursor, home)
        return {name: tuple(sorted(set(texts))) for name, texts in table.texts.items()}

    def has_repeats(self, dataset: str) -> bool:
        """Whether a configuration of a dataset was measured more than once."""
        with self.folders.trials_of(dataset) as (cursor, home, _):
            row = one(cursor, "SELECT max(run) FROM trial WHERE dataset = ?", [home])
        return bool(row and row[0] and row[0] > 1)

    def frame(
        self,
        dataset: str,
        response: str,
        metrics: Sequence[str] | None = None,
        where: Sequence[Condition] = (),
        *,
        everything: bool = False,
        sample: Sample | None = None,
        gaps: str = "most",
        counted: bool = True,
    ) -> Frame:
        """Return the trials that count (or, with `everything`, the excluded ones too) as a frame.

        See `build_frame` for the default metrics.

        Parameters
        ----------
        sample : how many trials of a folder, and by which hash; so many as take little memory if not given
        gaps : where metrics of the default choice miss values, whether the metrics, the trials, or what keeps most
        counted : whether counters are of the default choice

        Raises
        ------
        StoreError, OptionError
            If a name is unknown, or nothing is left.
        """
        with self.folders.trials_of(dataset, where, sample) as (cursor, _, told):
            frame = build_frame(
                cursor, dataset, response, metrics, where, everything=everything, gaps=gaps, counted=counted
            )
        return replace(frame, notes=(*told, *frame.notes))

    def host_target(
        self,
        dataset: str,
        response: str,
        host: str,
        target: str,
        metrics: Sequence[str] | None = None,
        where: Sequence[Condition] = (),
        *,
        host_dataset: str | None = None,
        sample: Sample | None = None,
    ) -> Sides:
        """Return what a host and a target machine measured; `core.curate.join` makes a frame of it.

        Parameters
        ----------
        response : to predict on the target
        metrics : of the host; by default all that it has, its own responses among them
        where : which trials of both machines
        host_dataset : where the host's trials are, if not in `dataset`
        sample : of a folder; workloads are drawn with all their trials

        Raises
        ------
        StoreError, OptionError
            If a name is unknown, host and target are the same, or nothing is left.
        """
        home = host_dataset or dataset
        if home != dataset and any(self.folders.get(name) for name in (dataset, home)):
            raise StoreError("Host and target must be in one dataset where one of theirs is a folder.")
        with self.folders.trials_of(dataset, where, sample, workloads=True) as (cursor, _, told):
            if (host, home) == (target, dataset):
                said = f"'{host}' is both host and target. Choose another target, whose response is to be predicted."
                raise StoreError(said)
            answer, ours = target_side(cursor, dataset, response, target, where)
            measured, reference = host_side(cursor, home, answer, host, metrics, where)
        ours = replace(ours, frame=replace(ours.frame, notes=(*told, *ours.frame.notes)))
        return Sides(measured, ours, host, target, reference, metrics is not None)

    def measured(self, dataset: str, where: Sequence[Condition] = ()) -> Measured:
        """Return trials in the order they were measured (of a folder, a sample); without a filter, what rules judge."""
        with self.folders.trials_of(dataset) as (cursor, home, _):
            return read_measured(cursor, home, where)

    def trials(self, dataset: str, where: Sequence[Condition] = (), limit: int | None = None) -> "pd.DataFrame":
        """Return trials (of a folder, a sample) as a table: id, roles, labels, run, why excluded, and every metric."""
        import pandas as pd

        with self.folders.trials_of(dataset, where) as (cursor, home, _):
            table = read_table(cursor, home, where)
            table = take(table, np.flatnonzero(select(cursor, home, table, where))[:limit])
            known = read_metrics(cursor, home)
            values = read_values(cursor, table, [id for id, _ in known.values()])
        columns = {"id": table.ids, **table.texts, "run": table.run, "excluded": table.excluded}
        head = pd.DataFrame({name: list(column) for name, column in columns.items()})
        return pd.concat([head, pd.DataFrame(values, columns=list(known))], axis=1)

    def backup(self) -> Path:
        """Write a consistent copy of the database beside it, under `backups/`, and return its path."""
        return back_up(self._connection, self._connection.backups)
