"""Arrow arrays of NumPy's arrays and of texts, and back, by their buffers; pyarrow's own ways import pandas first.

Tables as they are read, rows on their way into the store, and CSV written for people go through here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def numbers(values: npt.NDArray[Any], *, nan_is_null: bool = False) -> Any:
    """Return numbers or booleans, array of shape (n,), as an Arrow array, which keeps their memory if it can."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.dtype == np.bool_:
        return numbers(values.view(np.uint8)).cast(pa.bool_())
    whole = np.ascontiguousarray(values)
    array = pa.Array.from_buffers(pa.from_numpy_dtype(whole.dtype), len(whole), [None, pa.py_buffer(whole)])
    if not nan_is_null or not np.isnan(whole).any():
        return array
    return pc.if_else(pc.is_nan(array), null(array.type), array)


def texts(words: Sequence[str]) -> Any:
    """Return texts as an Arrow array."""
    import pyarrow as pa

    joined = "".join(words)
    raw = joined.encode()
    if len(raw) >= 1 << 31:
        return pa.array(words, pa.string())
    lengths = map(len, words if joined.isascii() else (word.encode() for word in words))
    ends = np.zeros(len(words) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(lengths, dtype=np.int32, count=len(words)), out=ends[1:])
    return pa.Array.from_buffers(pa.string(), len(words), [None, pa.py_buffer(ends), pa.py_buffer(raw)])


def column(values: Any) -> Any:
    """Return numbers, texts or anything else, one after the other, as an Arrow array; as it is if it is one."""
    import pyarrow as pa

    kinds = {object} if isinstance(values, (pa.Array, np.ndarray)) else {*map(type, values)}
    own = np.array(values) if kinds in ({int}, {float}) else values
    if isinstance(own, np.ndarray) and own.dtype.kind in "biuf":
        return numbers(own)
    return texts(values) if kinds == {str} else values if isinstance(values, pa.Array) else pa.array(values)


def text(word: str) -> Any:
    """Return a text as an Arrow scalar."""
    return texts([word])[0]


def null(kind: Any) -> Any:
    """Return nothing as an Arrow scalar of a type."""
    import pyarrow as pa

    return pa.nulls(1, kind)[0]


def plain(array: Any) -> npt.NDArray[Any]:
    """Return an Arrow array of numbers or booleans as NumPy's: NaN, or False, where there is nothing."""
    import pyarrow as pa

    if array.null_count and not pa.types.is_boolean(array.type):
        values = np.full(len(array), np.nan)
        values[plain(array.is_valid())] = plain(array.drop_null())
        return values
    if pa.types.is_boolean(array.type):
        told = array.fill_null(numbers(np.zeros(1, np.bool_))[0]) if array.null_count else array
        return plain(told.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)
