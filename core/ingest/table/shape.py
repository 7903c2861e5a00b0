"""What is no trial: columns of the rows' numbers, units below names or in cells, empty rows, totals at the end."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError
from core.ingest._units import KNOWN, is_unit, letter_fits
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.table.below import TOTAL
from core.ingest.table.cells import Cells
from core.ingest.table.layout import GENERATED
from core.ingest.table.numbers import Style, read_numbers
from core.trial import Skipped

_PLAIN_NUMBER = re.compile(r"[+-]?[\d,]*\.?\d+([eE][+-]?\d+)?")
_INDEX = re.compile(r"|Unnamed: \d+")
_NO_UNIT = ("-", "--", "none", "text", "string", "name", "[-]", "(-)", "[]", "()", "n/a")
_BRACKETS = re.compile(r"[\[(]\s*([^\[\]()]+?)\s*[\])]")
_MOST_TOTALS = 6


@dataclass(frozen=True)
class Shaped:
    """A table's rows with what was left out of them.

    Attributes
    ----------
    header, columns : the names, "" for none, and the cells below them
    lines : array of shape (n_rows,): the line where each row begins
    places : which columns of the file these are
    units : that a row below the names gave
    """

    header: tuple[str, ...]
    columns: tuple[Cells, ...]
    lines: IntArray
    places: tuple[int, ...]
    units: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()

    def rows(self, start: int, stop: int) -> "Shaped":
        """Return the same with some rows alone."""
        return replace(self, columns=tuple(c.slice(start, stop) for c in self.columns), lines=self.lines[start:stop])


def drop_nameless(name: str, shaped: Shaped) -> Shaped:
    """Leave out columns without a name that hold nothing, or at the left the rows' numbers; name a first of texts."""
    warnings: list[str] = []
    kept: list[int] = []
    header = list(shaped.header)
    at_left = True
    for i, (own, cells) in enumerate(zip(header, shaped.columns, strict=True)):
        what = _nothing(cells, at_left=at_left, named=bool(own.strip())) if _INDEX.fullmatch(own.strip()) else ""
        at_left = at_left and what == "the rows' numbers"
        if what:
            which = f"column '{own.strip()}'" if own.strip() else f"column {i + 1} has no name and"
            warnings.append(f"{name}: {which} holds {what}: left out.")
            continue
        if not i and not own.strip() and len(header) > 1 and _are_names(cells):
            header[i] = GENERATED.format(1)
            warnings.append(f"{name}: column 1 has no name: it is called {header[i]}.")
        kept.append(i)
    return replace(
        shaped,
        header=tuple(header[i] for i in kept),
        columns=tuple(shaped.columns[i] for i in kept),
        places=tuple(shaped.places[i] for i in kept),
        warnings=(*shaped.warnings, *warnings),
    )


def take_unit_row(shaped: Shaped, units: Sequence[str]) -> Shaped:
    """Take a first row such as `,,ns,%` or `[-],[ms],[W]` as the units of the columns; otherwise keep `units`."""
    given = [_bare(cells[0]) for cells in shaped.columns]
    if len(shaped.lines) < 2 or not _is_unit_row(shaped.columns, given, [cells[1] for cells in shaped.columns]):
        return replace(shaped, units=tuple(units))
    told = f"units of {sum(map(bool, given))} columns, read as such"
    return replace(
        shaped.rows(1, len(shaped.lines)),
        units=tuple(new or old for new, old in zip(given, units, strict=True)),
        skipped=(*shaped.skipped, Skipped(f"line {shaped.lines[0]}", told)),
    )


def drop_empty_rows(name: str, shaped: Shaped) -> Shaped:
    """Leave out rows that hold nothing at all, as spreadsheets write them.

    Raises
    ------
    ReadError
        If no other rows are there.
    """
    empty = empty_rows(shaped.columns)
    if not empty.any():
        return shaped
    if empty.all():
        raise ReadError(f"{name} has column names, but all rows below them are empty.")
    kept: IntArray = np.flatnonzero(~empty)
    skipped = tuple(Skipped(f"line {line}", "all its cells are empty") for line in shaped.lines[empty])
    below = replace(shaped, columns=tuple(c.take(kept) for c in shaped.columns), lines=shaped.lines[kept])
    return replace(below, skipped=(*shaped.skipped, *skipped))


def empty_rows(columns: Sequence[Cells]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which rows hold nothing at all."""
    empty = np.ones(len(columns[0]), dtype=np.bool_)
    for cells in columns:
        if not empty.any() or not cells.empties:
            return np.zeros(len(empty), dtype=np.bool_)
        empty &= cells.equal("")
    return empty


def drop_totals(shaped: Shaped) -> Shaped:
    """Leave out last rows that are called so, or not at all, and whose numbers sum up those of the rows above."""
    n = len(shaped.lines)
    most = max(0, min(_MOST_TOTALS, n - 2))
    last = [*zip(*(cells.slice(n - most).texts() for cells in shaped.columns), strict=True)]
    first = next((n - k for k in range(most, 0, -1) if all(map(_called_total, last[most - k :]))), n)
    if first == n:
        return shaped
    numbers = [read_numbers(cells, Style()).values for cells in shaped.columns]
    while first < n and not all(_sums_up(numbers, first, row, shaped.columns[0][row]) for row in range(first, n)):
        first += 1
    why = "below the rows it sums up:"
    told = [Skipped(f"line {shaped.lines[row]}", f"{why} {_texts(shaped, row)}") for row in range(first, n)]
    return replace(shaped.rows(0, first), skipped=(*shaped.skipped, *told)) if told else shaped


def _nothing(cells: Cells, *, at_left: bool, named: bool) -> str:
    if at_left and len(cells) and _numbers_rows(cells):
        return "the rows' numbers"
    return "nothing" if not named and bool(cells.equal("").all()) else ""


def _numbers_rows(cells: Cells) -> bool:
    """Whether cells count the rows: whole numbers from 0 or 1 on, or ascending with gaps where rows were left out."""
    if not cells.matches(r"^(0|[1-9][0-9]{0,14})$").all():
        return False
    own = read_numbers(cells, Style()).values.astype(np.int64)
    if len(own) < 3:
        return bool(own[0] < 2 and own[-1] - own[0] == len(own) - 1)
    steps = np.diff(own)
    return bool((steps > 0).all() and np.gcd.reduce(steps) == 1)


def _are_names(cells: Cells) -> bool:
    """Whether cells are names of rows: texts, none of them empty."""
    return not cells.empties and not any(_PLAIN_NUMBER.fullmatch(text) for text in cells.slice(0, 1000).texts())


def _bare(text: str) -> str:
    found = _BRACKETS.fullmatch(text)
    return "" if text.lower() in _NO_UNIT and text.lower() != "n/a" else found.group(1) if found else text


def _is_unit_row(columns: Sequence[Cells], first: Sequence[str], second: Sequence[str]) -> bool:
    units = [text for text in first if text]
    below = [b for a, b in zip(first, second, strict=True) if a]
    bare = all(not text or not _PLAIN_NUMBER.fullmatch(text) for text in (cells[0] for cells in columns))
    looks = all(is_unit(text) and text.lower() not in MISSING_WORDS for text in units)
    known = sum(text in KNOWN for text in units)
    beside = any(b for a, b in zip(first, second, strict=True) if not a) or known == len(units) > 1
    numbers = 2 * sum(bool(_PLAIN_NUMBER.fullmatch(text)) for text in below) >= len(below)
    return beside and bare and looks and 2 * known >= len(units) > 0 and numbers


def _called_total(cells: Sequence[str]) -> bool:
    """Whether a row is called a total, or has no name."""
    named = next((cell for cell in cells if cell), "")
    return bool(TOTAL.fullmatch(named.rstrip(":"))) or (not cells[0] and bool(named))


def _sums_up(numbers: Sequence[FloatArray], first: int, row: int, name: str) -> bool:
    """Whether half of a row's numbers, in columns that vary, are what it is called, of the rows before the `first`.

    Of a row without a name all have to be sums or means, and two at least, or one with decimals.
    """
    there = [(own[row], own[:first]) for own in numbers if np.isfinite(own[row]) and np.ptp(own[:first]) > 0]
    sums = [(total, np.array(_sums(above, name.lower()))) for total, above in there]
    fit = [total for total, others in sums if (np.abs(total - others) <= 2e-3 * np.abs(others)).any()]
    if not name:
        return len(fit) == len(there) and (len(fit) > 1 or any(total != round(total) for total in fit))
    return 2 * len(fit) >= max(1, len(there))


def _sums(own: FloatArray, name: str) -> list[float]:
    """Return what a row of this name may hold for a column."""
    if name.startswith(("min", "max")):
        return [float(own.min() if name.startswith("min") else own.max())]
    if name.startswith("std"):
        return [float(own.std(ddof=1)), float(own.std())]
    if name.startswith("median"):
        return [float(np.median(own))]
    if name.startswith("count"):
        return [float(len(own))]
    geometric = [float(np.exp(np.log(own).mean()))] if name.startswith("g") and (own > 0).all() else []
    return [float(own.sum()), float(own.mean()), *geometric]


def _texts(shaped: Shaped, row: int) -> str:
    return shown(", ".join(cells[row] for cells in shaped.columns), 120)


_NAMES = ("name", "run_name", "benchmark")
_ARGUMENT = re.compile(r"/(?:(\w+):)?(\d+(?:\.\d+)?)(?=/|$)")


def take_arguments(shaped: Shaped) -> Shaped:
    """Take the numbers at the end of names such as `sort/1024` and `sort/1024/threads:8` as columns of their own."""
    columns, added = list(shaped.columns), dict[str, tuple[Cells, int]]()
    for i, name in enumerate(shaped.header):
        texts = columns[i].texts() if name.lower() in _NAMES and 1 < len(shaped.lines) <= _MOST_ROWS else ()
        found = [_ARGUMENT.findall(text) for text in texts]
        called = {tuple(key or f"argument {k + 1}" for k, (key, _) in enumerate(own)) for own in found}
        if len(called) == 1 and (names := next(iter(called))):
            columns[i] = Cells.of([_ARGUMENT.sub("", text) for text in texts])
            new = ((own, Cells.of([row[k][1] for row in found])) for k, own in enumerate(names))
            added |= {own: (cells, shaped.places[i]) for own, cells in new if own not in shaped.header}
    return replace(
        shaped,
        header=(*shaped.header, *added),
        columns=(*columns, *(cells for cells, _ in added.values())),
        places=(*shaped.places, *(place for _, place in added.values())),
        units=(*shaped.units, *[""] * len(added)),
    )


_WITH_UNIT = re.compile(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?( ?)([^\d\s.,;+-]\S{0,11})")
_POWERS = {"s": 0, "ms": -3, "us": -6, "µs": -6, "μs": -6, "ns": -9}
"""Of ten, in seconds."""
_MOST_ROWS = 1_000_000
"""Cells of more rows are taken as they are written."""
_CLOCK = r"^(?:[0-9]+-)?(?:[0-9]+:[0-5]?[0-9]:[0-5]?[0-9]|[0-9]+:[0-5][0-9])(?:\.[0-9]+)?$"
_LASTS = re.compile(
    r"elapsed|duration|runtime|walltime|wall|cputime|totalcpu|latency|"
    r"(run|total|exec\w*|cpu|real|user|sys\w*|mean|avg|train\w*|solv\w*|build|inference|comput\w*)[ _]?time",
    re.IGNORECASE,
)
"""What tells a duration from a time of day."""


def take_units_of_cells(shaped: Shaped) -> Shaped:
    """Take cells such as `143.20 W`, `340us` and `1.2ms`, and `1-02:03:04` of a duration, as numbers in one unit."""
    columns, units = list(shaped.columns), list(shaped.units)
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        if 0 < len(cells) <= _MOST_ROWS:
            ways = (_in_one_unit, _in_units_of_time, _as_clocks)
            found = (way(name, cells, units[i]) for way in ways)
            columns[i], units[i] = next(filter(None, found), (cells, units[i]))
    return replace(shaped, columns=tuple(columns), units=tuple(units))


def _in_one_unit(name: str, cells: Cells, unit: str) -> tuple[Cells, str] | None:
    """Return the numbers and their unit; a single letter behind a number is one where the name speaks of it."""
    found = _WITH_UNIT.fullmatch(cells[0])
    space, own = found.groups() if found else ("", "")
    alone = len(own) == 1 and own.isalpha() and not space
    if own not in KNOWN or unit not in ("", own) or (alone and not letter_fits(own, name)):
        return None
    same = cells.equal("") | cells.matches(rf"^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)? ?{re.escape(own)}$")
    return (Cells.of([text.removesuffix(own).rstrip() for text in cells.texts()]), own) if same.all() else None


def _in_units_of_time(name: str, cells: Cells, unit: str) -> tuple[Cells, str] | None:
    """Return times each with its own unit, `1.2ms` and `340us`, in the least of these, digit for digit."""
    if unit or (found := _WITH_UNIT.fullmatch(cells[0])) is None or found.group(2) not in _POWERS:
        return None
    texts = cells.texts()
    parts = [_WITH_UNIT.fullmatch(text) for text in texts]
    own = ["" if part is None else part.group(2) for part in parts]
    if not all(not text or unit in _POWERS for text, unit in zip(texts, own, strict=True)):
        return None
    least = min(filter(None, own), key=_POWERS.__getitem__)
    shifts = [_POWERS.get(unit, 0) - _POWERS[least] for unit in own]
    numbers = (text.removesuffix(unit).rstrip() for text, unit in zip(texts, own, strict=True))
    return Cells.of([n and f"{Decimal(n).scaleb(shift):f}" for n, shift in zip(numbers, shifts, strict=True)]), least


def _as_clocks(name: str, cells: Cells, unit: str) -> tuple[Cells, str] | None:
    """Return seconds, if all cells are days, hours, minutes and seconds as `1-02:03:04.5`, and the name one of time."""
    if unit not in ("", "s") or not _LASTS.search(name) or not re.match(_CLOCK, cells[0]):
        return None
    if not bool((cells.equal("") | cells.matches(_CLOCK)).all()):
        return None
    return Cells.of([text and _seconds(text) for text in cells.texts()]), "s"


def _seconds(text: str) -> str:
    """Return seconds as a text, with the fraction's own digits."""
    days, _, clock = text.rpartition("-")
    clock, _, fraction = clock.partition(".")
    whole = 0
    for part in clock.split(":"):
        whole = 60 * whole + int(part)
    return f"{whole + 86_400 * int(days or 0)}{fraction and '.' + fraction}"
