"""A column of texts, held compactly in Arrow memory: matching, trimming, numbering at its speed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """Texts of one column, none of them null; `array` is an Arrow array of strings."""

    array: Any

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Cells":
        """Return the cells of some texts."""
        import pyarrow as pa

        return cls(pa.array(texts, pa.string()))

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, row: int) -> str:
        return str(self.array[int(row)].as_py())

    def texts(self) -> list[str]:
        """Return the texts themselves."""
        return list(self.array.to_pylist())

    def take(self, rows: IntArray) -> "Cells":
        """Return the cells of some rows."""
        import pyarrow as pa

        return Cells(self.array.take(pa.array(rows)))

    def slice(self, start: int, stop: int | None = None) -> "Cells":
        """Return the cells from `start` to before `stop`."""
        return Cells(self.array[start : len(self) if stop is None else stop])

    def trimmed(self) -> tuple["Cells", int]:
        """Return the cells without spaces around them, and how many had some."""
        import pyarrow.compute as pc

        trimmed = pc.utf8_trim_whitespace(self.array)
        changed = pc.sum(pc.not_equal(trimmed, self.array)).as_py() or 0
        return (Cells(trimmed), int(changed)) if changed else (self, 0)

    def matches(self, pattern: str) -> BoolArray:
        """Return where a regular expression (RE2) finds itself."""
        import pyarrow.compute as pc

        return _bools(pc.match_substring_regex(self.array, pattern))

    def equal(self, text: str) -> BoolArray:
        """Return where the cell is `text`."""
        import pyarrow.compute as pc

        return _bools(pc.equal(self.array, text))

    def replaced(self, old: str, new: str) -> "Cells":
        """Return the cells with each occurrence of `old` replaced."""
        import pyarrow.compute as pc

        return Cells(pc.replace_substring(self.array, old, new))

    def floats(self, where: BoolArray | np.bool_) -> FloatArray:
        """Return the nearest float64 of the cells that `where` marks, NaN elsewhere."""
        import pyarrow as pa
        import pyarrow.compute as pc

        nothing = pa.scalar(None, pa.string())
        chosen = self.array if where.all() else pc.if_else(pa.array(where), self.array, nothing)
        return np.asarray(pc.cast(chosen, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)

    def parsed(self, where: BoolArray | np.bool_) -> FloatArray | None:
        """Return the same; None if a cell that `where` marks is no number to Arrow."""
        import pyarrow as pa

        try:
            return self.floats(where)
        except pa.ArrowInvalid:
            return None

    def encoded(self) -> tuple[IntArray, tuple[str, ...]]:
        """Return (codes, texts): each row's place among the different texts, in order of appearance."""
        found = self.array.dictionary_encode()
        codes = found.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return codes, tuple(found.dictionary.to_pylist())

    def n_distinct(self, enough: int | None = None) -> int:
        """Return the number of different texts; counting may stop at `enough`."""
        import pyarrow.compute as pc

        return int(pc.count_distinct(self.array).as_py())

    def different(self, rows: IntArray) -> Iterator[str]:
        """Yield the different texts of some rows, ascending."""
        yield from dict.fromkeys(self.take(rows).texts())

    def has_empty(self) -> bool:
        """Return whether some cell is empty."""
        return bool((np.diff(self.ends()) == 0).any())

    def parts(self) -> Iterator["Cells"]:
        """Yield the cells in pieces that can be held in memory."""
        yield self

    def characters(self) -> bytes:
        """Return all texts, one after the other, in UTF-8."""
        _, _, characters = self.array.buffers()
        ends = self.ends()
        return b"" if characters is None else characters[int(ends[0]) : int(ends[-1])].to_pybytes()

    def ends(self) -> npt.NDArray[np.int32]:
        """Return where the texts end among the characters of the column, the first entry where the first begins."""
        at = self.array.offset
        return np.frombuffer(self.array.buffers()[1], dtype=np.int32)[at : at + len(self) + 1]


def concatenated(parts: Iterable[Cells]) -> Cells:
    """Return the cells of all parts, one after the other."""
    import pyarrow as pa

    return Cells(pa.concat_arrays([part.array for part in parts]))


def split_plain(
    raw: memoryview, separator: str, width: int, *, skip: int = 1, quoted: bool = False, whole: bool = False
) -> list[Cells] | None:
    """Split text without quotes at line ends and separators, all rows `width` cells wide.

    Parameters
    ----------
    raw : UTF-8; the first `skip` lines are left out
    quoted : whether quotes around whole cells, none with a line end inside, are taken off
    whole : whether to split all in one piece, in this thread alone

    Returns
    -------
    The columns, or None if a row is not `width` cells wide or a line is blank: read it the
    slow way, which says where.
    """
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(width)]
    try:
        table = csv.read_csv(
            pa.py_buffer(raw),
            csv.ReadOptions(
                column_names=names,
                skip_rows=skip,
                block_size=len(raw) + 1 if whole else 8 << 20,
                use_threads=not whole,
            ),
            csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                double_quote=quoted,
                escape_char=False,
                ignore_empty_lines=False,
            ),
            csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False, null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [Cells(_joined(column)) for column in table.columns]


def _joined(column: Any) -> Any:
    import pyarrow as pa

    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())


def _bools(array: Any) -> BoolArray:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.bool_)
