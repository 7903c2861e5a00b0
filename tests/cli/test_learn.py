"""`ridgeline learn` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.cli.learn import parse_sizes
from core.errors import OptionError


@pytest.fixture
def database(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    lines = ["application,blk,simd,smp,cycles"]
    for app, weight in (("LPS", 8), ("RAY", 1)):
        for _ in range(60):
            blk, simd, smp = rng.choice([1, 2, 4, 8, 16]), rng.choice([8, 16, 32]), rng.choice([1, 2, 4, 8])
            lines.append(
                f"{app},{blk},{simd},{smp},{100 * (1 + weight / blk) * (1 + 8 / simd) * (1 + 0.01 * rng.random()):.6g}"
            )
    (tmp_path / "runs.csv").write_text("\n".join(lines) + "\n")
    db = str(tmp_path / "db.duckdb")
    command = ["--db", db, "import", str(tmp_path / "runs.csv"), "--dataset", "space", "--parameter", "blk,simd,smp"]
    assert main([*command, "--application", "application", "--response", "cycles:cycles"]) == 0
    return db


def test_curves_by_application_beside_fixed_terms(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    command = [
        "--db",
        database,
        "learn",
        "stargazer",
        "--dataset",
        "space",
        "--response",
        "cycles",
        "--sizes",
        "10,20",
        "--test",
        "10",
    ]
    assert main([*command, "--draws", "2", "--by", "application", "--fixed", "blk", "--contributions", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sizes"] == [10, 20]
    assert set(found["curves"]) == {"LPS", "RAY"}
    assert set(found["curves"]["LPS"]) == {"mean", "p75", "p98", "max", "refused", "by_repeat"}
    assert found["beside"]["name"] == "fixed terms blk"
    assert found["average"][1] < found["beside"]["average"][1]
    assert found["contributions"]["LPS"]["factors"][0]["factor"] == "blk"
    assert found["contributions"]["RAY"]["r2"] > 0.9


def test_for_people(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    command = [
        "--db",
        database,
        "learn",
        "anova",
        "--dataset",
        "space",
        "--response",
        "cycles",
        "--sizes",
        "8:10:2",
        "--test",
        "5",
    ]
    assert main([*command, "--draws", "1", "--where", "application=LPS"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Learnt from 10 designs, anova predicts 5 unseen ones with a mean error of ")
    assert "98 % within (%)" in out


@pytest.mark.parametrize("text", ["", "a", "30:60", "60:30:10", "0,5", "1:5:0"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(OptionError, match="FROM:TO:STEP"):
        parse_sizes(text)


def test_sizes() -> None:
    assert parse_sizes("30:300:90") == (30, 120, 210, 300)
    assert parse_sizes("60,30") == (30, 60)
    with pytest.raises(OptionError, match="1,000 sizes at most; '1:100000000000:1' is more"):
        parse_sizes("1:100000000000:1")


def test_unknown_label(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--db", database, "learn", "stargazer", "--dataset", "space", "--response", "cycles"]
    assert main([*command, "--by", "colour"]) == 2
    assert "no label 'colour' for --by; there are: application" in capsys.readouterr().err
    assert main([*command, "--by", "application", "--sizes", "10,500"]) == 2
    assert "ridgeline: LPS: A learning curve to 500" in capsys.readouterr().err
