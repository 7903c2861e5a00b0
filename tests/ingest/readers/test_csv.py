"""The CSV reader, and how a file finds its reader."""

import gzip

import pytest

from core.errors import OptionError, ReadError
from core.ingest import READERS, Mapping, SourceFile, find_reader
from core.ingest.readers.csv import Csv

RAW = b"app,machine,time (us)\na,K40,5\nb,K40,6\n"


def test_reading() -> None:
    found = Csv().read(SourceFile("run7.csv.gz", gzip.compress(RAW)))
    assert found.format == "csv"
    assert found.trials.application == ("a", "b")
    assert str(found.trials.metrics[0]) == "time (us)"
    assert Csv().read(SourceFile("run7.csv", RAW), Mapping(ignore=("app",))).trials.application == ("", "")


def test_readers_are_found_by_content_or_name() -> None:
    assert READERS["csv"] is Csv
    assert isinstance(find_reader(SourceFile("x", RAW)), Csv)
    assert isinstance(find_reader(SourceFile("x", b"whatever")), Csv)
    assert isinstance(find_reader(SourceFile("x", RAW), "csv"), Csv)
    with pytest.raises(OptionError, match="There is no reader 'xls'"):
        find_reader(SourceFile("x", RAW), "xls")


@pytest.mark.parametrize("raw", [b"", b"not a table", b"\x00\x01\x02", b"a,b\n"])
def test_what_is_no_table_is_refused(raw: bytes) -> None:
    with pytest.raises(ReadError):
        find_reader(SourceFile("x", raw)).read(SourceFile("x", raw))
