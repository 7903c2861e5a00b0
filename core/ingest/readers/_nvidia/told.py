"""What all of NVIDIA's profilers leave beside their tables: messages, an application's output, damaged rows."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import ClassVar

from core.errors import first_few
from core.ingest._foreign import has_control
from core.ingest._lookup import by_key
from core.ingest.names import shown
from core.ingest.opening import Mended
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, Table, capture_of, span
from core.ingest.readers._text import TextReader
from core.trial import Import

_COLOURS = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PRINTED = re.compile(rb"^[^\"\d\s][^\r\n]*", re.MULTILINE)
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

    def mend(self, name: str, raw: bytes) -> Mended:
        """Return a text without the colours of a terminal, and outside of tables without control characters."""
        if b"\x00" in raw[:4096] or not has_control(raw):
            return raw, ()  # UTF-16, or no text at all
        return _PRINTED.sub(lambda line: _CONTROLS.sub(b"", line.group()), _COLOURS.sub(b"", raw)), ()

    def fill(self, builder: Builder, raw: bytes) -> Import:
        """Return the trials of a capture, and say what was not taken over."""
        capture = capture_of(raw)
        self.put(builder, capture)
        tell(capture, builder, self.tool, self.message)
        return builder.build(cut_off(builder, capture))

    @abstractmethod
    def put(self, builder: Builder, capture: Capture) -> None:
        """Put the trials down, and note in the capture which lines belong to no table and which row is the last.

        Raises
        ------
        ReadError
            If nothing was measured, with what the tool said of it.
        """

    def why_nothing(self, tables: Sequence[Table], capture: Capture) -> str:
        """Return why a file of messages alone is refused, or of column names and nothing below."""
        if tables:
            said = f" The file says: {complaint(capture, self.message)}." if capture.rest else ""
            broken = f" The first, line {capture.broken[0][0]}: {capture.broken[0][1]}." if capture.broken else ""
            no_row = f"line {tables[0].line} has the column names of {self.tool}, but no whole row below."
            return f"{no_row}{broken}{said} Capture again."
        told = f"holds only messages of {self.tool} and no measurements: {complaint(capture, self.message)}."
        return f"{told} {self.again} again."


def tell(capture: Capture, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Say what of a file was not taken over: messages, output of the application, damaged rows.

    Parameters
    ----------
    tool : its name, as in "messages of Nsight Compute"
    message : what the tool's own messages begin with
    """
    whose = {True: f"messages of {tool}", False: "output of the application"}
    places = [(a, b, f"{whose[own]}: '{shown(text.strip(), 100)}'") for a, b, text, own in _runs(capture.rest, message)]
    broken = [(line, line, why) for line, why in capture.broken]
    for found, others in ((places, "such places"), (broken, "rows that cannot be read")):
        for first, last, why in found[:_MOST_PLACES]:
            builder.skip(span(first, last), why)
        if len(found) > _MOST_PLACES:
            more = len(found) - _MOST_PLACES
            builder.skip(f"from line {found[_MOST_PLACES][0]} on", f"{more} more {others}")
    _tell_messages(capture, builder, tool, message)


def _tell_messages(capture: Capture, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Warn of the tool's errors and warnings, each text once."""
    own = ((line, text) for line, text in capture.rest if message.match(text) and _ALARMING.search(text[:40]))
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


def complaint(capture: Capture, message: re.Pattern[str]) -> str:
    """Return what a file without measurements says of why, with its line: an error, a warning, or its last line."""
    texts = [(line, text.strip(" \t,;")) for line, text in capture.rest]
    own = [(line, text) for line, text in texts if message.match(text)]
    words = ("error", "warning", "no kernels were profiled")
    alarms = [(line, text) for word in words for line, text in own if word in text.lower()]
    raised = [(line, text) for line, text in texts if _RAISED.match(text)]
    line, text = alarms[0] if alarms else (raised or own or texts or [(1, "")])[-1]
    return f"'{shown(text, 200)}' (line {line})"


def tell_missing(builder: Builder, missing: Mapping[str, int]) -> None:
    """Warn once of metrics that have no number in some cells; empty cells count as none."""
    if some := [(name, n) for name, n in missing.items() if n]:
        named = first_few([f"'{shown(name)}' ({n} times)" for name, n in some])
        builder.note(f"not counted ('n/a' and the like), so missing: {named}.")


def cut_off(builder: Builder, capture: Capture) -> tuple[str, ...]:
    """Return a warning where the file ends inside of its last row, as one that was cut off does; none if not."""
    if capture.ended or capture.last != len(capture.lines) or capture.lines[-1].endswith('"'):
        return ()
    told = f"{builder.source} ends without a line end: its last row (line {capture.last}) was taken as it stands"
    return (f"{told}, and is wrong if the file was cut off.",)
