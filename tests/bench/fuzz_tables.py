"""Mutated tables against the standard library: each is refused in a sentence, or has the cells and numbers of `csv`.

Run by hand: python -m tests.bench.fuzz_tables [tables] [seed]
"""

import csv
import io
import random
import re
import sys
from decimal import Decimal, InvalidOperation

import numpy as np

from core.errors import OptionError, ReadError
from core.ingest import SourceFile, apply, read_table
from core.ingest.table.columns import study
from core.ingest.table.dialect import APART
from core.ingest.table.table import Table

BITS = [
    ",",
    ";",
    "\t",
    " ",
    "\n",
    "\r\n",
    '"',
    '""',
    ".",
    "-",
    "e5",
    "0",
    "00",
    "1,5",
    "1.5",
    "nan",
    "#",
    "é",
    "\u200b",
    "\x07",
    "total",
    "",
    "1e400",
    "1e-400",
    "9007199254740993",
    "1.234,5",
    "x",
]
_TOTAL_ORDER = re.compile(r"line (\d+)")


def made(draw: random.Random) -> tuple[str, str]:
    """Return (text, separator) of a table before it is mutated."""
    mark = draw.choice([",", ",", ";", "\t", "|"])
    names = draw.sample(["app", "machine", "size", "time_ms", "power", "note", "n"], draw.randint(2, 6))
    kinds = [draw.choice(["number", "whole", "text", "number"]) for _ in names]
    rows = [[_cell(draw, kind, mark) for kind in kinds] for _ in range(draw.choice([1, 2, 5, 30]))]
    into = io.StringIO()
    csv.writer(into, delimiter=mark, lineterminator="\n").writerows([names, *rows])
    return into.getvalue(), mark


def _cell(draw: random.Random, kind: str, mark: str) -> str:
    if kind == "text":
        return draw.choice(["gemm", "fft", "a b", f"x{mark}y", 'say "hi"', "é", f"k{draw.randrange(99)}"])
    if kind == "whole":
        return str(draw.randrange(10 ** draw.randint(1, 15)))
    return draw.choice(
        [f"{draw.lognormvariate(0, 5):.9g}", repr(draw.random()), f"{draw.random():.3e}", "", "0", "-1.5"]
    )


def mutated(draw: random.Random, text: str) -> str:
    """Return a text with a few places changed."""
    for _ in range(draw.randint(0, 4)):
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(BITS) + text[at + draw.choice([0, 0, 1, 3]) :]
    return text


def difference(raw: bytes) -> str:
    """Return what a table that is read has otherwise than `csv` and `decimal`; "" if nothing, or if it is refused."""
    try:
        table = read_table(SourceFile("t.csv", raw))
    except (ReadError, OptionError) as error:
        return "" if str(error).startswith("t.csv") else f"a sentence without the file's name: {error}"
    wrong = _cells(table, raw) or _numbers(table)
    if wrong:
        return wrong
    try:
        apply(table)
    except (ReadError, OptionError):
        return ""
    return ""


def _cells(table: Table, raw: bytes) -> str:
    """Compare the texts of each row with those that `csv` finds on its line; rows that are not there must be told."""
    mark = table.separator or ","
    remarks = re.compile(r"\A(?:#[^\r\n]*(?:\r\n|\r|\n))*")
    text = remarks.sub(lambda found: re.sub(r"[^\r\n]", "", found[0]), raw.decode(table.encoding))
    lines = io.StringIO(text, newline="")  # a remark above a table is no row, whatever quotes it holds
    if mark == " ":
        lines = io.StringIO("".join(" ".join(line.split()) + "\n" for line in lines.read().splitlines()))
    if mark == APART:
        mark, lines = "\t", io.StringIO(re.sub(r" {2,}", "\t", lines.read()), newline="")
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=mark != "\t")
    at, rows = 1, {}
    for row in reader:
        rows[at] = row
        at = reader.line_num + 1
    both = zip(table.names, table.columns, strict=True)  # numbers of extents stand in columns beside their text
    own = [cells.texts() for name, cells in both if name.rpartition(" ")[0] not in table.names]
    got = dict(zip(table.lines.tolist(), zip(*own, strict=True), strict=True))
    for line, cells in got.items():
        theirs = [cell.strip() for cell in rows.get(line, [])]
        if not _is_part(list(cells), theirs):
            return f"line {line} has {cells}, csv has {theirs}"
    told = {int(n) for skip in table.skipped for n in _TOTAL_ORDER.findall(skip.where)}
    first = min(got, default=0)
    silent = [
        n for n, row in rows.items() if n >= first and any(c.strip() for c in row) and n not in got and n not in told
    ]
    return f"line {silent[0]} is missing, and nothing tells it" if silent else ""


def _is_part(own: list[str], theirs: list[str]) -> bool:
    """Whether cells are those of a row, in order, apart from columns that were left out."""
    rest = iter(theirs)
    return all(any(cell == other for other in rest) for cell in own)


def _numbers(table: Table) -> str:
    found = study(table)
    for column in found.columns:
        if not column.numeric:
            continue
        texts, numbers = table.columns[column.place].texts(), column.numbers
        bad = set(numbers.bad.tolist())
        for row, (text, value) in enumerate(zip(texts, numbers.values.tolist(), strict=True)):
            if np.isnan(value):
                if text and row not in bad:
                    return f"'{text}' is missing, and nothing tells it"
                continue
            plain = text.replace(".", "").replace(",", ".") if found.style.decimal == "," else text.replace(",", "")
            try:
                expected = float(
                    Decimal(re.sub(r"^([+-]?[0.]+)[eE].*", r"\1", plain))
                )  # no exponent is too large for 0
            except InvalidOperation:
                return f"'{text}' was read as {value!r}"
            if expected != value:
                return f"'{text}' is {expected!r}, read as {value!r}"
    return ""


def run(n: int, seed: int) -> list[tuple[bytes, str]]:
    """Return the tables, of `n`, that are read otherwise, with what is otherwise; a crash counts as one."""
    draw = random.Random(seed)
    wrong = []
    for _ in range(n):
        text, _mark = made(draw)
        raw = mutated(draw, text).encode("utf-8", "replace")
        try:
            said = difference(raw)
        except Exception as error:
            said = f"crash: {type(error).__name__}: {error}"
        if said:
            wrong.append((raw, said))
    return wrong


if __name__ == "__main__":
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    found_wrong = run(n_tables, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{n_tables:,} mutated tables: {len(found_wrong)} crashed or are read otherwise")
    for raw_table, why in found_wrong[:10]:
        print(why, raw_table[:300], sep="\n  ")
