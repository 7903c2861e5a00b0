"""Text that a program printed, opened for its lines: terminal colours, control characters and odd bytes removed."""

import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import replace

from core.ingest.base import SourceFile
from core.ingest.opening import MAX_FILE, OpenedText, gunzip, open_text
from core.ingest.readers._text import TextReader

LONGEST = 20_000
"""Characters of a line that can hold a statistic or a kernel's name; longer lines are a program's own output."""

_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TERMINAL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def open_log(file: SourceFile) -> OpenedText:
    """Return the text of a log.

    Other programs write into the same log, so that single bytes that are no text are no reason to refuse it.

    Raises
    ------
    ReadError
        If the file is too large, empty, or no text.
    """
    if len(file.content) > MAX_FILE:
        return open_text(file)
    raw = gunzip(file) if file.content.startswith(_GZIP) else file.content
    if raw.startswith(_UTF_16) or raw[:4096].count(0) > len(raw[:4096]) // 4:
        return open_text(file)
    clean, warnings = _as_utf8(file.name, _TERMINAL.sub(b"", raw) if _TERMINAL.search(raw) else raw)
    opened = open_text(SourceFile(file.name, clean)) if len(clean) <= MAX_FILE else _opened(file.name, clean)
    return replace(opened, sha256=hashlib.sha256(file.content).hexdigest(), warnings=(*opened.warnings, *warnings))


class LogReader(TextReader):
    """Reads a log, into which other programs may write too."""

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a log."""
        return open_log(file)


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


def _opened(name: str, raw: bytes) -> OpenedText:
    """Return a large unpacked text; what it begins with is judged as of any other."""
    head = open_text(SourceFile(name, raw[: raw.rfind(b"\n", 0, 1 << 20) + 1]))
    return replace(head, raw=raw)


def _as_utf8(name: str, raw: bytes) -> tuple[bytes, tuple[str, ...]]:
    try:
        raw.decode()
        return raw, ()
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
    warning = f"{name} line {line}: bytes that are no UTF-8 text, as other programs print them; shown as \ufffd."
    return raw.decode("utf-8", "replace").encode(), (warning,)
