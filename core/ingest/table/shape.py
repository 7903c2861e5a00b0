"""What is no trial: columns of the rows' numbers, units below names, empty rows, totals at the end."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.errors import ReadError, count
from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, is_unit
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.recognition.words import says_failed, speaks, tells_of_failure
from core.ingest.table.cells import Cells
from core.ingest.table.layout import GENERATED
from core.ingest.table.numbers import Style, read_numbers
from core.ingest.table.rows import TOTAL
from core.trial import Skipped

PLAIN_NUMBER = re.compile(r"[+-]?[\d,]*(?:\.\d+|(?<=\d))([eE][+-]?\d+)?")
_INDEX = re.compile(r"|Unnamed: \d+")
_NO_UNIT = ("-", "--", "none", "text", "string", "name", "[-]", "(-)", "[]", "()", "n/a")
_BRACKETS = re.compile(r"[\[(]\s*([^\[\]()]+?)\s*[\])]")
_MOST_TOTALS = 6
_DESCRIBED = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
_AGGREGATE = re.compile(r"(.+)_(mean|median|stddev|cv|min|max|BigO|RMS)")
_SUMS_UP, _FITTED = {"mean", "median", "stddev"}, {"BigO", "RMS"}
"""What Google Benchmark says of repeats, all of it, and of how times grow."""
MOST_ROWS = 1_000_000
"""Cells of more rows are taken as they are written."""
MOST_SUMMED = 100_000
"""Rows of more are taken as they are."""
_A_FRAME = 9
"""Number that a frame's rows reach at least, where several frames are one below the other."""
_SORTED = 8
"""Of so many rows at least numbers are told to be theirs, though the rows were sorted by something else."""


class Shaped(Frozen):
    """A table's rows with what was left out of them.

    Attributes
    ----------
    header, columns : the names, "" for none, and the cells below them
    lines : array of shape (n_rows,): the line where each row begins
    places : which columns of the file these are
    units : that a row below the names gave
    written : the first columns as they stand in the file, where numbers were taken from any; else none
    """

    header: tuple[str, ...]
    columns: tuple[Cells, ...]
    lines: IntArray
    places: tuple[int, ...]
    units: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    written: tuple[Cells, ...] = ()

    def of(self, kept: Sequence[int]) -> "Shaped":
        """Return the same with some columns alone."""
        header, columns = tuple(self.header[i] for i in kept), tuple(self.columns[i] for i in kept)
        return replace(self, header=header, columns=columns, places=tuple(self.places[i] for i in kept))

    def rows(self, start: int, stop: int) -> "Shaped":
        """Return the same with some rows alone."""
        return replace(self, columns=tuple(c.slice(start, stop) for c in self.columns), lines=self.lines[start:stop])

    def without(self, rows: BoolArray, why: str) -> "Shaped":
        """Return the same without some rows, which are told with the reason."""
        kept: IntArray = np.flatnonzero(~rows)
        told = tuple(Skipped(f"line {line}", why) for line in self.lines[rows])
        columns = tuple(cells.take(kept) for cells in self.columns)
        return replace(self, columns=columns, lines=self.lines[kept], skipped=(*self.skipped, *told))


def drop_nameless(name: str, shaped: Shaped) -> Shaped:
    """Leave out columns without a name that hold nothing, or at the left the rows' numbers; name a first of texts."""
    warnings: list[str] = []
    kept: list[int] = []
    header = _continued(shaped)
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
    return replace(shaped, header=tuple(header), warnings=(*shaped.warnings, *warnings)).of(kept)


def _continued(shaped: Shaped) -> list[str]:
    """Return the names, one that stands above several columns numbered: two or more behind it hold numbers, unnamed."""
    header, group = list(shaped.header), [0]
    for i, cells in enumerate(shaped.columns):
        if header[i].strip() or _are_names(cells):
            group = [i]
        elif not cells.equal("").all():
            group.append(i)
        name = shaped.header[group[0]].strip()
        if len(group) > 2 and name and not _are_names(shaped.columns[group[0]]):
            header = [f"{name} {group.index(k) + 1}" if k in group else own for k, own in enumerate(header)]
    return header


def take_unit_row(shaped: Shaped, units: Sequence[str]) -> Shaped:
    """Take a first row such as `,,ns,%` or `[-],[ms],[W]` as the units of the columns; otherwise keep `units`."""
    given = [_bare(cells[0]) for cells in shaped.columns]
    if len(shaped.lines) < 2 or not _is_unit_row(shaped.columns, given, [cells[1] for cells in shaped.columns]):
        return replace(shaped, units=tuple(units))
    told = f"units of {count(sum(map(bool, given)), 'column')}, read as such"
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
    return shaped.without(empty, "all its cells are empty")


def drop_repeated_headers(shaped: Shaped) -> Shaped:
    """Leave out rows that repeat the names of all columns."""
    again = repeats_header(shaped.header, shaped.columns)
    return shaped.without(again, "repeats the names of the columns") if again.any() and not again.all() else shaped


def repeats_header(header: Sequence[str], columns: Sequence[Cells]) -> BoolArray:
    """Return which rows repeat the names of all columns, two at least."""
    again = np.full(len(columns[0]), sum(map(bool, map(str.strip, header))) > 1, dtype=np.bool_)
    for name, cells in zip(header, columns, strict=True):
        if not again.any():
            break
        again &= cells.equal(name.strip())
    return again


def empty_rows(columns: Sequence[Cells]) -> BoolArray:
    """Return which rows hold nothing at all."""
    empty = np.ones(len(columns[0]), dtype=np.bool_)
    for cells in columns:
        if not empty.any() or not cells.empties:
            return np.zeros(len(empty), dtype=np.bool_)
        empty &= cells.equal("")
    return empty


def drop_totals(name: str, shaped: Shaped) -> Shaped:
    """Leave out last rows that are called so, or not at all, and whose numbers sum up those of the rows above.

    Raises
    ------
    ReadError
        If all rows are statistics, as those that pandas' `describe` returns.
    """
    n = len(shaped.lines)
    if n == len(_DESCRIBED) and any(tuple(c.texts()) == _DESCRIBED for c in shaped.columns[:1]):
        raise ReadError(
            f"{name} holds statistics of trials: {', '.join(_DESCRIBED[:4])}, … Give the trials themselves."
        )
    most = max(0, min(_MOST_TOTALS, n - 2))
    last = [*zip(*(cells.slice(n - most).texts() for cells in shaped.columns), strict=True)]
    total = [bool(_called(cells)) or (not cells[0] and any(cells)) for cells in last]  # or without a name
    if (first := next((n - k for k in range(most, 0, -1) if all(total[most - k :])), n)) == n:
        return shaped
    numbers = [read_numbers(cells, Style()).values for cells in shaped.columns]
    while first < n and not all(_sums_up(numbers, first, row, _called(last[row - n])) for row in range(first, n)):
        first += 1
    why = "below the rows it sums up:"
    texts = {row: shown(", ".join(cells[row] for cells in shaped.columns), 120) for row in range(first, n)}
    told = [Skipped(f"line {shaped.lines[row]}", f"{why} {text}") for row, text in texts.items()]
    return replace(shaped.rows(0, first), skipped=(*shaped.skipped, *told)) if told else shaped


def drop_aggregates(shaped: Shaped) -> Shaped:
    """Leave out the rows that sum up the repeats of a benchmark, called `sort_mean`, `sort_stddev` beside `sort`.

    The means are the trials of a benchmark that has no others.
    """
    for place, cells in enumerate(shaped.columns if len(shaped.lines) <= MOST_SUMMED else ()):
        texts = cells.texts() if may_sum_up(cells) else []
        found = [_AGGREGATE.fullmatch(text) for text in texts]
        kinds = by_key((own[1], own[2]) for own in found if own)
        summed = {base for base, own in kinds.items() if _SUMS_UP <= {*own} or _FITTED == {*own}}
        alone = summed - {*texts}
        kept = [own is None or own[1] not in summed or (own[1] in alone and own[2] == "mean") for own in found]
        if not summed or not any(kept):
            continue
        bare = [own[1] if own and own[1] in summed else text for own, text in zip(found, texts, strict=True)]
        columns = (*shaped.columns[:place], Cells.of(bare), *shaped.columns[place + 1 :])
        left = replace(shaped, columns=columns).without(~np.array(kept), "sums up the repeats of a benchmark")
        told = left.skipped[len(shaped.skipped)]
        more = f", as {n} more rows do" if (n := kept.count(False) - 1) else ""
        return replace(left, skipped=(*shaped.skipped, replace(told, why=f"{told.why}{more}")))
    return shaped


def drop_failed(shaped: Shaped) -> Shaped:
    """Leave out the rows of which a column says that their run failed, where others did not: nothing was measured."""
    for place, name in [own for own in enumerate(shaped.header) if tells_of_failure(own[1])]:
        codes, texts = shaped.columns[place].encoded()
        bits = {*texts} == {"0", "1"} and speaks(name, "succeeded") and not speaks(name, "stated")
        failed = np.array([says_failed(name, text) or (bits and text == "0") for text in texts], dtype=np.bool_)[codes]
        if failed.any() and not failed.all():
            told = f"{name.strip()} says of {failed.sum():,} of {len(failed):,} rows that the run failed: left out."
            left = shaped.without(failed, f"its run failed, as {name.strip()} says")
            shaped = replace(left, warnings=(*shaped.warnings, told))
    return shaped


def may_sum_up(cells: Cells) -> bool:
    """Whether a column may name what sums up the repeats of a benchmark."""
    return bool(cells.matches("_(stddev|RMS)$").any())


def _nothing(cells: Cells, *, at_left: bool, named: bool) -> str:
    if at_left and len(cells) and _numbers_rows(cells):
        return "the rows' numbers"
    return "nothing" if not named and bool(cells.matches(r"^[±+/-]*$").all()) else ""


def _numbers_rows(cells: Cells) -> bool:
    """Whether cells count rows: whole numbers from 0 or 1 on, those of each of several frames, or some left out.

    Rows that were sorted carry their numbers along, none of them twice; powers of two are sizes.
    """
    if not cells.matches(r"^(0|[1-9][0-9]{0,14})$").all():
        return False
    own = read_numbers(cells, Style()).values.astype(np.int64)
    if len(own) < 3:
        return bool(own[0] < 2 and own[-1] - own[0] == len(own) - 1)
    steps = np.diff(own)
    again = own[0] == 0 and own.max() >= _A_FRAME and ((steps == 1) | (own[1:] == 0)).all()
    kept = (steps > 0).all() or (len(own) >= _SORTED and len(np.unique(own)) == len(own))
    return bool(again or (kept and np.gcd.reduce(steps) == 1 and not (np.frexp(own)[0] == 0.5).all()))


def _are_names(cells: Cells) -> bool:
    """Whether cells are names of rows: texts, none of them empty."""
    return not cells.empties and not any(PLAIN_NUMBER.fullmatch(text) for text in cells.slice(0, 1000).texts())


def _bare(text: str) -> str:
    found = _BRACKETS.fullmatch(text)
    return "" if text.lower() in _NO_UNIT and text.lower() != "n/a" else found.group(1) if found else text


def _is_unit_row(columns: Sequence[Cells], first: Sequence[str], second: Sequence[str]) -> bool:
    units = [text for text in first if text]
    below = [b for a, b in zip(first, second, strict=True) if a]
    bare = all(not text or not PLAIN_NUMBER.fullmatch(text) for text in (cells[0] for cells in columns))
    looks = all(is_unit(text) and text.lower() not in MISSING_WORDS for text in units)
    known = sum(text in KNOWN for text in units)
    bracketed = all(_BRACKETS.fullmatch(cells[0]) for cells in columns)
    beside = any(b for a, b in zip(first, second, strict=True) if not a) or known == len(units) > 1 or bracketed
    numbers = 2 * sum(bool(PLAIN_NUMBER.fullmatch(text)) for text in below) >= len(below)
    return beside and bare and looks and 2 * known >= len(units) > 0 and numbers


def _called(cells: Sequence[str]) -> str:
    """Return what a total is called, in lower case, "" for a row that is called otherwise."""
    named = next(filter(None, cells), "").rstrip(":").lower()
    return named if TOTAL.fullmatch(named) else ""


def _sums_up(numbers: Sequence[FloatArray], first: int, row: int, name: str) -> bool:
    """Whether half of a row's numbers, in columns that vary, are what it is called, of the rows before the `first`.

    Of a row without a name all have to be sums or means, and two at least, or one with decimals; of one that is called
    aggregated three are enough, as all requests have percentiles of their own.
    """
    there = [(own[row], own[:first]) for own in numbers if np.isfinite(own[row]) and np.ptp(own[:first]) > 0]
    sums = [(total, np.array(_sums(above, name))) for total, above in there]
    fit = [total for total, others in sums if (np.abs(total - others) <= 2e-3 * np.abs(others)).any()]
    if not name:
        return len(fit) == len(there) and (len(fit) > 1 or any(total != round(total) for total in fit))
    return 2 * len(fit) >= max(1, len(there)) or (name.startswith("aggregate") and len(fit) > 2)


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
    extremes = [float(own.min()), float(own.max())] if name.startswith("aggregate") else []
    return [float(own.sum()), float(own.mean()), *geometric, *extremes]
