"""What each column holds: numbers, words, identifiers, or something to decide; cells that its role does not allow."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import islice

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._lookup import by_key, once
from core.ingest._units import COUNTED, KNOWN
from core.ingest.names import MISSING_WORDS, NO_RESULT, shown
from core.ingest.recognition.words import is_counter, is_outcome, tokens
from core.ingest.recognition.words import is_identifier as is_called_one
from core.ingest.table.numbers import Numbers, Style, is_identifier, is_too_long, why_bad
from core.ingest.table.rows import in_threads
from core.ingest.table.table import Table
from core.trial import Skipped

_SIZES = re.compile(r"\d+(?:[ x×*]\d+)+", re.IGNORECASE)
"""Sizes of several dimensions, as `64x16384`, which among plain ones are names of inputs."""
_FEW, _NO_LIMIT = 8, {"inf", "+inf", "infinity"}
_SET_WORDS = _NO_LIMIT | {"default", "auto", "automatic", "all", "max", "full", "unlimited"}
"""A setting that has some of these words among its numbers; where one is of no limit it has at most so many values."""
_QUANTITIES = {*COUNTED, "flop", "flops", "macs", "work", "traffic"}
_MEASURED = {"response", "counter", "metric", "derived"}
"""Roles of what has no number where a program wrote infinity."""
_COMMA_CELL = r"^[+-]?(?:[0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?$"
_EUROPEAN = r"^[+-]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})$"
_MILLIONS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}$"
_POINT_GROUPED = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+$"
_COMMA_PROOF = r"^[+-]?(?:0?,[0-9]+|[0-9]{4,},[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))(?:[eE][+-]?[0-9]+)?$"
_FRACTION = r"^[+-]?0,[0-9]{3,}$"
"""In quotes between commas, where `0,1` may as well be two items."""
_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?$"
_GROUPS_PROOF = r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3}){2,}|,[0-9]{3}\.[0-9]*)"
_GROUPS_AND_POINT = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+$"
_POINT_PROOF = rf"^[+-]?(?:[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|{_GROUPS_PROOF})$"
_WHOLE = r"^[+-]?[0-9]+$"
_SMALL = r"^[0-9]{1,3}$"


class Column(Frozen):
    """One column of a table.

    Attributes
    ----------
    kind : "number", "text", "identifier", "mixed" (numbers and words), "ambiguous" (a decimal or thousands
        comma) or "empty"
    rounded : whether integers that float64 cannot hold are the nearest that it can
    """

    place: int
    name: str
    unit: str
    kind: str
    numbers: Numbers
    rounded: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the column is one of numbers, even if some of its cells are none."""
        return self.kind in ("number", "mixed", "ambiguous")


class Study(Frozen):
    """All columns of a table, under one way of writing numbers."""

    style: Style
    columns: tuple[Column, ...]
    warnings: tuple[str, ...] = ()


def study(table: Table, decimal: str = "") -> Study:
    """Return what the columns hold; computed once per table.

    Parameters
    ----------
    decimal : "point" or "comma" as the user says; "" to take what the file proves
    """

    def made() -> Study:
        style, ambiguous, warnings = _style(table, decimal)
        columns = _columns(table, style, ambiguous)
        large = [c.name for c in columns if c.rounded]
        told = f"{table.source}: {', '.join(large)}: integers beyond 2^53 are rounded to the nearest of 64 bits."
        return Study(style, columns, (*warnings, told) if large else warnings)

    return once(table.memo, decimal, made)


def study_as(table: Table, style: Style) -> None:
    """Have `study` take a way of writing numbers that is already known."""
    table.memo[""] = Study(style, _columns(table, style))


def study_further(table: Table, style: Style) -> None:
    """Study a later part of a table, whose earlier parts write numbers in some style.

    Raises
    ------
    ReadError
        If this part shows another style, so that the earlier parts may have been read wrongly.
    """
    if "" in table.memo:
        return
    own, ambiguous, _ = _style(table, "")
    if own != style or ambiguous:
        pattern = _POINT_PROOF if style.decimal == "," else _COMMA_PROOF
        other = _first(table, range(len(table.names)), pattern) or _first(table, sorted(ambiguous), ",")
        if other:
            text, row = other
            mark = "comma" if style.decimal == "," else "point"
            raise ReadError(
                f"{table.place(row)}: '{text}' is not written like the numbers above it, whose decimal mark is a "
                f"{mark}. Write all numbers alike."
            )
    study_as(table, style)


def only_missing(table: Table, column: Column) -> bool:
    """Whether a column holds nothing but empty cells and words for a missing value."""
    if column.numbers.n_numbers:
        return False
    return all(text.lower() in MISSING_WORDS for text in table.columns[column.place].different(column.numbers.bad))


def refuse_ambiguous(table: Table, column: Column) -> None:
    """Raise ReadError for a column whose commas may be decimal marks or may group thousands."""
    cells = table.columns[column.place]
    row = int(np.flatnonzero(cells.matches(","))[0])
    raise ReadError(
        f"{table.place(row)}: '{column.name}' is '{cells[row]}', whose comma may be a decimal mark or may "
        "separate thousands or items. Choose the decimal 'point' or 'comma', or make the column a label."
    )


def _columns(table: Table, style: Style, ambiguous: Set[int] = frozenset()) -> tuple[Column, ...]:
    """Return all columns; of a long table several at a time, into one matrix."""
    several = in_threads if table.store(style) is not None else map
    found = tuple(several(lambda i: _column(table, i, style, ambiguous=i in ambiguous), range(len(table.names))))
    marks = {text for column in found if column.kind == "mixed" for text in _words(table, column)}
    return tuple(replace(c, kind="mixed") if marks and _marked(table, c, marks) else c for c in found)


def _words(table: Table, column: Column) -> set[str]:
    return set(table.columns[column.place].different(column.numbers.bad))


def _marked(table: Table, column: Column, marks: Set[str]) -> bool:
    """Whether a column of texts holds numbers beside the words that stand for none among others' numbers."""
    return column.kind == "text" and column.numbers.n_numbers > 1 and _words(table, column) <= marks


def _column(table: Table, place: int, style: Style, *, ambiguous: bool) -> Column:
    name, unit, numbers = table.names[place], table.units[place], table.numbers(place, style)
    kind = "ambiguous" if ambiguous else _kind(table, place, numbers)
    column = Column(place, name, unit, kind, numbers)
    return rounded(table, column) if kind == "identifier" and _is_counted(name, unit) else column


def rounded(table: Table, column: Column) -> Column:
    """Return a column with the nearest float64 of integers that are too long for one; as it is with other bad cells."""
    numbers, cells = column.numbers, table.columns[column.place]
    if not len(numbers.bad) or not all(map(is_too_long, cells.different(numbers.bad))):
        return column
    numbers.values[numbers.bad] = [*map(float, cells.some(numbers.bad).array.to_pylist())]
    return replace(column, kind="number", numbers=replace(numbers, bad=numbers.bad[:0]), rounded=True)


def _is_counted(name: str, unit: str) -> bool:
    """Whether a column's numbers count something, so that their digits name nothing."""
    told = _is_measured(name, unit) or unit in KNOWN or bool({*tokens(name), name.lower()} & _QUANTITIES)
    return told and not is_called_one(name)


def _kind(table: Table, place: int, numbers: Numbers) -> str:
    if bool(numbers.empty.all()):
        return "empty"
    if not len(numbers.bad):
        return "number"
    cells = table.columns[place]
    if all(is_identifier(text) for text in cells.different(numbers.bad)):
        return "identifier"
    if not numbers.n_numbers:
        return "text"
    words = {text.lower() for text in cells.different(numbers.bad)} - (MISSING_WORDS - _NO_LIMIT)
    if words and words <= _SET_WORDS and _few_values(numbers, _FEW if words & _NO_LIMIT else len(numbers.values)):
        return "text"
    sizes = 4 * len(numbers.bad) >= numbers.n_numbers and all(map(_SIZES.fullmatch, words))
    if words and (sizes or _come_again(words, numbers)) and not _is_measured(table.names[place], table.units[place]):
        return "text"
    return "mixed" if words <= _NO_LIMIT or numbers.n_numbers >= len(numbers.bad) else "text"


def _few_values(numbers: Numbers, most: int) -> bool:
    """Whether whole numbers, or words such as `default` for them, come again and again, as a setting's do."""
    different = np.unique(numbers.values[np.isfinite(numbers.values)])
    return len(different) < min(most, len(numbers.values) / 2) and bool((different == different.round()).all())


def _come_again(words: Set[str], numbers: Numbers) -> bool:
    """Whether words for no failure, and the numbers beside them, each come twice or more, as levels of a setting do."""
    times = np.unique(numbers.values[np.isfinite(numbers.values)], return_counts=True)[1]
    named = not words & NO_RESULT and all(map(str.isalpha, words)) and 2 * len(words) <= len(numbers.bad)
    return named and bool(times.min(initial=2) > 1)


def _is_measured(name: str, unit: str) -> bool:
    return is_outcome(name, unit) or is_counter(name)


def _style(table: Table, decimal: str) -> tuple[Style, frozenset[int], tuple[str, ...]]:
    """Return the style, the columns that it leaves ambiguous, and what was concluded."""
    if decimal:
        return Style("," if decimal == "comma" else ".", groups=True), frozenset(), ()
    style = Style(".", groups=table.separator == ",")
    doubtful = [i for i in range(len(table.names)) if _only_numbers_with_commas(table, i, style)]
    if not doubtful:
        return style, frozenset(), ()
    everywhere = range(len(table.names))
    comma = _first(table, doubtful, _FRACTION if table.separator == "," else _COMMA_PROOF)
    grouped = _first(table, doubtful, _GROUPS_AND_POINT) if table.separator == "|" and not comma else None
    counted = [i for i in everywhere if _all_grouped(table, i)]
    european = _first(table, doubtful, _EUROPEAN) or _first(table, counted, _MILLIONS)
    pointed = any(_point_alone(table, i) for i in everywhere)
    if (european or comma) and not pointed:
        groups = european is not None or _first(table, everywhere, _POINT_GROUPED) is not None
        proof, style = european or comma or ("", 0), Style(",", groups)
        have = f"a decimal comma{', and points between thousands' * groups}"
    elif grouped or (not comma and (grouped := _thousands(table, doubtful, pointed=pointed))):
        proof, style, have = grouped, Style(".", groups=True), "commas between thousands"
    else:
        return style, frozenset(doubtful), ()
    text, row = proof
    return style, frozenset(), (f"{table.place(row)}: '{text}' shows that the numbers have {have}.",)


def _thousands(table: Table, places: Sequence[int], *, pointed: bool) -> tuple[str, int] | None:
    """Return the first cell with commas of some columns, if these stand between thousands in each of their cells.

    Outcomes, counters, and things such as rows, are surely numbers where some column has a decimal point, and in
    documents what has no comma, one or two, as `886` and `2,889,616` have: elsewhere `128,256` may be two items.
    """
    commas = [(table.columns[i].matches(","), table.columns[i].matches(_GROUPS)) for i in places]
    named = [(table.names[i], table.units[i]) for i in places]
    spoken = pointed and all(_is_measured(*own) or own[0].lower() in COUNTED for own in named)
    measured = spoken or _grown(table, places)
    return _first(table, places, _GROUPS) if measured and all((own <= all_).all() for own, all_ in commas) else None


def _grown(table: Table, places: Sequence[int]) -> bool:
    """Whether numbers of a document have more commas in some cells of each column than in others, or zeros behind one.

    Once they have two, or those without are whole, several, and below 1000. No item of a list begins with a zero.
    """
    if table.separator != "|":
        return False
    texts = [table.columns[i].encoded()[1] for i in places]
    small = all(int(table.columns[i].matches(_SMALL).sum()) > 2 for i in places)
    apart = all(len({t.count(",") for t in own}) > 1 or any(",0" in t for t in own) for own in texts)
    return apart and (small or max(text.count(",") for own in texts for text in own) > 1)


def _all_grouped(table: Table, place: int) -> bool:
    """Whether all cells are whole numbers, with points between thousands or none."""
    cells = table.columns[place]
    return bool((cells.matches(_POINT_GROUPED) | cells.matches(_WHOLE)).all())


def _point_alone(table: Table, place: int) -> bool:
    """Whether a cell's point cannot stand between thousands."""
    cells = table.columns[place]
    return bool((cells.matches(_POINT_PROOF) & ~cells.matches(_POINT_GROUPED)).any())


def _only_numbers_with_commas(table: Table, place: int, style: Style) -> bool:
    """Whether all cells are numbers by one rule or another, and some only with a decimal comma or groups."""
    cells = table.columns[place]
    if not cells.commas or not bool(cells.matches(",").any()):
        return False
    comma, grouped = cells.matches(_COMMA_CELL), cells.matches(_GROUPS)
    doubt = (comma & ~grouped) if style.groups else (comma | grouped)
    clear = cells.equal("") | cells.matches(style.plain) | cells.matches(_POINT_GROUPED)
    clear |= comma | grouped | cells.matches(_WHOLE)
    rest = np.flatnonzero(~clear)
    return bool(doubt.any()) and all(text.lower() in MISSING_WORDS for text in cells.different(rest))


def _first(table: Table, places: Sequence[int] | range, pattern: str) -> tuple[str, int] | None:
    for place in places:
        rows = np.flatnonzero(table.columns[place].matches(pattern))
        if len(rows):
            return table.columns[place][rows[0]], int(rows[0])
    return None


def distinct_examples(table: Table, place: int) -> tuple[str, ...]:
    """Return the first three different cells of a column that hold anything."""
    texts = filter(None, dict.fromkeys(table.columns[place].slice(0, 200).texts()))
    return tuple(re.sub(r"\s+", " ", text)[:60] for text in islice(texts, 3))


_NUMBER = "expected a number"
_FIX = "Fix the row, or import with --missing drop."
_RELABEL = "Make the column a label, ignore it, or import with --missing drop."


class BadCells(Frozen):
    """The cells of one column that are not what its role needs.

    Attributes
    ----------
    place : the column
    rows : where the cells are, ascending
    noun : what the column is, such as "metric"
    """

    place: int
    rows: IntArray
    noun: str

    def why(self, table: Table, row: int) -> str:
        """Return half a sentence about the cell in a row."""
        text, subject = table.columns[self.place][row], f"{self.noun} '{table.names[self.place]}'"
        return f"{subject} is '{shown(text)}', {why_bad(text)}" if text else f"{subject} is empty, expected a name"

    def remedy(self, table: Table, row: int) -> str:
        """Return what to do about the cell in a row."""
        text = table.columns[self.place][row]
        return _RELABEL if text and why_bad(text) != _NUMBER else _FIX


def not_numbers(column: Column, noun: str) -> BadCells:
    """Return the cells of a column that are neither numbers nor empty."""
    return BadCells(column.place, column.numbers.bad, noun)


def nothing_came(role: str) -> Set[str]:
    """Return the words that say of a column's role that there is no number: infinity too of what was measured."""
    return NO_RESULT | MISSING_WORDS if role in _MEASURED else NO_RESULT


def refused(table: Table, bad: Sequence[BadCells]) -> tuple[BadCells, ...]:
    """Return bad cells without the words that say that there is no number, as `N/A` does."""

    def kept(cells: BadCells) -> IntArray:
        texts = table.columns[cells.place].some(cells.rows).array.to_pylist()
        none = nothing_came(cells.noun)
        return cells.rows[[text.lower() not in none for text in texts]]

    return tuple(replace(cells, rows=kept(cells)) if len(cells.rows) else cells for cells in bad)


def not_named(table: Table, place: int, noun: str) -> BadCells:
    """Return the empty cells of a column that names something."""
    return BadCells(place, np.flatnonzero(table.columns[place].equal("")), noun)


def bad_rows(bad: Sequence[BadCells]) -> IntArray:
    """Return the rows that have such a cell, ascending."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(cells.rows for cells in bad)]))


def sentence(table: Table, bad: Sequence[BadCells]) -> str:
    """Return one sentence about the first of some cells, and how many more there are; "" if there are none."""
    if not (some := [cells for cells in bad if len(cells.rows)]):
        return ""
    first = min(some, key=lambda cells: (int(cells.rows[0]), cells.place))
    row, others = int(first.rows[0]), sum(len(cells.rows) for cells in some) - 1
    more = f" (and {others:,} more like it)" if others else ""
    return f"{table.place(row)}: {first.why(table, row)}{more}. {first.remedy(table, row)}"


def skipped_rows(table: Table, bad: Sequence[BadCells]) -> tuple[Skipped, ...]:
    """Return each row that has such a cell, with all the reasons."""
    ordered = sorted(bad, key=lambda cells: cells.place)
    reasons = by_key((row, cells.why(table, row)) for cells in ordered for row in cells.rows.tolist())
    where = table.where() if reasons else ()
    return tuple(Skipped(where[row], "; ".join(whys)) for row, whys in sorted(reasons.items()))
