"""`ridgeline machines`: what it says of trials that were left out, whatever they are called."""

import json
from pathlib import Path

import pytest

from core.cli import main


@pytest.mark.parametrize("response", ["time", "time, which counts"])
def test_trials_that_are_left_out_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], response: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    rows = [
        (f"app{i}", size, f"m{j}", (i + 1) * size / (j + 1)) for i in range(6) for size in (1, 2, 4) for j in (0, 1)
    ]
    lines = [f"{app},{'' if (app, size, m) == ('app0', 2, 'm1') else size},{m},{t}" for app, size, m, t in rows]
    lines[0] = "app0,1,m0,"
    Path("runs.csv").write_text("\n".join([f'application,size,machine,"{response}"', *lines]) + "\n")
    given = ["--application", "application", "--parameter", "size", "--machine", "machine"]
    given += ["--response", f"{response}:s", "--missing", "keep"]
    assert main(["import", "runs.csv", "--dataset", "d", *given]) == 0
    capsys.readouterr()
    assert main(["machines", "--dataset", "d", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [
        f"1 trial without '{response}' is left out",
        "1 trial misses a metric (most often 'size') and is left out",
    ]
    assert main(["machines", "--dataset", "d", "--more", "--less"]) == 2
    assert "--more and --less say the opposite" in capsys.readouterr().err
    assert main(["machines", "--dataset", "d", "--weight", "app1=1e308"]) == 2
    assert "up to 1e+100" in capsys.readouterr().err
