"""docs/strain.md says what becomes of trials under strain with each family and recipe; RIDGELINE_WRITE=1 writes it anew."""

import os
from pathlib import Path

import pytest

from tests.contracts.strain import CASES, rows

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "strain.md"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_is_written_is_what_happens(case: str) -> None:
    found, text = rows(case), DOCUMENT.read_text()
    own = [line for line in text.splitlines() if line.startswith(f"| {case} |")]
    if os.environ.get("RIDGELINE_WRITE"):
        lines = [line for line in text.splitlines() if line not in own]
        DOCUMENT.write_text("\n".join([*lines, *found]) + "\n")
        own = found
    assert own == found


def test_every_line_is_of_a_case() -> None:
    lines = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")][1:]
    assert {line.split(" | ")[0][2:] for line in lines} == set(CASES)
