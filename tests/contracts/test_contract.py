"""What Ridgeline promises of what it is given, number by number (docs/contract.md); `make prove` tries each more often."""

import json
import os
import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import duckdb
import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.errors import StoreError
from core.jobs import JobRunner
from core.recipes import make_recipe
from core.report.shared.csv_text import to_csv
from core.store import Store, _connection
from core.store.inbox import Inbox, deliver
from core.workspace import APP
from tests.conftest import machine_frame
from tests.made import jobs_of
from tests.prove import hostile, served, surroundings
from tests.prove.kills import KINDS, kills
from tests.prove.table import Line
from tests.store.test_store import an_import

ROOT = APP.parent
TABLE = "application,machine,misses,time (s)\n" + "".join(
    f"a{i % 3},m{i % 2},{i * i + 1},{i + 0.5}\n" for i in range(12)
)


def held(line: Line) -> None:
    assert line.holds, line.text()


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of one dataset, to copy."""
    folder = tmp_path_factory.mktemp("stored")
    with Store.open(folder / "x.duckdb") as store:
        store.add("d", an_import())
    return folder


@pytest.fixture
def path(stored: Path, tmp_path: Path) -> Path:
    """A database of one dataset."""
    return copytree(stored, tmp_path, dirs_exist_ok=True) / "x.duckdb"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a verb on a database of this test; returns code, standard output and standard error."""
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "cli.duckdb"))
    monkeypatch.chdir(tmp_path)

    def call(words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(words.split())
        return code, *capsys.readouterr()

    return call


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_c01_what_is_acknowledged_survives_a_kill(kind: str, tmp_path: Path) -> None:
    held(kills(kind, 2, tmp_path))


@pytest.mark.slow
def test_c01_an_upload_survives_a_kill_of_the_dashboard(tmp_path: Path) -> None:
    held(served.kills("upload in the browser", 1, tmp_path))


def test_c02_a_delivery_sent_again_is_stored_once(path: Path) -> None:
    inbox = Inbox(path)
    inbox.make()
    letter = {
        "dataset": "n",
        "id": "12345678-1234-5678-1234-567812345678",
        "application": "a",
        "metrics": {"time_s": 1.5},
    }
    for _ in range(2):
        deliver(inbox.path, [letter])
    with Store.open(path) as store:
        while inbox.status().n_waiting:
            inbox.drain(store)
        assert store.measured("n").ids == (letter["id"],)


@pytest.mark.slow
def test_c03_a_second_program_is_told_who_owns_it(tmp_path: Path) -> None:
    held(surroundings.two_at_once(1, tmp_path))


def test_c04_scripts_deliver_while_another_owns_it(path: Path, run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    inbox = Inbox(tmp_path / "cli.duckdb")
    with Store.open(tmp_path / "cli.duckdb") as store:
        inbox.make()
        deliver(inbox.path, [{"dataset": "n", "application": "a", "metrics": {"time_s": 1.5}}])
        inbox.drain(store)
        assert len(store.measured("n").ids) == 1
        assert run("validate ols --dataset n --response time_s --folds loo")[0] == 2


@pytest.mark.slow
def test_c05_a_full_disk_stops_writing_alone(tmp_path: Path) -> None:
    held(surroundings.disk_full(1, tmp_path))


def test_c06_where_nobody_may_write_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "may_write", lambda path: False)
    with Store.open(path) as store:
        assert len(store.trials("d")) == 24
        with pytest.raises(StoreError, match="can only be read here"):
            store.datasets.delete("d")


@pytest.mark.slow
def test_c07_damage_is_told_and_nothing_is_overwritten(tmp_path: Path) -> None:
    held(hostile.flipped(8, tmp_path))


def test_c08_changes_that_are_missing_are_told_once(path: Path) -> None:
    counter = path.with_name("x.duckdb.commits")
    counter.write_text(str(int(counter.read_text()) + 2))
    with pytest.raises(StoreError, match=r"The last 2 changes to the database .* are missing"):
        Store.open(path)
    Store.open(path).close()


def test_c09_a_newer_database_is_left_alone(path: Path) -> None:
    with duckdb.connect(str(path)) as other:
        other.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"has version 99, and Ridgeline .* knows"):
        Store.open(path)
    assert path.read_bytes() == before


def test_c10_files_are_stored_together_or_not_at_all(path: Path) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] == 64
    with Store.open(path) as store:
        with pytest.raises(StoreError):
            store.add_all("", [an_import(seed=1, sha="b"), an_import(seed=2, sha="c")])
        assert [card.n_trials for card in store.datasets.all()] == [24]


def test_c11_a_cell_that_is_no_number_is_refused_by_line(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace(",5,2.5", ",oops,2.5"))
    code, _, said = run("import t.csv --dataset d")
    assert code == 2
    assert "t.csv line 4: metric 'misses' is 'oops', expected a number" in said
    assert json.loads(run("datasets --json")[1])["datasets"] == []


def test_c12_what_is_left_out_is_counted(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace(",5,2.5", ",oops,2.5"))
    code, out, _ = run("import t.csv --dataset d --missing drop --json")
    assert code == 0
    receipt = json.loads(out)
    assert receipt["n_trials"] == 11
    assert ["line 4" in str(skip) for skip in receipt["skipped"]] == [True]


def test_c13_the_same_file_twice_is_recognised(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    assert run("import t.csv --dataset d")[0] == 0
    code, out, said = run("import t.csv --dataset d")
    assert code == 0
    assert "already" in out + said
    assert json.loads(run("datasets --json")[1])["datasets"][0]["n_trials"] == 12


def test_c14_names_are_letters_and_no_formulas() -> None:
    names = ["=1+1", "+SUM(1)", "-x3", "@sum", "\tx", "<script>"]
    header, *rows = to_csv(pd.DataFrame({"=column": names})).splitlines()
    assert header == "'=column"
    assert [row.strip('"')[0] for row in rows] == ["'"] * 5 + ["<"]


def test_c15_a_damaged_model_is_refused_or_predicts_numbers() -> None:
    held(hostile.models(40))


def test_c16_no_prediction_is_a_reason_and_no_number() -> None:
    frame = machine_frame()
    model = make_recipe("ols").fit(frame)
    said = model.predict(np.vstack([np.full(4, np.nan), np.full(4, 1e308)]))
    for value, why in zip(said.value, said.why, strict=True):
        assert np.isfinite(value) or why.startswith("no prediction: ")
    assert np.isnan(said.value[0])


def test_c17_a_job_survives_and_an_interrupted_one_is_told(path: Path) -> None:
    runner = JobRunner(1)
    job = runner.submit("sum", lambda progress: 7)
    assert job.wait(60)
    assert job.result == 7
    runner.close()
    with Store.open(path) as store:
        store.jobs.start("fit", "long")
    with Store.open(path) as store:
        assert [state for _, _, state in jobs_of(store)] == ["interrupted"]


@pytest.mark.slow
def test_c18_two_who_write_at_once_lose_nothing(path: Path) -> None:
    with Store.open(path) as store, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.add("d", an_import(seed=i, sha=f"s{i}")), range(1, 17)))
        assert len(store.datasets.sources("d")) == 17
        assert len(store.measured("d").ids) == 17 * 24


def test_c19_what_nobody_foresaw_is_one_sentence_and_a_log(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **more: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Store, "open", broken)
    code, out, said = run("datasets")
    assert (code, out) == (3, "")
    found = re.fullmatch(r"ridgeline: this should not have happened; please report it with the log (\S+)\.\n", said)
    assert found
    assert "ZeroDivisionError: a bug" in Path(found[1]).read_text()
    os.unlink(found[1])


def test_c20_it_listens_to_this_machine_alone_and_tells_nobody(run) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert settings["browser"]["gatherUsageStats"] is False
    assert run("app --listen 0.0.0.0")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY trial TO '/tmp/x.csv'",
        "ATTACH '/tmp/y.duckdb'",
        "SET memory_limit='9GB'",
        "INSTALL httpfs",
        "SELECT * FROM glob('/*')",
    ],
)
def test_c21_sql_cannot_leave_the_database(path: Path, attack: str) -> None:
    with Store.open(path) as store, pytest.raises(StoreError), store._connection.reading() as cursor:
        cursor.execute(attack)


def test_every_promise_has_its_test() -> None:
    """docs/contract.md names for each promise a test that is there."""
    rows = re.findall(r"^\| (C\d+) \|.*\| `([^`]+)` \|$", (ROOT / "docs" / "contract.md").read_text(), re.MULTILINE)
    assert [name for name, _ in rows] == [f"C{i}" for i in range(1, 22)]
    for _, test in rows:
        assert f"def {test}(" in Path(__file__).read_text()
