"""Numbers as a profiler prints them, with marks, units and levels in the cell; the time of a launch."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core import arrow
from core.codec import FloatArray
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import TIME, Builder
from core.ingest.table.numbers import EXACT
from core.trial import Kind

_LONGEST = 300
"""Characters of a number that is surely finite as a float64."""
_GAP = "'’ \u00a0\u202f"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_POINT = re.compile(rf"[+-]?(?:\d{{1,3}}([,{_GAP}])\d{{3}}(?:\1\d{{3}})*|\d+)?(?:\.\d*)?{_EXPONENT}")
_COMMA = re.compile(rf"[+-]?(?:\d{{1,3}}([.{_GAP}])\d{{3}}(?:\1\d{{3}})*|\d+)?(?:,\d*)?{_EXPONENT}")
_PLAIN = r"^-?(?:(?:\d{1,3}(?:,\d{3})+|\d+)\.\d+|\d{1,3}(?:,\d{3}){1,4}|\d{1,15})$"
"""How nearly all numbers are printed: with digits after the point, or as integers that are exact."""
_SAYS_POINT = re.compile(
    rf"[+-]?(?:0|[1-9]\d*(?:[,{_GAP}]\d{{3}})*)\.(?:\d{{1,2}}|\d{{4,}})|[+-]?0\.\d+"
    rf"|[+-]?\d{{1,3}}(?:,\d{{3}}){{2,}}|[+-]?\d{{1,3}}(?:[,{_GAP}]\d{{3}})+\.\d*"
)
_SAYS_COMMA = re.compile(
    rf"[+-]?(?:0|[1-9]\d*(?:[.{_GAP}]\d{{3}})*),(?:\d{{1,2}}|\d{{4,}})|[+-]?0,\d+"
    rf"|[+-]?\d{{1,3}}(?:\.\d{{3}}){{2,}}|[+-]?\d{{1,3}}(?:[.{_GAP}]\d{{3}})+,\d*"
)
_WITH_UNIT = re.compile(rf"([+-]?(?:\d+[.,]?\d*|[.,]\d+){_EXPONENT})\s*([^\W\d_][\w/]*|%)")
_LEVEL = re.compile(r"(?:Idle|Low|Mid|High|Max)\s*\((\d+)\)")
_INSTANCES = re.compile(r"(\S+)\s+\([^()]*\)")
_MISSING = MISSING_WORDS | {"", "(!) n/a", "(!) nan", "(!) inf", "<overflow>", "<invalid>", "no data", "<na>", "error"}

LEVEL = "level"
"""The unit of nvprof's utilisation levels, from `Idle (0)` to `Max (10)`."""


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no number."""
    return text.strip().lower() in _MISSING


def decimal_mark(cells: Iterable[str]) -> str:
    """Return the decimal mark of a file: a point, unless cells show a comma and none a point."""
    comma = False
    for cell in cells:
        if "." not in cell and "," not in cell:
            continue
        text = cell.strip()
        if _SAYS_POINT.fullmatch(text):
            return "."
        comma = comma or _SAYS_COMMA.fullmatch(text) is not None
    return "," if comma else "."


@lru_cache(1 << 16)
def number(text: str, mark: str = ".") -> float | None:
    """Return the float of a printed number; None if it is none, or an integer that has no float64 of its own.

    Parameters
    ----------
    mark : the decimal mark; the other mark, blanks and apostrophes may group thousands
    """
    cell = text.strip()
    grammar = _POINT if mark == "." else _COMMA
    if not cell or not any(c.isdigit() for c in cell) or not grammar.fullmatch(cell):
        return None
    plain = re.sub(rf"[{_GAP}{',' if mark == '.' else '.'}]", "", cell).replace(",", ".")
    value = float(plain)
    if abs(value) == float("inf") or (abs(value) >= EXACT and plain.lstrip("+-").isdigit() and int(plain) != value):
        return None
    return value


def numbers(rows: Sequence[Sequence[str]], mark: str = ".") -> FloatArray:
    """Return `number` of every cell of rows of equal length; NaN where it is none.

    Cells of the usual form are read at once, which takes a tenth of the time.
    """
    cells = [cell for row in rows for cell in row]
    shape = (len(rows), len(rows[0]) if rows else 0)
    if mark != ".":
        return np.array(list(map(partial(number, mark=mark), cells)), dtype=np.float64).reshape(shape)
    texts = pc.utf8_trim_whitespace(pa.array(cells, pa.string()))
    plain = pc.and_(pc.match_substring_regex(texts, _PLAIN), pc.less(pc.binary_length(texts), _LONGEST))
    told = pc.replace_substring(pc.if_else(plain, texts, "nan"), ",", "")
    values: FloatArray = arrow.plain(pc.cast(told, pa.float64())).copy()
    for i in np.flatnonzero(~arrow.plain(plain)):
        found = number(cells[i])
        values[i] = np.nan if found is None else found
    return values.reshape(shape)


def leading_number(text: str, mark: str = ".") -> float | None:
    """Return the number before the values of single instances, as in `12 (3; 4; 5)`."""
    found = _INSTANCES.fullmatch(text.strip())
    return number(found.group(1), mark) if found else None


def with_unit(text: str, mark: str = ".") -> tuple[float | None, str]:
    """Return the number and the unit of a cell such as `97.48%`, `20.78GB/s`, `542.36ms`, `Low (1)` or `7`."""
    cell = text.strip()
    if level := _LEVEL.fullmatch(cell):
        return float(level.group(1)), LEVEL
    value = number(cell, mark)
    found = None if value is not None else _WITH_UNIT.fullmatch(cell)
    return (number(found.group(1), mark), found.group(2)) if found else (value, "")


def put_time(builder: Builder, trial: int, name: str, value: float | None, unit: str) -> None:
    """Give a trial its time.

    Without a unit of time the value keeps its own name and is an outcome all the same; nobody can say
    how many seconds it is.

    Parameters
    ----------
    name : what the file calls it
    """
    if scale_of(unit)[0] == "s":
        builder.put(trial, TIME, value, unit, Kind.RESPONSE)
        return
    builder.put(trial, name, value, unit, Kind.RESPONSE)
    said = f"the unit '{shown(unit)}'" if unit else "no unit"
    builder.note(
        f"the time '{shown(name)}' has {said}, so that it is not known in seconds. "
        "Say its unit when importing, or capture again."
    )
