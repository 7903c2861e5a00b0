"""Oracle: random tables in random dialects come back letter for letter, number for number; damage never shifts."""

import codecs
import contextlib
import csv
import gzip
import io
import random

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.ingest import Mapping, SourceFile, apply, read_table

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252")
WORDS = (
    "gemm",
    "fft<float, 4>(int*)",
    'say "hi"',
    "größe",
    "a;b|c",
    "x\ty",
    "two\nlines",
    "a/b",
    "'single'",
    "#x",
    "=1+1",
)


def number(rng: random.Random) -> str:
    form = rng.randrange(6)
    if form == 0:
        return str(rng.randint(-(2**53), 2**53))
    if form == 1:
        return f"{rng.uniform(-1e6, 1e6):.{rng.randint(1, 12)}f}"
    if form == 2:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-250, 250))
    if form == 3:
        return f"{rng.uniform(0, 10):.3e}"
    return rng.choice(["0", "1", "-0.0", "007"[2:], "1e5", "+3", ".5", "5.", ""])


def random_table(rng: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """Columns of words and columns of numbers, of equal length."""
    n = rng.randint(2, 12)
    words = [[rng.choice(WORDS) for _ in range(n)] for _ in range(rng.randint(1, 3))]
    numbers = [["1.5", *(number(rng) for _ in range(n - 1))] for _ in range(rng.randint(1, 5))]
    return words, numbers


def written(rng: random.Random, header: list[str], columns: list[list[str]], decimal: str) -> bytes:
    text = io.StringIO()
    separator = rng.choice(";\t|") if decimal == "comma" else rng.choice(",;\t|")
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    end = rng.choice(["\n", "\r\n"])
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    text.write(rng.choice(["", "", "\n", "# made by a test\n", "==PROF== done\n\n"]))
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    text.write(rng.choice(["", end, end * 3]))
    encoding = rng.choice(ENCODINGS)
    raw = (
        text.getvalue().encode(encoding)
        if encoding != "utf-16"
        else codecs.BOM_UTF16_LE + text.getvalue().encode("utf-16-le")
    )
    return gzip.compress(raw, 1) if rng.random() < 0.2 else raw


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_tables_come_back_as_they_were(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        words, numbers = random_table(rng)
        decimal = rng.choice(["point", "point", "comma"])
        shown = [[x.replace(".", ",") for x in column] for column in numbers] if decimal == "comma" else numbers
        texts = [f"w{i}" for i in range(len(words))]
        metrics = [f"m{i}" for i in range(len(numbers))]
        raw = written(rng, [*texts, *metrics], [*words, *shown], decimal)
        table = read_table(SourceFile("t.csv", raw))
        assert table.names == (*texts, *metrics)
        own = [column.texts() for column in table.columns]
        assert own == [[cell.strip() for cell in column] for column in (*words, *shown)]
        mapping = Mapping(labels=tuple(texts), metrics=tuple(metrics), decimal=decimal, complete=True)
        trials = apply(table, mapping).trials
        expected = [[float(cell) if cell else np.nan for cell in column] for column in numbers]
        assert np.array_equal(trials.values.T, expected, equal_nan=True)
        assert np.array_equal(np.signbit(trials.values.T), np.signbit(expected))
        assert [list(trials.labels[name]) for name in texts] == words


DAMAGE = (b",", b";", b"\n", b"\r", b'"', b"\x00", b"\xff", b" ", b"1", b"e", b"-", b".", b"\t", b"#", b"")


@pytest.mark.slow
def test_damaged_files_are_refused_or_rectangular() -> None:
    rng = random.Random(11)
    read = 0
    for _ in range(1500):
        words, numbers = random_table(rng)
        header = [f"c{i}" for i in range(len(words) + len(numbers))]
        raw = bytearray(written(rng, header, [*words, *numbers], "point"))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(raw))
            raw[place : place + rng.randrange(3)] = rng.choice(DAMAGE)
        with contextlib.suppress(ReadError, OptionError):
            table = read_table(SourceFile("t.csv", bytes(raw)))
            assert {len(column) for column in table.columns} == {len(table)}
            assert len(table.names) == len(table.columns) == len(table.units) == len(table.trimmed)
            assert len({name.casefold() for name in table.names}) == len(table.names)
            trials = apply(table).trials
            assert trials.values.shape == (len(table), len(trials.metrics))
            assert not np.isinf(trials.values).any()
            read += 1
    assert 100 < read < 1400
