"""What the command line does at its edges: every help, full outputs, what nobody foresaw, proofs that fail."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import VERBS, main
from core.cli.datasets import DatasetsVerb
from core.export import _lowered, write_model
from core.recipes import make_recipe
from tests.conftest import machine_frame

ROOT = Path(__file__).resolve().parents[2]


PARTS = [[name] for name in VERBS] + [["scale", part] for part in ("validate", "race", "fit", "predict")]


@pytest.mark.parametrize("part", [[], *PARTS], ids=" ".join)
def test_every_help_is_printed(part: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*part, "--help"])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert said.out.startswith(" ".join(["usage: ridgeline", *part]))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("predict", "ridgeline predict: model.json and FILE are missing."),
        ("fit eiger --repeats meen", "ridgeline fit: --repeats is one of each, mean, median, minimum, got 'meen'. Did"),
        ("fit eiger --seed x", "ridgeline fit: --seed takes a number from 0 on, got 'x'."),
        ("fit eiger --folds", "ridgeline fit: --folds takes a value."),
        ("fit eiger --sample 0", "ridgeline fit: --sample takes a number from 1 on, got '0'."),
        ("sweep m.json s.toml --top -1", "ridgeline sweep: --top takes a number from 0 on, got '-1'."),
        ("reuse m.json --draws 0", "ridgeline reuse: --draws takes a number from 1 on, got '0'."),
        ("predict m.json t.csv --nearest -1", "ridgeline predict: --nearest takes a number from 0 on, got '-1'."),
        ("machines --seed -1", "ridgeline machines: --seed takes a number from 0 on, got '-1'."),
        ("app --port 70000", "ridgeline app: --port takes a number from 0 to 65,535, got '70000'."),
        ("serve m.json --port -1", "ridgeline serve: --port takes a number from 0 to 65,535, got '-1'."),
        ("scale fitt", "ridgeline scale: what is wanted is one of validate, race, fit, predict, got"),
        ("fit eiger --fold 5 --foo", "ridgeline fit: there is no option '--foo'."),
        ("fit eiger -o m.json", "ridgeline fit: there is no option '-o'."),
        ("fit eiger mine", "ridgeline fit: 'mine' is one word too many. Did you mean --dataset mine?"),
        (
            f"fit eiger {__file__}",
            f"ridgeline fit: '{__file__}' is one word too many. ridgeline import {__file__} makes",
        ),
        ("fit eiger a --dataset mine", "ridgeline fit: 'a' is one word too many. ridgeline fit --help"),
        ("fit", "ridgeline fit: RECIPE-OR-FAMILY is missing. An example: ridgeline fit eiger --dataset mine"),
        (
            "plan space.toml",
            "ridgeline plan: one of the arguments -n/--number --fraction --per-dimension is required. An",
        ),
        ("-q -v datasets", "ridgeline: -v/--verbose: not allowed with argument -q/--quiet."),
    ],
)
def test_wrong_use_is_one_sentence(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n")) == (2, 1)
    assert told.startswith(said)
    assert told.endswith("--help tells more.\n")


def test_help_may_be_asked_for_as_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    for words, begins in (("help", "usage: ridgeline [-h]"), ("help scale fit", "usage: ridgeline scale fit")):
        with pytest.raises(SystemExit) as ended:
            main(words.split())
        assert (ended.value.code, capsys.readouterr().out.startswith(begins)) == (0, True)


def test_the_name_alone_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    assert "look at files and trials:" in capsys.readouterr().out


def test_what_nobody_foresaw_is_one_sentence_and_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(DatasetsVerb, "run", lambda verb, a: [][0])
    assert main(["datasets"]) == 3
    said = capsys.readouterr().err
    assert "Traceback" not in said
    log = Path(said.split("log ")[1].strip().rstrip("."))
    assert "IndexError: list index out of range" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0, "others may not read what was on the command line"
    log.unlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_an_output_that_is_full_is_said(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "core.cli", "--db", str(tmp_path / "x.duckdb"), "datasets", "--json"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert ended.returncode == 2
    assert ended.stderr == "ridgeline: The output could not be written: No space left on device.\n"


@pytest.mark.slow
def test_a_proof_that_fails_ends_with_1_and_says_so_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(write_model(make_recipe("ols").fit(machine_frame())))
    asked = ["export", str(file), "--to", "python", "--prove", "--rows", "20"]
    assert main(asked) == 0
    assert capsys.readouterr().out.startswith("proof holds: 20 rows")
    right = _lowered.answers
    monkeypatch.setattr(_lowered, "answers", lambda *given: replace(right(*given), value=1.9 * right(*given).value))
    assert main(asked) == 1
    assert capsys.readouterr().out.startswith("proof FAILS: 20 rows")
    assert main([*asked, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["proof"]["holds"] is False


def test_a_mistyped_folder_is_named_and_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = tmp_path / "labb" / "deep" / "x.duckdb"
    assert main(["--db", str(database), "datasets"]) == 2
    assert f"the nearest that is there is {tmp_path}." in capsys.readouterr().err
    assert not (tmp_path / "labb").exists()
