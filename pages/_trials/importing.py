"""The import itself: everything is read and checked first, then stored together or not at all."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import ReadError
from core.ingest import Mapping, SourceFile, Table, find_reader, join_inputs, join_machines
from core.ingest._apply import apply
from core.progress import Progress, silent
from core.store import Receipt, Store
from core.trial import Import
from pages._trials import receipts
from pages._trials.view import show_dataset
from pages._ui import jobs
from pages._ui.database import store
from pages._ui.text import count, literal

_LARGE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True)
class Part:
    """One file of trials; `table` is None where its reader knows what the columns are."""

    file: SourceFile
    table: Table | None
    mapping: Mapping


@dataclass(frozen=True)
class Chosen:
    """What the user wants imported."""

    dataset: str
    parts: tuple[Part, ...]
    machines: SourceFile | None
    inputs: SourceFile | None

    @property
    def n_bytes(self) -> int:
        """Size of all files together."""
        return sum(len(part.file.content) for part in self.parts)


def draw_import(chosen: Chosen, on_done: Callable[[], None]) -> None:
    """Offer the import, run it at once or (large files) as a job, and leave its report for the page."""
    existing = next((c for c in store().datasets() if c.name == chosen.dataset), None)
    if existing:
        st.caption(f"Adds to dataset {literal(existing.name)}, which has {count(existing.n_trials, 'trial')}.")
    pressed = st.button("Import", key="import", type="primary", icon=":material/upload:")
    if pressed and not chosen.dataset:
        raise ReadError("The dataset needs a name. Give it one above.")
    found = _at_once(chosen, pressed) if chosen.n_bytes <= _LARGE_BYTES else _as_job(chosen, pressed)
    if found is not None:
        receipts.leave(chosen.dataset, list(zip([p.file.name for p in chosen.parts], found, strict=True)))
        on_done()
        show_dataset(chosen.dataset)


def _at_once(chosen: Chosen, pressed: bool) -> tuple[Receipt, ...] | None:
    if not pressed:
        return None
    with st.spinner("Importing …"):
        return import_all(chosen, store())


def _as_job(chosen: Chosen, pressed: bool) -> tuple[Receipt, ...] | None:
    """Return the receipts once the job has them; None before, and where it failed or was stopped."""
    key, keep = _key(chosen), store()
    if pressed:
        jobs.forget(key)
        title = f"Import into {chosen.dataset}"
        jobs.submit("import", title, lambda progress: import_all(chosen, keep, progress), key)
    job = jobs.find(key)
    if job is None or not jobs.watch(job, key="import_job"):
        return None
    found: tuple[Receipt, ...] = job.result
    jobs.forget(key)
    return found


def import_all(chosen: Chosen, keep: Store, progress: Progress = silent) -> tuple[Receipt, ...]:
    """Read every file, join the further metrics, and store all of it in one transaction.

    Raises
    ------
    RidgelineError
        If any file cannot be taken over as asked; then nothing is stored.
    """
    imports: list[Import] = []
    for i, part in enumerate(chosen.parts):
        progress(i / (len(chosen.parts) + 1), f"reading {part.file.name}")
        imports.append(_join(_import(part), chosen))
    progress(len(imports) / (len(imports) + 1), "storing")
    return tuple(keep.add_all(chosen.dataset, imports))


def _import(part: Part) -> Import:
    if part.table is None:
        return find_reader(part.file).read(part.file, part.mapping)
    return apply(part.table, part.mapping)


def _join(imported: Import, chosen: Chosen) -> Import:
    """Return the import with the metrics of the further files, which its report then names."""
    missing = _missing(chosen.parts)
    notes = []
    if chosen.machines is not None:
        imported = join_machines(imported, chosen.machines, missing=missing)
        notes.append(f"{chosen.machines.name}: joined by machine.")
    if chosen.inputs is not None:
        imported = join_inputs(imported, chosen.inputs, missing=missing)
        notes.append(f"{chosen.inputs.name}: joined by application and input.")
    return replace(imported, warnings=(*imported.warnings, *notes))


def _missing(parts: Sequence[Part]) -> str:
    return parts[0].mapping.missing


def _key(chosen: Chosen) -> str:
    sha = hashlib.sha256(repr((chosen.dataset, [p.mapping for p in chosen.parts])).encode())
    for file in (*(p.file for p in chosen.parts), chosen.machines, chosen.inputs):
        sha.update(b"\0" if file is None else hashlib.sha256(file.content).digest())
    return f"import:{sha.hexdigest()}"
