"""`ridgeline diversity` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main

WEIGHTS = {"LPS": 8.0, "NQU": 7.5, "RAY": 0.1}


def designs() -> None:
    """Three applications that react unlike over designs, imported as dataset `space`."""
    rng = np.random.default_rng(0)
    lines = ["application,blk,simd,cycles"]
    for app, weight in WEIGHTS.items():
        for _ in range(60):
            blk, simd = rng.choice([1, 2, 4, 8, 16]), rng.choice([8, 16, 32])
            lines.append(
                f"{app},{blk},{simd},{100 * (1 + weight / blk) * (1 + 8 / simd) * (1 + 0.01 * rng.random()):.6g}"
            )
    Path("runs.csv").write_text("\n".join(lines) + "\n")
    command = ["import", "runs.csv", "--dataset", "space", "--parameter", "blk,simd"]
    assert main([*command, "--application", "application", "--response", "cycles:cycles"]) == 0


@pytest.fixture
def database(scene, tmp_path: Path) -> str:
    scene(designs)
    return str(tmp_path / "test.duckdb")


def command(db: str, *more: str) -> list[str]:
    return ["--db", db, "diversity", "stargazer", "--dataset", "space", "--response", "cycles", *more]


def test_alike_applications_are_neighbours(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(command(database, "--over", "blk", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    apps = found["applications"]
    apart = np.array(found["distance"])
    lps, nqu, ray = (apps.index(a) for a in WEIGHTS)
    assert apart[lps, nqu] < 0.1 < apart[lps, ray]
    assert abs(lps - nqu) == 1
    assert found["contributions"]["LPS"]["factors"][0]["factor"] == "blk"
    assert found["contributions"]["RAY"]["factors"][0]["factor"] == "simd"
    at_16 = found["reactions"]["LPS"][-1]
    assert at_16 == pytest.approx((1 + 8 / 16) / (1 + 8), rel=0.1)
    assert found["reactions"]["RAY"][-1] == pytest.approx(1, abs=0.15)


def test_what_is_compared_is_the_head_of_its_column(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "machines.csv"
    runs.write_text((tmp_path / "runs.csv").read_text().replace("application", "machine"))
    words = ["--dataset", "m", "--parameter", "blk,simd", "--machine", "machine", "--response", "cycles:cycles"]
    assert main(["--db", database, "import", str(runs), *words]) == 0
    capsys.readouterr()
    assert main(["--db", database, "diversity", "ols", *words[:2], "--response", "cycles", "--by", "machine"]) == 0
    assert "application" not in capsys.readouterr().out


def test_for_people(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(command(database)) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 models of stargazer asked for the same 15 designs:")
    assert "What each factor adds; R² of the training trials:" in out


def test_models_without_a_story(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["forest" if a == "stargazer" else a for a in command(database, "--json", "--set", "trees=20")]
    capsys.readouterr()
    assert main(argv) == 0
    assert "contributions" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--where", "application=LPS"), "at least 2 different values of application, got 1"),
        (("--over", "depth"), "There is no parameter 'depth' here; there are: "),
        (("--by", "colour"), "There is no label 'colour'"),
    ],
)
def test_refusals(database: str, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], why: str) -> None:
    assert main(command(database, *more)) == 2
    assert why in capsys.readouterr().err


def test_a_response_below_0_is_compared_by_differences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratios of what was gained and lost say nothing, and few designs gain with every application."""
    monkeypatch.chdir(tmp_path)
    gains = {"a": 1.0, "b": 1.0, "c": -1.0}
    rows = [
        (app, t, b, sign * t - b + 0.01 * b * t) for app, sign in gains.items() for t in range(1, 6) for b in (1, 3)
    ]
    lines = [f"{app},{t},{b},{gain:g}" for app, t, b, gain in rows]
    Path("gains.csv").write_text("\n".join(["application,threads,blocks,gain (ms)", *lines]) + "\n")
    data = ["--db", "test.duckdb", "--dataset", "gains"]
    parts = ["--application", "application", "--parameter", "threads,blocks", "--response", "gain (ms)"]
    assert main(["import", "gains.csv", *data, *parts]) == 0
    capsys.readouterr()
    verb = ["diversity", "ols", *data, "--response", "gain", "--over", "threads"]
    assert main([*verb, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_designs"] == 10
    apps, apart = found["applications"], found["distance"]
    a, b, c = (apps.index(name) for name in gains)
    assert apart[a][b] == pytest.approx(0, abs=1e-9)
    assert 0.5 < apart[a][c] < 4
    assert found["reactions"]["a"] == pytest.approx([1.02 * t for t in range(5)], abs=0.05)
    assert main(verb) == 0
    out = capsys.readouterr().out
    assert "in % of their standard deviation: the response is not always positive." in out
    assert "gain (ms) less that at threads = 1:" in out
