"""What readers of texts share: a text that fills a builder, lines that hold a word, JSON within limits."""

import csv
import io
import json
import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from core.codec import TwiceError, once_each
from core.errors import ReadError
from core.ingest.base import Mapping, Reader, SourceFile
from core.ingest.names import shown
from core.ingest.opening import Mended, OpenedText, open_text
from core.ingest.readers import SEVERAL
from core.ingest.readers._builder import Builder
from core.trial import Import

LONGEST = 20_000
"""Characters of a line that can hold a statistic or a kernel's name; longer lines are a program's own output."""
OBJECT = re.compile(rb"\A\s*\{")
"""How JSON begins that is an object."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TERMINAL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class TextReader(Reader):
    """Reads a text through a builder; `simulated` says that equal times are to be expected."""

    simulated: ClassVar[bool] = False

    def mend(self, name: str, raw: bytes) -> Mended:
        """Return the bytes without what is no reason to refuse them, and what is told of that."""
        return raw, ()

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a file."""
        return open_text(file, self.mend)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file; the mapping is applied by the caller."""
        text = self.open(file)
        builder = Builder(text.name, text.sha256, _name_of(self), self.simulated)
        for warning in text.warnings:
            builder.warn(warning)
        return self.fill(builder, text.raw) or builder.build()

    @abstractmethod
    def fill(self, builder: Builder, raw: bytes) -> Import | None:
        """Put down what a text says, or return its trials; raise ReadError if it says nothing."""


def _name_of(reader: Reader) -> str:
    """Return a reader's name: its module's, or one of those in a module of several."""
    module, own = type(reader).__module__.rpartition(".")[2], type(reader).__name__.lower()
    return next((name for name in SEVERAL.get(module, ()) if name.replace("_", "") == own), module)


def lines_with(raw: bytes, hint: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Yield (place, line) of the lines that hold a hint, without their ends."""
    end = -1
    for found in hint.finditer(raw):
        if found.start() > end:
            start = max(raw.rfind(b"\n", 0, found.start()), raw.rfind(b"\r", 0, found.start())) + 1
            end = min((at for at in (raw.find(b"\n", start), raw.find(b"\r", start)) if at >= 0), default=len(raw))
            yield start, raw[start:end].decode("utf-8", "replace")


def cells_of(line: str, separator: str = ",") -> tuple[str, ...] | None:
    """Return the cells of a record on one line; None if its quotes are not in order."""
    mark = f'"{separator}"'
    if line[:1] == line[-1:] == '"' and 2 < line.count('"') == 2 * line.count(mark) + 2:  # around each cell, in none
        return tuple(line[1:-1].split(mark))
    try:
        found = next(
            csv.reader([line.rstrip(" ")], delimiter=separator, skipinitialspace=separator != "\t", strict=True), None
        )
    except csv.Error:
        return None
    return None if found is None else tuple(found)


def without_empty_end(cells: Iterable[str]) -> tuple[str, ...]:
    """Return the cells up to the last that is not empty."""
    kept = [*cells]
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


class LogReader(TextReader):
    """Reads a log, into which other programs may write too."""

    def mend(self, name: str, raw: bytes) -> Mended:
        """Return a log without what moves a terminal's cursor, and with marks for bytes that are no text.

        Other programs write into the same log, so that single bytes that are no text are no reason to refuse it.
        """
        if raw.startswith(_UTF_16) or raw[:4096].count(0) > len(raw[:4096]) // 4:
            return raw, ()
        clean = _TERMINAL.sub(b"", raw) if _TERMINAL.search(raw) else raw
        try:
            clean.decode()
            return clean, ()
        except UnicodeDecodeError as error:
            line = 1 + clean.count(b"\n", 0, error.start)
        warning = f"{name} line {line}: bytes that are no UTF-8 text, as other programs print them; shown as \ufffd."
        return clean.decode("utf-8", "replace").encode(), (warning,)


def lines_of(raw: bytes, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line) of a text; a line redrawn by carriage returns is what it was drawn as last.

    Parameters
    ----------
    longest : bytes of a line; longer ones are left out
    """
    for number, line in enumerate(io.BytesIO(raw), 1):
        if (text := line.rstrip(b"\r\n")) and len(text) <= longest:
            yield number, (text[text.rfind(b"\r") + 1 :] if b"\r" in text else text).decode()


_CLOSING = {"{": "}", "[": "]"}
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]', re.DOTALL)
"""Texts of JSON, and what encloses its values."""


def load_json(name: str, raw: bytes) -> Any:
    """Return the value of a JSON text; infinities and NaN come as floats, for the caller to judge.

    Raises
    ------
    ReadError
        If it is no JSON, nested too deeply, or says one key twice.
    """
    try:
        return json.loads(raw, object_pairs_hook=once_each)
    except TwiceError as key:
        raise ReadError(f"{name} says '{str(key)[:80]}' twice in one object; it must be there once.") from None
    except RecursionError:
        raise ReadError(f"{name} is nested too deeply to hold measurements.") from None
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{name} line {error.lineno}: no valid JSON ({error.msg.lower()} at column {error.colno}). "
            "The file may be cut off; write it again."
        ) from None
    except ValueError as error:
        raise ReadError(f"{name} is no valid JSON: {error}.") from None


def number(value: Any) -> float | None:
    """Return a JSON number, or a text that is one, as a float; None for anything else, true and false too."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def finite(value: Any) -> float | None:
    """Return a number as `number` does, and None for an infinite one and NaN too."""
    found = number(value)
    return found if found is not None and math.isfinite(found) else None


def plain(value: Any) -> str:
    """Return a JSON scalar as people write it; a list or an object in its JSON form, None as the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entries(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def only_messages(tool: str, line: int, said: str, again: str = "Run the capture") -> str:
    """Return what is said of a file in which a tool only complains, on some line."""
    told = f"'{shown(said.strip(), 160)}' (line {line})"
    return f"holds only messages of {tool} and no measurements: {told}. {again} again."


def load_cut(name: str, raw: bytes, container: str, opening: str) -> tuple[Any, str]:
    """Return a JSON object and, if it was cut off inside one of its members, where.

    Parameters
    ----------
    container : the key of the member that a tool adds to while it runs
    opening : `{` or `[`, with which that member begins

    Raises
    ------
    ReadError
        If it is no JSON for any other reason, or nothing in the member is whole.
    """
    try:
        return load_json(name, raw), ""
    except ReadError:
        text = raw.decode(errors="replace")
        if (end := _last_whole(text, container, opening)) is None:
            raise
    whole = text[:end] + _CLOSING[opening] + "}"
    return load_json(name, whole.encode()), f"after line {text.count(chr(10), 0, end) + 1}"


def _last_whole(text: str, container: str, opening: str) -> int | None:
    """Return where the last whole object or list in the member ends; None if the text was not cut off there."""
    begins = re.search(rf'"{re.escape(container)}"\s*:\s*{re.escape(opening)}', text)
    depth, end = 0, None
    for found in _MARKS.finditer(text, begins.end()) if begins else ():
        mark = found[0]
        depth += (mark in "{[") - (mark in "}]")
        if depth < 0:  # the member is whole, and what follows it is not
            return None if text[found.end() :].strip() else end
        if mark == '"':  # a text that does not end
            return end
        if not depth and mark in "}]":
            end = found.end()
    return end
