"""Files, or a whole folder of them, to imports: each read by its reader, passes joined, wishes fulfilled."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from core.errors import OptionError, ReadError, RidgelineError
from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest.base import Mapping, Reader, SourceFile
from core.ingest.joining.machines import machine_only, with_machines
from core.ingest.joining.merge import Located, with_name
from core.ingest.joining.runs import join_runs, joined
from core.ingest.joining.settings import with_settings
from core.ingest.names import shown
from core.ingest.readers.csv import Csv
from core.ingest.recognition.recognition import LAUNCHES, Join, Question
from core.ingest.table.table import Table
from core.progress import Progress, silent
from core.trial import ROLES, Facts, Import, Kind, Metric, Skipped, Trials

_BARE = re.compile(r"(?:void )?\s*([^(<]+)")
_NOBODY = "?"
"""The machine of launches on one that neither file names, while they are joined."""
_Launch = tuple[str, str]


class Gathered(Frozen):
    """What came of several files: imports to be stored together, and the files that gave nothing.

    Attributes
    ----------
    refused : files that no reader could take, with the reason; only where the files came as a folder
    joins, questions : two tools' files of the same launches: those that are one now, and those that may be
    """

    imports: tuple[Import, ...]
    refused: tuple[Skipped, ...] = ()
    joins: tuple[Join, ...] = ()
    questions: tuple[Question, ...] = ()


def joined_tools(imports: Sequence[Import]) -> Gathered:
    """Return the imports with those joined that show the same launches to two tools.

    The same are they if each launch of the one, by kernel and shape, is there as often in the other; if some are
    there more or less often, that is asked.
    """
    found: list[Import] = []
    joins: list[Join] = []
    questions: list[Question] = []
    for imported in imports:
        tool = _tool(imported)
        for i, own in [(i, own) for i, own in enumerate(found) if _tool(own) != tool]:
            if isinstance(both := _compared(own, imported), Join):
                joins.append(both)
                found[i] = join_launches(own, imported)
                break
            questions += [both] if both else []
        else:
            found.append(imported)
    return Gathered(tuple(found), (), tuple(joins), tuple(questions))


def join_launches(one: Import, other: Import) -> Import:
    """Return two tools' launches as one import: the n-th of each kernel and shape is the same in both."""
    machines = {m for i in (one, other) for m in i.trials.machine if m}
    machine = machines.pop() if len(machines) == 1 else "" if machines else _NOBODY
    names = {_bare(name): name for name in reversed(one.trials.application)}
    files = [Located(i.source, "", replace(i, trials=_numbered(i.trials, names, machine))) for i in (one, other)]
    found = joined(files)
    known = tuple("" if name == _NOBODY else name for name in found.trials.machine)
    return replace(found, trials=replace(found.trials, machine=known))


def _tool(imported: Import) -> str:
    return imported.format.split(" ")[0].split("_")[0]


def _compared(one: Import, other: Import) -> Join | Question | None:
    """Return how two tools' files of the same launches are joined, or else what is to be asked of them.

    The launches are the same if all of the one file are there as often in the other; None if the files share none.
    """
    machines = [{m for m in i.trials.machine if m} for i in (one, other)]
    apart = all(machines) and not machines[0] & machines[1]
    sums_up = any("summary" in i.format or "all launches" in i.trials.execution for i in (one, other))
    if apart or sums_up:
        return None
    ran = (zip(map(_bare, i.trials.application), i.trials.input, strict=True) for i in (one, other))
    first, second = (Counter(launch for launch in own if launch[1]) for own in ran)
    if not first.keys() & second.keys():
        return None
    few, many = sorted((first, second), key=len)
    if all(many[launch] == n for launch, n in few.items()):
        n = (first & second).total()
        return Join((one.source, other.source), "counters", LAUNCHES, n, first.total() - n, second.total() - n)
    asks = (
        f"{other.source} has {second.total():,} launches and {one.source} {first.total():,}, of the same kernels but "
        "not equally often: are they the same launches, in order?"
    )
    return Question(other.source, asks, ("apart", "same"), "launches", one.source)


def _bare(kernel: str) -> str:
    """Return a kernel's name without its type, template and parameters, which tools write in several ways."""
    found = _BARE.match(kernel)
    return found.group(1).strip() if found else kernel


def _numbered(trials: Trials, names: dict[str, str], machine: str) -> Trials:
    """Return trials whose executions say the how many-th launch of its kernel and shape each is."""
    seen: Counter[_Launch] = Counter()
    executions = []
    for launch in zip(map(_bare, trials.application), trials.input, strict=True):
        seen[launch] += 1
        executions.append(f"launch {seen[launch]}")
    return replace(
        trials,
        application=tuple(names.get(_bare(name), name) for name in trials.application),
        machine=tuple(machine or own for own in trials.machine),
        execution=tuple(executions),
    )


_PAYS = 256 * 2**20
"""Bytes of profilers' files from which on several processes, which have to be started, read them much sooner."""


class Part(Frozen):
    """A file with the reader that its content asks for, and what the user says of its columns.

    Attributes
    ----------
    table : of a plain table that was read before
    """

    file: SourceFile
    reader: Reader
    mapping: Mapping | None = None
    table: Table | None = None

    @property
    def plain(self) -> bool:
        """Whether it is a plain table, whose columns the mapping must explain."""
        return isinstance(self.reader, Csv)


def gather(
    parts: Sequence[Part], *, folder: bool = False, progress: Progress = silent, workers: int | None = None
) -> Gathered:
    """Read profilers' files and join what belongs together; descriptions of machines alone stay as they are.

    Parameters
    ----------
    folder : whether the files were found in a folder and not chosen one by one: then those that are
        no measurements are left out with their reason, and plain tables too
    workers : processes that read the files, which changes no result; as many as pay if None

    Raises
    ------
    ReadError
        If a chosen file cannot be read, or no file of a folder can.
    """
    read: list[Located] = []
    refused: list[Skipped] = []
    executed: set[str] = set()  # formats of executions one by one, of which one summary says nothing of another
    ahead = _read_ahead([part for part in parts if not part.plain and not part.reader.summary], workers)
    for i, part in enumerate(sorted(parts, key=lambda part: part.reader.summary)):  # summaries last
        progress(i / (len(parts) + 1), f"reading {part.file.name}")
        try:
            if part.plain:
                raise ReadError("not a file of a known profiler; import it by itself if it is a table of trials.")
            if folder and part.reader.summary and any(own.startswith(part.reader.sums_up) for own in executed):
                raise ReadError("a summary of executions that other files of the folder have one by one.")
            imported = part.reader.read(part.file) if part.reader.summary else next(ahead)
            if isinstance(imported, RidgelineError):
                raise imported
            reader = part.reader
            executed |= {imported.format} if len(imported.trials) and not reader.summary else set()
            read.append(Located(part.file.name, reader.family, imported, reader.describes, reader.of_run))
        except RidgelineError as error:
            if not folder:
                raise
            name = part.file.name  # the report names it anyway
            refused.append(Skipped(name, str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")))
    if not read:
        refuse_nothing(refused, len(parts))
    described = [f for f in read if machine_only(f.imported)]
    machines, settings = ([f for f in described if f.of_run is own] for own in (False, True))
    measured = [with_machines(f, machines) for f in read if not machine_only(f.imported)]
    measured = with_settings(measured, settings)
    found = joined_tools(join_runs(measured)) if measured else Gathered(tuple(f.imported for f in described))
    return replace(found, refused=tuple(refused))


def refuse_nothing(refused: Sequence[Skipped], n: int) -> NoReturn:
    """Raise ReadError because none of a folder's files could be read, which may hold measurements all the same."""
    first = f" {refused[0].where}: {refused[0].why}" if refused else ""
    raise ReadError(f"None of the {n} files of the folder could be read as measurements.{first}")


def _read_ahead(parts: Sequence[Part], workers: int | None) -> Iterator[Import | RidgelineError]:
    """Yield what each part gives, in their order, from several processes where that pays."""
    if workers is None and sum(len(part.file.content) for part in parts) < _PAYS:
        workers = 1
    if workers == 1:
        yield from map(_attempt, parts)
        return
    import joblib  # takes longer to import than a few files to read

    with joblib.parallel_config(backend="loky", n_jobs=workers or -1, inner_max_num_threads=1):
        read = joblib.Parallel(return_as="generator")
    yield from read(joblib.delayed(_attempt)(part) for part in parts)  # outside, as others run in between


def _attempt(part: Part) -> Import | RidgelineError:
    try:
        return part.reader.read(part.file)
    except RidgelineError as error:
        return error


def adjust(imported: Import, mapping: Mapping | None) -> Import:
    """Return the import as the mapping wants it; its columns are the import's metrics and labels.

    `machine_name` names the machine where the file does not. `application`, `input` and `machine`
    may name labels (or the roles themselves), whose texts then take the role.

    Raises
    ------
    OptionError
        If there is no such metric or label.
    """
    if mapping is None:
        return imported
    _refuse_unknown(imported, mapping)
    for role, columns in by_key((role, name) for name, role in mapping.roles() if role in ROLES).items():
        imported = _named(imported, role, columns)
    imported = name_machine(imported, mapping.machine_name) if mapping.machine_name else imported
    kinds = _with_kinds(imported, mapping)
    return kinds.without(set(mapping.ignore)) if mapping.ignore else kinds


def name_machine(imported: Import, name: str) -> Import:
    """Return the import with a name for the machine where it has none."""
    trials, machines = imported.trials, with_name(imported.machines, name)
    own = replace(trials, machine=tuple(machine or name for machine in trials.machine))
    others = sorted(set(trials.machine) - {"", name})
    warnings = imported.warnings
    if others:
        kept = f"{imported.source} names its machine itself ('{shown(others[0])}'): that name is kept."
        warnings = (*warnings, kept)
    return replace(imported, trials=own, machines=machines, warnings=warnings)


def _refuse_unknown(imported: Import, mapping: Mapping) -> None:
    metrics, labels = {m.name for m in imported.metrics}, set(imported.trials.labels)
    for name, role in mapping.roles():
        known = {*labels, *ROLES} if role in ROLES else metrics if role in ("response", "metric") else metrics | labels
        if name not in known:
            listed = ", ".join(sorted(known)[:40]) or "none"
            raise OptionError(f"{imported.source} has no column '{shown(name)}' to be {role}; there are: {listed}.")


def _named(imported: Import, role: str, columns: Sequence[str]) -> Import:
    """Return the import with a role's names made of labels; facts under the old names go with them."""
    trials = imported.trials
    sources = [getattr(trials, c) if c in ROLES else trials.labels[c] for c in columns]
    texts = tuple(" / ".join(part for part in parts if part) for parts in zip(*sources, strict=True))
    changed: dict[str, Any] = {role: texts}
    renamed = replace(trials, **changed)
    ran = (zip(own.application, own.input, strict=True) for own in (trials, renamed))
    inputs = _rekeyed(imported.inputs, *ran)
    machines = _rekeyed(imported.machines, zip(trials.machine), zip(renamed.machine))
    return replace(imported, trials=renamed, inputs=inputs, machines=machines)


def _rekeyed(facts: Facts | None, old: Iterable[tuple[str, ...]], new: Iterable[tuple[str, ...]]) -> Facts | None:
    """Return the facts under the new names of what they belong to."""
    if facts is None:
        return None
    places = {key: row for row, key in enumerate(facts.keys)}
    pairs = dict.fromkeys((n, places[o]) for o, n in zip(old, new, strict=True) if o in places)
    first = dict(reversed(list(pairs)))
    return facts.take(list(first.values()), first)


def _with_kinds(imported: Import, mapping: Mapping) -> Import:
    units = dict(mapping.responses)
    parameters = set(mapping.parameters)
    trials = imported.trials
    metrics = tuple(
        Metric(m.name, Kind.RESPONSE, units[m.name] or m.unit)
        if m.name in units
        else replace(m, kind=Kind.PARAMETER if m.name in parameters else m.kind)
        for m in trials.metrics
    )
    texts = tuple(n for n in mapping.parameters if n in trials.labels and n not in trials.parameters)
    return replace(imported, trials=replace(trials, metrics=metrics, parameters=(*trials.parameters, *texts)))
