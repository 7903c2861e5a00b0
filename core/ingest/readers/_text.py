"""What readers of texts share: a text that fills a builder, and its lines that hold a word."""

import io
import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.opening import Mended, OpenedText, open_text
from core.ingest.readers import SEVERAL
from core.ingest.readers._builder import Builder
from core.trial import Import

LONGEST = 20_000
"""Characters of a line that can hold a statistic or a kernel's name; longer lines are a program's own output."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TERMINAL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def name_of(reader: Reader) -> str:
    """Return a reader's name: its module's, or one of those in a module of several."""
    module, own = type(reader).__module__.rpartition(".")[2], type(reader).__name__.lower()
    return next((name for name in SEVERAL.get(module, ()) if name.replace("_", "") == own), module)


def builder_of(reader: Reader, text: OpenedText, simulated: bool = False) -> Builder:
    """Return the builder of a file's import, with what was noticed when the file was opened."""
    builder = Builder(text.name, text.sha256, name_of(reader), simulated)
    for warning in text.warnings:
        builder.warn(warning)
    return builder


class TextReader(Reader):
    """Reads a text through a builder; `simulated` says that equal times are to be expected."""

    simulated: ClassVar[bool] = False

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a file."""
        return open_text(file)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file; the mapping is applied by the caller."""
        text = self.open(file)
        builder = builder_of(self, text, self.simulated)
        self.fill(builder, text)
        return builder.build()

    @abstractmethod
    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down what a text says; raise ReadError if it says nothing."""


def lines_with(raw: bytes, hint: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Yield (place, line) of the lines that hold a hint, without their ends."""
    end = -1
    for found in hint.finditer(raw):
        if found.start() > end:
            start = max(raw.rfind(b"\n", 0, found.start()), raw.rfind(b"\r", 0, found.start())) + 1
            end = min((at for at in (raw.find(b"\n", start), raw.find(b"\r", start)) if at >= 0), default=len(raw))
            yield start, raw[start:end].decode("utf-8", "replace")


def _mended_log(name: str, raw: bytes) -> Mended:
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


class LogReader(TextReader):
    """Reads a log, into which other programs may write too."""

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a log."""
        return open_text(file, _mended_log)


def lines_of(raw: bytes, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line) of a text; a line redrawn by carriage returns is what it was drawn as last.

    Parameters
    ----------
    longest : bytes of a line; longer ones are left out
    """
    for number, line in enumerate(io.BytesIO(raw), 1):
        text = line.rstrip(b"\r\n")
        if text and len(text) <= longest:
            yield number, (text[text.rfind(b"\r") + 1 :] if b"\r" in text else text).decode()
