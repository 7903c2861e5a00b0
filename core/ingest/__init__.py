"""Files to trials: one reader per format, one file each; see `base.py` for the contract."""

from collections.abc import Sequence

from core.ingest._mapping import Mapping
from core.ingest._open import open_head
from core.ingest._sample import SampleCard, load_sample, samples
from core.ingest._units import dimension
from core.ingest.base import Reader, SourceFile
from core.ingest.joining.adjust import adjust
from core.ingest.joining.facts import join_inputs, join_machines
from core.ingest.joining.gather import Gathered, Part, gather
from core.ingest.joining.tool_facts import join_inputs_of, join_machines_of
from core.ingest.joining.values import per_trial
from core.ingest.recognition.apply import apply
from core.ingest.recognition.dropped import Dropped, drop
from core.ingest.recognition.groups import Group, metric_groups
from core.ingest.recognition.guess import guess
from core.ingest.recognition.recognise import (
    Understood,
    recognise_import,
    recognise_parts,
    recognise_table,
    summed,
    understand,
)
from core.ingest.recognition.recognition import (
    Join,
    Problem,
    Question,
    RecognisedColumn,
    RecognisedTable,
    Recognition,
)
from core.ingest.recognition.remembered import Remembered
from core.ingest.table.converted import sheet_names
from core.ingest.table.table import Table, read_table
from core.registry import discover

READERS = discover("core.ingest.readers", Reader, "reader")

__all__ = [
    "READERS",
    "Dropped",
    "Gathered",
    "Group",
    "Join",
    "Mapping",
    "Part",
    "Problem",
    "Question",
    "Reader",
    "RecognisedColumn",
    "RecognisedTable",
    "Recognition",
    "Remembered",
    "SampleCard",
    "SourceFile",
    "Table",
    "Understood",
    "adjust",
    "apply",
    "dimension",
    "drop",
    "find_reader",
    "gather",
    "guess",
    "join_inputs",
    "join_inputs_of",
    "join_machines",
    "join_machines_of",
    "load_sample",
    "metric_groups",
    "parts_of",
    "per_trial",
    "read_table",
    "recognise",
    "recognise_import",
    "recognise_parts",
    "recognise_table",
    "samples",
    "sheet_names",
    "summed",
    "understand",
]


def recognise(
    files: Sequence[SourceFile],
    given: Mapping | None = None,
    format: str | None = None,
    remembered: Remembered | None = None,
) -> Recognition:
    """Return what files are taken for, before anything is stored.

    Parameters
    ----------
    given : what a user says of the columns, which stands
    format : the reader; found by content if None
    remembered : what was said of tables with the same columns, for those of which nothing is said now

    Raises
    ------
    OptionError, ReadError
        If a file cannot be read, or `given` names a column that is not there.
    """
    return recognise_parts(parts_of(files, given, format), remembered)


def parts_of(files: Sequence[SourceFile], given: Mapping | None = None, format: str | None = None) -> list[Part]:
    """Return files with their readers; the reader of a file is asked first about the next, which is often alike.

    Raises
    ------
    OptionError
        If there is no reader called `format`.
    """
    parts: list[Part] = []
    for file in files:
        last = parts[-1].reader if parts and not format else None
        parts.append(Part(file, find_reader(file, format, last), given))
    return parts


def find_reader(file: SourceFile, format: str | None = None, first: Reader | None = None) -> Reader:
    """Return the reader of a file: the one called `format`, or the first whose format its content shows.

    A file that no reader recognises goes to the CSV reader, which says what it seems to be.

    Parameters
    ----------
    first : the reader that is asked first

    Raises
    ------
    OptionError
        If there is no reader called `format`.
    """
    if format:
        return READERS.find(format)()
    head = open_head(file)
    lower = head.lower()
    plain = READERS["csv"]()
    if first and not isinstance(first, type(plain)) and first.knows(head, lower):
        return first
    special = (cls() for name, cls in READERS.items() if name != "csv")
    return next((reader for reader in special if reader.knows(head, lower)), plain)
