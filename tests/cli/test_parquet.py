"""`ridgeline import --parquet`: a folder is a dataset like any other, and its trials are those of the same file."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from core.cli import main
from core.store import Store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    rng = np.random.default_rng(0)
    n, work = 240, 10 ** rng.uniform(3, 6, 12)
    app, gpu = np.arange(n) % 12, np.arange(n) // 12 % 4
    clock = np.array([1.0, 1.5, 2.0, 2.5])[gpu]
    table = pa.table(
        {
            "kernel": [f"k{a:02d}" for a in app],
            "gpu": [f"gpu{g}" for g in gpu],
            "run": np.arange(n) // 48,
            "instructions": work[app],
            "clock [GHz]": clock,
            "misses": rng.integers(0, 50, n),
            "time [s]": work[app] / clock * 1e-6 * np.exp(0.05 * rng.standard_normal(n)),
            "compiler": ["gcc", "clang"] * (n // 2),
        }
    )
    (tmp_path / "runs").mkdir()
    for i in range(3):
        pq.write_table(table.slice(80 * i, 80), tmp_path / "runs" / f"{i}.parquet")
    pyarrow.csv.write_csv(table, tmp_path / "runs.csv")
    return tmp_path


def ridgeline(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


ROLES = ("--application", "kernel", "--machine", "gpu", "--response", "time", "--parameter", "compiler")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ROLES], ids=["guessed", "told"])
def test_a_folder_and_the_same_file_are_the_same_trials(
    home: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    read = ridgeline(capsys, "import", str(home / "runs"), "--dataset", "read", "--parquet", *flags)
    stored = ridgeline(capsys, "import", str(home / "runs.csv"), "--dataset", "stored", *flags)
    for name in ("n_trials", "n_metrics"):
        assert read[name] == stored[name], name
    assert (read["n_files"], read["roles"]["application"], read["roles"]["machine"]) == (3, "kernel", "gpu")
    with Store.open(home / "test.duckdb") as store:
        for metrics in (None, ("instructions", "misses")):
            frames = [store.frame(d, "time", metrics) for d in ("read", "stored")]
            assert frames[0].digest() == frames[1].digest()
        assert set(store.metric_names("read")) == set(store.metric_names("stored"))
    fits = [ridgeline(capsys, "fit", "ols", "--dataset", d, "--response", "time") for d in ("read", "stored")]
    for name in ("terms", "r2", "validation", "n_trials"):
        assert fits[0][name] == fits[1][name], name


@pytest.mark.slow
def test_verbs_read_a_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ridgeline(capsys, "import", str(home / "runs"), "--dataset", "read", "--parquet")
    (row,) = ridgeline(capsys, "datasets")["datasets"]
    assert (row["n_trials"], row["n_machines"], row["folder"]) == (240, 4, str(home / "runs"))
    asked = ("--dataset", "read", "--response", "time")
    told = ridgeline(capsys, "validate", "ols", *asked, "--folds", "by:machine", "--sample", "100")
    assert told["scores"]["n"] == 100
    race = ridgeline(capsys, "race", *asked, "--folds", "kfold:3", "--entries", "ols,ridge", "--where", "machine!=gpu3")
    assert race["dataset"] == "read"
    assert main(["datasets"]) == 0
    assert f"; read in place from {home / 'runs'}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("runs", "--parquet", "--format", "csv"), "--parquet takes one folder"),
        (("runs", "runs", "--parquet"), "--parquet takes one folder"),
        (("nowhere", "--parquet"), "There is no folder"),
        (("runs", "--parquet", "--response", "compiler"), "'compiler' of .*holds texts, expected numbers"),
        (("runs", "--parquet", "--application", "nothing"), "has no column 'nothing'"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    files = [str(home / word) if word in ("runs", "nowhere") else word for word in words]
    assert main(["import", *files, "--dataset", "read"]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert re.search(said, error), error


def test_only_a_folder_is_sampled(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ridgeline(capsys, "import", str(home / "runs.csv"), "--dataset", "stored")
    assert main(["fit", "ols", "--dataset", "stored", "--response", "time", "--sample", "10"]) == 2
    assert "A sample is drawn of a folder only" in capsys.readouterr().err


@pytest.mark.slow
def test_nothing_is_measured_for_a_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ridgeline(capsys, "import", str(home / "runs"), "--parquet", "--dataset", "d", "--response", "time")
    (home / "plan.csv").write_text("run,width\n1,8\n")
    ran = home / "ran"
    assert main(["measure", str(home / "plan.csv"), "--command", f"touch {ran}", "--dataset", "d"]) == 2
    assert "nothing can be added to it" in capsys.readouterr().err
    assert not ran.exists()


def test_an_experiment_on_a_sample_of_a_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--application", "kernel", "--machine", "gpu", "--response", "time:s")
    ridgeline(capsys, "import", str(home / "runs"), "--dataset", "f", "--parquet", *flags)
    text = 'dataset = "f"\nresponse = "time"\nrecipe = "ols"\nfolds = "kfold:3"\n'
    found = {}
    for name, more in (("all", ""), ("some", "sample = 90\n"), ("other", "sample = 90\nsample_seed = 1\n")):
        (home / f"{name}.toml").write_text(text + more)
        said = ridgeline(capsys, "experiment", str(home / f"{name}.toml"))
        (found[name],) = said["settings"]
    assert (found["all"]["n"], found["some"]["n"], found["other"]["n"]) == (240, 90, 90)
    assert found["some"]["error"] != found["other"]["error"]
    drawn = ridgeline(
        capsys, "validate", "ols", "--dataset", "f", "--response", "time", "--folds", "kfold:3", "--sample", "90"
    )
    assert found["some"]["error"] == pytest.approx(drawn["scores"]["mape"], rel=1e-12)
