"""What files were taken for, as people look at it, a row per column; and what can be asked of what was read."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import RidgelineError
from core.ingest import Dropped, Question, RecognisedColumn, RecognisedTable, Recognition, asked_together, metric_groups
from core.ingest.table.columns import study
from core.report.shared.naming import predictors, short_number
from core.report.trials.metrics import distribution
from core.space.trial_space import trial_holes
from core.trial import Frame, Import, Kind, Metric, Skipped, make_frame

if TYPE_CHECKING:
    import pandas as pd

_MINUTE = re.compile(r"(?<=\d{4}-\d{2}-\d{2}) \d{2}:\d{2}")
_END = re.compile(r"(?=:|\s|$)")


def folded(sentences: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return each sentence once, those of several files as "a.csv and 499 more: events took turns".

    Parameters
    ----------
    files : names of files, as sentences may begin with; several of one import are joined by " + "
    """
    known = {part for name in files for part in name.split(" + ")}
    groups: dict[str, dict[str, str]] = {}
    for sentence in dict.fromkeys(sentences):
        file = _file(sentence, known)
        rest = sentence[len(file) :]
        groups.setdefault(_MINUTE.sub("", rest), {})[file] = rest
    return [_told(tuple(own), _common(day, own.values())) for day, own in groups.items()]


def folded_skips(skipped: Sequence[Skipped], files: Iterable[str]) -> list[tuple[str, str]]:
    """Return (where, why), one for all places that differ only in the file; other lines stay a row each."""
    known = {part for name in files for part in name.split(" + ")}
    groups: dict[tuple[str, str], list[str]] = {}
    for skip in skipped:
        file = _file(skip.where, known)
        groups.setdefault((skip.where[len(file) :], skip.why), []).append(file)
    found = [(_told(names, rest), why) for (rest, why), names in groups.items()]
    return [(where.strip(), why) for where, why in found]


def _common(day: str, rests: Iterable[str]) -> str:
    """Return what is said of several files: to the minute where it is the same minute, else of that day."""
    different = set(rests)
    return different.pop() if len(different) == 1 else day


def _file(sentence: str, known: set[str]) -> str:
    """Return the known file that a sentence begins with, the longest one, or ""."""
    for end in reversed([found.start() for found in _END.finditer(sentence)]):
        if sentence[:end] in known:
            return sentence[:end]
    return ""


def _told(names: Sequence[str], rest: str) -> str:
    if len(names) == 1:
        return names[0] + rest
    more = f"{len(names) - 1:,} more"
    return f"{names[0]} and {more}{rest}" if rest.startswith(":") or not rest else f"{names[0]} (and {more}){rest}"


IGNORE = "ignore"
_FIRST, _LAST = "response application input machine parameter", "machine_metric counter derived label identifier"
ROLE_NAMES = {
    **{role: role.capitalize() for role in _FIRST.split()},
    "deterministic": "Input metric",
    **{role: role.replace("_", " ").capitalize() for role in _LAST.split()},
    IGNORE: "Left out",
}
"""What roles are called, in the order in which columns are shown."""
NAME, ROLE, UNIT, SHAPE, RANGE, WHY = SHOWN = ("column", "taken for", "unit", "shape", "range", "why")
EVERYTHING, REST = "All columns", "All but counters"


class Corrections(Frozen):
    """What a user said, by column: roles, units, and answers to the questions about it."""

    roles: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    def with_answer(self, columns: Sequence[str], choice: str) -> "Corrections":
        """Return the corrections with the questions about columns answered alike."""
        return replace(self, answers={**self.answers, **dict.fromkeys(columns, choice)})


def corrected(found: Recognition, said: Corrections) -> Recognition:
    """Return the recognition as the user wants it; what was said of columns that are not there does not count."""
    asked = {q.column for q in found.questions}
    for column, choice in said.answers.items():
        question = next((q for q in found.questions if q.column == column), None)
        if question is not None and (question.about == "unit" or choice in question.choices):
            found = found.answered({column: choice})
    settled = {*said.roles, *said.units} & asked
    tables = tuple(_with(table, said) for table in found.tables)
    return replace(found, tables=tables, questions=tuple(q for q in found.questions if q.column not in settled))


def _with(table: RecognisedTable, said: Corrections) -> RecognisedTable:
    columns = tuple(_changed(c, said) for c in table.columns)
    ignored = tuple(c.name for c in columns if c.role == IGNORE)
    kept = tuple(name for name in table.given.ignore if name not in said.roles)
    return replace(table, columns=columns, given=replace(table.given, ignore=(*kept, *ignored)))


def _changed(column: RecognisedColumn, said: Corrections) -> RecognisedColumn:
    role, unit = said.roles.get(column.name, column.role), said.units.get(column.name, column.unit)
    changed = (role, unit or None) != (column.role, column.unit)
    return replace(column, role=role, unit=unit or None, why="chosen", sure=1.0) if changed else column


def columns_table(columns: Sequence[RecognisedColumn], values: Mapping[str, FloatArray]) -> "pd.DataFrame":
    """Return the editable table of columns, those that matter most first.

    Parameters
    ----------
    values : numbers by column
    """
    import pandas as pd

    order = list(ROLE_NAMES)
    rows = sorted(columns, key=lambda c: order.index(c.role))
    found = [distribution(values[c.name], Metric(c.name)) if c.name in values else None for c in rows]
    shapes = [[] if d is None else d.counts.tolist() for d in found]
    texts = [", ".join(text[:24] for text in c.examples) for c in rows]
    ranges = [_span(d.low, d.high) if d is not None and d.n else t for d, t in zip(found, texts, strict=True)]
    whys = [f"= {c.formula}: {c.why}" if c.formula else c.why for c in rows]
    units, roles = [c.unit or "" for c in rows], [ROLE_NAMES[c.role] for c in rows]
    cells = ([c.name for c in rows], roles, units, shapes, ranges, whys)
    return pd.DataFrame(dict(zip(SHOWN, cells, strict=True)))


def edits(before: "pd.DataFrame", after: "pd.DataFrame") -> Corrections:
    """Return what an edited table of columns says otherwise."""
    tokens = {name: role for role, name in ROLE_NAMES.items()}
    rows = list(zip(before[NAME], before[ROLE], before[UNIT], after[ROLE], after[UNIT], strict=True))
    roles = {name: tokens[new] for name, old, _, new, _ in rows if new in tokens and new != old}
    units = {name: (new or "").strip() for name, _, old, _, new in rows if (new or "") != old}
    return Corrections(roles, units)


def merged(first: Corrections, then: Corrections) -> Corrections:
    """Return both, the later one's word before the former's."""
    return Corrections({**first.roles, **then.roles}, {**first.units, **then.units}, {**first.answers, **then.answers})


def groups_of(columns: Sequence[RecognisedColumn]) -> dict[str, tuple[RecognisedColumn, ...]]:
    """Return the columns in groups: what is no counter, then counters by their tool's sections, the most first."""
    counters = {c.name: c for c in columns if c.role == "counter"}
    sections = metric_groups(Metric(name) for name in counters)
    named = {group.name: tuple(counters[m.name] for m in group.metrics) for group in sections}
    rest = tuple(c for c in columns if c.name not in counters)
    return {REST: rest, **named, EVERYTHING: tuple(columns)}


def values_of(dropped: Dropped, i: int) -> dict[str, FloatArray]:
    """Return the numbers of the i-th table by column."""
    if i < len(dropped.joined):
        own = dropped.joined[i]
        decimal = own.mapping.decimal if own.mapping else ""
        return {c.name: c.numbers.values for c in study(own.table, decimal).columns if c.numeric}
    alike = [_imported_values(imported) for imported in dropped.imports[i - len(dropped.joined)]]
    return {name: np.concatenate([own[name] for own in alike]) for name in alike[0]}


def _imported_values(imported: Import) -> dict[str, FloatArray]:
    return {m.name: part.values[:, j] for part in reversed(imported.parts) for j, m in enumerate(part.metrics)}


def open_questions(found: Recognition) -> tuple[tuple[str, tuple[Question, ...]], ...]:
    """Return what is asked, and the questions that one answer settles, those about responses first.

    Which column is a response has a choice of its own on the page.
    """
    asked = [q for q in found.questions if q.about != "outcome"]
    responses = {c.name for table in found.tables for c in table.columns if c.role == "response"}
    return asked_together(sorted(asked, key=lambda q: q.column not in responses))


def _span(low: float, high: float) -> str:
    return short_number(low, 3) if low == high else f"{short_number(low, 3)} … {short_number(high, 3)}"


_MOST_SPACE_CELLS = 2_000_000


class Askable(Frozen):
    """A question that trials can answer.

    Attributes
    ----------
    kind : "counters", "design_space", "scaling" or "host_target"
    title : such as "Design space of 7 parameters (11,130 of 22,272 allowed)"
    choices : what the page that answers it needs to be told, by the name of the choice
    """

    kind: str
    title: str
    choices: dict[str, str] = field(default_factory=dict)


def askable(found: Recognition, imports: Sequence[Import]) -> tuple[Askable, ...]:
    """Return what can be asked of imports, as the recognition has it, the likeliest first."""
    imported = max(imports, key=lambda i: len(i.trials), default=None)
    if imported is None:
        return ()
    response = next((m for m in imported.trials.metrics if m.kind is Kind.RESPONSE), None)
    if response is None:
        return ()
    told = {"response": response.name}
    found_by_kind = {
        "counters": lambda: Askable("counters", _model(imported, response), told),
        "design_space": lambda: Askable("design_space", _space(imported), told),
        "scaling": lambda: Askable("scaling", f"Scaling over {_axes(imported)}"),
        "host_target": lambda: _machines(imported),
    }
    kinds = [kind for kind in found.answers if kind != "design_space" or _parameters(imported)]
    return tuple(found_by_kind[kind]() for kind in kinds)


def _model(imported: Import, response: Metric) -> str:
    names = {m.name for m in imported.metrics if not m.kind.outcome}
    texts = (f"{name}=" for name in imported.trials.parameters if name not in names)
    return f"Model of {response.name} by {predictors([*names, *texts])}"


def _space(imported: Import) -> str:
    names = _parameters(imported)
    title = f"Design space of {len(names)} {'parameter' if len(names) == 1 else 'parameters'}"
    if len(imported.trials) * max(len(names), 1) > _MOST_SPACE_CELLS:
        return title
    try:
        holes = trial_holes(_frame(imported))
    except RidgelineError:
        return title
    n = holes.space.n_combinations
    allowed = holes.constrained().n_points
    return f"{title} ({allowed:,} of {n:,} allowed)" if allowed < n else f"{title} ({n:,} combinations)"


def _frame(imported: Import) -> Frame:
    """Return the trials with a response and all parameters, as the page of design spaces looks at them."""
    trials = imported.trials
    places = [i for i, m in enumerate(trials.metrics) if m.kind is Kind.PARAMETER]
    response = next(i for i, m in enumerate(trials.metrics) if m.kind is Kind.RESPONSE)
    rows = np.flatnonzero(np.isfinite(trials.values[:, [response, *places]]).all(axis=1))
    labels = {name: [trials.labels[name][r] for r in rows.tolist()] for name in trials.parameters}
    levels = [(name, level) for name, texts in labels.items() for level in sorted(set(texts))]
    flags = np.array([[float(labels[name][k] == level) for name, level in levels] for k in range(len(rows))])
    metrics = [trials.metrics[i] for i in places] + [Metric(f"{n}={level}", Kind.PARAMETER) for n, level in levels]
    X = np.column_stack([trials.values[rows][:, places], flags.reshape(len(rows), len(levels))])
    return make_frame(X, trials.values[rows, response], metrics, trials.metrics[response], labels=labels)


def _parameters(imported: Import) -> list[str]:
    trials = imported.trials
    numbers = [
        m.name
        for j, m in enumerate(trials.metrics)
        if m.kind is Kind.PARAMETER and len(np.unique(trials.values[np.isfinite(trials.values[:, j]), j])) > 1
    ]
    return [*numbers, *(name for name in trials.parameters if len(set(trials.labels[name])) > 1)]


def _axes(imported: Import) -> str:
    texts = set(imported.trials.parameters)
    return " × ".join([n for n in _parameters(imported) if n not in texts][:3]) or "its parameters"


def _machines(imported: Import) -> Askable:
    """Return the two machines with most trials as host and target."""
    first, *others = [name for name, _ in sorted(Counter(imported.trials.machine).items(), key=lambda m: (-m[1], m[0]))]
    target = others[0] if others else first
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return Askable("host_target", f"Across machines: {first} → {target}{more}", {"host": first, "target": target})
