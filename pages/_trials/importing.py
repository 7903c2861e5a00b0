"""The import itself: everything is read and checked first, then stored together or not at all."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import ReadError
from core.ingest import (
    Gathered,
    Part,
    SourceFile,
    find_reader,
    gather,
    join_inputs,
    join_inputs_of,
    join_machines,
    join_machines_of,
)
from core.ingest.readers.csv import Csv
from core.progress import Progress, part, silent
from core.store import Receipt, Store
from core.trial import Import
from pages._trials import receipts
from pages._trials.view import show_dataset
from pages._ui import jobs
from pages._ui.database import store
from pages._ui.text import count, literal

_LARGE_BYTES = 2 * 1024 * 1024
_MANY_FILES = 20
_READ = 0.5
"""The part of an import that is reading."""
Stored = tuple[tuple[str, Receipt], ...]
"""The name and the receipt of each import."""


@dataclass(frozen=True)
class Chosen:
    """What the user wants imported.

    Attributes
    ----------
    tables : plain tables, whose columns the user has explained
    gathered : what came of profilers' files; None if there are none
    """

    dataset: str
    tables: tuple[Part, ...]
    gathered: Gathered | None
    machines: SourceFile | None
    inputs: SourceFile | None
    missing: str = "refuse"

    @property
    def n_bytes(self) -> int:
        """Size of all tables together, and of the trials that were read before."""
        read = sum(i.trials.values.nbytes for i in self.gathered.imports) if self.gathered else 0
        return read + sum(len(part.file.content) for part in self.tables)

    @property
    def n_files(self) -> int:
        """How many imports there will be."""
        return len(self.tables) + (len(self.gathered.imports) if self.gathered else 0)


def draw_import(chosen: Chosen, on_done: Callable[[], None]) -> None:
    """Offer the import, run it at once or (large files) as a job, and leave its report for the page."""
    existing = store().dataset(chosen.dataset)
    if existing:
        st.caption(f"Adds to dataset {literal(existing.name)}, which has {count(existing.n_trials, 'trial')}.")
    pressed = st.button("Import", key="import", type="primary", icon=":material/upload:")
    if pressed and not chosen.dataset:
        raise ReadError("The dataset needs a name. Give it one above.")
    small = chosen.n_bytes <= _LARGE_BYTES and chosen.n_files <= _MANY_FILES
    found = _at_once(chosen, pressed) if small else _as_job(chosen, pressed)
    if found is not None:
        receipts.leave(chosen.dataset, found, chosen.gathered.refused if chosen.gathered else ())
        on_done()
        show_dataset(chosen.dataset)


def _at_once(chosen: Chosen, pressed: bool) -> Stored | None:
    if not pressed:
        return None
    with st.spinner("Importing …"):
        return import_all(chosen, store())


def _as_job(chosen: Chosen, pressed: bool) -> Stored | None:
    """Return the receipts once the job has them; None before, and where it failed or was stopped."""
    key, keep = _key(chosen), store()
    if pressed:
        jobs.forget(key)
        title = f"Import into {chosen.dataset}"
        jobs.submit("import", title, lambda progress: import_all(chosen, keep, progress), key)
    job = jobs.find(key)
    if job is None or not jobs.watch(job, key="import_job"):
        return None
    found: Stored = job.result
    jobs.forget(key)
    return found


def import_all(chosen: Chosen, keep: Store, progress: Progress = silent) -> Stored:
    """Read every file, join the further metrics, and store all of it in one transaction.

    Returns
    -------
    stored : the name and the receipt of each import

    Raises
    ------
    RidgelineError
        If any file cannot be taken over as asked; then nothing is stored.
    """
    imports = list(chosen.gathered.imports) if chosen.gathered else []
    imports += gather(chosen.tables, progress=part(progress, 0.0, _READ)).imports if chosen.tables else []
    joined = [_join(imported, chosen) for imported in imports]
    progress(_READ, "storing")
    found = keep.add_all(chosen.dataset, joined, part(progress, _READ, 1.0))
    return tuple((i.source, receipt) for i, receipt in zip(imports, found, strict=True))


def _join(imported: Import, chosen: Chosen) -> Import:
    """Return the import with the metrics of the further files, which its report then names."""
    notes = []
    if chosen.machines is not None:
        reader = find_reader(chosen.machines)
        if isinstance(reader, Csv):
            imported = join_machines(imported, chosen.machines, missing=chosen.missing)
            notes.append(f"{chosen.machines.name}: joined by machine.")
        else:
            imported = join_machines_of(imported, reader.read(chosen.machines))
    if chosen.inputs is not None:
        reader = find_reader(chosen.inputs)
        if isinstance(reader, Csv):
            imported = join_inputs(imported, chosen.inputs, missing=chosen.missing)
            notes.append(f"{chosen.inputs.name}: joined by application and input.")
        else:
            imported = join_inputs_of(imported, reader.read(chosen.inputs))
    return replace(imported, warnings=(*imported.warnings, *notes))


def _key(chosen: Chosen) -> str:
    known = (
        [(i.sha256, i.trials.metrics, i.trials.machine[:1]) for i in chosen.gathered.imports] if chosen.gathered else []
    )
    sha = hashlib.sha256(repr((chosen.dataset, [p.mapping for p in chosen.tables], known)).encode())
    for file in (*(p.file for p in chosen.tables), chosen.machines, chosen.inputs):
        sha.update(b"\0" if file is None else hashlib.sha256(file.content).digest())
    return f"import:{sha.hexdigest()}"
