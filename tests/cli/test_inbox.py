"""The command line and the inbox: imports reach a database that a dashboard owns, and files never wait unseen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import _deliver, main
from core.store import Store
from core.store.cards import Fate, InboxStatus
from core.store.inbox import Drainer, Inbox, deliver

CSV = "application,machine,time (s),misses\na,g,1.5,10\nb,g,2.5,20\n"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    return tmp_path / "test.duckdb"


@pytest.fixture
def run(path: Path, capsys: pytest.CaptureFixture[str]):
    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    (tmp_path / "run.csv").write_text(CSV)
    return tmp_path / "run.csv"


@pytest.fixture
def dashboard(path: Path):
    """A process's worth of dashboard: the store, owned, and its drainer."""
    with Store.open(path) as store:
        drainer = Drainer(store).start()
        yield store
        drainer.stop()


@pytest.mark.slow
def test_an_import_reaches_the_database_of_a_running_dashboard(run, csv: Path, dashboard: Store) -> None:
    code, out, err = run("import", csv, "--dataset", "d", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["delivered"], told["state"], told["n_trials"], told["dataset"]) == (True, "stored", 2, "d")
    assert dashboard.datasets.all()[0].n_trials == 2
    assert Inbox(dashboard.path).status().n_waiting == 0
    code, out, _ = run("import", csv, "--dataset", "d")
    assert code == 0
    assert "delivered to the inbox of the running dashboard; it stores them within seconds\nit has stored them" in out
    assert "already imported on" in out, "the owner's own receipt is told"
    assert not any(p.is_file() for p in Inbox(dashboard.path).path.rglob("*")), "receipts do not pile up"


def test_a_direct_import_says_nothing_of_delivery(run, csv: Path) -> None:
    told = json.loads(run("import", csv, "--dataset", "d", "--json")[1])
    assert "delivered" not in told
    assert told["n_trials"] == 2


@pytest.mark.slow
def test_what_the_dashboard_refuses_is_told_and_leaves_nothing(
    run, csv: Path, tmp_path: Path, dashboard: Store
) -> None:
    for clock in (1, 2):
        (tmp_path / "machines.csv").write_text(f"machine,clock\ng,{clock}\n")
        csv.write_text(CSV.replace("10", f"{clock}0"))
        code, out, err = run("import", csv, "--dataset", "d", "--machines", tmp_path / "machines.csv", "--json")
    assert (code, out) == (2, "")
    assert "'clock' of machine 'g' is 2 here and 1 in dataset 'd'" in err
    assert err.count("\n") == 1
    inbox = Inbox(dashboard.path)
    assert inbox.status() == InboxStatus(inbox.path, 0, ())


@pytest.mark.slow
def test_an_owner_that_does_not_take_deliveries_is_told_of(
    run, csv: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_deliver, "_WAIT_S", 0.3)
    with Store.open(path):
        code, out, _ = run("import", csv, "--dataset", "d", "--json")
        told = json.loads(out)
        assert (code, told["delivered"], told["state"], told["n_trials"]) == (0, True, "waiting", 2)
        code, out, _ = run("import", csv, "--dataset", "d")
        assert "they still wait there after 0 s: ridgeline inbox says what became of them" in out
    code, out, _ = run("datasets")
    assert "2 files in the inbox: open the dashboard, or run ridgeline inbox --drain" in out
    assert json.loads(run("datasets", "--json")[1]) == {"datasets": [], "waiting": 2}
    code, out, _ = run("inbox", "--drain")
    assert out.startswith("2 trials stored from 2 files\n")
    assert json.loads(run("datasets", "--json")[1])["datasets"][0]["n_trials"] == 2


def test_an_owner_that_ends_meanwhile_is_no_hindrance(
    run, csv: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, look = Store.open(path), Inbox.fate

    def look_and_end(inbox: Inbox, name: str) -> Fate:
        found = look(inbox, name)
        store.close()
        return found

    monkeypatch.setattr(Inbox, "fate", look_and_end)
    code, out, _ = run("import", csv, "--dataset", "d", "--json")
    assert (code, json.loads(out)["state"]) == (0, "stored")
    assert json.loads(run("datasets", "--json")[1])["datasets"][0]["n_trials"] == 2


def test_other_trouble_with_the_database_is_not_delivered(run, csv: Path, path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)
    code, _, err = run("import", csv, "--dataset", "d")
    assert code == 2
    assert "not a database of Ridgeline" in err
    assert not Inbox(path).path.exists()


def test_status_drain_and_retry(run, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.inbox._PATIENCE_S", -1.0)
    inbox = Inbox(path)
    inbox.make()
    deliver(inbox.path, [{"dataset": "d", "metrics": {"m": 1}}])
    (inbox.path / "bad.json").write_text('{"dataset": "d"}')
    assert json.loads(run("inbox", "--json")[1]) == {"inbox": str(inbox.path), "waiting": 2, "refused": []}
    told = json.loads(run("inbox", "--drain", "--json")[1])
    assert (told["n_trials"], told["n_known"], told["files"], told["waiting"]) == (1, 0, 2, 0)
    (refused,) = told["refused"]
    assert refused["file"] == "bad.json"
    assert "has no metric with a value" in refused["why"]
    (inbox.path / "bad" / "bad.json").write_text('{"dataset": "d", "metrics": {"m": 2}}')
    code, out, _ = run("inbox", "--retry", "--drain")
    assert (code, out.splitlines()[:2]) == (0, ["1 refused file to be tried again", "1 trial stored from 1 file"])
    assert f"{inbox.path}: 0 waiting, 0 refused" in out


def test_draining_by_hand_is_refused_while_a_dashboard_runs(run, dashboard: Store) -> None:
    code, _, err = run("inbox", "--drain")
    assert code == 2
    assert "is in use by process" in err
    assert run("inbox")[0] == 0


def test_a_backup_can_be_opened(run, csv: Path) -> None:
    run("import", csv, "--dataset", "d")
    code, out, _ = run("backup", "--json")
    copy = Path(json.loads(out)["backup"])
    assert (code, copy.parent.name) == (0, "backups")
    with Store.open(copy) as store:
        assert store.datasets.all()[0].n_trials == 2


@pytest.mark.slow
def test_two_imports_at_once_are_both_stored(csv: Path, path: Path, tmp_path: Path, run) -> None:
    (tmp_path / "other.csv").write_text(CSV.replace("1.5", "7.5"))
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "core.cli", "--db", str(path), "import", "--dataset", "d", "--json"]
    both = [
        subprocess.Popen([*command, str(f)], cwd=root, stdout=subprocess.PIPE) for f in (csv, tmp_path / "other.csv")
    ]
    told = [json.loads(p.communicate(timeout=300)[0]) for p in both]
    assert [t["n_trials"] for t in told] == [2, 2]
    assert json.loads(run("datasets", "--json")[1])["datasets"][0]["n_trials"] == 4
