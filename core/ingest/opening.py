"""Bytes as they came to clean UTF-8: size limits, gzip, what the file is, encoding, control characters."""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._foreign import CONTROL, has_control, refuse_binary
from core.ingest.base import SourceFile

MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file as it comes, packed or not."""
MAX_EXPANDED = 1024 * 1024 * 1024
"""Bytes of a gzip file's contents."""
MAX_LINE = 1024 * 1024
"""Bytes of one line."""
MAX_LINES = 20_000_000
"""Lines of a gzip file's contents."""
MAX_RATIO, SURE = 100, 64 * 1024 * 1024
"""How many times its size a gzip file may unpack to, once that is more than `SURE` bytes."""
HEAD = 1024 * 1024

GZIP = b"\x1f\x8b"
"""What a gzip file begins with."""
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")
"""A character of valid UTF-8 among bytes that were kept as surrogates."""
WINDOWS = bytes(byte for byte in range(256) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
"""The bytes that mean something in Windows-1252."""


class OpenedText(Frozen):
    """A file's text: `raw` is UTF-8 without byte order mark or control characters; or its bytes, without encoding."""

    name: str
    sha256: str
    raw: bytes
    encoding: str
    warnings: tuple[str, ...] = ()


Mended = tuple[bytes, tuple[str, ...]]
"""A text that was mended, and what is told of that."""


def open_text(file: SourceFile, mend: Callable[[str, bytes], Mended] | None = None) -> OpenedText:
    """Return the text of a file.

    Parameters
    ----------
    mend : takes out of the unpacked bytes, given with the file's name, what is no reason to refuse them

    Raises
    ------
    ReadError
        If the file is too large, damaged, empty, or anything but text.
    """
    if len(file.content) > MAX_FILE:
        size, most = len(file.content) / 2**20, MAX_FILE // 2**20
        raise ReadError(
            f"{file.name} has {size:.0f} MiB; at most {most} MiB are read at once. Compress it with gzip, "
            "or import it by its path (ridgeline import), which takes tables of any size."
        )
    raw = gunzip(file) if file.content.startswith(GZIP) else file.content
    raw, mended = mend(file.name, raw) if mend else (raw, ())
    if not re.search(rb"[^\s\x00]", raw) and b"\x00" not in raw:
        raise ReadError(f"{file.name} is empty: a table needs a row of column names and rows of values.")
    refuse_binary(file.name, raw[:4096])
    raw, encoding, warnings = _to_utf8(file.name, raw)
    refuse_controls(file.name, raw)
    return OpenedText(file.name, hashlib.sha256(file.content).hexdigest(), raw, encoding, (*warnings, *mended))


def open_head(file: SourceFile, size: int = HEAD) -> bytes:
    """Return the first bytes of a file's contents, unpacked, as UTF-8 if they are text."""
    raw = file.content[: size + 4]
    if raw.startswith(GZIP):
        try:
            raw = zlib.decompressobj(31).decompress(file.content[: 4 * size], size)
        except zlib.error:
            raw = b""
    encoding, start = text_encoding(raw)
    if encoding in ("utf-8", ""):
        return raw[start:size]
    return raw[start:].decode(encoding, "ignore").encode()[:size]


def gunzip(file: SourceFile) -> bytes:
    """Return a gzip file's contents, never growing past the limits.

    Raises
    ------
    ReadError
        If the contents are too large, cut off, damaged, binary, or packed twice.
    """
    raw, lines = bytearray(), 0
    for piece in contents(file.name, (file.content,), lambda: len(file.content)):
        raw += piece
        lines += piece.count(b"\n")
        if len(raw) > MAX_EXPANDED or lines > MAX_LINES:
            most = f"{MAX_EXPANDED // 2**20} MiB or {MAX_LINES:,} lines"
            remedy = "Split it, or import it by its path (ridgeline import)"
            raise ReadError(f"{file.name} unpacks to more than {most}. {remedy}.")
    return bytes(raw)


def contents(name: str, packed: Iterable[bytes], taken: Callable[[], int]) -> Iterator[bytes]:
    """Yield the contents of a gzip file, which comes in pieces.

    Parameters
    ----------
    taken : gives how many bytes of the file were unpacked so far

    Raises
    ------
    ReadError
        If they are binary, far more than the file's own bytes, have a line so long that no table has it, or the
        file is damaged.
    """
    size = run = 0
    for piece in unpacked(name, packed):
        if not size:
            refuse_binary(name, piece[:4096])
        size += len(piece)
        if size > SURE and size > MAX_RATIO * taken():
            raise ReadError(
                f"{name} unpacks to more than {MAX_RATIO} times its size ({size >> 20} MiB so far), as no "
                "measurements do. Unpack it yourself if that is meant, and give what comes out."
            )
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        run = len(piece) - 1 - end if end >= 0 else run + len(piece)
        if run > 4 * MAX_LINE:
            raise ReadError(f"{name} unpacks to a line longer than {4 * MAX_LINE // 2**20} MiB; no table has one.")
        yield piece


def unpacked(name: str, packed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the contents of each member of a gzip file, which comes in pieces, in pieces of at most 1 MiB.

    Raises
    ------
    ReadError
        If it is cut off or damaged.
    """
    member: Any = None
    for rest in packed:
        while rest := rest if member else rest.lstrip(b"\x00"):
            member = member or zlib.decompressobj(31)
            try:
                yield from _grown(member, rest)
            except zlib.error:
                raise ReadError(f"{name} is a damaged gzip file. Compress it again.") from None
            rest = member.unused_data
            member = None if member.eof else member
    if member:
        raise ReadError(f"{name} is a gzip file that was cut off. Copy it again, whole.")


def _grown(member: Any, packed: bytes) -> Iterator[bytes]:
    """Yield what some packed bytes unpack to, in pieces of at most 1 MiB."""
    piece = member.decompress(packed, 1 << 20)
    while piece:
        yield piece
        piece = member.decompress(member.unconsumed_tail, 1 << 20)


def _to_utf8(name: str, raw: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    encoding, start = text_encoding(raw)
    if encoding in ("", "utf-8"):
        return _utf8(name, raw[start:] if start else raw)
    try:
        return raw[start:].decode(encoding).encode(), encoding, ()
    except UnicodeError:
        what = encoding.upper()
        raise ReadError(f"{name} begins as {what} but is damaged or cut off. Save it as UTF-8.") from None


def text_encoding(raw: bytes) -> tuple[str, int]:
    """Return (encoding, length of its mark) that a mark or the places of zero bytes show; "" if none."""
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return encoding, len(mark)
    sample = raw[:4096]
    half = max(len(sample) // 2, 1)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.4 and even < 0.05:
        return "utf-16-le", 0
    return ("utf-16-be", 0) if even > 0.4 and odd < 0.05 else ("", 0)


def _utf8(name: str, raw: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    try:
        raw.decode()
        return raw, "utf-8", ()
    except UnicodeDecodeError as error:
        line, byte = line_of(raw, error.start), raw[error.start]
    partly = bool(BEYOND_ASCII.search(raw.decode("utf-8", "surrogateescape")))
    warning = windows_warning(name, line, byte, partly=partly, undefined=bool(raw.translate(None, WINDOWS) != b""))
    return raw.decode("cp1252").encode(), "windows-1252", (warning,)


def windows_warning(name: str, line: int, byte: int, *, partly: bool, undefined: bool) -> str:
    """Return the warning for a file that is not UTF-8 and is read as Windows-1252.

    Parameters
    ----------
    line, byte : the first that is not UTF-8
    partly : whether other bytes beyond ASCII are UTF-8
    undefined : whether the file has bytes that mean nothing in Windows-1252

    Raises
    ------
    ReadError
        If it cannot be read as that either.
    """
    where = f"byte 0x{byte:02X} on line {line}"
    if partly:
        raise ReadError(f"{name} line {line}: damaged UTF-8 ({where}). Save the file again.")
    if undefined:
        raise ReadError(f"{name} is neither UTF-8 nor Windows-1252 ({where}). Save it as UTF-8.")
    return f"{name} is not UTF-8 ({where}): read as Windows-1252; check names with special letters."


def refuse_controls(name: str, raw: bytes, first: int = 1) -> None:
    """Raise ReadError if a text holds a control character; `first` is the number of its first line."""
    if has_control(raw) and (found := CONTROL.search(raw)):
        line = line_of(raw, found.start()) + first - 1
        raise ReadError(
            f"{name} line {line}: control character 0x{found.group()[0]:02X}, which no table holds. "
            "The file may be binary or damaged."
        )


def line_of(raw: bytes, offset: int) -> int:
    """Return the number of the line that holds a byte, counting from 1."""
    return 1 + raw.count(b"\n", 0, offset) + raw.count(b"\r", 0, offset) - raw.count(b"\r\n", 0, offset)
