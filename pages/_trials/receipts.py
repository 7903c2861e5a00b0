"""The import, together or not at all, what it did, and the machines that it brought, typed once or taken over."""

import math
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

from core.errors import OptionError, ReadError
from core.frozen import Frozen
from core.ingest import Dropped, Recognition, SourceFile, with_facts
from core.progress import Progress, part, silent
from core.report.shared.naming import columns_of
from core.report.trials.metrics import machine_table, takeover
from core.report.trials.recognised import Askable, folded, folded_skips
from core.store import Store
from core.store.cards import Receipt
from core.store.inbox import Inbox
from core.trial import Kind, Metric, Skipped
from pages._trials.files import in_page_words, sha256
from pages._ui import database, jobs
from pages._ui.choices import DATASET, act
from pages._ui.database import store
from pages._ui.drawn import LONGEST, count, listed, literal, short, short_texts, table
from pages._ui.forms import open_page
from pages._ui.jobs import key_of
from pages._ui.page import guard, turn_to
from pages._ui.state import card_of

DATASET_VIEW, KEY = "Dataset", "trials_view"


def show_dataset(name: str) -> None:
    """Run the page again with this dataset in view."""
    turn_to(KEY, DATASET_VIEW, **{DATASET: name})


def draw_inbox() -> None:
    """Say what waits in the inbox and what was set aside; nothing, while it is empty."""
    inbox = Inbox(store().path)
    status = inbox.status()
    if status.n_waiting:
        st.caption(f"{count(status.n_waiting, 'file')} in the inbox, stored within seconds.")
    if not status.bad:
        return
    with st.expander(f"{count(len(status.bad), 'file')} of the inbox set aside", key="inbox_open"):
        st.caption(
            literal(f"They are in {status.folder / 'bad'}, with the reason beside each. Mend them, then try again.")
        )
        values = pd.DataFrame({"file": [name for name, _ in status.bad], "why": [why for _, why in status.bad]})
        table(values, key="inbox_bad", alt="Files of the inbox that were set aside, and why", download=False)
        if st.button("Try them again", key="inbox_retry", icon=":material/replay:"):
            inbox.retry()
            st.rerun()


_KEY = "_last_import"
_SHOWN_WARNINGS = 8
_SHOWN_FILES = 6
_LONGEST = 200
_LONGEST_REMARK = 1500


def leave(dataset: str = "", files: Sequence[tuple[str, Receipt]] = (), refused: Sequence[Skipped] = ()) -> None:
    """Remember a report (imports and receipts, files of a folder that gave nothing) for the next run of the page.

    An empty report clears the last one.
    """
    st.session_state[_KEY] = (dataset, tuple(files), tuple(refused))


def draw_last() -> None:
    """Show the report of the last import of this session until it is dismissed."""
    dataset, files, refused = st.session_state.get(_KEY, ("", (), ()))
    if not files:
        return
    with st.container(border=True):
        _headline(dataset, files)
        stored = [(name, receipt) for name, receipt in files if not receipt.already]
        if len(stored) <= _SHOWN_FILES:
            for name, receipt in stored:
                _draw_file(name, receipt)
        else:
            _draw_files(stored)
        if stored:
            known = [name for name, _ in files]
            remarks = [warning for _, receipt in files for warning in receipt.warnings]
            draw_report([s for _, r in files for s in r.skipped], remarks, "receipt", known)
        if refused:
            draw_refused(refused, "refused")
        if st.button("Dismiss this report", key="dismiss_report", type="tertiary"):
            leave()
            st.rerun()


def draw_refused(refused: Sequence[Skipped], key: str) -> None:
    """Show the files of a folder that were left out, and why."""
    with st.expander(f"{count(len(refused), 'file')} of the folder left out", key=f"{key}_open"):
        values = pd.DataFrame({"file": [s.where for s in refused], "why": [s.why for s in refused]})
        table(values, key=f"{key}_files", alt="Files of the folder that were left out, and the reasons", download=False)


def draw_report(skipped: Sequence[Skipped], warnings: Sequence[str], key: str, files: Sequence[str] = ()) -> None:
    """Show what was skipped with its reason, and what was noticed; alike of several files once.

    Parameters
    ----------
    files : that this is about, by the names that the sentences begin with
    """
    if warnings:
        texts = folded([in_page_words(text) for text in warnings], files)
        lines = [f"- {literal(short(text, _LONGEST_REMARK))}" for text in texts[:_SHOWN_WARNINGS]]
        st.markdown("\n".join(lines))
        if len(texts) > _SHOWN_WARNINGS:
            with st.expander(f"{count(len(texts) - _SHOWN_WARNINGS, 'more remark')}", key=f"{key}_remarks_open"):
                values = pd.DataFrame({"remark": texts[_SHOWN_WARNINGS:]})
                table(values, key=f"{key}_remarks", alt="Further remarks on the files")
    if skipped:
        st.markdown(f"**{count(len(skipped), 'place')} skipped**")
        values = pd.DataFrame(folded_skips(skipped, files), columns=["where", "why"])
        table(values, key=f"{key}_skipped", alt="Skipped places of the file and the reasons")


def _headline(dataset: str, files: Sequence[tuple[str, Receipt]]) -> None:
    stored = sum(receipt.n_trials for _, receipt in files)
    skipped = sum(len(receipt.skipped) for _, receipt in files)
    already = [str(receipt.already) for _, receipt in files if receipt.already]
    told = [literal(text) for text in folded(already, [name for name, _ in files])]
    if not stored and len(already) == len(files):
        st.info("Nothing new: " + "; ".join(told[:_SHOWN_FILES]) + (" and so on." if len(told) > _SHOWN_FILES else "."))
        return
    said = f"{count(stored, 'trial')} stored in dataset **{literal(dataset)}**"
    said += f", {count(skipped, 'place')} skipped" if skipped else ", nothing skipped"
    st.success(f"{said}.", icon=":material/check_circle:")
    for text in told[:_SHOWN_FILES]:
        st.markdown(f"{text}.")


def _draw_file(name: str, receipt: Receipt) -> None:
    st.markdown(
        f"**{literal(short(name, _LONGEST))}** ({literal(receipt.format)}): {count(receipt.n_trials, 'trial')}, "
        f"{count(receipt.n_metrics, 'metric')}, responses included."
    )


def _draw_files(files: Sequence[tuple[str, Receipt]]) -> None:
    with st.expander(f"From {count(len(files), 'file')}", key="receipt_files_open"):
        known = columns_of([r for _, r in files], "format | trials: n_trials | metrics with responses: n_metrics")
        skipped = [len(r.skipped) for _, r in files]
        values = pd.DataFrame({"file": [short(name, _LONGEST) for name, _ in files], **known, "skipped": skipped})
        table(values, key="receipt_files", alt="Files that were imported", download=False)


_ROUND = "_machine_values_round"


def draw_machines(dataset: str) -> None:
    """Show the machines with their metrics, and let the user add to them."""
    names = [name for name in database.labels(dataset)["machine"] if name]
    title = f"{count(len(names), 'machine')}: what is known of {'it' if len(names) == 1 else 'them'}"
    with st.expander(title if names else "No machine is named", key="machines_open"), guard():
        if not names:
            st.caption(
                "The trials do not say where they ran. Import them again under a new dataset's name and name the "
                "machine there; then its metrics can be typed here."
            )
            return
        values = machine_table(database.trials(dataset), database.metric_cards(dataset))
        table(short_texts(values), key="machines", values=values, alt="Machines and their metrics")
        if card_of(dataset).folder:
            st.caption("A folder is only read, so no machine metrics are added here: its files have to have them.")
            return
        _offer_known(dataset, names, values)
        _draw_form(dataset, names)


def _offer_known(dataset: str, names: list[str], values: pd.DataFrame) -> None:
    """Offer what other datasets know of machines about which nothing is known here."""
    for source, machines in takeover(names, values, store().machines.known(), dataset).items():
        known_there = literal(listed(map(short, machines)))
        said = f"Take over from dataset {literal(short(source))} what is known of {known_there}"
        if st.button(said, key=f"take_over_{source}_{dataset}", icon=":material/content_copy:"):
            known = store().machines.known()
            for machine in machines:
                store().machines.set(dataset, machine, known[machine][1], known[machine][2])
            st.rerun()


def _draw_form(dataset: str, names: list[str]) -> None:
    """Let the user type one metric for all machines."""
    st.markdown("**Add or change a machine metric.** It is kept with the dataset, and offered to others.")
    # The key belongs to these machines, so that a value never comes to stand beside another machine.
    key = f"machine_values_{crc32(repr((dataset, names, _round())).encode()):08x}"
    left, right = st.columns(2)
    name = left.text_input("Name", key="machine_metric", max_chars=120, placeholder="such as cores, or clock")
    unit = right.text_input("Unit", key="machine_unit", max_chars=24, placeholder="such as MHz; may stay empty")
    empty = pd.DataFrame({"machine": [short(n, LONGEST) for n in names], "value": [math.nan] * len(names)})
    look = {"value": st.column_config.NumberColumn("value", help="Empty stays as it is.")}
    typed = st.data_editor(empty, key=key, hide_index=True, disabled=["machine"], column_config=look)
    if st.button("Keep these values", key=f"keep_machine_values_{dataset}", icon=":material/save:"):
        values = dict(zip(names, typed["value"].astype(float).tolist(), strict=True))
        known = {machine: value for machine, value in values.items() if not math.isnan(value)}
        if not (name or "").strip() or not known:
            raise OptionError("A machine metric needs a name and at least one value. Fill in both.")
        metric = Metric((name or "").strip(), Kind.MACHINE, (unit or "").strip())
        for machine, value in known.items():
            store().machines.set(dataset, machine, {metric: value})
        st.session_state[_ROUND] = _round() + 1
        st.rerun()


def _round() -> int:
    """Return how often values were kept in this session; the table of values starts empty after each time."""
    return int(st.session_state.get(_ROUND, 0))


_LARGE_BYTES = 2 * 1024 * 1024
_MANY_FILES = 20
_LONGEST_OFFER = 56
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
        said, icon = literal(short(one.title, _LONGEST_OFFER)), _PAGES[one.kind][1]
        pressed |= act(said, f"ask_{one.kind}", icon, st.session_state.__setitem__, _THEN, one, **look)
    if pressed and not chosen.dataset:
        raise ReadError("The dataset needs a name. Give it one above.")
    found = _at_once(chosen, pressed) if chosen.small else _as_job(chosen, pressed)
    if found is not None:
        leave(chosen.dataset, found, chosen.dropped.refused)
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
