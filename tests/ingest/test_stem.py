"""What trials are called where only the file has a name."""

import pytest

from core.ingest.names import stem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("run7.csv", "run7"),
        ("dir/lulesh s30.perf.csv.gz", "lulesh s30.perf"),
        (r"C:\runs\a.JSON.GZ", "a"),
        ("noending", "noending"),
        (".hidden", ".hidden"),
        ("", ""),
    ],
)
def test_a_file_without_folders_and_endings(name: str, expected: str) -> None:
    assert stem(name) == expected
