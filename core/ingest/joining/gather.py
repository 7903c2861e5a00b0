"""Files, or a whole folder of them, to imports: each read by its reader, passes joined, machines found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.errors import ReadError, RidgelineError
from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.joining.adjust import adjust, name_machine
from core.ingest.joining.located import Located
from core.ingest.joining.machines import machine_only, with_machines
from core.ingest.joining.runs import join_runs
from core.ingest.readers.csv import Csv
from core.ingest.recognition.apply import apply
from core.ingest.table.table import Table
from core.progress import Progress, silent
from core.trial import Import, Kind, Skipped

_PAYS = 256 * 2**20
"""Bytes of profilers' files from which on several processes, which have to be started, read them much sooner."""


@dataclass(frozen=True)
class Gathered:
    """What came of several files: imports to be stored together, and the files that gave nothing.

    Attributes
    ----------
    refused : files that no reader could take, with the reason; only where the files came as a folder
    """

    imports: tuple[Import, ...]
    refused: tuple[Skipped, ...] = ()


@dataclass(frozen=True)
class Part:
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
    """Read files and join what belongs together.

    Parameters
    ----------
    folder : whether the files were found in a folder and not chosen one by one: then those that are
        no measurements are left out with their reason, and plain tables beside profilers' files too
    workers : processes that read profilers' files, which changes no result; as many as pay if None

    Raises
    ------
    ReadError
        If a chosen file cannot be read, or no file of a folder can.
    """
    profilers = any(not part.plain for part in parts)
    read: list[Located] = []
    refused: list[Skipped] = []
    ahead = _read_ahead([part for part in parts if not part.plain and not part.reader.summary], workers)
    for i, part in enumerate(sorted(parts, key=lambda part: part.reader.summary)):  # summaries last
        progress(i / (len(parts) + 1), f"reading {part.file.name}")
        try:
            if folder and profilers and part.plain:
                raise ReadError("not a file of a known profiler; import it by itself if it is a table of trials.")
            if folder and part.reader.summary and _has_executions(read, part.reader.sums_up):
                raise ReadError("a summary of executions that other files of the folder have one by one.")
            imported = _read(part) if part.plain or part.reader.summary else next(ahead)
            if isinstance(imported, RidgelineError):
                raise imported
            read.append(Located(part.file.name, part.reader.family, imported, part.reader.describes))
        except RidgelineError as error:
            if not folder:
                raise
            refused.append(Skipped(part.file.name, _reason(str(error), part.file.name)))
    if not read:
        first = f" {refused[0].where}: {refused[0].why}" if refused else ""
        raise ReadError(f"None of the {len(parts)} files of the folder holds measurements.{first}")
    return Gathered(tuple(_joined(read, parts)), tuple(refused))


def _read_ahead(parts: Sequence[Part], workers: int | None) -> Iterator[Import | RidgelineError]:
    """Yield what each part gives, in their order, from several processes where that pays."""
    if workers is None and sum(len(part.file.content) for part in parts) < _PAYS:
        workers = 1
    if workers == 1:
        yield from map(_attempt, parts)
        return
    import joblib  # takes longer to import than a few files to read

    with joblib.parallel_config(backend="loky", n_jobs=workers or -1, inner_max_num_threads=1):
        yield from joblib.Parallel(return_as="generator")(joblib.delayed(_attempt)(part) for part in parts)


def _attempt(part: Part) -> Import | RidgelineError:
    try:
        return _read(part)
    except RidgelineError as error:
        return error


def _has_executions(read: Sequence[Located], sums_up: str) -> bool:
    """Whether files that were read have the executions of a summary one by one."""
    return any(f.imported.format.startswith(sums_up) and len(f.imported.trials) for f in read)


def _read(part: Part) -> Import:
    if part.table is not None:
        return apply(part.table, part.mapping)
    if part.plain:
        return part.reader.read(part.file, part.mapping)
    imported = part.reader.read(part.file)
    mapping = part.mapping
    return adjust(imported, replace(mapping, machine_name="") if mapping else None)


def _joined(read: Sequence[Located], parts: Sequence[Part]) -> list[Import]:
    described = [f for f in read if machine_only(f.imported)]
    measured = [with_machines(f, described) for f in read if not machine_only(f.imported)]
    if not measured:
        sources = ", ".join(f.path for f in described[:5])
        raise ReadError(
            f"{sources}: describes a machine and holds no trials. Import it together with the trials' files, "
            "or as --machines."
        )
    names = {part.mapping.machine_name for part in parts if part.mapping and not part.plain}
    named = next((name for name in names if name), "")
    imports = [name_machine(i, named) if named else i for i in join_runs(measured)]
    plain = {part.file.name for part in parts if part.plain}
    return [i if i.source in plain or _has_outcome(i) else _without_times(i) for i in imports]


def _has_outcome(imported: Import) -> bool:
    return any(m.kind is Kind.RESPONSE for m in imported.trials.metrics)


def _without_times(imported: Import) -> Import:
    told = (
        f"{imported.source} has no times, so there is nothing to predict. "
        "Import it together with the times of the same executions, or measure these too."
    )
    return replace(imported, warnings=(*imported.warnings, told))


def _reason(sentence: str, name: str) -> str:
    """Return a refusal without the file's name at its beginning, as the report names it anyway."""
    return sentence.removeprefix(f"{name}: ").removeprefix(f"{name} ")
