"""Files, or a whole folder of them, to imports: each read by its reader, passes joined, machines found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from core.errors import ReadError, RidgelineError
from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.joining.located import Located
from core.ingest.joining.machines import machine_only, with_machines
from core.ingest.joining.runs import join_runs
from core.ingest.joining.tools import JoinedTools, joined_tools
from core.ingest.readers.csv import Csv
from core.ingest.recognition.recognition import Join, Question
from core.ingest.table.table import Table
from core.progress import Progress, silent
from core.trial import Import, Skipped

_PAYS = 256 * 2**20
"""Bytes of profilers' files from which on several processes, which have to be started, read them much sooner."""


@dataclass(frozen=True)
class Gathered:
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
    ahead = _read_ahead([part for part in parts if not part.plain and not part.reader.summary], workers)
    for i, part in enumerate(sorted(parts, key=lambda part: part.reader.summary)):  # summaries last
        progress(i / (len(parts) + 1), f"reading {part.file.name}")
        try:
            if part.plain:
                raise ReadError("not a file of a known profiler; import it by itself if it is a table of trials.")
            if folder and part.reader.summary and _has_executions(read, part.reader.sums_up):
                raise ReadError("a summary of executions that other files of the folder have one by one.")
            imported = part.reader.read(part.file) if part.reader.summary else next(ahead)
            if isinstance(imported, RidgelineError):
                raise imported
            read.append(Located(part.file.name, part.reader.family, imported, part.reader.describes))
        except RidgelineError as error:
            if not folder:
                raise
            name = part.file.name  # the report names it anyway
            refused.append(Skipped(name, str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")))
    if not read:
        refuse_nothing(refused, len(parts))
    described = [f for f in read if machine_only(f.imported)]
    measured = [with_machines(f, described) for f in read if not machine_only(f.imported)]
    found = joined_tools(join_runs(measured)) if measured else JoinedTools(tuple(f.imported for f in described))
    return Gathered(found.imports, tuple(refused), found.joins, found.questions)


def refuse_nothing(refused: Sequence[Skipped], n: int) -> NoReturn:
    """Raise ReadError because none of a folder's files holds measurements."""
    first = f" {refused[0].where}: {refused[0].why}" if refused else ""
    raise ReadError(f"None of the {n} files of the folder holds measurements.{first}")


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


def _has_executions(read: Sequence[Located], sums_up: str) -> bool:
    """Whether files that were read have the executions of a summary one by one."""
    return any(f.imported.format.startswith(sums_up) and len(f.imported.trials) for f in read)
