"""What a command-line profiler wrote: its messages, the application's output, and tables between them."""

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.ingest._names import shown
from core.ingest._open import MAX_FILE, gunzip, open_text
from core.ingest.base import SourceFile
from core.ingest.readers._builder import Builder

_COLOURS = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PRINTED = re.compile(rb"^[^\"\d\s][^\r\n]*", re.MULTILINE)
_LONGEST_RECORD = 200
"""Lines that one record may span: names of kernels that hold line ends are rare and short."""
_MOST_PLACES, _MOST_MESSAGES = 40, 10
_ALARMING = re.compile("error|warning", re.IGNORECASE)
_RAISED = re.compile(r"[\w.]+(?:Error|Exception): ")


@dataclass(frozen=True)
class Capture:
    """The lines of a file.

    Attributes
    ----------
    lines : without their ends; line 1 is lines[0]
    ended : whether the last line has an end; without one, the file may be cut off
    """

    name: str
    sha256: str
    lines: tuple[str, ...]
    ended: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A record of a table and the line that it begins on."""

    line: int
    cells: tuple[str, ...]


@dataclass
class Rest:
    """Lines that belong to no table: (number, text)."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, text: str) -> None:
        """Note a line that is neither a header nor a row."""
        if text.strip(" \t,;"):
            self.lines.append((line, text))

    def damaged(self, line: int, why: str) -> None:
        """Note a row that cannot be read."""
        self.broken.append((line, why))


def open_capture(file: SourceFile) -> Capture:
    """Return the lines of a file; colours of a terminal are removed, and control characters outside of tables.

    Raises
    ------
    ReadError
        If the file is too large, damaged, empty, or anything but text.
    """
    raw = gunzip(file) if file.content.startswith(b"\x1f\x8b") else file.content
    clean = _without_controls(raw) if len(raw) <= MAX_FILE and _CONTROLS.search(raw) else raw
    text = open_text(file if clean is raw else SourceFile(file.name, clean))
    lines = text.raw.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ended = not lines[-1].strip()
    sha256 = hashlib.sha256(file.content).hexdigest()
    return Capture(text.name, sha256, tuple(lines[:-1] if ended else lines), ended, text.warnings)


def _without_controls(raw: bytes) -> bytes:
    if b"\x00" in raw[:4096]:
        return raw  # UTF-16, or no text at all
    return _PRINTED.sub(lambda line: _CONTROLS.sub(b"", line.group()), _COLOURS.sub(b"", raw))


def lines_with(head: bytes, *words: bytes) -> Iterator[str]:
    """Yield the lines of a file's beginning that hold one of some words."""
    if not any(word in head for word in words):
        return
    end = -1
    for found in re.finditer(b"|".join(map(re.escape, words)), head):
        if found.start() > end:
            start = max(head.rfind(b"\n", 0, found.start()), head.rfind(b"\r", 0, found.start())) + 1
            end = min((at for at in (head.find(b"\n", start), head.find(b"\r", start)) if at >= 0), default=len(head))
            yield head[start:end].decode("utf-8", "replace")


def cells_of(line: str, separator: str = ",") -> tuple[str, ...] | None:
    """Return the cells of a record on one line; None if its quotes are not in order."""
    try:
        found = next(
            csv.reader([line.rstrip(" ")], delimiter=separator, skipinitialspace=separator != "\t", strict=True), None
        )
    except csv.Error:
        return None
    return None if found is None else tuple(found)


@dataclass(frozen=True)
class HeaderForm:
    """How a tool's tables begin: the columns that one of them comes first, alternatives in a regular expression."""

    first: str

    @cached_property
    def _quoted(self) -> re.Pattern[str]:
        return re.compile(rf'"(?:{self.first})"\s*([,;\t])')

    @cached_property
    def _bare(self) -> re.Pattern[str]:
        return re.compile(rf"\s*(?:{self.first})\s*([,;\t])")

    def read(self, line: str) -> tuple[tuple[str, ...], str] | None:
        """Return (columns, separator) if a line, or its quoted end, begins a table; empty columns at its end go."""
        quoted = self._quoted.search(line)
        found = quoted or self._bare.match(line)
        cells = cells_of(line[quoted.start() if quoted else 0 :], found.group(1)) if found else None
        if found is None or cells is None:
            return None
        columns = [cell.strip() for cell in cells]
        while columns and not columns[-1]:
            columns.pop()
        return tuple(columns), found.group(1)


def record(
    lines: Sequence[str], at: int, separator: str, width: int, begins: re.Pattern[str]
) -> tuple[tuple[str, ...], int] | None:
    """Return the cells of the record that begins at a line, and how many lines it spans; None if it is none.

    Parameters
    ----------
    at : index of its first line
    width : how many cells the table has; where quotes inside of quotes are not doubled, this many
        cells between `","` are taken
    begins : what a record begins with; a line that begins so ends the record before it
    """
    found = cells_of(lines[at], separator)
    if found is not None:
        return found, 1
    spanning = _spanning(lines, at, separator, begins)
    if spanning is not None:
        return spanning
    line, mark = lines[at].strip(), f'"{separator}"'
    if line.startswith('"') and line.endswith('"') and line.count(mark) == width - 1:
        return tuple(line[1:-1].split(mark)), 1
    return None


def _spanning(
    lines: Sequence[str], at: int, separator: str, begins: re.Pattern[str]
) -> tuple[tuple[str, ...], int] | None:
    stop = at + 1
    while stop < min(len(lines), at + _LONGEST_RECORD) and not _ends_record(lines[stop], begins):
        stop += 1
    texts = [line + "\n" for line in lines[at:stop]]
    reader = csv.reader(texts, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    try:
        found = next(reader)
    except (csv.Error, StopIteration):
        return None
    return (tuple(found), reader.line_num) if reader.line_num > 1 else None


def _ends_record(line: str, begins: re.Pattern[str]) -> bool:
    return line.startswith("==") or begins.match(line) is not None


def tell(rest: Rest, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Say what of a file was not taken over: messages, output of the application, damaged rows.

    Parameters
    ----------
    tool : its name, as in "messages of Nsight Compute"
    message : what the tool's own messages begin with
    """
    places = list(_runs(rest.lines, message))
    for first, last, text, own in places[:_MOST_PLACES]:
        what = f"messages of {tool}" if own else "output of the application"
        builder.skip(_lines(first, last), f"{what}: '{shown(text.strip(), 100)}'")
    if len(places) > _MOST_PLACES:
        builder.skip(f"from line {places[_MOST_PLACES][0]} on", f"{len(places) - _MOST_PLACES} more such places")
    for line, why in rest.broken[:_MOST_PLACES]:
        builder.skip(f"line {line}", why)
    if len(rest.broken) > _MOST_PLACES:
        more = len(rest.broken) - _MOST_PLACES
        builder.skip(f"from line {rest.broken[_MOST_PLACES][0]} on", f"{more} more rows that cannot be read")
    _tell_messages(rest, builder, tool, message)


def _tell_messages(rest: Rest, builder: Builder, tool: str, message: re.Pattern[str]) -> None:
    """Warn of the tool's errors and warnings, each text once."""
    said: dict[str, list[int]] = {}
    for line, text in rest.lines:
        if message.match(text) and _ALARMING.search(text[:40]):
            said.setdefault(text.strip(), []).append(line)
    for text, lines in list(said.items())[:_MOST_MESSAGES]:
        times = f" ({len(lines)} times)" if len(lines) > 1 else ""
        builder.warn(f"{builder.source} line {lines[0]}: {tool} said '{shown(text, 200)}'{times}")
    if len(said) > _MOST_MESSAGES:
        builder.warn(f"{builder.source}: {tool} said {len(said) - _MOST_MESSAGES} further errors or warnings.")


def _runs(lines: Iterable[tuple[int, str]], message: re.Pattern[str]) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (first line, last line, first text, whether the tool's own) of lines that follow each other."""
    current: tuple[int, int, str, bool] | None = None
    for line, text in lines:
        own = message.match(text) is not None
        if current and current[3] == own and line == current[1] + 1:
            current = (current[0], line, current[2], own)
            continue
        if current:
            yield current
        current = (line, line, text, own)
    if current:
        yield current


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def complaint(rest: Rest, message: re.Pattern[str]) -> str:
    """Return what a file without measurements says of why, with its line: an error, a warning, or its last line."""
    texts = [(line, text.strip(" \t,;")) for line, text in rest.lines]
    own = [(line, text) for line, text in texts if message.match(text)]
    for word in ("error", "warning", "no kernels were profiled"):
        for line, text in own:
            if word in text.lower():
                return f"'{shown(text, 200)}' (line {line})"
    raised = [(line, text) for line, text in texts if _RAISED.match(text)]
    line, text = (raised or own or texts or [(1, "")])[-1]
    return f"'{shown(text, 200)}' (line {line})"


def no_rows(name: str, line: int, rest: Rest, tool: str, message: re.Pattern[str]) -> str:
    """Return the refusal of a file that has column names and nothing below them."""
    said = f" The file says: {complaint(rest, message)}." if rest.lines else ""
    broken = f" The first, line {rest.broken[0][0]}: {rest.broken[0][1]}." if rest.broken else ""
    return f"{name} line {line} has the column names of {tool}, but no whole row below.{broken}{said} Capture again."


def tell_missing(builder: Builder, missing: Mapping[str, int]) -> None:
    """Warn once of metrics that have no number in some cells; empty cells count as none."""
    some = [(name, n) for name, n in missing.items() if n]
    if some:
        named = ", ".join(f"'{shown(name)}' ({n} times)" for name, n in some[:5])
        more = f" and {len(some) - 5} more" if len(some) > 5 else ""
        builder.warn(f"{builder.source}: not counted ('n/a' and the like), so missing: {named}{more}.")


def cut_off(capture: Capture, last: Row | None) -> str:
    """Return a warning where the file ends inside of its last row, as one that was cut off does; "" if not."""
    if capture.ended or last is None or last.line != len(capture.lines) or capture.lines[-1].endswith('"'):
        return ""
    return (
        f"{capture.name} ends without a line end: its last row (line {last.line}) was taken as it stands, "
        "and is wrong if the file was cut off."
    )
