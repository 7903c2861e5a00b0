"""Blocks of text to rows, each as wide as the header: fast where a block is regular, else by each character."""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._form import Form
from core.ingest._names import read_header, shown
from core.ingest._open import MAX_LINE
from core.ingest.table.dialect import BLANK, NAMES, SAMPLE_BYTES
from core.ingest.table.layout import Layout, TooShortError, find_layout, parsed, text_lines
from core.ingest.table.strings import Strings
from core.ingest.table.text import Block, n_breaks
from core.ingest.table.threads import WORKERS, Window
from core.trial import Skipped

T = TypeVar("T")

MAX_HEAD = 64 * 1024 * 1024
"""Bytes in which a table has to begin."""
MAX_BELOW = 10
"""Lines below a table that are no rows of it."""
TOTAL = re.compile(
    r"(sub|grand )?totals?|sum|summe|gesamt|mean|average|avg\.?|mittelwert|median|geo\.? ?mean|geometric mean|gmean|"
    r"std\.?( ?dev\.?)?|stdev|min(imum)?|max(imum)?|count",
    re.IGNORECASE,
)
"""What a row that sums up others is called."""

_CHUNK = 65_536
_LINE_END = re.compile(rb"\r\n|\r|\n")
_PADDING = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb"^ | (?=[\r\n]|\Z)", re.MULTILINE)
_COUNTED = re.compile(r"\(\d+ rows?\)|-{3,}")
_QUOTE, _NEWLINE, _RETURN = 0x22, 0x0A, 0x0D


@dataclass(frozen=True)
class Some:
    """Some rows of a table; none where a block held only blank lines.

    Attributes
    ----------
    columns : Arrow arrays of strings
    lines : array of shape (n_rows,), or a range: the line where each row begins
    """

    columns: tuple[Any, ...]
    lines: IntArray | range

    @property
    def numbers(self) -> IntArray:
        """The lines as an array."""
        some = self.lines
        return np.arange(some.start, some.stop, dtype=np.int64) if isinstance(some, range) else some


@dataclass(frozen=True)
class Beginning:
    """Where a table begins, the text below its header, and what is told of lines in it that are no rows."""

    name: str
    layout: Layout
    blocks: Iterator[Block]
    told: list[Skipped] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The cells of each row."""
        return len(self.layout.header)


def find_beginning(name: str, blocks: Iterator[Block], form: Form | None = None) -> Beginning:
    """Read as many blocks as it takes to find the layout of a table.

    Raises
    ------
    ReadError
        If there is none.
    """
    taken: list[Block] = []
    wanted = SAMPLE_BYTES + MAX_LINE
    while True:
        whole = not _take(taken, blocks, wanted)
        head = b"".join(block.raw for block in taken) if len(taken) != 1 else taken[0].raw
        try:
            layout = find_layout(name, head, whole=whole, form=form)
            return Beginning(name, layout, _without_lines(chain(taken, blocks), layout.line - 1))
        except TooShortError as error:
            wanted = error.wanted
        except ReadError:
            if whole or len(head) > MAX_HEAD:
                raise
            wanted = 4 * len(head)


def _take(taken: list[Block], blocks: Iterator[Block], wanted: int) -> bool:
    """Take blocks until there are more than `wanted` bytes; return whether there are."""
    size = sum(len(block.raw) for block in taken)
    while size <= wanted and (block := next(blocks, None)):
        taken.append(block)
        size += len(block.raw)
    return size > wanted


def _without_lines(blocks: Iterator[Block], n: int) -> Iterator[Block]:
    """Yield blocks without the first `n` lines."""
    for block in blocks:
        there = n_breaks(block.raw) if n else 0
        if n > there:
            n -= there
            continue
        at = max((found.end() for found in islice(_LINE_END.finditer(block.raw), n)), default=0)
        if at < len(block.raw):
            yield Block(block.raw[at:], block.line + n) if n else block
        n = 0


def some_rows(begins: Beginning, keep: Callable[[Some], T]) -> Iterator[tuple[Some, T]]:
    """Yield the rows of a table without their cells, and what `keep` made of these.

    Parameters
    ----------
    keep : called in other threads

    Raises
    ------
    ReadError
        If a row is not as wide as the header, a line between rows is blank, a quote is not closed,
        or there are no rows.
    """

    def work(block: Block) -> tuple[Some, T] | None:
        some = _fast(block, begins)
        return None if some is None else (replace(some, columns=()), keep(some))

    n = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        window = Window(begins.blocks, work, pool)
        for block, made in window:
            slow = ((some, keep(some)) for some in _slow(begins, chain((block,), window.rest())))
            for found in slow if made is None else (made,):
                n += len(found[0].lines)
                yield found
    if not n:
        read_header(begins.name, begins.layout.start.line, begins.layout.header)
        raise ReadError(f"{begins.name} has column names but no rows of values below them.")


def _fast(block: Block, begins: Beginning) -> Some | None:
    columns = split_block(block.raw, begins.layout.separator, begins.width)
    return None if columns is None else Some(columns, range(block.line, block.line + len(columns[0])))


def split_block(raw: bytes, separator: str, width: int) -> tuple[Any, ...] | None:
    """Return the columns of a block, if it can be split without looking at each character in turn."""
    quoted = b'"' in raw
    if not separator or width == 1 or (quoted and (separator == BLANK or not _regular(raw, separator))):
        return None
    if separator == BLANK:
        raw = _AROUND.sub(b"", _PADDING.sub(b" ", raw))
    columns = _split(raw, separator, width, quoted=quoted)
    if not columns or not len(columns[0]):
        return None
    texts = [Strings(column) for column in columns]
    if all(own.has_empty() for own in texts) and _blank_line(raw):
        return None
    if quoted and separator != "\t" and any(own.matches("^ ").any() for own in texts):
        return None
    return columns


def _split(raw: bytes, separator: str, width: int, *, quoted: bool) -> tuple[Any, ...] | None:
    """Return the columns of regular text as Arrow arrays; None if a row is not `width` cells wide."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(width)]
    try:
        table = csv.read_csv(
            pa.py_buffer(raw),
            csv.ReadOptions(column_names=names, block_size=len(raw) + 1, use_threads=False),
            csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                double_quote=quoted,
                escape_char=False,
                ignore_empty_lines=False,
            ),
            csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False, null_values=[],
                check_utf8=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    chunks = [column.chunks for column in table.columns]
    return tuple(some[0] if len(some) == 1 else pa.concat_arrays(some) for some in chunks) if chunks[0] else None


def _blank_line(raw: bytes) -> bool:
    """Whether a line is blank, which the fast way takes for a row of empty cells."""
    return raw[:1] in (b"\r", b"\n") or any(pair in raw for pair in (b"\n\n", b"\r\r", b"\n\r"))


def _regular(raw: bytes, separator: str) -> bool:
    """Whether all quotes enclose whole cells on one line each, quotes in them doubled."""
    text = np.frombuffer(b"\n" + raw + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    edge = np.zeros(256, dtype=np.bool_)
    edge[[ord(separator), _NEWLINE, _RETURN]] = True
    doubled = closing[:-1] + 1 == opening[1:]
    begins = edge[text[opening - 1]]
    begins[1:] |= doubled
    ends = edge[text[closing + 1]]
    ends[:-1] |= doubled
    return bool(begins.all() and ends.all()) and not _broken(text, opening, closing)


def _broken(text: "np.ndarray[tuple[int], np.dtype[np.uint8]]", opening: IntArray, closing: IntArray) -> bool:
    """Whether a line ends between quotes."""
    ends = np.flatnonzero((text == _NEWLINE) | (text == _RETURN))
    return bool((np.searchsorted(ends, opening) != np.searchsorted(ends, closing)).any())


def _slow(begins: Beginning, blocks: Iterator[Block]) -> Iterator[Some]:
    """Yield the rows of a block, and of those behind it until a row ends where a block does."""
    first = next(blocks)
    border = _Border(chain((first,), blocks))
    rows = parsed(begins.name, border.lines(), first.line, begins.layout.separator)
    lines: list[int] = []
    chunk: list[list[str]] = []
    for at, row in full_rows(begins, rows):
        lines.append(at)
        chunk.append(row)
        if border.reached:
            break
        if len(chunk) == _CHUNK:
            yield _some(chunk, lines)
            lines, chunk = [], []
    yield _some(chunk, lines)


class _Border:
    """The lines of blocks, and whether a block's last line was the last one given."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._left = 0

    @property
    def reached(self) -> bool:
        """Whether no line of the block under way is left."""
        return self._left == 0

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        for block in self._blocks:
            self._left = n_breaks(block.raw) + (block.raw[-1:] not in (b"\r", b"\n"))
            for line in text_lines(block.raw):
                self._left -= 1
                yield line


def _some(chunk: list[list[str]], lines: list[int]) -> Some:
    columns = tuple(Strings.of(column).array for column in zip(*chunk, strict=True))
    return Some(columns, np.array(lines, dtype=np.int64))


def full_rows(begins: Beginning, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows as wide as the header; comments between them, and what stands below the last, are told."""
    for line, row in rows:
        if len(row) == begins.width and not _is_blank(row):
            yield line, row
        elif row and row[0].lstrip().startswith("#"):
            begins.told.append(Skipped(f"line {line}", f"a comment: {_shown(row, begins)}"))
        else:
            _take_below(begins, line, row, rows)


def _take_below(begins: Beginning, line: int, row: list[str], rows: Iterator[tuple[int, list[str]]]) -> None:
    """Tell what stands below a table, or raise ReadError where some of it may be rows of the table."""
    blank = _is_blank(row)
    told: list[Skipped] = []
    for at, other in chain([(line, row)], rows):
        if _is_blank(other):
            continue
        if len(told) == MAX_BELOW or not _stands_below(other, begins.width, blank=blank):
            raise ReadError(_blank_between(begins.name, line) if blank else _wrong_width(begins, line, row))
        told.append(Skipped(f"line {at}", f"below the table: {_shown(other, begins)}"))
    begins.told.extend(told)


def _stands_below(row: Sequence[str], width: int, *, blank: bool) -> bool:
    """Whether a row sums up those above, or is a remark below a blank line."""
    cells = [cell.strip() for cell in row]
    first = next((cell for cell in cells if cell), "")
    if first.startswith("#") or _COUNTED.fullmatch(first) or TOTAL.fullmatch(first.rstrip(":")):
        return True
    return blank and width > 1 and len(row) == 1 and not any(map(str.isdigit, first))


def _is_blank(row: Sequence[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _shown(row: Sequence[str], begins: Beginning) -> str:
    return shown((begins.layout.separator or ",").join(row), 120)


def _blank_between(name: str, line: int) -> str:
    remedy = "Remove the line, or import two tables as two files."
    return f"{name} line {line} is blank, and the table goes on below it. {remedy}"


def _wrong_width(begins: Beginning, line: int, row: Sequence[str]) -> str:
    cells = f"{len(row)} cell{'s' if len(row) != 1 else ''}"
    separator, width = begins.layout.separator, begins.width
    remedy = "Fix the row"
    if len(row) > width:
        remedy += f"; a cell that holds a {NAMES[separator or ',']} must be quoted"
    text = shown(separator.join(row))
    return f"{begins.name} line {line} has {cells} and the header {width}: '{text}'. {remedy}."
