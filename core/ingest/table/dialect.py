"""Where a table begins in a text, and what separates its cells."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._foreign import refuse_markup
from core.ingest.names import shown
from core.ingest.opening import MAX_LINE, line_of
from core.trial import Skipped

SEPARATORS = (",", ";", "\t", "|")
BLANK = " "
"""Any run of blanks and tabs between cells."""
APART = "  "
"""At least two blanks between cells, which may hold single ones."""
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", BLANK: "blank", APART: "two blanks", "": "none"}
BEFORE = "before the header: "
"""Why a line is no row of the table."""
MAX_PREAMBLE = 10_000
"""Lines before the header."""

_SAMPLE_LINES, SAMPLE_BYTES = 200, 1 << 18
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
_BLANKS = re.compile(rb"[\r\n]*")
_COMMENT = re.compile(rb"\s*(#|==)")
_PADDING, _GAP = re.compile("[ \t]+"), re.compile(" {2,}|\t")
_EXCEL = re.compile(rb'"?sep=([,;|\t])"?\s*')
_RULE = re.compile(r"[\s|+:]*([-=─━═])\1{2,}[-=─━═|+:\s]*")
_NUMBER = re.compile(r"\s*[+-]?[\d.,]+([eE][+-]?\d+|[dD][+-]\d{2,3})?\s*")


class Start(Frozen):
    """Where the header stands.

    Attributes
    ----------
    offset, line : the header's first byte, and its line number
    separator : if a line such as `sep=;` names it
    comment, above : the last comment before the header, without its mark, and the one before it
    before : all lines before the header that say anything, without their marks
    """

    offset: int
    line: int
    separator: str = ""
    comment: str = ""
    skipped: tuple[Skipped, ...] = ()
    above: str = ""
    before: tuple[str, ...] = ()


def find_start(name: str, raw: bytes) -> Start:
    """Skip blank lines, comments (`#`) and profilers' banners (`==`) before the header.

    Raises
    ------
    ReadError
        If nothing else is in the file.
    """
    separator = comment = above = ""
    skipped, before = list[Skipped](), list[str]()
    blank = _BLANKS.match(raw)
    first = blank.end() if blank else 0
    for line, found in enumerate(_lines(raw, first), start=line_of(raw, first)):
        offset, text = found.start(), found.group(1)
        if excel := _EXCEL.fullmatch(text):
            separator = excel.group(1).decode()
        elif _COMMENT.match(text):
            above, comment = comment, text.decode().strip().lstrip("#").strip()
        elif text.strip():
            refuse_markup(name, raw[offset : offset + 4096])
            return Start(offset, line, separator, comment, tuple(skipped), above, tuple(before))
        if text.strip():
            before.append(unmarked(text.decode()))
            skipped.append(Skipped(f"line {line}", f"{BEFORE}{shown(text.decode().strip(), 120)}"))
        if len(skipped) > MAX_PREAMBLE:
            raise ReadError(f"{name} has over {MAX_PREAMBLE} lines of comments before a table. Remove them.")
    if skipped:
        raise ReadError(
            f"{name} holds only {len(skipped)} lines of comments or messages, such as "
            f"'{shown(comment or skipped[-1].why)}'. The run may have failed; look at what it wrote."
        )
    raise ReadError(f"{name} is empty: a table needs a row of column names and rows of values.")


def unmarked(line: str) -> str:
    """Return a line without the mark of a comment."""
    return line.strip().lstrip("#%/;*= ").strip()


def refuse_long_lines(name: str, raw: bytes, first: int = 1) -> None:
    """Raise ReadError if a line is longer than the limit, without ever holding it twice.

    Parameters
    ----------
    first : the number of the first line
    """
    start = 0
    while len(raw) - start > MAX_LINE:
        stop = start + MAX_LINE + 1
        if (end := max(raw.rfind(b"\n", start, stop), raw.rfind(b"\r", start, stop))) < 0:
            line, size = line_of(raw, start) + first - 1, MAX_LINE // 2**20
            raise ReadError(f"{name} line {line} is longer than {size} MiB; rows of a table are shorter.")
        start = end + 1


def find_separator(name: str, raw: bytes, start: Start) -> str:
    """Return what separates the cells: the one mark that makes all rows equally wide; "" for one column.

    Where no mark does, the one that suits most rows is returned, so that reading says which row
    is wrong.

    Raises
    ------
    ReadError
        If the text has no columns, or two marks do equally well.
    """
    if start.separator:
        return start.separator
    sample, whole = sample_of(raw, start.offset)
    found = {mark: widths(sample, mark, whole=whole) for mark in SEPARATORS}
    split = {mark: w for mark, w in found.items() if w and w[0] > 1}
    if exact := {mark: w[0] for mark, w in split.items() if len(set(w)) == 1 and len(w) > 1}:
        widest = _widest(name, start, exact, sample, whole=whole)
        return BLANK if widest == "\t" and _by_several_tabs(sample, whole=whole) else widest
    if blank := blanks_of(sample, whole=whole):
        return blank
    if apart := header_apart(sample, whole=whole):
        return apart[0]
    agreeing = {mark: Counter(x for x in w if x > 1).most_common(1)[0][1] / len(w) for mark, w in split.items()}
    best = max(agreeing, key=lambda mark: (agreeing[mark], split[mark][0]), default="")
    if best and (agreeing[best] >= 0.5 or len(sample) <= 3):
        return best
    if not best and _one_column(sample):
        return ""
    raise ReadError(_no_table(name, start, sample))


def _by_several_tabs(sample: Sequence[str], *, whole: bool) -> bool:
    """Whether more than one tab stands between cells, so that some column is empty in all rows and in the header."""
    by_tabs = split_rows(sample, "\t", whole=whole)
    columns = zip(*(row[1:-1] for row in by_tabs), strict=True)
    nothing = any(not any(map(str.strip, column)) for column in columns)
    return nothing and by_blanks(split_rows(sample, BLANK, whole=whole))


def _no_table(name: str, start: Start, sample: list[str]) -> str:
    first = sample[0].strip()
    if not first.strip(",;|\t "):
        return f"{name} line {start.line} holds no column names, only separators. Give each column a name."
    return (
        f"{name} seems to be text, not a table: below line {start.line}, '{shown(first)}', there are no rows "
        "with as many cells between commas, semicolons, tabs, bars or blanks. Give column names and rows of values."
    )


def _widest(name: str, start: Start, exact: dict[str, int], sample: Sequence[str], *, whole: bool) -> str:
    """Return the mark that makes most columns; of several that do, the one that leaves most cells numbers."""
    most = max(exact.values())
    best = [mark for mark, width in exact.items() if width == most]
    if len(best) > 1:
        cells = {mark: [cell for row in split_rows(sample, mark, whole=whole) for cell in row] for mark in best}
        numbers = {mark: sum(is_number(c) and not {*c} & {*best} for c in own) for mark, own in cells.items()}
        best = [mark for mark in best if numbers[mark] == max(numbers.values())]
    if len(best) > 1:
        marks = " or a ".join(NAMES[mark] for mark in best)
        raise ReadError(
            f"{name} line {start.line}: a {marks} may separate the cells, both fit all rows. "
            f"Put 'sep={best[0]}' on a line above the names, or quote the cells that hold the other mark."
        )
    return best[0]


def _lines(raw: bytes, offset: int = 0) -> Iterator[re.Match[bytes]]:
    """Yield the lines from a place on, what stands in them and their ends."""
    return (found for found in _LINE.finditer(raw, offset) if found.start() < len(raw))


def sample_of(raw: bytes, offset: int) -> tuple[list[str], bool]:
    """Return the first lines from the header on, with their ends, and whether they are all there are."""
    piece = raw[offset : offset + SAMPLE_BYTES + MAX_LINE]
    lines: list[str] = []
    size = 0
    for found in _lines(piece):
        if len(lines) == _SAMPLE_LINES or (size > SAMPLE_BYTES and len(lines) > 2):
            return lines, False
        lines.append(found.group().decode("utf-8", "replace"))
        size += len(found.group(1))
    return (lines, True) if (offset + len(piece) >= len(raw)) else (lines[:-1] or lines, False)


def split_rows(sample: Sequence[str], mark: str, *, whole: bool) -> list[list[str]]:
    """Return the cells of each row of a sample that holds more than a rule; a row that its end cuts is left out.

    What cannot be split ends in a row of no cells.
    """
    rows: list[list[str]] = []
    try:
        lines = (line for line in sample if not is_rule(line))
        rows.extend(row for row in reader_of(lines, mark) if any(cell.strip() for cell in row))
    except csv.Error:
        return rows if not whole and len(rows) > 1 else [*rows, []]
    return rows


def is_rule(line: str) -> bool:
    """Whether a line is drawn below names, as `-----`, `|---|:--:|` and `==== ====` are."""
    return bool(_RULE.fullmatch(line))


def widths(sample: Sequence[str], mark: str, *, whole: bool) -> list[int]:
    """Return how many cells each row of a sample has."""
    return [len(row) for row in split_rows(sample, mark, whole=whole)]


def reader_of(lines: Iterable[str], mark: str, *, strict: bool = True) -> Any:
    """Return a reader of the cells of lines: `csv.reader`, by default one that refuses misplaced quotes."""
    if mark == BLANK:
        lines = (unpadded(line) for line in lines)
    if mark == APART:
        lines, mark = (_GAP.sub("\t", line.strip()) + "\n" for line in lines), "\t"
    return csv.reader(lines, delimiter=mark or ",", strict=strict, skipinitialspace=mark != "\t")


def unpadded(line: str) -> str:
    """Return a line with one blank between words and none around; quotes keep what is between them."""
    if '"' not in line:
        return _PADDING.sub(" ", line.rstrip("\r\n")).strip(" ") + "\n"
    return line.strip(" \t\r\n").replace("\t", " ") + "\n"


def is_number(text: str) -> bool:
    """Whether a cell looks like a number, whatever its decimal mark."""
    return bool(_NUMBER.fullmatch(text)) and any(map(str.isdigit, text))


def as_float(text: str) -> float | None:
    """Return a number with a decimal point, or none; None of one that looks otherwise, as `1,5` and `5D-01` do."""
    try:
        return float(text) if is_number(text) else None
    except ValueError:
        return None


def by_blanks(rows: Sequence[Sequence[str]]) -> bool:
    """Whether blanks separate cells: all rows are equally wide, or one wider than the first; most cells are numbers."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    more = {len(row) - len(rows[0]) for row in rows[1:]}
    cells = [cell for row in rows[1:] for cell in row]
    return more in ({0}, {1}) and 2 * sum(map(is_number, cells)) >= len(cells)


def blanks_of(sample: Sequence[str], *, whole: bool) -> str:
    """Return what blanks separate cells: any, or two where each row has as many cells as the header; "" if neither."""
    if by_blanks(split_rows(sample, BLANK, whole=whole)):
        return BLANK
    head, *rows = split_rows(sample, APART, whole=whole) or [[]]
    cells = [cell for row in rows for cell in row]
    even = len(rows) > 1 < len(head) and {len(row) for row in rows} == {len(head)}
    return APART if even and 2 * sum(cell[:1].isdigit() for cell in cells) >= len(cells) else ""


def header_apart(sample: Sequence[str], *, whole: bool) -> tuple[str, list[str]] | None:
    """Return (what separates the rows, the header's cells) where a header has a separator of its own; None if not."""
    for mark, own in permutations((*SEPARATORS, BLANK), 2):
        heads, rows = split_rows(sample[:1], own, whole=True), split_rows(sample[1:], mark, whole=whole)
        if heads and len(rows) > 1 and by_blanks([*heads, *rows]) and not any(map(is_number, heads[0])):
            return mark, heads[0]
    return None


def _one_column(sample: list[str]) -> bool:
    """Whether lines without any separator are one name and numbers below it."""
    below = [line for line in sample[1:] if line.strip()]
    return bool(below) and 2 * sum(bool(_NUMBER.fullmatch(line)) for line in below) >= len(below)
