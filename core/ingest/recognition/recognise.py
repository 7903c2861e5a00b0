"""Files to what they are taken for: the one way that the page, the command line and the inbox share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._units import dimension
from core.ingest.joining.adjust import adjust
from core.ingest.joining.gather import Gathered, Part, gather
from core.ingest.joining.together import Together, together
from core.ingest.recognition.apply import apply
from core.ingest.recognition.guess import resolved
from core.ingest.recognition.known import Verdict
from core.ingest.recognition.questions import answers, problems, questions, rows_are
from core.ingest.recognition.recognition import Dialect, Problem, RecognisedColumn, RecognisedTable, Recognition
from core.ingest.recognition.roles import Roles, roles_of
from core.ingest.table.columns import Column, distinct_examples
from core.ingest.table.table import Table, read_table
from core.progress import Progress, silent
from core.trial import ROLES, Facts, Import, Kind, Skipped

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
    return drop(parts).recognition


def drop(parts: Sequence[Part], *, folder: bool = False, progress: Progress = silent) -> "Dropped":
    """Return what files with their readers are taken for, with what was read of them.

    Parameters
    ----------
    folder : as in `gather`

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    profilers = any(not part.plain for part in parts)
    others = list(parts) if folder and profilers else [part for part in parts if not part.plain]
    plain = [] if folder and profilers else [part for part in parts if part.plain]
    tables, refused = _tables(plain, folder=folder)
    form = next((part.mapping for part in plain), None)
    joined = together(tables, form)
    found = [_recognise_together(own) for own in joined]
    gathered = gather(others, folder=folder, progress=progress) if others else Gathered(())
    recognition = Recognition(
        tables=(*(table for one in found for table in one.tables), *map(recognise_import, gathered.imports)),
        questions=tuple(q for one in found for q in one.questions),
        answers=tuple(dict.fromkeys(answer for one in found for answer in one.answers)),
        joins=tuple(join for one in found for join in one.joins),
        problems=(*(p for one in found for p in one.problems), *_without_outcome(gathered.imports)),
    )
    return Dropped(recognition, tuple(joined), gathered.imports, (*refused, *gathered.refused))


def _without_outcome(imports: Sequence[Import]) -> list[Problem]:
    """Return what is missing where no import has an outcome."""
    if not imports or any(m.kind is Kind.RESPONSE for i in imports for m in i.trials.metrics):
        return []
    sources = shown(imports[0].source) + (f" and {len(imports) - 1} more" if len(imports) > 1 else "")
    remedy = "Say which column is the response, or give the file that has the times with them."
    return [Problem(f"{sources}: there are no times, so there is nothing to predict.", remedy)]


def _tables(parts: Sequence[Part], *, folder: bool) -> tuple[list[Table], list[Skipped]]:
    """Return the plain tables; of a folder what is none is left out with its reason."""
    tables: list[Table] = []
    refused: list[Skipped] = []
    for part in parts:
        try:
            tables.append(part.table or read_table(part.file))
        except ReadError as error:
            if not folder or len(parts) == 1:
                raise
            refused.append(Skipped(part.file.name, str(error).removeprefix(f"{part.file.name} ")))
    if refused and not tables:
        first = f"{refused[0].where}: {refused[0].why}"
        raise ReadError(f"None of the {len(parts)} files of the folder holds measurements. {first}")
    return tables, refused


@dataclass(frozen=True)
class Dropped:
    """What files are taken for, kept with what was read, so that corrections need no second reading.

    Attributes
    ----------
    joined : the plain tables, which are the first tables of the recognition
    imports : the other files, which are the rest of them
    refused : files of a folder that hold no measurements, with the reason
    """

    recognition: Recognition
    joined: tuple[Together, ...]
    imports: tuple[Import, ...]
    refused: tuple[Skipped, ...] = ()

    def gathered(self, recognition: Recognition, *, missing: str = "refuse", machine_name: str = "") -> Gathered:
        """Return the imports as a corrected recognition of these files wants them.

        Parameters
        ----------
        missing : as `Mapping.missing`
        machine_name : where the files do not say

        Raises
        ------
        OptionError, ReadError
            As `apply` and `adjust`.
        """
        found: list[Import] = []
        for i, own in enumerate(self.joined):
            mapping = replace(recognition.mapping(i), missing=missing)
            if not (mapping.machine or mapping.machine_name):
                mapping = replace(mapping, machine_name=machine_name)
            found += [apply(table, roles) for table, roles in replace(own, mapping=mapping).mapped()]
        for k, imported in enumerate(self.imports, len(self.joined)):
            found.append(adjust(imported, _changes(self.recognition, recognition, k, machine_name)))
        return Gathered(tuple(found), self.refused)


def _changes(before: Recognition, after: Recognition, i: int, machine_name: str) -> Mapping:
    """Return what was changed of a table whose format says what its columns are."""
    changed = [new for old, new in zip(before.tables[i].columns, after.tables[i].columns, strict=True) if new != old]

    def named(*roles: str) -> tuple[str, ...]:
        return tuple(c.name for c in changed if c.role in roles)

    return Mapping(
        application=named("application"),
        input=named("input"),
        machine=next(iter(named("machine")), None),
        machine_name="" if named("machine") else machine_name,
        responses=tuple((c.name, c.unit) for c in changed if c.role == "response"),
        parameters=named("parameter"),
        ignore=after.tables[i].given.ignore,
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
