"""A recognition as lines for people: a line per role, then questions, problems and what can be asked."""

from collections.abc import Sequence

from core.errors import count, first_few
from core.ingest import RecognisedTable, Recognition, asked_together, metric_groups
from core.ingest.recognition.recognition import COLUMN_IS, below
from core.report.trials.recognised import folded_skips
from core.trial import Metric, Skipped

_MOST = 8
_ANSWERS = {
    "counters": "a model of the response from what was set, counted or known",
    "design_space": "a model of the response over a design space",
    "scaling": "scaling curves over configurations",
    "host_target": "from one machine to another",
}
_ROLES = {"machine_metric": "of the machine", "deterministic": "of the input", "counter": "counters"}


def recognised_lines(found: Recognition) -> list[str]:
    """Return what `inspect` and `import` print of a recognition."""
    lines = [line for table in found.tables for line in _table(table)]
    by_key = (j for j in found.joins if j.by)
    joins = [
        f"joined: {j.files[1]} to {j.files[0]} by {', '.join(j.by)} ({j.n_joined} joined, "
        f"{j.n_missing} without a row, {j.n_extra} left over)"
        for j in by_key
    ]
    joins += [f"one form with {first}: {what} ({count(n, 'row')})" for first, what, n in below(found.joins)]
    questions = [f"question: {asks} ({', '.join(of[0].choices)})" for asks, of in asked_together(found.questions)]
    asked = [f"can be asked: {', '.join(_ANSWERS[name] for name in found.answers)}"] if found.answers else []
    return [*lines, *joins, *questions, *problem_lines(found), *asked]


def problem_lines(found: Recognition) -> list[str]:
    """Return what is to be known of a recognition before it is relied on."""
    return [f"note: {p.says} {p.remedy}".rstrip() for p in found.problems]


def skipped_lines(skipped: Sequence[Skipped], files: Sequence[str]) -> list[str]:
    """Return what was left out of files and why, once for all places that differ only in the file."""
    return [f"skipped {where}: {why}" for where, why in folded_skips(skipped, files)]


def _table(table: RecognisedTable) -> list[str]:
    files, holds = (
        first_few(table.files, _MOST),
        f"{count(table.rows, 'row')} ({table.holds}), {count(len(table.columns), 'column')}",
    )
    out = [c.name for c in table.columns if c.name in table.said.ignore]
    ignored = [f"  ignored: {first_few(out, _MOST)}"] if out else []
    roles = [line for role in COLUMN_IS if (line := _role(table, role))]
    return [f"{files}: {holds}, {table.format}", *roles, *ignored]


def _role(table: RecognisedTable, role: str) -> str:
    columns = [c for c in table.columns if c.role == role and c.name not in table.said.ignore]
    if not columns:
        return ""
    groups = metric_groups(Metric(c.name) for c in columns) if role == "counter" else ()
    if len(groups) > 1:
        named = [f"{group.name} {len(group.metrics)}" for group in groups]
        return f"  counters: {len(columns)} in {count(len(groups), 'group')}: {first_few(named, _MOST)}"
    units = {c.name: f" ({c.unit})" for c in columns if c.unit and c.unit != c.name}
    named = [f"{c.name}{units.get(c.name, '')}{f' = {c.formula}' if c.formula else ''}" for c in columns]
    why = f" – {columns[0].why}" if len(columns) == 1 or len({c.why for c in columns}) == 1 else ""
    return f"  {_ROLES.get(role, role)}: {first_few(named, _MOST)}{why}"
