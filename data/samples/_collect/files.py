"""Reproducible output files, checks for needed programs and a small parallel map."""

import argparse
import csv
import gzip
import io
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Row = dict[str, object]
Item = TypeVar("Item")
Result = TypeVar("Result")


def require(*programs: str) -> None:
    """Stop with one sentence when a program that the collector runs is not installed."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        sys.exit(f"This sample cannot be collected: {', '.join(missing)} {verb} not installed.")


def job_count(description: str) -> int:
    """Read the optional --jobs argument, the only one a collector takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to run at once")
    return max(1, int(parser.parse_args().jobs))


def parallel(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> list[Result]:
    """Apply work to every item, keeping the order; work waits for a child process."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))


def number(value: float) -> str:
    """Write a number plainly: no exponent, four decimals at most, no trailing zeros."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def write_table(path: Path, rows: Sequence[Row], keys: Sequence[str]) -> None:
    """Write rows sorted by their key columns as CSV, compressed when the name ends in .gz."""
    ordered = sorted(rows, key=lambda row: [row[key] for key in keys])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ordered[0])
    for row in ordered:
        writer.writerow(_cell(value) for value in row.values())
    content = text.getvalue().encode()
    if path.suffix == ".gz":
        content = _compress(content)
    path.write_bytes(content)


def without_constants(rows: Sequence[Row]) -> list[Row]:
    """The rows without the columns that hold one value throughout."""
    varying = [name for name in rows[0] if len({row[name] for row in rows}) > 1]
    return [{name: row[name] for name in varying} for row in rows]


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _compress(content: bytes) -> bytes:
    """Gzip without a file name or a time, so equal content gives equal bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(content)
    return packed.getvalue()
