"""What the database keeps of a folder: where it is, what its columns are, which files it had, what they held."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.errors import StoreError
from core.frozen import Frozen
from core.store._connection import Cursor, one
from core.store._parquet.place import changes, find_place, without_secrets
from core.store._parquet.roles import FolderRoles
from core.store._parquet.rows import Folder
from core.store._parquet.summary import FolderSummary
from core.store._rows import dataset_id, touch

_COLUMNS = "url, added, fingerprint, n_trials, n_applications, n_inputs, n_machines, roles, files"


class FolderCard(Frozen):
    """A dataset that is a folder, at a glance.

    Attributes
    ----------
    fingerprint : SHA-256 of its files' names, sizes, times of change and own statistics
    columns : by name, whether it holds numbers or texts
    files : by name, (size in bytes, what changes with the file, rows)
    """

    url: str
    added: datetime
    fingerprint: str
    n_trials: int
    n_applications: int
    n_inputs: int
    n_machines: int
    roles: FolderRoles
    columns: Mapping[str, str]
    files: Mapping[str, tuple[int, str, int]]

    @property
    def shown(self) -> str:
        """The folder's address without what signs one in."""
        return without_secrets(self.url)

    def open(self) -> Folder:
        """Return the folder as it was when it was added.

        Raises
        ------
        StoreError
            If it is not there any more, or other than it was.
        """
        place = find_place(self.url)
        said = changes(place, {name: (size, stamp) for name, (size, stamp, _) in self.files.items()})
        if said:
            raise StoreError(
                f"The folder {place.shown} is not what it was on {self.added:%Y-%m-%d %H:%M}: {said}. "
                "Add it again under the same name: ridgeline import with --parquet."
            )
        return Folder(place, self.columns, tuple(self.files[f.name][2] for f in place.files), (), "")


def write_folder(cursor: Cursor, dataset: str, folder: Folder, roles: FolderRoles, summary: FolderSummary) -> None:
    """Keep a folder as a dataset, in place of what that name's folder was before.

    Raises
    ------
    StoreError
        If the dataset holds trials of its own.
    """
    home = dataset_id(cursor, dataset, create=True)
    if one(cursor, "SELECT 1 FROM source WHERE dataset = ? LIMIT 1", [home]):
        raise StoreError(f"Dataset '{dataset}' holds imported trials. Add the folder under another dataset's name.")
    listing = folder.place.listing()
    files = {f.name: (*listing[f.name], n) for f, n in zip(folder.place.files, folder.n_rows, strict=True)}
    listed = json.dumps({"columns": dict(folder.columns), "files": files}, ensure_ascii=False)
    there = [home, folder.place.url, datetime.now(), folder.fingerprint, summary.n_trials]
    counts = [summary.n_different["application"], summary.n_inputs, summary.n_different["machine"]]
    cursor.execute(
        f"INSERT OR REPLACE INTO folder (dataset, {_COLUMNS}, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [*there, *counts, roles.dump(), listed, summary.dump()],
    )
    touch(cursor, home)


def read_folder(cursor: Cursor, home: int) -> FolderCard | None:
    """Return the folder that a dataset is, or None."""
    row = one(cursor, f"SELECT {_COLUMNS} FROM folder WHERE dataset = ?", [home])
    if row is None:
        return None
    listed = json.loads(row[8])
    files = {name: (int(size), str(stamp), int(n)) for name, (size, stamp, n) in listed["files"].items()}
    counted: dict[str, Any] = dict(zip(_COLUMNS.split(", ")[:7], row, strict=False))
    return FolderCard(**counted, roles=FolderRoles.load(row[7]), columns=listed["columns"], files=files)


def read_summary(cursor: Cursor, home: int) -> FolderSummary | None:
    """Return what the rows of a folder hold, or None if the dataset is no folder."""
    row = one(cursor, "SELECT summary FROM folder WHERE dataset = ?", [home])
    return FolderSummary.load(row[0]) if row else None


def refuse_folder(cursor: Cursor, home: int, what: str) -> None:
    """Raise StoreError if a dataset is a folder, which is only read."""
    row = one(cursor, "SELECT d.name FROM folder f JOIN dataset d ON d.id = f.dataset WHERE f.dataset = ?", [home])
    if row:
        raise StoreError(
            f"Dataset '{row[0]}' is a folder of Parquet files that is only read, so {what}. "
            "Filter its trials instead, or import a part of them as a dataset of its own."
        )
