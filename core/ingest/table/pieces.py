"""Some cells of a column as they are kept: texts, codes of a few texts, or numbers that came as such."""

from dataclasses import dataclass
from typing import Any

from core import arrow
from core.ingest.table.spill import Room
from core.ingest.table.strings import Strings

_SAMPLE = 1_000
"""Cells that show whether a piece repeats a few texts."""
_FEW = 8
"""So many times each text occurs, at least on average, in a piece that is kept as codes."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Some cells.

    Attributes
    ----------
    held : an Arrow array or its place: of strings, of codes with a dictionary of strings, or of numbers
    empties, commas : whether some cell is empty, whether some holds a comma
    """

    n: int
    held: Any
    empties: bool
    commas: bool


def pack(room: Room, array: Any) -> tuple[Piece, int]:
    """Keep an Arrow array of strings without spaces around them; return also how many had some."""
    codes = _repeating(array)
    short, changed = Strings(array if codes is None else codes.dictionary).trimmed()
    held = short.array if codes is None else _coded(codes, short)
    if codes is not None and changed.any():
        changed = changed[arrow.plain(codes.indices)]
    return Piece(len(array), room.keep(held), short.has_empty(), b"," in short.characters()), int(changed.sum())


def pack_numbers(room: Room, array: Any) -> Piece:
    """Keep an Arrow array of numbers."""
    import pyarrow.compute as pc

    none = bool(array.null_count) or bool(pc.any(pc.is_nan(array)).as_py() if "float" in str(array.type) else False)
    return Piece(len(array), room.keep(array), none, commas=False)


def _repeating(array: Any) -> Any:
    """Return an array as codes if it repeats a few texts, else None."""
    for some in (array[:_SAMPLE], array):
        found = some.dictionary_encode()
        if len(found.dictionary) * _FEW > len(some):
            return None
    return found


def _coded(array: Any, texts: Strings) -> Any:
    import pyarrow as pa

    n = len(texts)
    kind = pa.int8() if n < 1 << 7 else pa.int16() if n < 1 << 15 else pa.int32()
    return pa.DictionaryArray.from_arrays(array.indices.cast(kind), texts.array)
