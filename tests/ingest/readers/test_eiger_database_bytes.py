"""Bytes of binary files: as they came or unpacked, within limits."""

import gzip
import hashlib

import pytest

from core.errors import ReadError
from core.ingest import SourceFile
from core.ingest.readers import eiger_database
from core.ingest.readers.eiger_database import EigerDatabase

RAW = bytes(range(256)) * 40


@pytest.mark.parametrize(
    "content", [RAW, gzip.compress(RAW, mtime=0), gzip.compress(RAW[:99], mtime=0) + gzip.compress(RAW[99:], mtime=0)]
)
def test_bytes_come_back_with_the_digest_of_the_file(content: bytes) -> None:
    opened = EigerDatabase().open(SourceFile("t.db", content))
    assert (opened.name, opened.raw, opened.sha256) == ("t.db", RAW, hashlib.sha256(content).hexdigest())


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eiger_database, "MAX_UNPACKED", len(RAW) - 1)
    with pytest.raises(ReadError, match=r"t\.db unpacks to more than"):
        EigerDatabase().open(SourceFile("t.db", gzip.compress(RAW, mtime=0)))
    monkeypatch.setattr(eiger_database, "MAX_FILE", len(RAW) - 1)
    with pytest.raises(ReadError, match=r"t\.db has 0 MiB; at most"):
        EigerDatabase().open(SourceFile("t.db", RAW))


def test_a_gzip_file_that_was_cut_off_is_refused() -> None:
    with pytest.raises(ReadError, match="cut off"):
        EigerDatabase().open(SourceFile("t.db", gzip.compress(RAW, mtime=0)[:-20]))
