"""Which dataset a verb means where none is named."""

import json
import shlex
from pathlib import Path

import pytest

from core.cli import main
from core.store import Store

ROWS = "application,instructions,time_s\n" + "".join(f"a{i % 5},{1000 * i + 7},{0.5 * i + 1}\n" for i in range(20))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my runs.csv").write_text(ROWS)
    return tmp_path


def test_a_file_becomes_a_dataset_of_its_name_which_is_the_only_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "my runs.csv"]) == 0
    assert capsys.readouterr().out.startswith("my_runs: 20 trials")
    assert main(["validate", "ols", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["dataset"] == "my_runs"
    assert said.err == "ridgeline: dataset 'my_runs', the only one\n"


def test_a_folder_gives_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "results").mkdir()
    (folder / "results" / "a.csv").write_text(ROWS)
    assert main(["import", "results/"]) == 0
    assert capsys.readouterr().out.startswith("results: 20 trials")


def test_trials_are_never_added_to_what_nobody_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "my runs.csv"]) == 0
    (folder / "my runs.csv").write_text(ROWS.replace(".5\n", ".25\n"))
    assert main(["import", "my runs.csv"]) == 2
    assert "There is a dataset 'my_runs' already. --dataset my_runs adds to it" in capsys.readouterr().err
    with Store.open(folder / "test.duckdb") as store:
        assert store.datasets.all()[0].n_trials == 20
        assert main(["import", "my runs.csv"]) == 2  # while another has the database open
    assert "cannot be told here: name one with --dataset" in capsys.readouterr().err


def test_which_of_several_has_to_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "ols"]) == 2
    assert "has no dataset yet" in capsys.readouterr().err
    for name in ("one", "two"):
        assert main(["import", "my runs.csv", "--dataset", name]) == 0
    capsys.readouterr()
    assert main(["fit", "ols"]) == 2
    assert capsys.readouterr().err == "ridgeline: --dataset takes one of one, two.\n"


def test_what_is_wrong_of_any_dataset_is_said_before_one_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        assert main(["import", "my runs.csv", "--dataset", name]) == 0
    capsys.readouterr()
    for words, said in (
        ("fit one", "There is no recipe or family 'one'"),
        ("auto one", "There is no file 'one'. Did you mean --dataset one?"),
        ("plan one -n 3", "There is no file 'one'. Did you mean --dataset one?"),
        ("fit ols --dataset my_runs.csv", "There is no dataset 'my_runs.csv'; there are: one, two."),
        (
            "fit ols --out none/m.json",
            "none/m.json cannot be written: there is no folder 'none'. Make it, or name anoth",
        ),
        ("check m.json my.csv --html none/m.html", "none/m.html cannot be written: there is no folder 'none'."),
        ("fit ols --out .", ". cannot be written: it is a folder."),
    ):
        assert main(words.split()) == 2, words
        assert capsys.readouterr().err.startswith(f"ridgeline: {said}")


def test_a_file_in_place_of_a_dataset_is_to_be_imported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "my runs.csv", "--dataset", "one"]) == 0
    assert main(["fit", "ols", "--dataset", "my runs.csv"]) == 2
    assert "my runs.csv is a file. ridgeline import 'my runs.csv' makes a dataset of it." in capsys.readouterr().err
    (folder / "one").write_text("a file that is called like the dataset")
    assert main(["fit", "ols", "--dataset", "one"]) == 0


def test_an_answer_after_the_import_settles_the_question_as_it_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "my runs.csv").write_text(ROWS.replace("time_s", "run time"))
    assert main(["import", "my runs.csv"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.endswith("by importing the same again with --dataset my_runs --answer 'run time=s'")
    assert main(["import", "my runs.csv", *shlex.split(told.split("again with ")[1])]) == 0
    assert "already imported" in (said := capsys.readouterr().out)
    assert "; run time is in s\n" in said
    with Store.open(folder / "test.duckdb") as store:
        assert [str(card) for card in store.datasets.all()[0].responses] == ["run time (s)"]
        assert store.datasets.all()[0].n_trials == 20
    assert main(["inspect", "my runs.csv", "--answer", "run time=s"]) == 0


def test_a_plan_without_a_space_is_of_the_only_dataset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{w},{d},{0.5 * w + d},{9 * w}" for w in (1, 2, 4) for d in (1, 2, 3) if (w, d) != (4, 3)]
    (folder / "designs.csv").write_text("\n".join(["width,depth,time_s,power_w", *rows]))
    assert main(["import", "designs.csv", "--parameter", "width,depth"]) == 0
    capsys.readouterr()
    for more in ([], ["--response", "time_s"]):
        assert main(["plan", "-n", "1", *more]) == 0
        assert capsys.readouterr().out.splitlines() == ["run,width,depth", "001,4,3"]


def test_a_dataset_is_renamed_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "my runs.csv"]) == 0
    capsys.readouterr()
    assert main(["datasets", "--rename", "my_runs=theirs"]) == 0
    assert capsys.readouterr().out.startswith("theirs: 20 trials")
    assert main(["datasets", "--rename", "theirs"]) == 2
    assert main(["datasets", "--remove", "my_runs"]) == 2
    assert "no dataset 'my_runs'; there are: theirs" in capsys.readouterr().err
    assert main(["datasets", "--remove", "theirs"]) == 0
    assert capsys.readouterr().out.startswith("no datasets yet")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("list", "datasets"), ("remove", "datasets --remove NAME"), ("version", "--version"), ("rename", "datasets --re")],
)
def test_words_of_other_programs_lead_to_what_they_mean(
    word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([word])
    assert f"there is no verb '{word}'. Did you mean ridgeline {meant}" in capsys.readouterr().err


def test_a_part_that_is_not_there_is_told_without_its_bars(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "x"])
    assert "ridgeline report: what is wanted is one of model, race, space, scale, got 'x'" in capsys.readouterr().err
