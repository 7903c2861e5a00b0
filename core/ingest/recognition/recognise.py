"""Files to what they are taken for: the one way that the page, the command line and the inbox share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._units import dimension
from core.ingest.base import SourceFile
from core.ingest.joining.gather import Gathered, Part, gather
from core.ingest.joining.together import Together, together
from core.ingest.readers.csv import Csv
from core.ingest.recognition.guess import resolved
from core.ingest.recognition.known import Verdict
from core.ingest.recognition.questions import LEAST_KERNELS, answers, answers_of, problems, questions, rows_are
from core.ingest.recognition.recognition import Dialect, RecognisedColumn, RecognisedTable, Recognition
from core.ingest.recognition.remembered import Remembered
from core.ingest.recognition.roles import Roles, roles_of
from core.ingest.table.columns import Column, distinct_examples
from core.ingest.table.table import Table, read_table
from core.progress import Progress, silent
from core.trial import ROLES, Facts, Import, Kind, Trials

PLAIN = "csv"
_ROLE_OF = {
    Kind.DETERMINISTIC: "deterministic",
    Kind.COUNTER: "counter",
    Kind.MACHINE: "machine_metric",
    Kind.PARAMETER: "parameter",
    Kind.RESPONSE: "response",
    Kind.DERIVED: "derived",
}


@dataclass(frozen=True)
class Understood:
    """Files that were read, and what they were taken for."""

    recognition: Recognition
    gathered: Gathered


def understand(
    parts: Sequence[Part], *, folder: bool = False, progress: Progress = silent, remembered: Remembered | None = None
) -> Understood:
    """Read files as `gather` does, and say what they are taken for.

    Parameters
    ----------
    remembered : what was said of tables with the same columns, for those of which nothing is said now

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    read = [with_table(part, remembered) for part in parts]
    alone = [part for part in read if part.table is None]
    tables = [] if folder and any(not part.plain for part in parts) else plain_together(read)
    joined = [Part(SourceFile(t.source, b""), Csv(), mapping, t) for own in tables for t, mapping in own.files]
    gathered = gather([*alone, *joined] if tables else read, folder=folder, progress=progress)
    plain = [recognise_together(own) for own in tables]
    others = [recognise_import(imported) for imported in gathered.imports if imported.format != PLAIN]
    return Understood(summed(plain, others), gathered)


def recognise_parts(parts: Sequence[Part], remembered: Remembered | None = None) -> Recognition:
    """Return what files with their readers are taken for: plain tables by their columns, others by what was read.

    Parameters
    ----------
    remembered : as in `understand`

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    read = [with_table(part, remembered) for part in parts]
    for part in read:
        if part.plain and part.table is None:
            _table(part)  # says why it is none
    plain = [recognise_together(own) for own in plain_together(read)]
    others = [part for part in read if not part.plain]
    imports = _read_all(others) if others else ()
    return summed(plain, [recognise_import(imported) for imported in imports])


def _read_all(parts: Sequence[Part]) -> Sequence[Import]:
    """Return the imports of profilers' files; those that only describe a machine stand alone."""
    try:
        return gather(parts).imports
    except ReadError:
        return [part.reader.read(part.file) for part in parts]


def with_table(part: Part, remembered: Remembered | None) -> Part:
    """Return the part of a plain table with the table, and what was said of it; of what is none, `gather` says so."""
    if not part.plain:
        return part
    try:
        table = part.table or _table(part)
    except ReadError:
        return part
    mapping = remembered.said(table.names, part.mapping) if remembered else part.mapping
    return replace(part, table=table, mapping=mapping)


def summed(plain: Sequence[Recognition], others: Sequence[RecognisedTable] = ()) -> Recognition:
    """Return what plain tables and other files are taken for as one value."""
    answers = [answer for one in plain for answer in one.answers]
    answers += [answer for table in others for answer in answers_of(table)]
    asked = {(q.column, q.asks): q for one in reversed(plain) for q in reversed(one.questions)}
    return Recognition(
        tables=_alike((*(table for one in plain for table in one.tables), *others)),
        questions=tuple(asked[key] for key in reversed(asked)),
        answers=tuple(dict.fromkeys(answers)),
        joins=tuple(join for one in plain for join in one.joins),
        problems=tuple(dict.fromkeys(p for one in plain for p in one.problems)),
    )


def _alike(tables: Sequence[RecognisedTable]) -> tuple[RecognisedTable, ...]:
    """Return the tables with those that are taken for the same as one of several files."""
    found: dict[object, RecognisedTable] = {}
    for table in tables:
        first = found.get(form_of(table))
        together = replace(first, files=(*first.files, *table.files), rows=first.rows + table.rows) if first else table
        found[form_of(table)] = together
    return tuple(found.values())


def form_of(table: RecognisedTable) -> object:
    """Return what tables that are taken for the same have in common."""
    return table.format, table.given, table.said, *((c.name, c.role, c.unit) for c in table.columns)


def _table(part: Part) -> Table:
    return read_table(part.file, part.mapping.form if part.mapping else None)


def plain_together(parts: Sequence[Part]) -> list[Together]:
    """Return the plain tables that were read, those that belong together as one."""
    return together([(part.table, part.mapping) for part in parts if part.table is not None])


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
    keys = " or ".join(dict.fromkeys(", ".join(join.by) for join in own.joins))
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
    dialect = Dialect(table.separator, table.encoding)
    given_ = replace(stated, beside=stated.beside or roles.known.beside)
    known = roles.known
    found = RecognisedTable((table.source,), "csv", dialect, len(table), rows_are(known), columns, given_, stated)
    return Recognition((found,), tuple(questions(known, table.source)), answers(known), problems=tuple(problems(known)))


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
    files = tuple(imported.source.split(" + "))
    return RecognisedTable(files, imported.format, Dialect(), len(trials), _rows_of(trials), tuple(columns))


def _rows_of(trials: Trials) -> str:
    """Return what a reader's trials are: designs, kernels over configurations, or runs."""
    kernels = len(set(zip(trials.application, trials.input, strict=True)))
    set_ = [i for i, m in enumerate(trials.metrics) if m.kind is Kind.PARAMETER]
    if not set_ and not trials.parameters:
        return "runs"
    return "designs" if kernels < LEAST_KERNELS else "kernels × configurations"


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
