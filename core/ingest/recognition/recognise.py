"""Files to what they are taken for: the one way that the page, the command line and the inbox share."""

from collections.abc import Sequence
from dataclasses import replace

from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._units import dimension
from core.ingest.joining.gather import Part, gather
from core.ingest.joining.together import Together, together
from core.ingest.recognition.apply import apply
from core.ingest.recognition.guess import resolved
from core.ingest.recognition.known import Verdict
from core.ingest.recognition.questions import answers, problems, questions, rows_are
from core.ingest.recognition.recognition import Dialect, RecognisedColumn, RecognisedTable, Recognition
from core.ingest.recognition.roles import Roles, roles_of
from core.ingest.table.columns import Column, distinct_examples
from core.ingest.table.table import Table, read_table
from core.trial import ROLES, Facts, Import, Kind

_ROLE_OF = {
    Kind.DETERMINISTIC: "deterministic",
    Kind.COUNTER: "counter",
    Kind.MACHINE: "machine_metric",
    Kind.PARAMETER: "parameter",
    Kind.RESPONSE: "response",
    Kind.DERIVED: "derived",
}

_BELONGS = {
    "deterministic": "the same on every machine, for each application and input",
    "machine_metric": "the same on each machine",
}


def recognise_gathered(parts: Sequence[Part]) -> Recognition:
    """Return what files with their readers are taken for: plain tables by their columns, others by what was read.

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    tables = [part.table or read_table(part.file) for part in parts if part.plain]
    form = next((part.mapping for part in parts if part.plain), None)
    plain = [_recognise_together(own) for own in together(tables, form)]
    others = [part for part in parts if not part.plain]
    read = [recognise_import(imported) for imported in gather(others).imports] if others else []
    return Recognition(
        tables=(*(table for one in plain for table in one.tables), *read),
        questions=tuple(q for one in plain for q in one.questions),
        answers=tuple(dict.fromkeys(answer for one in plain for answer in one.answers)),
        joins=tuple(join for one in plain for join in one.joins),
        problems=tuple(p for one in plain for p in one.problems),
    )


def _recognise_together(own: Together) -> Recognition:
    found = recognise_table(own.table, own.mapping)
    files = tuple(dict.fromkeys([name for name, _ in own.table.files] + [j.files[1] for j in own.joins]))
    return replace(found, tables=tuple(replace(t, files=files) for t in found.tables), joins=own.joins)


def recognise_table(table: Table, given: Mapping | None = None) -> Recognition:
    """Return what a plain table is taken for; roles that `given` states stand.

    Raises
    ------
    OptionError
        If `given` names a column that the table has not.
    """
    stated = resolved(table, given or Mapping())
    roles = roles_of(table, stated)
    ended = _ended(table, roles.mapping())
    columns = tuple(_column(table, roles, own, ended) for own in roles.columns)
    dialect = Dialect(table.separator, table.encoding)
    given_ = replace(stated, beside=stated.beside or roles.beside)
    known = roles.known
    found = RecognisedTable((table.source,), "csv", dialect, len(table), rows_are(known), columns, given_)
    return Recognition((found,), tuple(questions(known, table.source)), answers(known), problems=tuple(problems(known)))


def _ended(table: Table, mapping: Mapping) -> dict[str, Kind]:
    """Return where the table's metrics end: what is constant on a machine or for an input belongs there."""
    imported = apply(table, replace(mapping, missing="keep", needs_numbers=False))
    return {name: kind for name, kind, _ in _metrics(imported)}


def _column(table: Table, roles: Roles, own: Column, ended: dict[str, Kind]) -> RecognisedColumn:
    verdict = roles.known.verdicts.get(own.name, Verdict("label", "holds no values", 0.95))
    moved = verdict.role == "counter" and own.name in ended
    role = _ROLE_OF[ended[own.name]] if moved else verdict.role
    unit = roles.known.unit(own.name) if own.name in roles.known.verdicts else own.unit
    stated = dict(roles.known.given.responses).get(own.name)
    return RecognisedColumn(
        name=own.name,
        role=role,
        unit=(stated if stated is not None else unit) or None,
        dimension="identifier" if role == "identifier" else dimension(unit, own.name, number=own.numeric),
        why=verdict.why if role == verdict.role else _BELONGS[role],
        sure=verdict.sure,
        formula=verdict.formula,
        holds=own.kind,
        examples=distinct_examples(table, own.place),
        n_empty=int(own.numbers.empty.sum()),
        n_bad=len(own.numbers.bad) if own.numeric else 0,
    )


def recognise_import(imported: Import) -> RecognisedTable:
    """Return a reader's import as a recognised table: its columns are its names, metrics and labels."""
    trials = imported.trials
    named = [(role, texts) for role in ROLES if any(texts := getattr(trials, role))]
    columns = [
        RecognisedColumn(role, role, None, "text", _said(texts), 1.0, holds="text", examples=_first(texts))
        for role, texts in named
    ]
    columns += [
        RecognisedColumn(
            name, _ROLE_OF[kind], unit or None, dimension(unit, name), f"the format says so: {imported.format}", 1.0
        )
        for name, kind, unit in _metrics(imported)
    ]
    for part in (trials, imported.machines, imported.inputs):
        for name, texts in (part.labels if part else {}).items():
            role = "parameter" if isinstance(part, type(trials)) and name in part.parameters else "label"
            columns.append(
                RecognisedColumn(name, role, None, "text", "texts", 1.0, holds="text", examples=_first(texts))
            )
    return RecognisedTable(
        tuple(imported.source.split(" + ")), imported.format, Dialect(), len(trials), "runs", tuple(columns)
    )


def _metrics(imported: Import) -> list[tuple[str, Kind, str]]:
    parts: list[Facts | None] = [imported.machines, imported.inputs]
    found = [(m.name, m.kind, m.unit) for m in imported.trials.metrics]
    return found + [(m.name, m.kind, m.unit) for part in parts if part for m in part.metrics]


def _said(texts: Sequence[str]) -> str:
    """Return that the format says a role's texts, with the first few; trials that it says nothing of are counted."""
    some = list(dict.fromkeys(text for text in texts if text))
    more = f" and {len(some) - 4} more" if len(some) > 4 else ""
    blank = sum(not text for text in texts)
    nothing = f", and nothing of {blank} trials" if blank else ""
    return f"the format says {', '.join(shown(text, 60) for text in some[:4])}{more}{nothing}"


def _first(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text[:60] for text in texts[:200] if text))[:3]
