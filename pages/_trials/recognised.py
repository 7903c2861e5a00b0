"""Profilers' own files: what they turned out to be, what they hold, and what is still to be said of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.ingest import READERS, Gathered, Mapping, Part, adjust, gather
from core.progress import Progress
from core.report.folding import folded
from core.trial import Import, Kind
from pages._trials.receipts import draw_refused, draw_report
from pages._ui import jobs
from pages._ui.charts import table
from pages._ui.columns import short_numbers
from pages._ui.text import count, listed, literal, short

_LARGE_BYTES = 8 * 1024 * 1024
_MANY_FILES = 100
_PREVIEW_ROWS = 8
_PREVIEW_METRICS = 12


def read_recognised(parts: Sequence[Part], *, folder: bool) -> Gathered | None:
    """Return what profilers' files hold; None while they are being read."""
    key = _key(parts, folder=folder)
    if len(parts) <= _MANY_FILES and sum(len(part.file.content) for part in parts) <= _LARGE_BYTES:
        return _gathered(key, list(parts), folder)
    job = jobs.submit("read", f"Reading {count(len(parts), 'file')}", partial(_work, parts, folder), key)
    if not jobs.watch(job, key=f"watch_{key[-12:]}"):
        return None
    found: Gathered = job.result
    return found


def forget_recognised(parts: Sequence[Part], *, folder: bool) -> None:
    """Let go of what was read."""
    jobs.forget(_key(parts, folder=folder))


def draw_recognised(gathered: Gathered, key: str) -> Gathered:
    """Show what the files hold, ask for what they do not say, and return it as the user wants it."""
    imports = gathered.imports
    trials = sum(len(i.trials) for i in imports)
    formats = listed(dict.fromkeys(_label(i.format) for i in imports))
    sources = [i.source for i in imports]
    files = sum(len(source.split(" + ")) for source in sources)
    st.markdown(f"**Recognised:** {literal(formats)}. {count(trials, 'trial')} in {count(files, 'file')}.")
    table(_overview(imports), key=f"{key}_overview", alt="What the files hold", download=False, height=_height(imports))
    _preview(imports[0], key)
    n_skipped = sum(len(i.skipped) for i in imports)
    warnings = folded([w for i in imports for w in i.warnings], sources)
    if n_skipped or warnings:
        said = ", ".join([*([count(len(warnings), "remark")] if warnings else []),
                          *([f"{count(n_skipped, 'place')} skipped"] if n_skipped else [])])  # fmt: skip
        with st.expander(said, key=f"{key}_report", expanded=not n_skipped and len(warnings) < 4):
            draw_report([s for i in imports for s in i.skipped], warnings, key, sources)
    if gathered.refused:
        draw_refused(gathered.refused, key)
    return replace(gathered, imports=tuple(_with_responses(imports, key)))


def unnamed_machine(gathered: Gathered) -> bool:
    """Whether some trials do not say where they ran."""
    return any(not machine for i in gathered.imports for machine in set(i.trials.machine))


def on_machine(gathered: Gathered, name: str) -> Gathered:
    """Return the imports with a machine's name where they have none."""
    wish = Mapping(machine_name=name)
    return replace(gathered, imports=tuple(adjust(i, wish) for i in gathered.imports)) if name else gathered


def _overview(imports: Sequence[Import]) -> pd.DataFrame:
    return pd.DataFrame({
        "file": [short(i.source, 80) for i in imports],
        "format": [_label(i.format) for i in imports],
        "trials": [len(i.trials) for i in imports],
        "applications": [len(set(i.trials.application)) for i in imports],
        "machine": [listed(sorted(set(i.trials.machine) - {""}), 3) or "not said" for i in imports],
        "metrics": [_n_metrics(i) for i in imports],
        "responses": [listed([str(m) for m in _responses(i)]) or "none" for i in imports],
        "skipped": [len(i.skipped) for i in imports],
    })  # fmt: skip


def _height(imports: Sequence[Import]) -> int | str:
    return 280 if len(imports) > _PREVIEW_ROWS else "auto"


def _preview(imported: Import, key: str) -> None:
    """Show the first trials with their first metrics, responses before others."""
    trials = imported.trials
    order = sorted(range(len(trials.metrics)), key=lambda i: trials.metrics[i].kind is not Kind.RESPONSE)
    rows = min(len(trials), _PREVIEW_ROWS)
    heads = {
        "application": [short(name, 60) for name in trials.application[:rows]],
        "input": [short(name, 60) for name in trials.input[:rows]],
        "machine": [short(name, 60) for name in trials.machine[:rows]],
    }
    shown = {name: texts for name, texts in heads.items() if any(texts)}
    values = {str(trials.metrics[i]): trials.values[:rows, i] for i in order[:_PREVIEW_METRICS]}
    more = len(order) - _PREVIEW_METRICS
    preview = pd.DataFrame({**shown, **values})
    table(
        preview, key=f"{key}_preview", download=False, column_config=short_numbers(preview),
        alt=f"The first trials of {short(imported.source, 80)}",
    )  # fmt: skip
    if more > 0:
        first = f"The first {rows} trials" if rows > 1 else "The first trial"
        st.caption(f"{first}; {count(more, 'more metric')} not shown.")


def _with_responses(imports: Sequence[Import], key: str) -> list[Import]:
    """Let the user choose what to predict where no file has a time."""
    if any(_responses(i) for i in imports):
        return list(imports)
    names = list(dict.fromkeys(m.name for i in imports for m in i.trials.metrics))
    chosen = st.multiselect(
        "Responses: what to predict", names, key=f"{key}_responses", placeholder="none yet", select_all=False,
        help="These files hold no time. Choose a metric that is an outcome, such as cycles, or add the file "
        "that has the times (a trace, a summary) to this upload.",
    )  # fmt: skip
    if not chosen:
        st.info(
            "These files hold no time: choose a response, or upload the trace or summary that has the times with them."
        )
    return [_as_responses(i, chosen) for i in imports]


def _as_responses(imported: Import, names: Sequence[str]) -> Import:
    own = {m.name for m in imported.trials.metrics}
    return adjust(imported, Mapping(responses=tuple((name, None) for name in names if name in own)))


def _responses(imported: Import) -> list[str]:
    return [str(m) for m in imported.trials.metrics if m.kind is Kind.RESPONSE]


def _n_metrics(imported: Import) -> int:
    parts = (imported.trials, imported.machines, imported.inputs)
    return len({m.name for part in parts if part for m in part.metrics})


def _label(format: str) -> str:
    return " + ".join(READERS[name].label if name in READERS else name for name in format.split(" + "))


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Reading …")
def _gathered(key: str, _parts: list[Part], _folder: bool) -> Gathered:
    return gather(_parts, folder=_folder)


def _work(parts: Sequence[Part], folder: bool, progress: Progress) -> Gathered:
    return gather(parts, folder=folder, progress=progress)


def _key(parts: Sequence[Part], *, folder: bool) -> str:
    sha = hashlib.sha256(repr((folder, [part.file.name for part in parts])).encode())
    for part in parts:
        sha.update(hashlib.sha256(part.file.content).digest())
    return f"recognised:{sha.hexdigest()}"
