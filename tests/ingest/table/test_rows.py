"""The fast way and the strict way to split text give the same cells, or refuse alike."""

import random
from dataclasses import dataclass

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.table import rows as rows_module
from core.ingest.table.text import Text


@dataclass(frozen=True)
class Rows:
    header: tuple[str, ...]
    columns: tuple[list[str], ...]
    lines: list[int]


def rows(raw: bytes, *, strict: bool = False) -> Rows:
    begins = rows_module.find_beginning("run7.csv", Text(SourceFile("run7.csv", raw)).blocks())
    with pytest.MonkeyPatch.context() as patch:
        if strict:
            patch.setattr(rows_module, "split_block", lambda *_: None)
        some = [
            (own, [column.to_pylist() for column in kept])
            for own, kept in rows_module.some_rows(begins, lambda s: s.columns)
        ]
    columns = tuple(
        [cell for part in column for cell in part] for column in zip(*(kept for _, kept in some), strict=True)
    )
    return Rows(begins.layout.header, columns, [line for own, _ in some for line in own.numbers.tolist()])


def rows_or_refusal(raw: bytes, *, strict: bool = False) -> Rows | str:
    try:
        return rows(raw, strict=strict)
    except ReadError as refusal:
        return str(refusal)


def cells(found: Rows) -> list[list[str]]:
    return list(found.columns)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    found = rows(f"a,b{end}1,2{end}3,4{end}{end}{end}".encode())
    assert found.header == ("a", "b")
    assert cells(found) == [["1", "3"], ["2", "4"]]
    assert found.lines == [2, 3]


def test_mixed_line_ends() -> None:
    found = rows(b"a,b\r1,2\n3,4\r\n5,6")
    assert cells(found) == [["1", "3", "5"], ["2", "4", "6"]]
    assert found.lines == [2, 3, 4]


def test_quoted_cells_keep_marks_quotes_and_line_ends() -> None:
    found = rows(b'a,b\n"x, ""y""",1\n"two\nlines",2\n"",3\n z , "4"\n')
    assert cells(found) == [['x, "y"', "two\nlines", "", "z "], ["1", "2", "3", "4"]]
    assert found.lines == [2, 3, 5, 6]


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (
            b"a,b\n1,2,3\n",
            "run7.csv line 2 has 3 cells and the header 2: '1,2,3'. Fix the row; a cell that holds a comma",
        ),
        (b"a,b\n1,2\n3\n", "run7.csv line 3 has 1 cell and the header 2"),
        (b"a,b\n1,2\n,\n", ""),
        (b"a,b\n1,2,\n3,4\n", "run7.csv line 2 has 3 cells and the header 2"),
        (b"a,b\n1,2\n\nx,4\n", "run7.csv line 3 is blank, and the table goes on"),
        (b"a,b\n1,2\n   \n3,x\n4,y\n", "run7.csv line 3 is blank, and the table goes on"),
        (b'a,b\n1,2\n"3,4\n5,6\n', "run7.csv line 3: a quote opens a cell and never closes"),
        (b'a,b\n"1"x,2\n', "run7.csv line 2: text follows a closing quote"),
        (b"a,b\n", "run7.csv has column names but no rows"),
        (b'"a","b"\n', "run7.csv has column names but no rows"),
        (b'a,b\n"' + b"x\n" * 100_000 + b'",1\n', "a cell is longer than"),
    ],
)
def test_rows_of_other_widths_are_refused(raw: bytes, sentence: str) -> None:
    if not sentence:
        assert cells(rows(raw)) == [["1", ""], ["2", ""]]
        return
    with pytest.raises(ReadError) as caught:
        rows(raw)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("raw", [b"a,b\nx,2\n\ny,4\n", b"a,b\nx,2\n \n\n# of y\ny,4\n\n"])
def test_blank_lines_may_stand_between_rows_that_are_alike(raw: bytes) -> None:
    assert cells(rows(raw)) == [["x", "y"], ["2", "4"]]


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(ReadError, match="5,001 columns"):
        rows(b",".join(b"c%d" % i for i in range(5001)) + b"\n" + b"1," * 5000 + b"1\n")


@pytest.mark.slow
def test_fast_and_strict_agree_on_random_text() -> None:
    rng = random.Random(5)
    fast = 0
    for _ in range(400):
        width = rng.randint(2, 4)
        lines = [",".join(rng.choice(["a", "", " b ", "1.5", "é", "'", "\\"]) for _ in range(width)) for _ in range(6)]
        text = "".join(line + rng.choice(["\n", "\r\n", "\r", "\n", "\n\n", ",\n", "\t\n"]) for line in lines)
        raw = ("h," * (width - 1) + "h\n" + text).encode()
        expected = rows_or_refusal(raw, strict=True)
        found = rows_or_refusal(raw)
        if isinstance(expected, str) or isinstance(found, str):
            assert found == expected
            continue
        fast += 1
        assert [[c.strip() for c in column] for column in cells(found)] == [
            [c.strip() for c in column] for column in cells(expected)
        ]
        assert found.lines == expected.lines
    assert fast > 30


def test_blocks_of_a_wide_table_are_read_together() -> None:
    width, n = 300, 40
    lines = [",".join(f"m{j}" for j in range(width)), *(",".join(f"{i}.{j}" for j in range(width)) for i in range(n))]
    raw = "\n".join(lines).encode()
    blocks = list(Text(SourceFile("wide.csv", raw), block=4000).blocks())
    begins = rows_module.find_beginning("wide.csv", iter(blocks))
    parts = [(some.numbers.tolist(), kept) for some, kept in rows_module.some_rows(begins, lambda s: s.columns)]
    assert len(parts) == 1 < len(blocks)
    assert parts[0][0] == list(range(2, n + 2))
    assert [parts[0][1][j].to_pylist() for j in (0, 299)] == [[f"{i}.{j}" for i in range(n)] for j in (0, 299)]
