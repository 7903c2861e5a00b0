"""Some cells of a column as they are kept: texts, codes of a few texts, or numbers that came as such."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.codec import IntArray
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
    array, counts = _repeating(array)
    short, n = Strings(array if counts is None else array.dictionary).trimmed(counts)
    held = short.array if counts is None else _coded(array, short)
    return Piece(len(array), room.keep(held), short.has_empty(), b"," in short.characters()), n


def pack_numbers(room: Room, array: Any) -> Piece:
    """Keep an Arrow array of numbers."""
    import pyarrow.compute as pc

    none = bool(array.null_count) or bool(pc.any(pc.is_nan(array)).as_py() if "float" in str(array.type) else False)
    return Piece(len(array), room.keep(array), none, commas=False)


def _repeating(array: Any) -> tuple[Any, IntArray | None]:
    """Return an array as codes with the number of each, if it repeats a few texts; else as it is, and None."""
    import pyarrow.compute as pc

    sample = array[:_SAMPLE]
    if pc.count_distinct(sample).as_py() * _FEW > len(sample):
        return array, None
    found = array.dictionary_encode()
    if len(found.dictionary) * _FEW > len(array):
        return array, None
    codes = found.indices.to_numpy(zero_copy_only=False)
    return found, np.bincount(codes, minlength=len(found.dictionary))


def _coded(array: Any, texts: Strings) -> Any:
    import pyarrow as pa

    n = len(texts)
    kind = pa.int8() if n < 1 << 7 else pa.int16() if n < 1 << 15 else pa.int32()
    return pa.DictionaryArray.from_arrays(array.indices.cast(kind), texts.array)
