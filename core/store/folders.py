"""Folders of Parquet files as datasets: added by what their columns are, read in place, drawn from by hash."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.errors import StoreError
from core.progress import Progress, part, silent
from core.store._connection import Connection, Cursor, Part
from core.store._parquet.draw import head
from core.store._parquet.registered import FolderCard, read_folder, read_summary, write_folder
from core.store._parquet.roles import FolderRoles
from core.store._parquet.rows import Folder, open_folder
from core.store._parquet.scratch import Samples
from core.store._parquet.summary import QUANTILES, FolderSummary, MetricSummary, summarize
from core.store._rows import dataset_id
from core.store.cards import Condition, Sample

__all__ = ["QUANTILES", "Folder", "FolderRoles", "FolderSummary", "Folders", "MetricSummary", "head", "open_folder"]


class Folders(Part):
    """Datasets whose trials stay in their files: the database keeps where these are, and what they hold."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._samples = Samples()

    def add(self, dataset: str, folder: Folder, roles: FolderRoles, progress: Progress = silent) -> FolderSummary:
        """Keep a folder as a dataset, after reading it once from end to end; its files are never changed.

        Parameters
        ----------
        dataset : a new name, or that of a folder, whose place this one takes

        Raises
        ------
        StoreError
            If the folder has not what the roles need, a file cannot be read to its end, or the dataset holds trials.
        """
        roles.check(folder)
        summary = summarize(folder, roles, part(progress, 0.0, 0.99))
        self._connection.write(lambda c: write_folder(c, dataset.strip(), folder, roles, summary))
        return summary

    def get(self, dataset: str) -> FolderCard | None:
        """Return the folder that a dataset is; None if its trials are in the database."""
        with self._connection.reading() as cursor:
            return read_folder(cursor, dataset_id(cursor, dataset))

    def summary(self, dataset: str) -> FolderSummary:
        """Return what all rows of a folder hold, as they were counted when it was added.

        Raises
        ------
        StoreError
            If the dataset is no folder.
        """
        with self._connection.reading() as cursor:
            found = read_summary(cursor, dataset_id(cursor, dataset))
        if found is None:
            raise StoreError(f"Dataset '{dataset}' is no folder of Parquet files; its trials are in the database.")
        return found

    @contextmanager
    def trials_of(
        self, dataset: str, where: Sequence[Condition] = (), sample: Sample | None = None, *, workloads: bool = False
    ) -> Iterator[tuple[Cursor, int, tuple[str, ...]]]:
        """Give a cursor on a dataset's trials, its id there, and what to say; a folder's are drawn into memory."""
        card = self.get(dataset)
        if card is None:
            if sample is not None and sample.n:
                raise StoreError(
                    f"Dataset '{dataset}' is in the database, where all of its trials take part. "
                    "A sample is drawn of a folder only."
                )
            with self._connection.reading() as cursor:
                yield cursor, dataset_id(cursor, dataset), ()
            return
        database, told = self._samples.of(dataset, card, where, sample or Sample(), workloads=workloads)
        with database.cursor() as cursor:
            yield cursor, dataset_id(cursor, dataset), told
