"""Store imports, tables too large for memory and folders, or hand imports to the inbox of who owns the database."""

import io
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from core.cli.base import Arguments, Report, open_store
from core.codec import Frozen, fields_of
from core.errors import OptionError, ReadError, StoreError, count
from core.ingest import Mapping, Part, SourceFile, apply, find_reader, read_table
from core.ingest.opening import GZIP, unpacked
from core.ingest.readers.csv import Csv
from core.ingest.recognition.roles import guess
from core.progress import Progress, in_turn, part, silent
from core.store import OwnedError
from core.store.cards import Fate, Receipt
from core.store.folders import Folder, FolderRoles, FolderSummary, head, open_folder
from core.store.inbox import Inbox
from core.trial import Import
from core.workspace import database_path

_WAIT_S, _LOOK_EVERY_S = 10.0, 0.1
_SENT = "delivered to the inbox of the running dashboard; it stores them within seconds"


class Stored(Frozen):
    """What became of imports.

    Attributes
    ----------
    state : "" if they were stored directly; "stored" or "waiting" if they went through the inbox
    lines : what to tell about the delivery
    """

    receipts: tuple[Receipt, ...]
    state: str = ""
    lines: tuple[str, ...] = ()


def store_or_deliver(a: Arguments, imports: Sequence[Import], memory: str = "", progress: Progress = silent) -> Stored:
    """Store imports, or deliver them to the process that owns the database and wait for it a while.

    Parameters
    ----------
    memory : what the database may take where they are stored directly

    Raises
    ------
    StoreError
        If they cannot be stored, or the owner refused them.
    """
    try:
        with open_store(a, memory) as store:
            return Stored(store.add_all(a.dataset, imports, progress))
    except OwnedError:
        inbox = Inbox(database_path(a.db))
        name = inbox.send(a.dataset, imports)
    if sys.stderr.isatty():
        print(_SENT, file=sys.stderr)
    fate = _wait(a, inbox, name)
    if fate.state == "waiting":
        waits = f"they still wait there after {_WAIT_S:.0f} s: ridgeline inbox says what became of them"
        return Stored(_expected(a.dataset, imports), "waiting", (_SENT, waits))
    inbox.forget(name)
    if fate.state == "refused":
        raise StoreError(fate.why)
    return Stored(fate.receipts or _expected(a.dataset, imports), "stored", (_SENT, "it has stored them"))


def _wait(a: Arguments, inbox: Inbox, name: str) -> Fate:
    """Wait for the owner; if it ends before it has taken the delivery, take it ourselves."""
    end = time.monotonic() + _WAIT_S
    while (fate := inbox.fate(name)).state == "waiting" and time.monotonic() < end:
        try:
            with open_store(a) as store:
                inbox.drain(store, only=name)
        except OwnedError:
            time.sleep(_LOOK_EVERY_S)
    return fate


def _expected(dataset: str, imports: Sequence[Import]) -> tuple[Receipt, ...]:
    """Return what is on its way, where the owner's own receipt is not to be had."""
    return tuple(
        Receipt(dataset, i.format, len(i.trials), len({m.name for m in i.metrics}), i.skipped, i.warnings)
        for i in imports
    )


LARGE_MEMORY = "512MB"
"""What the database may take while a large table is stored, so that the process stays under 2 GB."""

LARGE = 32 * 1024 * 1024
"""Bytes, unpacked, from which on a table is read by its path."""
_HEAD = 4 * 1024 * 1024


def split_large(paths: Sequence[str], format: str | None) -> tuple[list[Path], list[str]]:
    """Return the tables that are too large to be held in memory, and the other files.

    Raises
    ------
    ReadError
        If a file cannot be read.
    """
    large = [path for path in paths if _is_large_table(Path(path), format)]
    return [Path(path) for path in large], [path for path in paths if path not in large]


def read_tables(a: Arguments, paths: Sequence[Path], mapping: Mapping, progress: Progress) -> list[Part]:
    """Read large tables into temporary files beside the database.

    Raises
    ------
    OptionError, ReadError
        As any table.
    StoreError
        If another process owns the database; that is said before hours of reading.
    """
    if not paths:
        return []
    try:
        with open_store(a):
            pass
    except OwnedError as error:
        raise StoreError(f"{error} A table of this size cannot go through its inbox.") from None
    folder = database_path(a.db).resolve().parent
    tables = [read_table(p, mapping.form, folder=folder, progress=told) for told, p in in_turn(progress, paths)]
    return [Part(SourceFile(table.source, b""), Csv(), mapping, table) for table in tables]


def is_large(path: Path) -> bool:
    """Whether a file has more than `LARGE` bytes, unpacked if it is a gzip file; damaged ones count as they are.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file, suppress(ReadError):
            if size > LARGE or file.read(len(GZIP)) != GZIP:
                return size > LARGE
            file.seek(0)
            pieces = unpacked(path.name, (file.read(),))
            return any(so_far > LARGE for so_far in accumulate(map(len, pieces)))
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None
    return False


def _is_large_table(path: Path, format: str | None) -> bool:
    if not path.is_file() or not is_large(path):
        return False
    with path.open("rb") as file:
        head = SourceFile(path.name, file.read(_HEAD))
    return isinstance(find_reader(head, format), Csv)


def add_parquet(a: Arguments, mapping: Mapping, progress: Progress) -> Report:
    """Keep a folder as a dataset that is only read.

    Raises
    ------
    OptionError, StoreError
        If there is not one folder, it cannot be read, or its columns are not what the flags say.
    """
    if len(a.files) != 1 or a.machines or a.inputs or a.format:
        raise OptionError("--parquet takes one folder, and no --machines, --inputs or --format.")
    folder = open_folder(a.files[0])
    roles, warnings = roles_of(folder, mapping, part(progress, 0.0, 0.3))
    try:
        with open_store(a) as store:
            summary = store.folders.add(a.dataset, folder, roles, part(progress, 0.3, 1.0))
    except OwnedError as error:
        raise StoreError(f"{error} A folder cannot go through its inbox.") from None
    return _report(a.dataset, folder, roles, summary, warnings)


def roles_of(folder: Folder, mapping: Mapping, progress: Progress) -> tuple[FolderRoles, tuple[str, ...]]:
    """Return what the columns of a folder are, and what was noticed.

    What flags leave open is guessed from some thousand rows as from a table of text, so that a
    folder and the same rows in a file become the same trials.
    """
    rows = head(folder, progress=progress)
    table = read_table(SourceFile(folder.place.shown, _as_text(rows)))
    _refuse_texts(folder, mapping)
    whole = guess(table, replace(mapping, missing="keep"))
    found = apply(table, whole)
    columns = list(zip(rows.column_names, table.names, strict=True))
    kinds = {m.name: m for m in found.metrics}
    labels = {name for part in found.parts for name in part.labels}
    metrics = [(c, kinds[name]) for c, name in columns if name in kinds and folder.is_number(c)]
    texts = [(c, name) for c, name in columns if name in labels or (name in kinds and not folder.is_number(c))]
    roles = FolderRoles(
        application=_with_role(columns, whole.application),
        input=_with_role(columns, whole.input),
        machine=next(iter(_with_role(columns, (whole.machine,) if whole.machine else ())), ""),
        machine_name=whole.machine_name,
        metrics=tuple(metrics),
        labels=tuple(texts),
        settings=tuple(name for _, name in texts if name in found.trials.parameters),
    )
    left_out = [f"column '{name}' holds {what}: left out" for name, what in folder.left_out]
    return roles, (*left_out, *found.warnings)


def _with_role(columns: Sequence[tuple[str, str]], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns behind names, in the order of the names."""
    by_name = {own: column for column, own in columns}
    return tuple(by_name[name] for name in names)


def _refuse_texts(folder: Folder, mapping: Mapping) -> None:
    for name, _ in mapping.responses:
        if name in folder.columns and not folder.is_number(name):
            raise StoreError(
                f"Response '{name}' of {folder.place.shown} holds texts, expected numbers. Choose another response."
            )


def _as_text(rows: Any) -> bytes:
    from pyarrow import csv

    found = io.BytesIO()
    csv.write_csv(rows, found)
    return found.getvalue()


def _report(
    dataset: str, folder: Folder, roles: FolderRoles, summary: FolderSummary, warnings: Sequence[str]
) -> Report:
    files = folder.place.files
    n_bytes = sum(file.size for file in files)
    named = {
        "application": " / ".join(roles.application),
        "input": " / ".join(roles.input),
        "machine": roles.machine or roles.machine_name,
    }
    plain = {
        "dataset": dataset,
        "format": "parquet folder",
        **fields_of(folder, "folder=place.shown fingerprint"),
        "n_files": len(files),
        "n_bytes": n_bytes,
        "n_trials": summary.n_trials,
        "n_metrics": len(summary.metrics),
        "roles": named | {"labels": [name for _, name in roles.labels]},
        "metrics": {m.name: str(m.kind) for _, m in roles.metrics},
        "warnings": list(warnings),
    }
    lines = [
        f"{dataset}: {count(summary.n_trials, 'trial')}, {count(len(summary.metrics), 'metric')}, read in place from "
        f"{folder.place.shown} ({count(len(files), 'file')}, {n_bytes / 1e9:,.3g} GB)",
        "  " + ", ".join(f"{role}: {text or 'not named'}" for role, text in named.items()),
        f"  responses: {', '.join(map(str, roles.responses)) or 'none named; --response names one'}",
        *(f"note: {w}" for w in warnings),
    ]
    return Report(lines, plain)
