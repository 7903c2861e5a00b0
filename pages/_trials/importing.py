"""The import itself: everything is read and checked first, then stored together or not at all."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest import Dropped, Recognition, SourceFile, with_facts
from core.progress import Progress, part, silent
from core.report.trials.recognised import Askable
from core.store import Store
from core.store.cards import Receipt
from pages._trials import receipts
from pages._trials.files import sha256
from pages._trials.view import show_dataset
from pages._ui import jobs
from pages._ui.choices import act
from pages._ui.database import store
from pages._ui.drawn import count, literal, short
from pages._ui.forms import open_page
from pages._ui.work import key_of

_LARGE_BYTES = 2 * 1024 * 1024
_MANY_FILES = 20
_LONGEST = 56
_READ = 0.5
"""The part of an import that is reading."""
_THEN = "_after_import"
_PAGES = {
    "counters": ("pages/model.py", "show_chart"),
    "design_space": ("pages/design_space.py", "tune"),
    "scaling": ("pages/scaling.py", "stacked_line_chart"),
    "host_target": ("pages/compare.py", "swap_horiz"),
}
Stored = tuple[tuple[str, Receipt], ...]
"""The name and the receipt of each import."""


class Chosen(Frozen):
    """What the user wants imported, and what is known of the files by their `key`."""

    key: str
    dataset: str
    dropped: Dropped
    found: Recognition
    machine_name: str = ""
    missing: str = "refuse"
    machines: SourceFile | None = None
    inputs: SourceFile | None = None

    @property
    def small(self) -> bool:
        """Whether it can be stored while the page waits."""
        cells = sum(len(t.columns) * t.rows for t in self.found.tables)
        return 8 * cells <= _LARGE_BYTES and sum(len(t.files) for t in self.found.tables) <= _MANY_FILES


def draw_import(chosen: Chosen, offered: tuple[Askable, ...], on_done: Callable[[], None]) -> None:
    """Offer the import and what can be asked afterwards; run it at once or (large files) as a job."""
    existing = store().datasets.get(chosen.dataset)
    if existing:
        st.caption(f"Adds to dataset {literal(existing.name)}, which has {count(existing.n_trials, 'trial')}.")
    look: Any = {"width": "stretch", "type": "primary" if not offered else "secondary"}
    pressed = act("Import", "import", "upload", st.session_state.pop, _THEN, None, **look)
    for i, one in enumerate(offered):
        look["type"] = "primary" if i == 0 else "secondary"
        said, icon = literal(short(one.title, _LONGEST)), _PAGES[one.kind][1]
        pressed |= act(said, f"ask_{one.kind}", icon, st.session_state.__setitem__, _THEN, one, **look)
    if pressed and not chosen.dataset:
        raise ReadError("The dataset needs a name. Give it one above.")
    found = _at_once(chosen, pressed) if chosen.small else _as_job(chosen, pressed)
    if found is not None:
        receipts.leave(chosen.dataset, found, chosen.dropped.refused)
        on_done()
        _go_on(chosen.dataset)


def _go_on(dataset: str) -> None:
    """Show the dataset, or the page that answers what was asked."""
    then: Askable | None = st.session_state.pop(_THEN, None)
    if then is None:
        show_dataset(dataset)
    else:
        open_page(_PAGES[then.kind][0], {}, {"dataset": dataset, "metrics": [], "where": [], **then.choices})


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
    """Make trials of every file, join the further metrics, and store all of it in one transaction.

    Returns
    -------
    stored : the name and the receipt of each import

    Raises
    ------
    RidgelineError
        If any file cannot be taken over as asked; then nothing is stored.
    """
    gathered = chosen.dropped.gathered(chosen.found, missing=chosen.missing, machine_name=chosen.machine_name)
    facts = (chosen.machines, chosen.inputs, chosen.missing)
    joined = [with_facts(imported, *facts) for imported in gathered.imports]
    progress(_READ, "storing")
    found = keep.add_all(chosen.dataset, joined, part(progress, _READ, 1.0))
    return tuple((i.source, receipt) for i, receipt in zip(gathered.imports, found, strict=True))


def _key(chosen: Chosen) -> str:
    said = (chosen.key, chosen.dataset, chosen.found, chosen.missing, chosen.machine_name)
    return f"import-{key_of(*said, *(file and sha256(file) for file in (chosen.machines, chosen.inputs)))}"
