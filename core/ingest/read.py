"""Which reader a file is for."""

from collections.abc import Sequence

from core.ingest.base import Mapping, Reader, SourceFile
from core.ingest.joining.gather import Part
from core.ingest.opening import open_head
from core.ingest.readers import SEVERAL
from core.registry import discover

READERS = discover("core.ingest.readers", Reader, "reader", SEVERAL)


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
    # what a program printed stands in its profiler's output as well, which comes first
    special = (READERS[name]() for name in sorted(READERS, key=SEVERAL["printed"].__contains__) if name != "csv")
    return next((reader for reader in special if reader.knows(head, lower)), plain)
