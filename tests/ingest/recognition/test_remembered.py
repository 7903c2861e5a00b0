"""The next file with the same header gets the same answers."""

from pathlib import Path

import pytest

from core.ingest import Mapping, Remembered, SourceFile, drop, parts_of
from core.ingest.base import SideBySide

NAMES = ("a", "b", "t")
SAID = Mapping(parameters=("a",), responses=(("t", "ms"),), beside=(SideBySide("t", ("t",), ("1",)),))


def test_what_was_said_comes_back(tmp_path: Path) -> None:
    kept = Remembered.beside(tmp_path / "own.duckdb")
    kept.keep(NAMES, SAID)
    assert kept.of(NAMES) == SAID
    assert kept.of(("a", "t", "b")) is None
    assert kept.said(NAMES, Mapping(missing="drop")) == Mapping(
        parameters=("a",), responses=(("t", "ms"),), beside=SAID.beside, missing="drop"
    )


def test_what_is_said_now_wins_and_nothing_said_is_forgotten(tmp_path: Path) -> None:
    kept = Remembered.beside(tmp_path / "own.duckdb")
    kept.keep(NAMES, SAID)
    assert kept.said(NAMES, Mapping(labels=("a",))) == Mapping(labels=("a",))
    kept.keep(NAMES, Mapping())
    assert kept.of(NAMES) is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 3}'])
def test_a_damaged_file_remembers_nothing(tmp_path: Path, text: str) -> None:
    kept = Remembered.beside(tmp_path / "own.duckdb")
    kept.path.write_text(text)
    assert kept.of(NAMES) is None
    kept.keep(NAMES, SAID)
    assert kept.of(NAMES) == SAID


def test_a_file_with_the_same_header_is_taken_alike(tmp_path: Path) -> None:
    kept = Remembered.beside(tmp_path / "own.duckdb")
    kept.keep(("ppb", "runtime"), Mapping(labels=("ppb",), responses=(("runtime", "s"),)))
    parts = parts_of([SourceFile("new.csv", b"ppb,runtime\n1,2\n3,4\n5,7\n")])
    found = drop(parts, remembered=kept).recognition
    assert [(c.role, c.unit) for c in found.tables[0].columns] == [("label", None), ("response", "s")]
