"""What every reader promises: a label of its own, and no claim on files that are nothing."""

from collections.abc import Iterator

import pytest

from core.errors import ReadError
from core.ingest import READERS
from core.ingest.base import Signs, SourceFile

SIZE = 2**17
NOTHING = {
    "line ends": b"\n" * SIZE,
    "carriage returns": b"\r\n" * (SIZE // 2),
    "spaces": b"  \n" * (SIZE // 3),
    "commas": b",\n" * (SIZE // 2),
    "quotes": b'"a' * (SIZE // 2),
    "hashes": b"#\n" * (SIZE // 2),
    "braces": b'{"a":' * (SIZE // 5),
    "one long line": b"a" * SIZE,
}
"""Heads on which a pattern that tries each place anew would not end in a person's time."""
PROFILERS = [name for name in READERS if name != "csv"]


@pytest.mark.parametrize("name", PROFILERS)
def test_files_that_are_nothing_are_not_claimed(name: str) -> None:
    reader = READERS[name]()
    assert [what for what, head in NOTHING.items() if reader.sniff(head)] == []


def beginnings(signs: Signs) -> Iterator[bytes]:
    for sign in signs:
        yield from beginnings(sign) if isinstance(sign, tuple) else [sign.pattern]


@pytest.mark.parametrize("name", PROFILERS)
def test_signs_begin_on_their_own_line(name: str) -> None:
    """Blanks of any kind go on over empty lines: of a head of these alone each is read as often as it has lines."""
    assert [sign for sign in beginnings(READERS[name].signs) if sign.startswith((rb"^\s*", rb"^\s+"))] == []


@pytest.mark.parametrize("name", PROFILERS)
@pytest.mark.parametrize("content", [b"", b"\n\n\n", b"\x00" * 64, bytes(range(256)), b'{"a": 1}', b"a,b\n1,2\n"])
def test_what_is_not_of_the_format_is_refused_in_one_sentence(name: str, content: bytes) -> None:
    if name == "lwperf" and content.startswith(b"a,b"):
        pytest.skip("any table of numbers may be lwperf's")
    with pytest.raises(ReadError) as refused:
        READERS[name]().read(SourceFile("some.file", content))
    assert "some.file" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_labels_tell_readers_apart() -> None:
    labels = [cls.label for cls in READERS.values()]
    assert len(set(labels)) == len(labels)
    assert all(cls.__doc__ for cls in READERS.values())
