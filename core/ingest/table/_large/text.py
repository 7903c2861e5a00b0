"""A large file as clean UTF-8, block by block, with the checks of `_open` and never the whole of it in memory."""

import codecs
import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from core.errors import ReadError
from core.ingest._foreign import refuse_binary
from core.ingest._open import (
    BEYOND_ASCII,
    MAX_LINE,
    WINDOWS,
    refuse_controls,
    refuse_long_run,
    text_encoding,
    unpacked,
    windows_warning,
)
from core.ingest.table.dialect import refuse_long_lines
from core.progress import Progress, silent

BLOCK = 4 * 1024 * 1024
"""Bytes that are looked at together."""

_GZIP = b"\x1f\x8b"
_PACKED = 1024 * 1024
_HEAD = 4096
_BREAKS = b"\r\n"
_ESCAPED = re.compile("[\udc80-\udcff]")
_WINDOWS = "windows-1252"


class NotUtf8Error(Exception):
    """The text is not UTF-8 after all; it has to be read again, as what `windows_text` says."""


@dataclass(frozen=True)
class Block:
    """Whole lines of a text, in UTF-8.

    Attributes
    ----------
    line, at : the number of the first line, and of the first byte in the unpacked text
    """

    raw: bytes
    line: int
    at: int


class LargeText:
    """The text of a file that is read once, from its beginning to its end.

    Attributes
    ----------
    encoding : known once the first block is there
    start : bytes of a mark before the text; None if the text is not in the file as it is
    warnings : what was taken over with a doubt
    """

    def __init__(
        self, path: Path, *, block: int = BLOCK, progress: Progress = silent, windows: str = "", name: str = ""
    ) -> None:
        """Prepare reading.

        Parameters
        ----------
        block : bytes that are looked at together
        windows : the warning with which the file is read as Windows-1252; "" if it is not
        """
        self.path, self.name = path, name or path.name
        self.encoding = _WINDOWS if windows else ""
        self.warnings = (windows,) if windows else ()
        self.start: int | None = None
        self._block, self._progress = block, progress
        self._sha = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Of the bytes that were read so far, as they came."""
        return self._sha.hexdigest()

    def blocks(self) -> Iterator[Block]:
        """Yield the text.

        Raises
        ------
        ReadError
            If the file is damaged, empty, or anything but text. An error that `open_text` would
            find first is raised first, wherever it is.
        NotUtf8Error
            If it turns out not to be UTF-8.
        """
        blocks = _numbered(_whole_lines(self._pieces(), self._block))
        if self.encoding == _WINDOWS:
            blocks = _checked(blocks, lambda b: replace(b, raw=_from_windows(b.raw)))
        elif self.encoding == "utf-8":
            blocks = _checked(blocks, _refuse_not_utf8)
        blocks = _checked(blocks, lambda b: refuse_controls(self.name, b.raw, b.line))
        return _checked(blocks, lambda b: refuse_long_lines(self.name, b.raw, b.line))

    def _pieces(self) -> Iterator[bytes]:
        """Return the contents without a byte order mark; what is neither UTF-8 nor of single bytes becomes UTF-8."""
        pieces = self.unpacked()
        first = _at_least(pieces, _HEAD)
        refuse_binary(self.name, first[:_HEAD])
        encoding, start = text_encoding(first)
        self.encoding = self.encoding or encoding or "utf-8"
        self.start = start if self.encoding == "utf-8" and not self._is_packed else None
        rest = chain(_sliced(first[start:], self._block), pieces)
        return rest if self.encoding in ("utf-8", _WINDOWS) else _decoded(self.name, rest, self.encoding)

    def unpacked(self) -> Iterator[bytes]:
        """Return the contents, unpacked if they are a gzip file's."""
        packed = self._packed()
        first = _at_least(packed, len(_GZIP))
        whole = chain((first,), packed)
        self._is_packed = first.startswith(_GZIP)
        if not self._is_packed:
            return whole
        pieces = refuse_long_run(self.name, unpacked(self.name, whole))
        beginning = next(pieces, b"")
        refuse_binary(self.name, beginning[:_HEAD])
        return chain((beginning,), pieces)

    def _packed(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                size, done = max(self.path.stat().st_size, 1), 0
                step = _PACKED if file.peek(len(_GZIP)).startswith(_GZIP) else self._block
                while piece := file.read(step):
                    self._sha.update(piece)
                    done += len(piece)
                    yield piece
                    self._progress(min(1.0, done / size), f"{self.name}: {done >> 20:,} of {size >> 20:,} MiB read")
        except OSError as error:
            raise ReadError(f"{self.path} cannot be read: {error.strerror or error}.") from None


def windows_text(text: LargeText) -> str:
    """Return the warning with which a file that is not UTF-8 is read as Windows-1252, reading it to its end.

    Raises
    ------
    ReadError
        If it cannot be read as that either.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    breaks, line, byte = _Breaks(), 0, 0
    partly = undefined = False
    pieces = text.unpacked()
    first = _at_least(pieces, _HEAD)
    for piece in chain((first[text_encoding(first)[1] :],), pieces, (b"",)):
        found = decoder.decode(piece, final=not piece)
        if not line and (bad := _ESCAPED.search(found)):
            before = found[: bad.start()].encode("utf-8", "surrogateescape")
            line, byte = breaks.after(before) + 1, ord(bad.group()) - 0xDC00
        breaks.add(found.encode("utf-8", "surrogateescape"))
        partly = partly or bool(BEYOND_ASCII.search(found))
        undefined = undefined or piece.translate(None, WINDOWS) != b""
    return windows_warning(text.name, line, byte, partly=partly, undefined=undefined)


def exhaust(rest: Iterable[object]) -> None:
    """Read on to the end, so that an error that comes first in a small file is raised first here too."""
    deque(rest, maxlen=0)


class _Breaks:
    """Counts the line ends of a text that comes in pieces."""

    def __init__(self) -> None:
        self._n, self._last = 0, b""

    def after(self, piece: bytes) -> int:
        """Return how many there are once `piece` has come."""
        whole = self._last + piece
        return self._n + n_breaks(whole) - n_breaks(self._last)

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._n, self._last = self.after(piece), (self._last + piece)[-1:]


def n_breaks(raw: bytes) -> int:
    """Return the number of line ends."""
    n = int(np.count_nonzero(np.frombuffer(raw, dtype=np.uint8) == 0x0A))
    return n + raw.count(b"\r") - raw.count(b"\r\n") if b"\r" in raw else n


def _checked(blocks: Iterator[Block], check: Callable[[Block], Block | None]) -> Iterator[Block]:
    """Yield blocks, changed by a check or as they came; where it fails, what is checked before goes first."""
    for block in blocks:
        try:
            changed = check(block)
        except ReadError:
            exhaust(blocks)
            raise
        yield changed or block


def _numbered(lines: Iterator[bytes]) -> Iterator[Block]:
    line, at = 1, 0
    for raw in lines:
        yield Block(raw, line, at)
        line, at = line + n_breaks(raw), at + len(raw)


def _whole_lines(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield pieces again, of some `size` and cut behind line ends; line ends at the end are left out."""
    held: list[bytes] = []
    n = 0
    for piece in pieces:
        n += len(piece)
        cut = _cut(piece) if n >= size else 0
        if cut:
            yield b"".join((*held, memoryview(piece)[:cut]))
            held, n = [piece[cut:]], len(piece) - cut
        else:
            held.append(piece)
        if n >= size + MAX_LINE:  # no line end in sight, or the pieces are shorter than blocks
            raw = b"".join(held)
            cut = _cut(raw)
            if cut:
                yield raw[:cut]
            held, n = [raw[cut:]], len(raw) - cut
    last = b"".join(held).rstrip(_BREAKS)
    if last:
        yield last


def _cut(raw: bytes) -> int:
    """Return where to cut: behind the last line end that is surely whole, before blank lines; 0 for not yet."""
    newline, other = raw.rfind(b"\n"), raw.rfind(b"\r", 0, len(raw) - 1)
    end = max(newline, other) + 1
    if end:
        filled = len(raw[max(0, end - MAX_LINE) : end].rstrip(_BREAKS)) + max(0, end - MAX_LINE)
        first = raw[filled : filled + 2]
        return filled + (2 if first == b"\r\n" else 1) if filled else (end if end > MAX_LINE else 0)
    return _whole_character(raw) if len(raw) > 2 * MAX_LINE else 0


def _whole_character(raw: bytes) -> int:
    """Return the end of the last character of UTF-8 that is surely whole; such a line is refused anyway."""
    end = len(raw)
    for back in range(1, 4):
        if raw[-back] >= 0xC0:
            end = len(raw) - back
        if raw[-back] & 0xC0 != 0x80:
            break
    return end


def _at_least(pieces: Iterator[bytes], size: int) -> bytes:
    """Return the first pieces, together at least `size` bytes if there are so many."""
    first = b""
    while len(first) < size and (piece := next(pieces, b"")):
        first += piece
    return first


def _sliced(raw: bytes, size: int) -> Iterator[bytes]:
    return (raw[start : start + size] for start in range(0, len(raw), size))


def _decoded(name: str, pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        exhaust(pieces)
        what = encoding.upper()
        raise ReadError(f"{name} begins as {what} but is damaged or cut off. Save it as UTF-8.") from None


def _from_windows(raw: bytes) -> bytes:
    return raw if raw.isascii() else raw.decode("cp1252").encode()


def _refuse_not_utf8(block: Block) -> None:
    if not block.raw.isascii():
        try:
            block.raw.decode()
        except UnicodeDecodeError:
            raise NotUtf8Error from None
