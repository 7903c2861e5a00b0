"""What is a number, and its exact value: one grammar, nearest float64, nothing rounded away in silence."""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.ingest.table.cells import BoolArray, Cells

EXACT = 2**53
"""From here on, integers may have no float64 of their own."""

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_WHOLE = r"(?:0|[1-9][0-9]*)"
_POINT = rf"^[+-]?(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}$"
_COMMA = rf"^[+-]?(?:{_WHOLE}(?:,[0-9]*)?|,[0-9]+){_EXPONENT}$"
_POINT_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?$"
_COMMA_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?$"

_NUMERIC = b"0123456789.+-eE"
_NOT_ZERO = "^[^eE]*[1-9]"
_INTEGER = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")
_LEADING_ZEROS = re.compile(r"[+-]?0[0-9]+([.,][0-9]*)?")


@dataclass(frozen=True)
class Style:
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


@dataclass(frozen=True)
class Numbers:
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


def read_numbers(cells: Cells, style: Style) -> Numbers:
    """Return the nearest float64 of each cell that is a number.

    No number are: infinities, words, hexadecimals, integers with leading zeros, integers that
    float64 cannot hold exactly, and what is too large or too small for a float64.
    """
    empty = cells.equal("")
    simple = plain_numbers(cells) if style.decimal == "." else None
    if simple is not None:
        return Numbers(simple, empty, np.zeros(0, dtype=np.int64))
    fits = cells.matches(style.plain)
    if style.groups:
        grouped = ~(fits | empty) & cells.matches(style.grouped)
        if grouped.any():
            cells, fits = cells.replaced("," if style.decimal == "." else ".", ""), fits | grouped
    if style.decimal == ",":
        cells = cells.replaced(",", ".")
    values = cells.floats(fits)
    values = np.where(_inexact(cells, values), np.nan, values)
    return Numbers(values, empty, np.flatnonzero(np.isnan(values) & ~empty))


def why_bad(text: str) -> str:
    """Return why a cell is no number, as the end of a sentence that begins with the cell."""
    plain = text.replace(",", "")
    if _LEADING_ZEROS.fullmatch(text):
        return "which has leading zeros like an identifier, expected a number"
    whole = _INTEGER.fullmatch(plain)
    if whole and len(whole.group(1)) >= 16:
        return "an integer that a number of 64 bits cannot hold exactly"
    if re.fullmatch(_POINT, plain):
        return "which is too large or too small for a number of 64 bits"
    return "expected a number"


def is_identifier(text: str) -> bool:
    """Whether a cell is made of digits, yet is no number: leading zeros, or too long to be exact."""
    return bool(_LEADING_ZEROS.fullmatch(text)) or bool(_INTEGER.fullmatch(text))


def plain_numbers(cells: Cells) -> FloatArray | None:
    """Return the values if all cells are plainly numbers with a decimal point, or empty; else None.

    Their characters alone show it, and the way of writing groups does not matter to them.
    What Arrow reads as a number and the grammar does not (infinities, leading zeros), and what
    has to be looked at more closely (large integers, zeros that may be too small a number), is
    left to the grammar.
    """
    characters = cells.characters()
    if characters.translate(None, _NUMERIC):
        return None
    values = cells.parsed(~cells.equal("") if cells.has_empty() else np.True_)
    if values is None or bool((np.abs(values) >= EXACT).any()) or _leads_with_zero(characters, cells.ends()):
        return None
    zeros = np.flatnonzero(values == 0)
    return None if len(zeros) and cells.take(zeros).matches(_NOT_ZERO).any() else values


def _leads_with_zero(characters: bytes, ends: npt.NDArray[np.int32]) -> bool:
    """Whether a digit follows a zero at the beginning of some cell; none may hold anything but `_NUMERIC`."""
    text = np.frombuffer(characters + b"  ", dtype=np.uint8)
    ends = ends - ends[0]
    first = ends[:-1]
    signed = (text[first] == 0x2B) | (text[first] == 0x2D)
    if signed.any():
        first = first + signed
    maybe = np.flatnonzero(text[first] == 0x30)
    behind = first[maybe] + 1
    inside = behind < ends[1:][maybe]
    digit = (text[behind] >= 0x30) & (text[behind] <= 0x39)
    return bool((inside & digit).any())


def _inexact(cells: Cells, values: FloatArray) -> BoolArray:
    """Return where the float64 is not what the text says, further than rounding a fraction goes."""
    wrong = np.isinf(values)
    for row in np.flatnonzero((np.abs(values) >= EXACT) & ~wrong).tolist():
        whole = _INTEGER.fullmatch(cells[row])
        wrong[row] = whole is not None and int(whole.group(1)) != int(values[row])
    zero = values == 0
    if zero.any():
        wrong |= zero & cells.matches(_NOT_ZERO)
    return wrong
