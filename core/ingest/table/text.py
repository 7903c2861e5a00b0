"""A file's text as clean UTF-8, block by block, with the checks of `_open` and never the whole of it in memory."""

import codecs
import hashlib
import io
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest import opening
from core.ingest._foreign import refuse_binary
from core.ingest.base import SourceFile
from core.ingest.table.dialect import refuse_long_lines
from core.ingest.table.split import n_breaks, whole_lines
from core.progress import Progress, silent

T = TypeVar("T")

BLOCK = 4 * 1024 * 1024
"""Bytes that are looked at together."""

_PACKED = 1024 * 1024
_HEAD, _FIRST = 4096, 65_536
_WINDOWS = "windows-1252"


class NotUtf8Error(Exception):
    """The text is not UTF-8 after all; it has to be read again, as `as_text` does."""


class Block(Frozen):
    """Whole lines of a text, in UTF-8; `line` is the number of the first."""

    raw: bytes
    line: int


class Text:
    """The text of a file that is read once, from its beginning to its end.

    Attributes
    ----------
    encoding : known once the first block is there
    warnings : what was taken over with a doubt
    """

    def __init__(
        self,
        file: SourceFile | Path,
        *,
        block: int = BLOCK,
        progress: Progress = silent,
        windows: str = "",
        name: str = "",
    ) -> None:
        """Prepare reading.

        Parameters
        ----------
        file : bytes, or a path, which may be a pipe
        block : bytes that are looked at together
        windows : the warning with which the file is read as Windows-1252; "" if it is not
        """
        self.file, self.name = file, name or file.name
        self.encoding = _WINDOWS if windows else ""
        self.warnings = (windows,) if windows else ()
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
            If the file is damaged, empty, or anything but text.
        NotUtf8Error
            If it turns out not to be UTF-8.
        """
        wrong: ReadError | None = None
        for block in self._lines():
            raw = block.raw if block.raw.isascii() else _checked(block.raw, self.encoding)
            if wrong:
                continue  # its encoding is judged first, wherever the other error is
            try:
                opening.refuse_controls(self.name, raw, block.line)
                refuse_long_lines(self.name, raw, block.line)
            except ReadError as error:
                wrong = error
            else:
                yield Block(raw, block.line)
        if wrong:
            raise wrong

    def windows(self) -> str:
        """Return the warning with which a file that is not UTF-8 is read as Windows-1252, reading it to its end.

        Raises
        ------
        ReadError
            If it cannot be read as that either.
        """
        line = byte = 0
        partly = undefined = False
        for block in self._lines():
            if block.raw.isascii():
                continue
            try:
                block.raw.decode()
            except UnicodeDecodeError as error:
                if not line:
                    line, byte = block.line + n_breaks(block.raw[: error.start]), block.raw[error.start]
            partly = partly or bool(opening.BEYOND_ASCII.search(block.raw.decode("utf-8", "surrogateescape")))
            undefined = undefined or block.raw.translate(None, opening.WINDOWS) != b""
        return opening.windows_warning(self.name, line, byte, partly=partly, undefined=undefined)

    def again(self, windows: str = "") -> "Text":
        """Return the same text, to be read from its beginning."""
        return Text(self.file, block=self._block, progress=self._progress, windows=windows, name=self.name)

    def _lines(self) -> Iterator[Block]:
        line = 1
        for raw in whole_lines(self._pieces(), self._block):
            yield Block(raw, line)
            line += n_breaks(raw)

    def _pieces(self) -> Iterator[bytes]:
        """Return the contents without a byte order mark; what is neither UTF-8 nor of single bytes becomes UTF-8."""
        pieces = self._unpacked()
        first = _at_least(pieces, _HEAD)
        refuse_binary(self.name, first[:_HEAD])
        encoding, start = opening.text_encoding(first)
        self.encoding = self.encoding or encoding or "utf-8"
        cuts = range(start, len(first), self._block)
        rest = chain((first[cut : cut + self._block] for cut in cuts), pieces)
        return rest if self.encoding in ("utf-8", _WINDOWS) else _decoded(self.name, rest, self.encoding)

    def _unpacked(self) -> Iterator[bytes]:
        """Return the contents, unpacked if they are a gzip file's."""
        packed = self._packed()
        first = _at_least(packed, len(opening.GZIP))
        whole = chain((first,), packed)
        return opening.contents(self.name, whole, lambda: self._taken) if first.startswith(opening.GZIP) else whole

    def _packed(self) -> Iterator[bytes]:
        self._taken = 0
        try:
            with _opened(self.file) as file:
                size = max(self._size(), 1)
                while piece := file.read(_PACKED if self._taken else len(opening.GZIP)):
                    self._sha.update(piece)
                    self._taken += len(piece)
                    yield piece
                    done = f"{self.name}: {self._taken >> 20:,} of {size >> 20:,} MiB read"
                    self._progress(min(1.0, self._taken / size), done)
        except OSError as error:
            raise ReadError(f"{self.file} cannot be read: {error.strerror or error}.") from None

    def _size(self) -> int:
        return len(self.file.content) if isinstance(self.file, SourceFile) else self.file.stat().st_size


def beginning(file: SourceFile | Path) -> bytes:
    """Return the first bytes of a file as it came.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        with _opened(file) as own:
            return own.read(_FIRST)
    except OSError as error:
        raise ReadError(f"{file} cannot be read: {error.strerror or error}.") from None


def as_text(text: Text, read: Callable[[Text], T]) -> T:
    """Return what `read` makes of a text, which is Windows-1252 where it is not UTF-8."""
    try:
        return read(text)
    except NotUtf8Error:
        return read(text.again(text.again().windows()))


def _checked(raw: bytes, encoding: str) -> bytes:
    """Return text beyond ASCII in UTF-8."""
    if encoding == _WINDOWS:
        return raw.decode("cp1252").encode()
    try:
        raw.decode()
    except UnicodeDecodeError:
        raise NotUtf8Error from None
    return raw


def _at_least(pieces: Iterator[bytes], size: int) -> bytes:
    """Return the first pieces, together at least `size` bytes if there are so many."""
    first = b""
    while len(first) < size and (piece := next(pieces, b"")):
        first += piece
    return first


def _decoded(name: str, pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder: Any = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        what = encoding.upper()
        raise ReadError(f"{name} begins as {what} but is damaged or cut off. Save it as UTF-8.") from None


def digest(file: SourceFile | Path) -> str:
    """Return the SHA-256 of a file as it came."""
    with _opened(file) as own:
        return hashlib.file_digest(own, "sha256").hexdigest()


def _opened(file: SourceFile | Path) -> io.BufferedIOBase:
    return io.BytesIO(file.content) if isinstance(file, SourceFile) else file.open("rb")
