"""Hostile and careless files, each with the outcome written down beforehand: these numbers, or this refusal."""

import gzip
import io
import time
import zipfile

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import Mapping, SourceFile, apply, read_table


def zipped() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("../../evil.csv", "a,b\n1,2\n")
    return raw.getvalue()


AB = "app,x\n"
ACCEPTED: dict[str, tuple[str | bytes, list[list[float]]]] = {
    "plain": ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
    "no line end at the end": ("a,b\n1,2", [[1, 2]]),
    "carriage returns": ("a,b\r1,2\r3,4\r", [[1, 2], [3, 4]]),
    "windows line ends": ("a,b\r\n1,2\r\n", [[1, 2]]),
    "mixed line ends": ("a,b\r1,2\n3,4\r\n", [[1, 2], [3, 4]]),
    "byte order mark": ("\ufeffa,b\n1,2\n", [[1, 2]]),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), [[1, 2]]),
    "utf-16 without mark": ("a,b\n1,2\n".encode("utf-16-le"), [[1, 2]]),
    "windows-1252": ("a,zäh\n1,2\n".encode("cp1252"), [[1, 2]]),
    "gzip": (gzip.compress(b"a,b\n1,2\n", mtime=0), [[1, 2]]),
    "semicolons": ("a;b\n1;2\n", [[1, 2]]),
    "tabs": ("a\tb\n1\t2\n", [[1, 2]]),
    "bars": ("a|b\n1|2\n", [[1, 2]]),
    "semicolons and decimal commas": ("a;b\n1,5;2,25\n3,5;4\n", [[1.5, 2.25], [3.5, 4]]),
    "tabs, last cell empty": ("a\tb\n1\t2\n3\t\n", [[1, 2], [3, np.nan]]),
    "words for no number": (AB + "a,1\nb,n/a\nc,-\nd,<not counted>\ne,NaN\nf,2\n", [[1], *[[np.nan]] * 4, [2]]),
    "no finite number": (AB + "a,1\nb,inf\nc,#DIV/0!\nd,2\n", [[1], [np.nan], [np.nan], [2]]),
    "spaces around cells": ("a , b\n 1 , 2 \n", [[1, 2]]),
    "space before a quote": ('a,b\n1, "2"\n', [[1, 2]]),
    "quoted thousands": ('a,b\n"1,234,567","12,345.5"\n', [[1234567, 12345.5]]),
    "quoted numbers": ('"a","b"\n"1","2"\n', [[1, 2]]),
    "quoted line end": ('a,note,b\n1,"two\nlines",2\n3,x,4\n', [[1, 2], [3, 4]]),
    "doubled quotes": ('a,note,b\n1,"say ""hi""",2\n', [[1, 2]]),
    "blank lines around": ("\n\n a,b\n1,2\n\n\n", [[1, 2]]),
    "blank lines with spaces behind": ("a,b\n1,2\n  \n\n", [[1, 2]]),
    "comment first": ("# perf stat\n# x,y,z\na,b\n1,2\n", [[1, 2]]),
    "banner first": ("==PROF== Connected\na,b\n1,2\n", [[1, 2]]),
    "excel's sep line": ("sep=;\na;b\n1;2\n", [[1, 2]]),
    "units below the names": ("app,a,b\n,ns,%\nx,1,2\n", [[1, 2]]),
    "fraction after many whole numbers": ("a,b\n" + "1,2\n" * 30_000 + "1.5,2\n", [[1, 2]] * 30_000 + [[1.5, 2]]),
    "largest exact integer": ("a,b\n9007199254740992,1\n", [[9007199254740992, 1]]),
    "subnormal": ("a,b\n5e-324,1.7976931348623157e308\n", [[5e-324, 1.7976931348623157e308]]),
    "17 digits": ("a,b\n0.12345678901234567,1\n", [[0.12345678901234567, 1]]),
    "pandas index": (",a,b\n0,1,2\n1,3,4\n", [[1, 2], [3, 4]]),
    "spreadsheet's empty rows and column": ("a,b,\n1,2,\n,,\n,,\n", [[1, 2]]),
    "emoji and chinese": ("名前,b\n1,2\n", [[1, 2]]),
    "one column": ("time\n1\n2\n", [[1], [2]]),
    "names that are SQL": ('a"; DROP TABLE trials;--,b\n1,2\n', [[1, 2]]),
    "names that are formulas": ("=cmd|' /C calc'!A0,b\n1,2\n", [[1, 2]]),
    "names that are markup": ("![x](http://h/),<img src=x onerror=alert(1)>\n1,2\n", [[1, 2]]),
    "json lines": ('{"a": 1}\n{"a": 2}\n', [[1], [2]]),
    "comma at each row's end": ("a,b,c\n1,2,3,\n4,5,6,\n", [[1, 2, 3], [4, 5, 6]]),
    "no header": ("1,2\n3,4\n", [[1, 2], [3, 4]]),
    "commented header": ("# app,x\n7,1.5\n8,2\n", [[7, 1.5], [8, 2]]),
    "units alone tell names apart": ("t (us),t (ms)\n1,2\n", [[1, 2]]),
}

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "is empty"),
    "only blank lines": ("\n \n\t\n", "is empty"),
    "header only": ("a,b\n", "no rows of values"),
    "html": ("<!DOCTYPE html>\n<html><body>login</body></html>\n", "web page"),
    "json": ('{"a": [1, 2]}', "JSON"),
    "zip": (zipped(), "zip archive or a workbook"),
    "binary": (bytes(range(256)) * 16, "binary"),
    "running text": ("Dear all,\nplease see below.\nRegards\n", "seems to be text|cell"),
    "words": ("time\nfast\nslow\n", "seems to be text"),
    "only messages": ("==PROF== a\n==ERROR== b\n", "comments or messages"),
    "comma at some rows' end": ("a,b,c\n1,2,3,\n4,5,6\n", "line 2 has 4 cells and the header 3"),
    "row too long": ("a,b\n1,2\n1,2,3\n", "line 3 has 3 cells and the header 2"),
    "row too short": ("a,b,c\n1,2,3\n1,2\n", "line 3 has 2 cells and the header 3"),
    "unquoted thousands": ("a,b\n1,234,5\n6,7\n", "line 2 has 3 cells"),
    "two tables": ("a,b\n1,2\n\nc,d\n3,4\n", "line 3 is blank"),
    "two tables without a gap": ("a,b\n1,2\nc,d\n3,4\n", "line 3: response 'a' is 'c', expected a number"),
    "mixed separators": ("a,b\n1,2\n3;4\n", "line 3 has 1 cell"),
    "same name twice": ("x,x,y\n1,2,3\n", "two columns are called 'x'"),
    "no name": ("a,,c\n1,2,3\n", "column 2 has no name"),
    "no header": ("x,2\ny,4\n", "stands where a column's name is expected"),
    "perf without header": ("# started\n\n0.93,msec,task-clock,931078\n", "stands where"),
    "commented header of another width": ("# app,n,x\ngemm,1.5\nfft,2\n", "stands where"),
    "quote never closed": ('a,b\n1,"2\n3,4\n', "never closes"),
    "text behind a quote": ('a,b\n1,"2"x\n', "text follows a closing quote"),
    "zero byte": (b"a,b\n1,2\x00\n" + b"3,4\n" * 20, "line 2: control character 0x00"),
    "bell": ("a,b\n1,\a2\n" + "3,4\n" * 20, "line 2: control character 0x07"),
    "bidi name": ("a\u202eb,c\n1,2\n", "invisible character"),
    "zero-width name": ("a\u200bb,c\n1,2\n", "invisible character"),
    "zero-width application": (AB + "g\u2060emm,1\n", "invisible character"),
    "not a number": (AB + "a,1\nb,fast\nc,2\n", "line 3: metric 'x' is 'fast', expected a number"),
    "overflow": (AB + "a,1\nb,1e999\nc,2\n", "too large or too small"),
    "underflow": (AB + "a,1\nb,1e-999\nc,2\n", "too large or too small"),
    "hexadecimal": (AB + "a,1\nb,0x1F\nc,2\n", "line 3: metric 'x' is '0x1F'"),
    "python's underscores": (AB + "a,1\nb,1_000\nc,2\n", "line 3: metric 'x' is '1_000'"),
    "arabic digits": (AB + "a,1\nb,١٢\nc,2\n", "line 3: metric 'x'"),
    "minus sign of typographers": (AB + "a,1\nb,\u22125\nc,2\n", "line 3: metric 'x'"),
    "percent": (AB + "a,1\nb,12%\nc,2\n", "line 3: metric 'x' is '12%'"),
    "unit in one cell": (AB + "a,1\nb,12 ms\nc,2\n", "line 3: metric 'x' is '12 ms'"),
    "ambiguous comma": ("app;x\na;1,234\n", "whose comma may be a decimal mark"),
    "decimal comma beside points": ("x;y\n3,5;1.5\n", "whose comma may be"),
    "quoted decimal comma": ('x,y\n"3,5",1\n', "whose comma may be"),
    "only words": ("app,note\na,b\n", "no column of numbers"),
    "one counter a row": ("Kernel_Name,Counter_Name,Counter_Value\na,SQ_WAVES,1\n", "one counter on each row"),
    "gzip cut off": (gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9], "cut off"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"a,b\n1,2\n")), "gzip twice"),
    "gzip of zeros": (gzip.compress(b"\x00" * (32 << 20), 1), "binary"),
    "utf-16 cut off": ("a,b\n1,2\n".encode("utf-16")[:-1], "damaged or cut off"),
    "damaged utf-8": ("é,b\n1,2\n".encode() + b"\xff,3\n", "damaged UTF-8"),
    "no known encoding": (b"a,b\x81\n1,2\n", "neither UTF-8 nor"),
    "too many columns": (",".join(f"c{i}" for i in range(6000)) + "\n" + "1," * 5999 + "1\n", "6,000 columns"),
    "one very long line": ("a,b\n" + "1" * (3 << 20) + ",2\n", "longer than 1 MiB"),
    "commas without end": ("," * (8 << 20), "longer than 1 MiB"),
    "a million columns": ("a," * 499_999 + "a\n", "columns"),
    "a name of 10,000 letters": ("n" * 10_000 + ",b\n1,2\n", "10000 characters"),
    "blank lines without end": ("\n" * 2_000_000, "is empty"),
    "two headers": ("a,b\nmean,std\n1,2\n3,4\n5,6\n", "line 2: response 'a' is 'mean'"),
    "separators alone": (",,,,\n", "no column names, only separators"),
    "ragged log": ("\n".join("x" * (i % 7) + "," * (i % 5) for i in range(1, 60)), "seems to be text|cells|cell|blank"),
}


def read(raw: str | bytes) -> list[list[float]]:
    content = raw.encode() if isinstance(raw, str) else raw
    table = read_table(SourceFile("hostile.csv", content))
    trials = apply(table, Mapping(metrics=(), complete=True)).trials
    return [list(row) for row in trials.values.tolist()]


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    raw, expected = ACCEPTED[name]
    assert np.array_equal(read(raw), expected, equal_nan=True)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    raw, sentence = REFUSED[name]
    began = time.process_time()
    file = SourceFile("hostile.csv", raw.encode() if isinstance(raw, str) else raw)
    with pytest.raises(ReadError, match=sentence) as caught:
        apply(read_table(file))
    assert "hostile.csv" in str(caught.value)
    assert str(caught.value).endswith(".") or str(caught.value).endswith("'#'.")
    assert time.process_time() - began < 5


def test_the_corpus_is_as_large_as_it_was() -> None:
    assert len(ACCEPTED) + len(REFUSED) >= 75
