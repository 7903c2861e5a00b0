"""`ridgeline experiment` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.store import Store

TEXT = """
name = "penalties"
dataset = "d"
response = "time"
recipe = "ridge"
folds = ["by:application", "kfold:3"]
[vary]
penalty = [0.001, 0.1, 10]
"""


def studied() -> None:
    """`runs.csv`, imported as dataset `d`, and the study `e.toml`."""
    rng = np.random.default_rng(0)
    lines = ["application,input,machine,loads,stores,time"]
    for i in range(48):
        loads, stores = np.exp(rng.uniform(0, 3, 2))
        time = (loads + 2 * stores) * np.exp(0.1 * rng.standard_normal())
        lines.append(f"a{i % 4},i{i},m{i % 2},{loads:.6g},{stores:.6g},{time:.6g}")
    Path("runs.csv").write_text("\n".join(lines) + "\n")
    Path("e.toml").write_text(TEXT)
    command = ["import", "runs.csv", "--dataset", "d", "--response", "time:s"]
    assert main([*command, "--application", "application", "--input", "input", "--machine", "machine"]) == 0


@pytest.fixture
def database(scene, tmp_path: Path) -> str:
    scene(studied)
    return str(tmp_path / "test.duckdb")


def asked(database: str, tmp_path: Path, *more: str) -> int:
    return main(["--db", database, "experiment", str(tmp_path / "e.toml"), *more])


def test_the_error_is_that_of_validate(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert asked(database, tmp_path, "--json", "--out", str(tmp_path / "fits.csv")) == 0
    found = json.loads(capsys.readouterr().out)
    flags = ["--dataset", "d", "--response", "time", "--folds", "by:application", "--set", "penalty=0.1", "--json"]
    assert main(["--db", database, "validate", "ridge", *flags]) == 0
    said = json.loads(capsys.readouterr().out)
    (mine,) = [s for s in found["settings"] if s["folds"] == "by:application" and s["setting"] == {"penalty": 0.1}]
    assert mine["error"] == pytest.approx(said["scores"]["mape"], rel=1e-12)
    assert mine["training"] < mine["error"]
    assert (found["n_fits"], found["n_known"], len(found["best"])) == (3 * 7, 0, 2)
    lines = (tmp_path / "fits.csv").read_text().splitlines()
    assert len(lines) == 1 + 21
    assert lines[0].startswith("penalty,folds,seed,fold,n,")


@pytest.mark.slow
def test_what_is_kept_is_not_done_again(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(database, tmp_path, "--plan") == 0
    assert "21 fits of 3 settings; 18 are left." in capsys.readouterr().out
    assert asked(database, tmp_path, "--out", str(tmp_path / "1.csv")) == 0
    assert "21 fits, 3 of them kept from before" in capsys.readouterr().out
    assert asked(database, tmp_path, "--out", str(tmp_path / "2.csv")) == 0
    said = capsys.readouterr().out
    assert "21 fits, 21 of them kept from before" in said
    assert "The smallest mean error is" in said
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert not list((tmp_path / "experiments").iterdir())
    with Store.open(Path(database)) as store:
        (card,) = store.experiments.all()
        assert (card.name, card.n_fits) == ("penalties", 21)


@pytest.mark.parametrize("text", ["precious", '{"fitted": 1}', "precious\n"])
def test_a_file_that_is_no_journal_stays(database: str, tmp_path: Path, text: str, capsys) -> None:
    (note := tmp_path / "note.txt").write_text(text)
    assert asked(database, tmp_path, "--plan", "--journal", str(note)) == 2
    assert capsys.readouterr().err.endswith("note.txt holds no results of experiments. Give --journal another file.\n")
    assert note.read_text() == text


def test_a_journal_of_ones_own_stays(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "mine.jsonl"
    for n_known in (0, 21):
        assert asked(database, tmp_path, "--journal", str(journal)) == 0
        assert f"21 fits, {n_known} of them" in capsys.readouterr().out
    assert len(journal.read_text().splitlines()) == 21
    with Store.open(Path(database)) as store:
        assert store.experiments.all() == ()


def test_results_stay_in_the_journal_while_the_database_is_in_use(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.cli import experiment
    from core.store import OwnedError

    def owned(a: object) -> Store:
        raise OwnedError("in use")

    begin = experiment.begin

    def then_owned(*args: object) -> object:
        found = begin(*args)
        monkeypatch.setattr(experiment, "open_store", owned)
        return found

    monkeypatch.setattr("core.cli.experiment.begin", then_owned)
    assert asked(database, tmp_path) == 0
    assert "the results stay in" in capsys.readouterr().out
    monkeypatch.undo()
    assert asked(database, tmp_path) == 0
    assert "21 of them kept from before" in capsys.readouterr().out


def test_results_of_a_dataset_that_was_renamed_meanwhile_are_reported_and_kept(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.cli import experiment

    run = experiment.run

    def then_renamed(*args: object, **more: object) -> object:
        found = run(*args, **more)
        assert main(["--db", database, "datasets", "--rename", "d=other"]) == 0
        return found

    monkeypatch.setattr("core.cli.experiment.run", then_renamed)
    assert asked(database, tmp_path, "--out", str(tmp_path / "fits.csv")) == 0
    told = capsys.readouterr().out
    assert "smallest" in told
    assert "which --journal takes up, as they cannot be stored: There is no dataset 'd'" in told
    assert len((tmp_path / "fits.csv").read_text().splitlines()) == 1 + 21
    monkeypatch.undo()
    (journal,) = (tmp_path / "experiments").glob("*.jsonl")
    (tmp_path / "e.toml").write_text(TEXT.replace('"d"', '"other"'))
    assert asked(database, tmp_path, "--journal", str(journal)) == 0
    assert "21 of them kept from before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace('"ridge"', '"rigde"'), "no recipe or family 'rigde'"),
        (TEXT.replace('"d"', '"gone"'), "gone"),
        (TEXT + "[scaling]\n", "There is no scaling predictor 'ridge2'"),
        (TEXT.replace("kfold:3", "kfold:300"), "300"),
    ],
)
def test_one_sentence(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    text = text.replace('recipe = "ridge"', 'recipe = "ridge2"') if "[scaling]" in text else text
    (tmp_path / "e.toml").write_text(text)
    capsys.readouterr()
    assert asked(database, tmp_path) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
