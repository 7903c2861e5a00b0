"""What all of NVIDIA's profilers leave beside their tables: messages, an application's output, damaged rows."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import ClassVar

from core.errors import ReadError
from core.ingest._lookup import by_key
from core.ingest.base import SourceFile
from core.ingest.names import shown
from core.ingest.opening import OpenedText, open_text
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, Rest, Row, capture_of, span, without_controls
from core.ingest.readers._text import TextReader
from core.registry import first_few
from core.trial import Import

_MOST_PLACES, _MOST_MESSAGES = 40, 10
_ALARMING = re.compile("error|warning", re.IGNORECASE)
_RAISED = re.compile(r"[\w.]+(?:Error|Exception): ")


class CaptureReader(TextReader):
    """Reads what a profiler printed.

    Attributes
    ----------
    tool, message : its name, and what its own messages begin with
    again : what is to be done again where nothing was measured
    """

    tool: ClassVar[str]
    message: ClassVar[re.Pattern[str]]
    again = "Run the capture"

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a capture."""
        return open_text(file, without_controls)

    def fill(self, builder: Builder, text: OpenedText) -> Import:
        """Return the trials of a capture, and say what was not taken over."""
        capture = capture_of(text)
        rest, last = self.put(builder, capture)
        tell(rest, builder, self.tool, self.message)
        return builder.build((*text.warnings, *cut_off(capture, last)))

    @abstractmethod
    def put(self, builder: Builder, capture: Capture) -> tuple[Rest, Row | None]:
        """Put the trials down; return the lines that belong to no table, and the last row.

        Raises
        ------
        ReadError
            If nothing was measured, with what the tool said of it.
        """

    def refused(self, name: str, first: int, rest: Rest) -> ReadError:
        """Return the refusal of a file of messages alone, or of column names (on line `first`) and nothing below."""
        if first:
            said = f" The file says: {complaint(rest, self.message)}." if rest.lines else ""
            broken = f" The first, line {rest.broken[0][0]}: {rest.broken[0][1]}." if rest.broken else ""
            no_row = f"{name} line {first} has the column names of {self.tool}, but no whole row below."
            return ReadError(f"{no_row}{broken}{said} Capture again.")
        told = f"holds only messages of {self.tool} and no measurements: {complaint(rest, self.message)}."
        return ReadError(f"{name} {told} {self.again} again.")


def tell(rest: Rest, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Say what of a file was not taken over: messages, output of the application, damaged rows.

    Parameters
    ----------
    tool : its name, as in "messages of Nsight Compute"
    message : what the tool's own messages begin with
    """
    whose = {True: f"messages of {tool}", False: "output of the application"}
    places = [(a, b, f"{whose[own]}: '{shown(text.strip(), 100)}'") for a, b, text, own in _runs(rest.lines, message)]
    broken = [(line, line, why) for line, why in rest.broken]
    for found, others in ((places, "such places"), (broken, "rows that cannot be read")):
        for first, last, why in found[:_MOST_PLACES]:
            builder.skip(span(first, last), why)
        if len(found) > _MOST_PLACES:
            more = len(found) - _MOST_PLACES
            builder.skip(f"from line {found[_MOST_PLACES][0]} on", f"{more} more {others}")
    _tell_messages(rest, builder, tool, message)


def _tell_messages(rest: Rest, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Warn of the tool's errors and warnings, each text once."""
    own = ((line, text) for line, text in rest.lines if message.match(text) and _ALARMING.search(text[:40]))
    said = by_key((text.strip(), line) for line, text in own)
    for text, lines in list(said.items())[:_MOST_MESSAGES]:
        times = f" ({len(lines)} times)" if len(lines) > 1 else ""
        builder.note(f"{tool} said '{shown(text, 200)}'{times}", lines[0])
    if len(said) > _MOST_MESSAGES:
        builder.note(f"{tool} said {len(said) - _MOST_MESSAGES} further errors or warnings.")


def _runs(lines: Iterable[tuple[int, str]], message: re.Pattern[str]) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (first line, last line, first text, whether the tool's own) of lines that follow each other."""
    told = ((line - i, message.match(text) is not None, line, text) for i, (line, text) in enumerate(lines))
    for (_, own), run in groupby(told, key=lambda row: row[:2]):
        (_, _, first, text), *rest = run
        yield first, first + len(rest), text, own


def complaint(rest: Rest, message: re.Pattern[str]) -> str:
    """Return what a file without measurements says of why, with its line: an error, a warning, or its last line."""
    texts = [(line, text.strip(" \t,;")) for line, text in rest.lines]
    own = [(line, text) for line, text in texts if message.match(text)]
    words = ("error", "warning", "no kernels were profiled")
    alarms = [(line, text) for word in words for line, text in own if word in text.lower()]
    raised = [(line, text) for line, text in texts if _RAISED.match(text)]
    line, text = alarms[0] if alarms else (raised or own or texts or [(1, "")])[-1]
    return f"'{shown(text, 200)}' (line {line})"


def tell_missing(builder: Builder, missing: Mapping[str, int]) -> None:
    """Warn once of metrics that have no number in some cells; empty cells count as none."""
    some = [(name, n) for name, n in missing.items() if n]
    if some:
        named = first_few([f"'{shown(name)}' ({n} times)" for name, n in some])
        builder.note(f"not counted ('n/a' and the like), so missing: {named}.")


def cut_off(capture: Capture, last: Row | None) -> tuple[str, ...]:
    """Return a warning where the file ends inside of its last row, as one that was cut off does; none if not."""
    if capture.ended or last is None or last.line != len(capture.lines) or capture.lines[-1].endswith('"'):
        return ()
    told = f"{capture.name} ends without a line end: its last row (line {last.line}) was taken as it stands"
    return (f"{told}, and is wrong if the file was cut off.",)
