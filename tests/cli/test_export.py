"""`ridgeline export`: formats listed, files written, proofs told, refusals in one sentence."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.export import EXPORTERS, write_model
from core.export._lowered import find
from core.export.base import CannotRunError
from core.recipes import make_recipe
from tests.conftest import machine_frame


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.json"
    path.write_bytes(write_model(make_recipe("forest", {"trees": "3"}).fit(machine_frame(4, 4))))
    return path


def test_formats_are_listed_with_what_they_can_say(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(file), "--json"]) == 0
    found = {f["format"]: f for f in json.loads(capsys.readouterr().out)["formats"]}
    assert set(found) == set(EXPORTERS)
    assert found["c"]["why_not"] is None
    assert "no sum" in found["eiger"]["why_not"]
    assert main(["export", str(file)]) == 0
    assert "not this model: its family is no sum" in capsys.readouterr().out
    assert main(["export", str(file), "--out", "m.c"]) == 2  # the list was printed, and no file was there
    assert capsys.readouterr().err.startswith("ridgeline: m.c in which form? Give --to, one of c, card,")


def test_a_proof_is_told(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "model.py"
    assert main(["export", str(file), "--to", "python", "--out", str(out), "--prove", "--rows", "50", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["proof"]["holds"]
    assert told["proof"]["n"] == 50
    assert out.read_bytes().startswith(b'"""')


def test_without_a_compiler_it_says_so(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CannotRunError, match="no compiler"):
        find("c")
    assert main(["export", str(file), "--to", "c", "--prove", "--rows", "50"]) == 0
    assert "proof not run: there is no compiler here" in capsys.readouterr().out


def test_a_file_that_fails_its_own_test_is_a_failure(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python = EXPORTERS["python"]
    right = python.write
    monkeypatch.setattr(
        python, "write", lambda self, model: right(self, model).replace(b"def self_test(", b"def gone(")
    )
    assert main(["export", str(file), "--to", "python", "--prove", "--rows", "50", "--json"]) == 1
    proof = json.loads(capsys.readouterr().out)["proof"]
    assert (proof["holds"], proof["why_not"], "it ended with" in proof["failed"]) == (False, "", True)
    assert main(["export", str(file), "--to", "python", "--prove", "--rows", "50"]) == 1
    assert "proof FAILS: it fails by itself: it ended with" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--to", "eiger", "--out", "x"], "cannot be written as eiger"),
        (["--to", "c"], "--out FILE"),
        (["--to", "pickle", "--out", "x"], "there are: c, "),
    ],
)
def test_refusals_are_one_sentence(
    file: Path, arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(file), *arguments]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert len(error.strip().splitlines()) == 1
