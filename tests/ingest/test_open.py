"""Bytes to text: gzip within bounds, encodings, and what is no text at all."""

import gzip
import hashlib
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest import opening
from core.ingest.base import SourceFile
from core.ingest.files import read_bytes
from core.ingest.opening import gunzip, open_head, open_text

TEXT = "name,zeit\nMünchen,1\n"


def opened(raw: bytes) -> opening.OpenedText:
    return open_text(SourceFile("run7.csv", raw))


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "utf-8"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("utf-16-be"), "utf-16-be"),
        (b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"), "utf-32-le"),
        (gzip.compress(TEXT.encode(), mtime=0), "utf-8"),
        (gzip.compress(b"\xff\xfe" + TEXT.encode("utf-16-le"), mtime=0), "utf-16-le"),
    ],
)
def test_every_encoding_gives_the_same_text(raw: bytes, encoding: str) -> None:
    text = opened(raw)
    assert text.raw.decode() == TEXT
    assert text.encoding == encoding
    assert text.warnings == ()
    assert text.sha256 == hashlib.sha256(raw).hexdigest()


def test_windows_1252_is_read_with_a_warning() -> None:
    text = opened(TEXT.encode("cp1252"))
    assert text.raw.decode() == TEXT
    assert text.encoding == "windows-1252"
    assert "0xFC on line 2" in text.warnings[0]


def test_damaged_utf8_is_not_taken_for_windows_1252() -> None:
    with pytest.raises(ReadError, match="line 3: damaged UTF-8"):
        opened("stadt,n\nKöln,1\n".encode() + b"M\xfcnchen,2\n")


def test_bytes_of_no_encoding_are_refused() -> None:
    with pytest.raises(ReadError, match="neither UTF-8 nor Windows-1252"):
        opened(b"name,n\na\x81b,1\n")


def test_half_a_utf16_character_is_refused() -> None:
    with pytest.raises(ReadError, match="UTF-16-LE but is damaged"):
        opened(b"\xff\xfe" + TEXT.encode("utf-16-le")[:-1])


def test_gzip_of_several_members_and_padding() -> None:
    raw = gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n") + b"\x00" * 7
    assert opened(raw).raw == b"a,b\n1,2\n"


@pytest.mark.parametrize("cut", [3, 12, 25])
def test_gzip_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(ReadError, match=r"cut off|damaged"):
        opened(gzip.compress(TEXT.encode() * 50)[:-cut])


def test_gzip_with_a_flipped_byte_is_refused() -> None:
    raw = bytearray(gzip.compress(TEXT.encode() * 50))
    raw[20] ^= 0xFF
    with pytest.raises(ReadError, match=r"damaged|cut off|binary|control"):
        opened(bytes(raw))


def test_gzip_bombs_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReadError, match="binary"):
        gunzip(SourceFile("bomb.gz", gzip.compress(b"\x00" * (64 << 20), 1)))
    monkeypatch.setattr(opening, "MAX_EXPANDED", 4 << 20)
    with pytest.raises(ReadError, match="unpacks to more than 4 MiB"):
        gunzip(SourceFile("bomb.gz", gzip.compress(b"1,2,3,4\n" * (1 << 20), 1)))
    monkeypatch.setattr(opening, "MAX_LINES", 1000)
    with pytest.raises(ReadError, match="1,000 lines"):
        gunzip(SourceFile("bomb.gz", gzip.compress(b"\n" * (1 << 20), 1)))


def test_large_files_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_FILE", 1 << 20)
    with pytest.raises(ReadError, match=r"run7.csv has 2 MiB; at most 1 MiB"):
        opened(b"1" * (2 << 20))


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"PK\x03\x04\x14\x00\x06\x00", "zip archive or a workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old workbook"),
        (b"PAR1\x15\x04\x15", "Parquet"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"%PDF-1.7\nxref", "PDF"),
        (b"\x7fELF\x02\x01\x01\x00", "program"),
        (b"\x89PNG\r\n\x1a\n\x00", "picture"),
        (b"BZh91AY&SY\x00\x01", "bzip2"),
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n", mtime=0), mtime=0), "gzip twice"),
        (b"\x00\x00\x00\x00\x00\x00\x00\x00DUCK\x40\x00", "DuckDB"),
        (bytes(range(256)) * 4, "binary"),
    ],
)
def test_other_files_are_called_by_their_name(raw: bytes, what: str) -> None:
    with pytest.raises(ReadError, match=what):
        opened(raw)


def test_a_header_that_begins_like_a_magic_number_is_text() -> None:
    assert opened(b"PAR1,PAR2\n1,2\n").raw.startswith(b"PAR1")


def test_control_characters_are_refused_with_their_line() -> None:
    with pytest.raises(ReadError, match=r"run7.csv line 3: control character 0x07"):
        opened(b"a,b\r\n" + b"1,2\r\n" + b"3,\x074\r\n" + b"5,6\r\n" * 40)


@pytest.mark.parametrize("raw", [b"", b"\n\n \t\r\n", gzip.compress(b"", mtime=0)])
def test_empty_files_are_refused(raw: bytes) -> None:
    with pytest.raises(ReadError, match="is empty"):
        opened(raw)


def test_heads_are_unpacked_and_decoded() -> None:
    assert open_head(SourceFile("x", gzip.compress(TEXT.encode()))) == TEXT.encode()
    assert open_head(SourceFile("x", b"\xff\xfe" + TEXT.encode("utf-16-le"))) == TEXT.encode()
    assert len(open_head(SourceFile("x", gzip.compress(b"ab" * 1_000_000)))) == opening.HEAD
    assert open_head(SourceFile("x", b"\x1f\x8bnonsense")) == b""


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="the system has no /dev/zero")
def test_a_device_has_no_end() -> None:
    with pytest.raises(ReadError, match="is a device"):
        read_bytes("/dev/zero")
