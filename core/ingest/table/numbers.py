"""What is a number, and its exact value: one grammar, nearest float64, nothing rounded away in silence."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core import arrow
from core.codec import BoolArray, FloatArray, IntArray
from core.frozen import Frozen
from core.ingest.table.cells import Cells, Strings

EXACT = 2**53
"""From here on, integers may have no float64 of their own."""

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_WHOLE = r"(?:0|[1-9][0-9]*)"
_FINE = r"(?:[0-9]{3}|[0-9]{5,})"
"""What may stand behind leading zeros, as `%06.3f` prints it: two digits may be a month or a version, four a year."""
_POINT = rf"^[+-]?(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+|0[0-9]+\.{_FINE}){_EXPONENT}$"
_COMMA = rf"^[+-]?(?:{_WHOLE}(?:,[0-9]*)?|,[0-9]+|0[0-9]+,{_FINE}){_EXPONENT}$"
_POINT_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?$"
_COMMA_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?$"

_NOT_ZERO = "^[^eE]*[1-9]"
_INTEGER = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")
_LONGEST = 300
_LEADING_ZEROS = re.compile(rf"[+-]?(?!0[0-9]+[.,]{_FINE}$)0[0-9]+([.,][0-9]*)?")


class Style(Frozen):
    """How a file writes numbers: the decimal mark, and whether the other mark groups thousands."""

    decimal: str = "."
    groups: bool = False

    @property
    def plain(self) -> str:
        """The grammar of a number without groups, as a regular expression."""
        return _POINT if self.decimal == "." else _COMMA

    @property
    def grouped(self) -> str:
        """The grammar of a number with groups of thousands."""
        return _POINT_GROUPS if self.decimal == "." else _COMMA_GROUPS


class Numbers(Frozen):
    """The numbers of a column.

    Attributes
    ----------
    values : array of shape (n_rows,), NaN where there is none
    empty : array of shape (n_rows,), true where the cell is empty
    bad : the rows whose cell is neither a number nor empty
    """

    values: FloatArray
    empty: BoolArray
    bad: IntArray

    @property
    def n_numbers(self) -> int:
        """How many cells are numbers."""
        return len(self.values) - int(self.empty.sum()) - len(self.bad)


def read_numbers(cells: Cells, style: Style, into: FloatArray | None = None) -> Numbers:
    """Return the nearest float64 of each cell that is a number.

    No number are: infinities, words, hexadecimals, integers with leading zeros, integers that
    float64 cannot hold exactly, and what is too large or too small for a float64.

    Parameters
    ----------
    into : array of shape (n_rows,) that the values are written to
    """
    values = cells.room.empty((len(cells),)) if into is None else into
    empty: list[BoolArray] = []
    bad: list[IntArray] = []
    for start, (found, codes) in zip(cells.starts, cells.each(lambda array: _of_array(array, style)), strict=False):
        own, nothing, wrong = found if codes is None else tuple(part[codes] for part in found)
        cells.room.write(values, start, own)
        empty.append(nothing)
        if wrong.any():
            bad.append(np.flatnonzero(wrong) + start)
    return Numbers(values, _joined_empty(cells, empty), cells.room.joined(bad, np.int64))


def _joined_empty(cells: Cells, empty: Sequence[BoolArray]) -> BoolArray:
    """Return which cells are empty; in no memory if none is."""
    if not any(part.any() for part in empty):
        return np.broadcast_to(np.False_, (len(cells),))
    return cells.room.joined(empty, np.bool_)


def _of_array(array: Any, style: Style) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return (values, which are empty, which are no numbers) of an Arrow array."""
    if of_numbers(array.type):
        return _as_they_are(array)
    texts = Strings.from_any(array)
    simple = _plainly(texts) if style.decimal == "." else None
    if simple is not None:
        return *simple, np.broadcast_to(np.False_, simple[0].shape)
    empty = texts.equal("")
    fits = texts.matches(style.plain)
    if style.groups:
        grouped = ~(fits | empty) & texts.matches(style.grouped)
        if grouped.any():
            texts, fits = texts.replaced("," if style.decimal == "." else ".", ""), fits | grouped
    if style.decimal == ",":
        texts = texts.replaced(",", ".")
    values = texts.floats(fits)
    values = np.where(_inexact(texts, values), np.nan, values)
    return values, empty, np.isnan(values) & ~empty


def of_numbers(kind: Any) -> bool:
    """Whether an Arrow type is one of numbers, true and false among them."""
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def _as_they_are(array: Any) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return the same of numbers that are no texts; an integer that float64 cannot hold is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = arrow.plain(array.is_null())
    values = arrow.plain(array.cast(pa.float64(), safe=False)).copy()
    large = np.abs(values) > EXACT if pa.types.is_integer(array.type) else np.isinf(values)
    if pa.types.is_integer(array.type) and large.any():  # of which some are exact all the same
        large &= arrow.plain(pc.not_equal(arrow.numbers(values).cast(array.type, safe=False), array))
    values[large] = np.nan
    return values, empty | (np.isnan(values) & ~large), large


def why_bad(text: str) -> str:
    """Return why a cell is no number, as the end of a sentence that begins with the cell."""
    plain = text.replace(",", "")
    if _LEADING_ZEROS.fullmatch(text):
        return "which has leading zeros like an identifier, expected a number"
    if (whole := _INTEGER.fullmatch(plain)) and len(whole.group(1)) >= 16:
        return "an integer that a number of 64 bits cannot hold exactly"
    if re.fullmatch(_POINT, plain) and not re.search(r"\..*,", text):
        return "which is too large or too small for a number of 64 bits"
    return "expected a number"


def is_identifier(text: str) -> bool:
    """Whether a cell is made of digits, yet is no number: leading zeros, or too long to be exact."""
    return bool(_LEADING_ZEROS.fullmatch(text)) or bool(_INTEGER.fullmatch(text))


def is_too_long(text: str) -> bool:
    """Whether a cell is an integer that float64 holds, but not exactly."""
    return bool(_INTEGER.fullmatch(text)) and not _LEADING_ZEROS.fullmatch(text) and len(text) < _LONGEST


def _plainly(texts: Strings) -> tuple[FloatArray, BoolArray] | None:
    """Return the values, and which texts are empty, if the others are plainly numbers with a decimal point; else None.

    The way of writing groups does not matter to them. What Arrow reads as a number and the grammar
    does not (words for infinity and for no number, leading zeros), and what has to be looked at more
    closely (large integers, zeros that may be too small a number), is left to the grammar.
    """
    characters = texts.characters()
    empty = texts.equal("") if texts.has_empty() else np.broadcast_to(np.False_, (len(texts),))
    values = texts.parsed(~empty, whole=characters.isdigit())
    if values is None or not _all_exact(values, empty) or _leads_with_zero(characters, texts.ends()):
        return None
    zeros = np.flatnonzero(values == 0)
    return None if len(zeros) and Strings(texts.array.take(zeros)).matches(_NOT_ZERO).any() else (values, empty)


def _all_exact(values: FloatArray, empty: BoolArray) -> bool:
    """Whether values are numbers where the text is not empty, and as small as float64 holds every integer."""
    low, high = values.min(initial=0), values.max(initial=0)
    if np.isnan(low) and np.array_equal(np.isnan(values), empty):
        low, high = np.fmin.reduce(values, initial=0), np.fmax.reduce(values, initial=0)
    return bool(-EXACT < low and high < EXACT)


def _leads_with_zero(characters: bytes, ends: npt.NDArray[np.int32]) -> bool:
    """Whether a digit follows a zero at the beginning of some cell."""
    text = np.frombuffer(characters + b"  ", dtype=np.uint8)
    ends = ends - ends[0]
    first = ends[:-1]
    leading = text.take(first)
    signed = (leading == 0x2B) | (leading == 0x2D)
    if signed.any():
        first = first + signed
        leading = text[first]
    maybe = np.flatnonzero(leading == 0x30)
    behind = first[maybe] + 1
    inside = behind < ends[1:][maybe]
    return bool((inside & ((text[behind] >= 0x30) & (text[behind] <= 0x39))).any())


def _inexact(texts: Strings, values: FloatArray) -> BoolArray:
    """Return where the float64 is not what the text says, further than rounding a fraction goes."""
    wrong = np.isinf(values)
    for row in np.flatnonzero((np.abs(values) >= EXACT) & ~wrong).tolist():
        whole = _INTEGER.fullmatch(texts[row])
        wrong[row] = whole is not None and int(whole.group(1)) != int(values[row])
    zero = values == 0
    if zero.any():
        wrong |= zero & texts.matches(_NOT_ZERO)
    return wrong
