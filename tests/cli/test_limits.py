"""`ridgeline limits`: verdicts for people and as JSON, with a model's elasticities, on the scene of its document."""

import json
from pathlib import Path

import pytest

from core.cli import main
from tests.docs.scene import profiled


def uncounted() -> None:
    """Three kernels of which nothing but the time is known."""
    Path("times.csv").write_text("kernel,size,time_s\na,1,0.1\nb,2,0.2\nc,3,0.4\n")
    assert main(["import", "times.csv", "--dataset", "times", "--application", "kernel"]) == 0


@pytest.fixture
def kernels(scene) -> None:
    scene(profiled)


@pytest.mark.usefixtures("kernels")
def test_verdicts_and_elasticities_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["limits", "--dataset", "profiled", "--model", "model.json", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["limit"] for one in found["kernels"]] == ["memory"] * 5 + ["latency"] * 2 + ["compute"] * 3
    assert found["kernels"][0]["shares"] == {"compute": 5.0, "memory": 95.0}
    assert set(found["kernels"][0]["elasticities"]) == set(found["subsystems"])
    assert found["subsystems"] == {"L2": ["TCC_HIT"], "L1": ["MemUnitBusy"], "compute": ["VALUBusy"]}


@pytest.mark.usefixtures("kernels")
def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["limits", "k0", "k9", "--dataset", "profiled"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 kernels: memory 1, compute 1."
    assert lines[1].startswith("k0: memory; compute 5 %, memory 95 % of peak")
    assert "at 80 % or more" in lines[1]
    assert sum(line.startswith(("memory: ", "compute: ", "rule: ")) for line in lines) == 3


def test_that_nothing_can_be_told_is_said_once(scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene(uncounted)
    capsys.readouterr()
    assert main(["limits", "--dataset", "times"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("3 kernels: cannot be told 3. To tell of 3 it needs ")


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    ("words", "said"), [("limits k77 --dataset profiled", "k77"), ("limits --dataset nothing", "nothing")]
)
def test_what_is_wrong_is_a_sentence(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("kernels")
def test_of_many_kernels_some_are_listed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cli.limits._MOST", 4)
    capsys.readouterr()
    assert main(["limits", "--dataset", "profiled"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("k") for line in lines) == 4
    assert lines[5] == "and 6 more kernels: name some, or take all with --json"
