"""Pieces of a text cut behind its line ends."""

from collections.abc import Iterator

import numpy as np

from core.ingest.opening import MAX_LINE

_BREAKS = b"\r\n"


def n_breaks(raw: bytes) -> int:
    """Return the number of line ends."""
    n = int(np.count_nonzero(np.frombuffer(raw, dtype=np.uint8) == 0x0A))
    return n + raw.count(b"\r") - raw.count(b"\r\n") if b"\r" in raw else n


def whole_lines(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
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
