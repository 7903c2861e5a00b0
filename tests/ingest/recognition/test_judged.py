"""Published files are taken for what their READMEs say they are; needs RIDGELINE_REAL_DATA."""

import tomllib
from pathlib import Path

from tests.bench.judge_recognition import EXPECTED, judged


def test_published_files_are_taken_for_what_they_are(real_data: Path) -> None:
    found = list(judged(real_data, tomllib.loads(EXPECTED.read_text("utf-8"))))
    assert len(found) >= 30
    for noun in ("responses", "units", "machines"):
        assert [own.path for own in found if getattr(own, noun)[0] < getattr(own, noun)[1]] == []
    assert sum(own.columns[0] for own in found) >= 0.97 * sum(own.columns[1] for own in found)
