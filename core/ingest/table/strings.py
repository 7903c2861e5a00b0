"""Texts in one Arrow array, none of them null: matching, trimming, parsing at its speed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core import arrow
from core.codec import BoolArray, FloatArray
from core.frozen import Frozen

_SPACES = (b" ", b"\t", b"\r", b"\n")


class Strings(Frozen, eq=False):
    """Texts; `array` is an Arrow array of strings."""

    array: Any

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Strings":
        """Return some texts."""
        return cls(arrow.texts(texts))

    @classmethod
    def from_any(cls, array: Any) -> "Strings":
        """Return an Arrow array of any type as texts, "" where there is nothing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        array = array.dictionary_decode() if hasattr(array, "dictionary") else array
        if pa.types.is_string(array.type):
            return cls(array)
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), arrow.null(pa.float64()), array.cast(pa.float64()))
        return cls(pc.fill_null(pc.cast(array, pa.string()), arrow.text("")))

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, row: int) -> str:
        return str(self.array[int(row)].as_py())

    def trimmed(self) -> tuple["Strings", BoolArray]:
        """Return them without spaces around, and which had some behind the blanks that follow a separator."""
        import pyarrow.compute as pc

        characters = self.characters()
        if characters.isascii() and not any(space in characters for space in _SPACES):
            return self, np.broadcast_to(np.False_, (len(self),))
        short = pc.utf8_trim_whitespace(self.array)
        return Strings(short), arrow.plain(pc.not_equal(short, pc.utf8_ltrim(self.array, characters=" ")))

    def matches(self, pattern: str) -> BoolArray:
        """Return where a regular expression (RE2) finds itself."""
        import pyarrow.compute as pc

        return arrow.plain(pc.match_substring_regex(self.array, pattern))

    def equal(self, text: str) -> BoolArray:
        """Return where the text is `text`."""
        import pyarrow.compute as pc

        return arrow.plain(pc.equal(self.array, arrow.text(text)))

    def replaced(self, old: str, new: str) -> "Strings":
        """Return them with each occurrence of `old` replaced."""
        import pyarrow.compute as pc

        return Strings(pc.replace_substring(self.array, old, new))

    def floats(self, where: BoolArray | np.bool_, *, whole: bool = False) -> FloatArray:
        """Return the nearest float64 of the texts that `where` marks, NaN elsewhere; `whole` where all are digits."""
        import pyarrow as pa
        import pyarrow.compute as pc

        nothing = arrow.null(pa.string())
        chosen = self.array if where.all() else pc.if_else(arrow.numbers(np.asarray(where)), self.array, nothing)
        kind = pa.int64() if whole else pa.float64()
        return arrow.plain(pc.cast(chosen, kind)).astype(np.float64, copy=False)

    def parsed(self, where: BoolArray | np.bool_, *, whole: bool) -> FloatArray | None:
        """Return the same; None if a text that `where` marks is no number to Arrow."""
        import pyarrow as pa

        try:
            return self.floats(where, whole=whole)
        except pa.ArrowInvalid:
            return None

    def has_empty(self) -> bool:
        """Return whether some text is empty."""
        return bool((np.diff(self.ends()) == 0).any())

    def characters(self) -> bytes:
        """Return all texts, one after the other, in UTF-8."""
        _, _, characters = self.array.buffers()
        ends = self.ends()
        return b"" if characters is None else characters[int(ends[0]) : int(ends[-1])].to_pybytes()

    def ends(self) -> npt.NDArray[np.int32]:
        """Return where the texts end among the characters, the first entry where the first begins."""
        at, ends = self.array.offset, self.array.buffers()[1]
        if ends is None or not len(self.array):
            return np.zeros(1, dtype=np.int32)
        return np.frombuffer(ends, dtype=np.int32)[at : at + len(self) + 1]
