"""A plain table, several that are one, and a reader's import to what each is taken for."""

from collections.abc import Sequence
from dataclasses import replace

from core.errors import count
from core.ingest._units import dimension
from core.ingest.base import Mapping
from core.ingest.joining.together import Together
from core.ingest.names import listed
from core.ingest.recognition import questions
from core.ingest.recognition.known import Verdict
from core.ingest.recognition.recognition import RecognisedColumn, RecognisedTable, Recognition
from core.ingest.recognition.roles import Roles, resolved, roles_of
from core.ingest.table.columns import Column, distinct_examples
from core.ingest.table.table import Table
from core.trial import ROLES, Import, Kind, Trials

_ROLE_OF = {kind: str(kind) for kind in Kind} | {Kind.MACHINE: "machine_metric"}


def recognise_together(own: Together) -> Recognition:
    """Return what tables that are one are taken for."""
    found = recognise_table(own.table, own.mapping)
    files = tuple(dict.fromkeys([name for name, _ in own.table.files] + [j.files[1] for j in own.joins]))
    tables = tuple(replace(t, files=files, columns=tuple(_joined(c, own) for c in t.columns)) for t in found.tables)
    return replace(found, tables=tables, joins=own.joins)


def _joined(column: RecognisedColumn, own: Together) -> RecognisedColumn:
    """Return a column whose role the join has shown with that as its reason."""
    if column.why != "chosen" or column.name in own.said or not own.joins:
        return column
    keys = " or ".join(dict.fromkeys(", ".join(join.by) for join in own.joins if join.by))
    return replace(column, why="the tables are joined by it" if column.name in keys else f"joined by {keys}", sure=0.9)


def recognise_table(table: Table, given: Mapping | None = None) -> Recognition:
    """Return what a plain table is taken for; roles that `given` states stand.

    Raises
    ------
    OptionError
        If `given` names a column that the table has not.
    """
    stated = resolved(table, given or Mapping())
    roles = roles_of(table, stated)
    columns = tuple(_column(table, roles, own) for own in roles.columns)
    given_ = replace(stated, beside=stated.beside or roles.known.beside)
    known = roles.known
    found = RecognisedTable((table.source,), "csv", len(table), questions.rows_are(known), columns, given_, stated)
    asked, problems = tuple(questions.questions(known, table.source)), tuple(questions.problems(known))
    return Recognition((found,), asked, questions.answers(known), problems=problems)


def _column(table: Table, roles: Roles, own: Column) -> RecognisedColumn:
    known = roles.known
    verdict = known.verdicts.get(own.name, Verdict("label", "holds no values", 0.95))
    unit = known.unit(own.name) if own.name in known.verdicts else own.unit
    stated = dict(known.given.responses).get(own.name)
    return RecognisedColumn(
        name=own.name,
        role=verdict.role,
        unit=(stated if stated is not None else unit) or None,
        dimension="identifier" if verdict.role == "identifier" else dimension(unit, own.name, number=own.numeric),
        why=verdict.why,
        sure=verdict.sure,
        formula=verdict.formula,
        holds=own.kind,
        examples=distinct_examples(table, own.place),
        n_bad=len(own.numbers.bad) if own.numeric else 0,
    )


def recognise_import(imported: Import, said: Mapping | None = None) -> Recognition:
    """Return what a reader's import is taken for: its columns are its names, metrics and labels.

    Parameters
    ----------
    said : what a user said of its columns, which it has taken over
    """
    trials = imported.trials
    named = [(role, texts) for role in ROLES if any(texts := getattr(trials, role))]
    columns = [_of_texts(role, role, _said(texts), texts) for role, texts in named]
    why = f"the format says so: {imported.format}"
    columns += [
        RecognisedColumn(m.name, _ROLE_OF[m.kind], m.unit or None, dimension(m.unit, m.name), why, 1.0)
        for m in imported.metrics
    ]
    for part in imported.parts:
        for name, texts in part.labels.items():
            role = "parameter" if isinstance(part, type(trials)) and name in part.parameters else "label"
            columns.append(_of_texts(name, role, "texts", texts))
    files, said = tuple(imported.source.split(" + ")), said or Mapping()
    holds = _rows_of(trials) if len(trials) else "facts"
    table = RecognisedTable(files, imported.format, len(trials), holds, tuple(columns), said=said)
    measured = (c for c in columns if c.role == "response" and not c.unit)
    asked = (questions.unit_question(c.name, c.dimension, files[0]) for c in measured)
    open_ones = tuple(q for q in asked if q.column not in dict(table.said.responses))
    return Recognition((table,), open_ones, questions.answers_of(table))


def _rows_of(trials: Trials) -> str:
    """Return what a reader's trials are: designs, kernels over configurations, or runs."""
    kernels = len(set(zip(trials.application, trials.input, strict=True)))
    if not trials.parameters and not any(m.kind is Kind.PARAMETER for m in trials.metrics):
        return "runs"
    return "designs" if kernels < questions.LEAST_KERNELS else "kernels × configurations"


def _said(texts: Sequence[str]) -> str:
    """Return that the format says a role's texts, with the first few; trials that it says nothing of are counted."""
    some = list(dict.fromkeys(text for text in texts if text))
    blank = sum(not text for text in texts)
    nothing = f", and nothing of {count(blank, 'trial')}" if blank else ""
    return f"the format says {listed(some, 4, '')}{nothing}"


def _of_texts(name: str, role: str, why: str, texts: Sequence[str]) -> RecognisedColumn:
    examples = tuple(dict.fromkeys(text[:60] for text in texts[:200] if text))[:3]
    return RecognisedColumn(name, role, None, "text", why, 1.0, holds="text", examples=examples)
