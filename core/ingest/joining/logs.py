"""Files of one run each, logs or objects of JSON, as one table: a row for each, with what only the files' names say."""

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._units import unit_of_name
from core.ingest.base import Form, SourceFile
from core.ingest.joining.file_names import as_columns, said_by_names, under_free_names
from core.ingest.names import listed
from core.ingest.opening import open_text
from core.ingest.recognition.words import is_outcome
from core.ingest.table.cores import cores_of
from core.ingest.table.objects import object_of
from core.ingest.table.pairs import record_of
from core.ingest.table.table import Table, read_table

_SHARED = 0.5
"""Of the names that one log says, how many another of the same program says too."""
_MOST_BYTES = 1 << 20
"""Of a file of one run."""


class RunLog(Frozen):
    """A file of one run, the line where it begins to say something, and what it says by name."""

    file: SourceFile
    line: int
    said: dict[str, str]

    @property
    def measured(self) -> bool:
        """Whether it says an outcome."""
        said = self.said.items()
        return any(is_outcome(name, unit_of_name(name)) and value[:1].isdigit() for name, value in said)

    @property
    def alone(self) -> ReadError:
        """What is said where no other log of the program is there."""
        names = listed([*self.said], 3)
        return ReadError(f"{self.file.name} holds one run ({names}). Give the files of several runs together.")


def programs_of(files: Sequence[SourceFile]) -> list[list[RunLog]]:
    """Return the logs of one run among files by program, with those of runs that failed, which say no outcome."""
    logs = [*filter(None, map(_run_log, files))]
    programs: list[list[RunLog]] = []
    for log in sorted(logs, key=lambda log: not log.measured):
        own = next((own for own in programs if _are_alike(own[0].said, log.said)), None)
        if own is not None:
            own.append(log)
        elif log.measured:
            programs.append([log])
    places = {log.file.name: place for place, log in enumerate(logs)}
    return [sorted(own, key=lambda log: places[log.file.name]) for own in programs]


def table_of(logs: Sequence[RunLog]) -> Table:
    """Return logs of a program as one table, each a row; of one alone its file's name says nothing."""
    names = dict.fromkeys(chain(*(log.said for log in logs)))
    contents = {name: [log.said.get(name, "") for log in logs] for name in names}
    several = len(logs) > 1
    told = as_columns(said_by_names([log.file.name for log in logs], contents)) if several else {}
    named = under_free_names(told, contents)
    columns = named | contents
    into = io.StringIO()
    csv.writer(into, lineterminator="\n").writerows([[*columns], *zip(*columns.values(), strict=True)])
    source = f"{logs[0].file.name} and {len(logs) - 1} more" if several else logs[0].file.name
    table = read_table(SourceFile(source, into.getvalue().encode()), Form(separator=","))
    rows = table.lines - 2
    which = f"; {listed([*named])} is what the files' names say" if named else ""
    return replace(
        table,
        sha256=hashlib.sha256(b"".join(hashlib.sha256(log.file.content).digest() for log in logs)).hexdigest(),
        lines=np.array([log.line for log in logs], dtype=np.int64)[rows],
        files=tuple((logs[k].file.name, row) for row, k in enumerate(rows.tolist())),
        warnings=(*[f"{source}: each holds one run, and is a row{which}."] * several, *table.warnings),
    )


def _run_log(file: SourceFile) -> RunLog | None:
    try:
        raw = open_text(file).raw if len(file.content) <= _MOST_BYTES else b""
    except ReadError:
        return None
    if said := object_of(raw):
        return RunLog(file, 1, said)
    text = raw.decode()
    if counted := cores_of(text):
        return RunLog(file, 1, counted)
    record = None if text.lstrip().startswith("<") else record_of(text)
    return RunLog(file, *record) if record else None


def _are_alike(first: dict[str, str], other: dict[str, str]) -> bool:
    both = first.keys() & other.keys()
    return len(both) >= _SHARED * min(len(first), len(other))
