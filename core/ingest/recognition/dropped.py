"""Files that were dropped: what they are taken for, with what was read of them, for the page and the command line."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.errors import ReadError, count
from core.frozen import Frozen
from core.ingest._units import dimension
from core.ingest.base import Mapping
from core.ingest.joining.gather import Gathered, Part, adjust, gather, join_launches, refuse_nothing
from core.ingest.joining.links import outcomes
from core.ingest.joining.logs import programs_of, table_of
from core.ingest.joining.machines import machine_only
from core.ingest.joining.together import Together, together
from core.ingest.names import listed, shown
from core.ingest.recognition import questions
from core.ingest.recognition.apply import apply
from core.ingest.recognition.evidence import Verdict
from core.ingest.recognition.recognition import Join, Problem, RecognisedColumn, RecognisedTable, Recognition, summed
from core.ingest.recognition.remembered import Remembered
from core.ingest.recognition.roles import Roles, resolved, roles_of
from core.ingest.table.columns import Column, distinct_examples
from core.ingest.table.table import Table, read_table
from core.progress import Progress, silent
from core.trial import ROLES, Import, Kind, Skipped, Trials

_SHOWN = 3
"""Texts that are shown of a column."""
_ROLE_OF = {kind: str(kind) for kind in Kind} | {Kind.MACHINE: "machine_metric"}


def recognise_together(own: Together) -> Recognition:
    """Return what tables that are one are taken for."""
    found = recognise_table(own.table, own.mapping)
    files = tuple(dict.fromkeys([name for name, _ in own.table.files] + [j.files[1] for j in own.joins]))
    tables = tuple(
        replace(t, files=files, columns=tuple(_joined_tables(c, own) for c in t.columns)) for t in found.tables
    )
    return replace(found, tables=tables, joins=own.joins)


def _joined_tables(column: RecognisedColumn, own: Together) -> RecognisedColumn:
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
    examples = tuple(dict.fromkeys(text[:60] for text in texts[:200] if text))[:_SHOWN]
    return RecognisedColumn(name, role, None, "text", why, 1.0, holds="text", examples=examples)


class Dropped(Frozen):
    """What files are taken for, and what was read of them.

    Attributes
    ----------
    joined : the plain tables, which are the first tables of the recognition
    imports : the other files, which are the rest of them; those of one form share a table
    headers : per table of the recognition, the columns as the file has them
    refused : files of a folder that hold no measurements, with the reason
    """

    recognition: Recognition
    joined: tuple[Together, ...]
    imports: tuple[tuple[Import, ...], ...]
    headers: tuple[tuple[str, ...], ...]
    refused: tuple[Skipped, ...] = ()

    def gathered(self, wanted: Recognition | None = None, *, missing: str = "", machine_name: str = "") -> Gathered:
        """Return the imports as a corrected recognition of these files wants them.

        Parameters
        ----------
        wanted : as the files were taken for if not given
        missing : as `Mapping.missing`; "" for what was said when the files were read
        machine_name : where the files do not say

        Raises
        ------
        OptionError, ReadError
            As `apply` and `adjust`, or if the files describe machines alone.
        """
        wanted, found = wanted or self.recognition, []
        for i, own in enumerate(self.joined):
            mapping = wanted.mapping(i)
            named = machine_name if not (mapping.machine or mapping.machine_name) else mapping.machine_name
            mapping = replace(mapping, missing=missing or mapping.missing, machine_name=named)
            found += [apply(table, roles) for table, roles in own.under(mapping)]
        others: list[Import] = []
        for k, alike in enumerate(self.imports, len(self.joined)):
            changes = self.said(wanted, k)
            mapping = replace(changes, machine_name="" if changes.machine else machine_name)
            others += [adjust(imported, mapping) for imported in alike]
        _refuse_machines_alone(others)
        others = _joined(others, [join for join in wanted.joins if join not in self.recognition.joins])
        return Gathered((*found, *map(_told, others)), self.refused)

    def said(self, wanted: Recognition, i: int) -> Mapping:
        """Return what a user said of the i-th table: the columns of every role that a change concerns."""
        before, after = self.recognition.tables[i], wanted.tables[i]
        pairs = list(zip(before.columns, after.columns, strict=True))
        touched = {c.role for old, new in pairs if (old.role, old.unit) != (new.role, new.unit) for c in (old, new)}
        touched |= {"counter" if role == "metric" else role for _, role in before.said.roles()}
        touched -= {"counter", "identifier"} if i < len(self.joined) else _OF_TABLES
        ignored = Mapping(ignore=before.said.ignore if i < len(self.joined) else ())
        return ignored.of_columns((c.name, c.role, c.unit) for c in after.columns if c.role in touched)

    def remember(self, wanted: Recognition, remembered: Remembered) -> None:
        """Keep what a user said of tables, for the next ones with their columns."""
        for i, header in enumerate(self.headers):
            said, before = self.said(wanted, i), self.recognition.tables[i].said
            ignored = tuple(dict.fromkeys((*before.ignore, *said.ignore)))
            remembered.keep(header, replace(said, ignore=ignored, beside=wanted.tables[i].said.beside))


_OF_TABLES = {"counter", "identifier", "label", "deterministic", "machine_metric", "derived"}
"""Roles that nobody can give to a column of a profiler."""


def drop(
    parts: Sequence[Part], *, folder: bool = False, progress: Progress = silent, remembered: Remembered | None = None
) -> Dropped:
    """Return what files with their readers are taken for, with what was read of them.

    Parameters
    ----------
    folder : as in `gather`
    remembered : what was said of tables with the same columns, for those of which nothing is said now

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    all_others = folder and not all(part.plain for part in parts)
    others = [part for part in parts if all_others or not part.plain]
    tables, refused = _tables([] if all_others else [p for p in parts if p.plain], remembered, folder=folder)
    joined = together(tables)
    gathered = gather(others, folder=folder, progress=progress) if others else Gathered(())
    said = next((part.mapping for part in others if part.mapping), None)
    forms = _forms(gathered.imports, said, remembered)
    found = [*map(recognise_together, joined), *(form.recognition for form in forms)]
    told = Recognition((), gathered.questions, (), gathered.joins, _without_outcome(found, gathered.imports))
    headers = (*(own.table.names for own in joined), *(form.header for form in forms))
    imports = tuple(form.imports for form in forms)
    return Dropped(summed([*found, told]), tuple(joined), imports, headers, (*refused, *gathered.refused))


class _Form(Frozen):
    """Imports that are taken for the same."""

    header: tuple[str, ...]
    recognition: Recognition
    imports: tuple[Import, ...]


_MOST_COLUMNS, _MOST_ROWS = 3, 200
"""Of what was read as a table and may be lines of names and values."""


def _tables(
    parts: Sequence[Part], remembered: Remembered | None, *, folder: bool
) -> tuple[list[tuple[Table, Mapping | None]], list[Skipped]]:
    """Return plain tables with what was said of them, and why some parts are none; one chosen by itself must be."""
    read = [(part, _read(part)) for part in parts]
    programs = programs_of([part.file for part, own in read if isinstance(own, ReadError) or _may_be_pairs(own)])
    joined = [log.file for logs in programs for log in logs if len(logs) > 1]
    alone = {logs[0].file.name: logs[0].alone for logs in programs if len(logs) == 1}
    rest = [(part, own) for part, own in read if part.file not in joined]
    rest = [(part, alone.get(part.file.name, own) if _holds_texts(own) else own) for part, own in rest]
    found = [(own, part.mapping) for part, own in rest if isinstance(own, Table)]
    found += [(table_of(logs), parts[0].mapping) for logs in programs if len(logs) > 1]
    failed = [(p.file.name, own) for p, own in rest if isinstance(own, ReadError)]
    if failed and (not folder or len(parts) == 1):
        raise failed[0][1]
    refused = [Skipped(name, str(error).removeprefix(f"{name} ")) for name, error in failed]
    if refused and not found:
        refuse_nothing(refused, len(parts))
    return [(table, remembered.said(table.names, own) if remembered else own) for table, own in found], refused


def _holds_texts(own: Table | ReadError) -> bool:
    """Whether what was read is no table, or has one column, in which lines of a log may stand."""
    return isinstance(own, ReadError) or len([*filter(None, own.names)]) == 1


def _may_be_pairs(table: Table) -> bool:
    """Whether a table may be the names and values of a log: it is small, and these stand not above its outcomes."""
    small = len(table.names) <= _MOST_COLUMNS and len(table) <= _MOST_ROWS
    return small and not (table.said and len(table) > 1 and outcomes(table))


def _read(part: Part) -> Table | ReadError:
    try:
        return part.table or read_table(part.file, part.mapping.form if part.mapping else None)
    except ReadError as error:
        return error


def _forms(imports: Iterable[Import], given: Mapping | None, remembered: Remembered | None) -> list[_Form]:
    """Return the imports under what was said of them, those that are taken for the same together."""
    found: dict[object, _Form] = {}
    for imported in imports:
        header = tuple(c.name for c in recognise_import(imported).tables[0].columns)
        said = remembered.said(header, given) if remembered else given
        adjusted = adjust(imported, said)
        own = _Form(header, recognise_import(adjusted, said), (adjusted,))
        table = own.recognition.tables[0]
        key = (header, table.format, table.said, *((c.name, c.role, c.unit) for c in table.columns))
        found[key] = _with(found[key], own) if key in found else own
    return list(found.values())


def _with(first: _Form, then: _Form) -> _Form:
    """Return two forms that are taken for the same as one."""
    one, other = first.recognition.tables[0], then.recognition.tables[0]
    columns = (_of_both(*pair) for pair in zip(one.columns, other.columns, strict=True))
    table = replace(one, files=(*one.files, *other.files), rows=one.rows + other.rows, columns=tuple(columns))
    answers = tuple(dict.fromkeys((*first.recognition.answers, *then.recognition.answers)))
    recognition = replace(first.recognition, tables=(table,), answers=answers)
    return replace(first, recognition=recognition, imports=(*first.imports, *then.imports))


def _of_both(one: RecognisedColumn, other: RecognisedColumn) -> RecognisedColumn:
    """Return a column of two forms that are taken for the same, with the texts of both."""
    texts = tuple(dict.fromkeys((*one.examples, *other.examples)))
    if texts == one.examples:
        return one
    more = " and others" if len(texts) > _SHOWN else ""
    return replace(one, examples=texts[:_SHOWN], why=_said(texts[:_SHOWN]) + more if one.name in ROLES else one.why)


def _joined(imports: list[Import], asked: Sequence[Join]) -> list[Import]:
    """Return the imports with those joined of which a user said that they are the same launches."""
    for join in asked:
        one, other = (next(i for i in imports if i.source == source) for source in join.files)
        imports = [join_launches(one, other) if i is one else i for i in imports if i is not other]
    return imports


def _refuse_machines_alone(imports: Sequence[Import]) -> None:
    if imports and all(map(machine_only, imports)):
        sources = ", ".join(i.source for i in imports[:5])
        raise ReadError(
            f"{sources}: describes a machine and holds no trials. Import it together with the trials' files, "
            "or as --machines."
        )


def _told(imported: Import) -> Import:
    """Return a profiler's import, with a warning if nothing can be predicted of it."""
    if any(m.kind is Kind.RESPONSE for m in imported.trials.metrics):
        return imported
    nothing = f"{imported.source} has no times, so there is nothing to predict."
    remedy = "Import it together with the times of the same executions, or measure these too."
    return replace(imported, warnings=(*imported.warnings, f"{nothing} {remedy}"))


def _without_outcome(found: Sequence[Recognition], imports: Sequence[Import]) -> tuple[Problem, ...]:
    """Return what is missing where profilers' files have no outcome."""
    responses = any(table.named("response") for one in found for table in one.tables if table.format != "csv")
    if not imports or responses:
        return ()
    sources = shown(imports[0].source) + (f" and {len(imports) - 1} more" if len(imports) > 1 else "")
    remedy = "Say which column is the response, or give the file that has the times with them."
    return (Problem(f"{sources}: there are no times, so there is nothing to predict.", remedy),)
