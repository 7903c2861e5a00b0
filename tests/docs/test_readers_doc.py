"""The page on readers has a row for each reader, and none for others."""

import re
from pathlib import Path

import pytest

from core.ingest import READERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "readers.md"
ROW = re.compile(r"^\| `(\w+)` (.*?) \|(.*)\|$", re.MULTILINE)
ROWS = {name: (label, cells) for name, label, cells in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def test_each_row_is_of_a_reader_and_each_reader_has_a_row() -> None:
    named = [name for name, _, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(READERS)


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_row_says_label_join_and_every_cell(name: str) -> None:
    reader = READERS[name]
    label, cells = ROWS[name]
    assert label.rstrip(" ⧉Σ") == reader.label
    assert ("⧉" in label) == bool(reader.family)
    assert ("Σ" in label) == reader.summary
    filled = [cell.strip() for cell in cells.split(" | ")]
    assert len(filled) == 4
    assert all(filled)


def test_application_input_and_machine_are_told_apart() -> None:
    for name, (_, cells) in ROWS.items():
        named = cells.split(" | ")[1]
        assert named.count(" · ") == 2 or named.strip() == "as above" or name == "csv", name
