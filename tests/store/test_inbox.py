"""The inbox: whole files only, each trial once, bad files set aside with a reason, nothing lost on the way."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import ReadError, StoreError
from core.store import DatabaseError, Store
from core.store import inbox as inbox_module
from core.store._mailbox import Mailbox
from core.store.cards import Drained, InboxStatus
from core.store.inbox import Drainer, Inbox, deliver, folder_of
from tests.store.test_store import an_import

ROOT = Path(__file__).resolve().parents[2]


def trial(i: int = 0, **more: object) -> dict[str, object]:
    metrics = {"time_s": 0.1 + i, **{f"m{j}": i + j / 7 for j in range(5)}}
    return {"dataset": "d", "application": f"app{i % 3}", "metrics": metrics, **more}


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "x.duckdb") as store:
        yield store


@pytest.fixture
def inbox(store: Store) -> Inbox:
    inbox = Inbox(store.path)
    inbox.make()
    return inbox


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox_module, "_PATIENCE_S", -1.0)


def test_delivered_trials_are_stored_once_and_the_files_go(store: Store, inbox: Inbox) -> None:
    for i in range(7):
        deliver(inbox.path, [trial(i)])
    deliver(inbox.path, [trial(i) for i in range(7, 12)])
    assert inbox.status().n_waiting == 8
    drained = inbox.drain(store, limit=3)
    assert (drained.n_files, drained.n_trials, drained.n_known, drained.bad) == (8, 12, 0, ())
    assert inbox.status().n_waiting == 0
    measured = store.measured("d")
    assert list(measured.column("time_s")) == [0.1 + i for i in range(12)], "in the order of delivery"
    (card,) = store.datasets.all()
    assert (card.n_trials, len(store.datasets.sources(card.name))) == (12, 1)
    assert store.datasets.sources("d")[0].n_trials == 12
    assert inbox.drain(store) == Drained()


def test_the_same_file_again_is_recognised_and_another_of_that_name_is_not(store: Store, inbox: Inbox) -> None:
    path = inbox.path / "run.json"
    for content, stored, known in ((trial(1), 1, 0), (trial(1), 0, 1), (trial(2), 1, 0)):
        path.write_text(json.dumps(content))
        drained = inbox.drain(store)
        assert (drained.n_trials, drained.n_known) == (stored, known)
    (inbox.path / "other.json").write_text(json.dumps(trial(1)))
    assert inbox.drain(store).n_trials == 1


def test_a_batch_that_was_stored_but_not_deleted_counts_once(
    store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(5):
        deliver(inbox.path, [trial(i)])
    inbox.send("whole", [an_import()])
    with monkeypatch.context() as crash:
        crash.setattr(Inbox, "_finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            inbox.drain(store)
    assert {c.name: c.n_trials for c in store.datasets.all()} == {"d": 5, "whole": 24}
    assert inbox.status().n_waiting == 6
    drained = inbox.drain(store)
    assert (drained.n_files, drained.n_trials, drained.n_known) == (6, 0, 5)
    assert {c.name: c.n_trials for c in store.datasets.all()} == {"d": 5, "whole": 24}


def test_a_file_that_replaces_one_being_stored_is_not_lost(
    store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = inbox.path / "run.json", Store.add_delivered
    path.write_text(json.dumps(trial(1)))

    def add(self, deliveries):
        if not path.exists():
            path.write_text(json.dumps(trial(2)))
        return real(self, deliveries)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Store, "add_delivered", add)
        assert inbox.drain(store).n_trials == 1
    assert inbox.status().n_waiting == 1
    assert inbox.drain(store).n_trials == 1
    assert store.datasets.all()[0].n_trials == 2


def test_bad_files_are_set_aside_with_the_reason_and_can_be_retried(
    store: Store, inbox: Inbox, no_patience: None
) -> None:
    deliver(inbox.path, [trial(1)])
    (inbox.path / "cut.json").write_text('{"dataset": "d", "met')
    (inbox.path / "text.json").write_text(json.dumps({"dataset": "d", "metrics": {"l2": "n/a"}}))
    (inbox.path / "link.json").symlink_to("/etc/passwd")
    (inbox.path / "x.import").write_bytes(b"hello")
    drained = inbox.drain(store) + inbox.sweep()
    assert drained.n_trials == 1
    bad = dict(inbox.status().bad)
    assert set(bad) == {"cut.json", "text.json", "x.import", "link.json"} == {name for name, _ in drained.bad}
    assert (
        bad["text.json"]
        == "text.json: metric 'l2' is 'n/a', expected a number or null. Leave out what was not measured."
    )
    assert "cut.json line 1 is no whole JSON" in bad["cut.json"]
    assert (inbox.path / "bad" / "text.json.why.txt").read_text().strip() == bad["text.json"]
    (inbox.path / "bad" / "text.json").write_text(json.dumps(trial(3)))
    (inbox.path / "bad" / "link.json").unlink()
    assert inbox.retry() == 3
    assert inbox.drain(store).n_trials == 1
    assert set(dict(inbox.status().bad)) == {"cut.json", "x.import"}


def test_a_file_still_being_written_is_waited_for(store: Store, inbox: Inbox) -> None:
    path = inbox.path / "slow.json"
    whole = json.dumps(trial(1))
    with path.open("w") as slow:
        slow.write(whole[:30])
        slow.flush()
        assert inbox.drain(store) == Drained()
        assert inbox.status() == InboxStatus(inbox.path, 1, ())
        slow.write(whole[30:])
    assert inbox.drain(store).n_trials == 1


def test_names_in_bad_are_never_overwritten(store: Store, inbox: Inbox, no_patience: None) -> None:
    for content in ("{", "[", "["):
        (inbox.path / "run.json").write_text(content)
        inbox.drain(store)
    assert set(dict(inbox.status().bad)) == {"run.json", "run-2.json", "run-3.json"}


@pytest.mark.parametrize("value", [np.int64(3), np.float32(3), np.float64(3), np.longdouble(3), np.uint8(3)])
def test_numbers_of_numpy_are_delivered(store: Store, inbox: Inbox, value: object) -> None:
    deliver(inbox.path, [{"dataset": "d", "metrics": {"m": value}}])
    inbox.drain(store)
    assert list(store.measured("d").column("m")) == [3.0]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (np.bool_(True), "metric 'm' is true, expected a number"),
        (np.ones(2), "cannot be written as JSON: a ndarray is no text"),
        (np.datetime64("2024-05-06"), "a date is no text"),
        ({"value": 1, "unit": "\ud800"}, "half of a surrogate pair"),
        (10**5000, "cannot be written as JSON"),
    ],
    ids=["bool", "array", "date", "surrogate", "digits"],
)
def test_what_cannot_be_delivered_is_named(inbox: Inbox, value: object, sentence: str) -> None:
    with pytest.raises(ReadError, match=sentence):
        deliver(inbox.path, [{"dataset": "d", "metrics": {"m": value}}])
    assert inbox.status().n_waiting == 0


@pytest.mark.parametrize("name", [b"\xff.json", b"x" * 248 + b".json", "é".encode() * 124 + b".json"])
def test_a_bad_file_of_any_name_is_set_aside_and_holds_up_nothing(
    store: Store, inbox: Inbox, no_patience: None, name: bytes
) -> None:
    for n in (1, 2):
        (inbox.path / os.fsdecode(name)).write_text("{")
        deliver(inbox.path, [trial(n)])
        drained = inbox.drain(store)
        assert (drained.n_trials, len(drained.bad)) == (1, 1)
    bad = inbox.status().bad
    assert len(bad) == 2
    assert all(" line 1 is no whole JSON" in why for _, why in bad)
    assert "".join(text for pair in (*bad, *drained.bad) for text in pair).encode()
    assert inbox.retry() == 2


def test_a_good_file_whose_name_is_no_text_is_stored(store: Store, inbox: Inbox) -> None:
    (inbox.path / os.fsdecode(b"\xff.json")).write_text(json.dumps(trial(1)))
    assert inbox.drain(store).n_trials == 1


def test_one_refused_import_does_not_hold_up_the_others(store: Store, inbox: Inbox) -> None:
    store.add("d", an_import())
    other = an_import(seed=1, sha="b")
    values = other.machines.values.copy()
    values[0, 0] = 701.0
    wrong = inbox.send("d", [replace(other, machines=replace(other.machines, values=values))])
    names = [inbox.send("d", [an_import(seed=2 + i, sha=f"c{i}")]) for i in range(4)]
    for i in range(20):
        deliver(inbox.path, [trial(i)])
    drained = inbox.drain(store)
    assert (drained.n_files, drained.n_trials) == (25, 4 * 24 + 20)
    assert inbox.fate(wrong).state == "refused"
    assert "'clock' of machine 'gpu0' is 701 here and 700 in dataset 'd'" in inbox.fate(wrong).why
    assert {inbox.fate(name).state for name in names} == {"stored"}
    assert inbox.fate(names[0]).receipts[0].n_trials == 24
    inbox.forget(wrong)
    assert inbox.status().bad == ()


def test_whole_imports_arrive_as_they_were_sent(store: Store, inbox: Inbox, tmp_path: Path) -> None:
    name = inbox.send("d", [an_import(), an_import(seed=1, sha="b")])
    assert inbox.fate(name).state == "waiting"
    inbox.drain(store)
    fate = inbox.fate(name)
    assert (fate.state, [r.n_trials for r in fate.receipts]) == ("stored", [24, 24])
    with Store.open(tmp_path / "direct.duckdb") as direct:
        direct.add_all("d", [an_import(), an_import(seed=1, sha="b")])
        metrics = ["misses", "width", "work"]
        assert direct.frame("d", "time", metrics).digest() == store.frame("d", "time", metrics).digest()
    again = inbox.send("d", [an_import()])
    inbox.drain(store)
    assert "already imported" in inbox.fate(again).receipts[0].already


def test_only_one_delivery_can_be_taken(store: Store, inbox: Inbox) -> None:
    deliver(inbox.path, [trial(1)])
    name = inbox.send("whole", [an_import()])
    assert inbox.drain(store, only=name).n_trials == 24
    assert inbox.status().n_waiting == 1


def test_a_full_disk_leaves_everything_waiting(store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(5):
        deliver(inbox.path, [trial(i)])
    real = Store.add_delivered

    def full(*_):
        raise DatabaseError("Nothing was stored: the disk is full.")

    monkeypatch.setattr(Store, "add_delivered", full)
    with pytest.raises(DatabaseError):
        inbox.drain(store)
    assert (inbox.status().n_waiting, inbox.status().bad) == (5, ())
    monkeypatch.setattr(Store, "add_delivered", real)
    assert inbox.drain(store).n_trials == 5


def test_a_bug_sets_aside_the_one_file_that_meets_it(
    store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Store.add_delivered

    def add(self, deliveries):
        if any("app1" in d.imported.trials.application for d in deliveries):
            raise ZeroDivisionError("unlucky")
        return real(self, deliveries)

    monkeypatch.setattr(Store, "add_delivered", add)
    for i in range(9):
        deliver(inbox.path, [trial(i)])
    drained = inbox.drain(store)
    assert (drained.n_trials, len(drained.bad)) == (6, 3)
    assert "a bug in Ridgeline (ZeroDivisionError: unlucky)" in drained.bad[0][1]


def test_what_nobody_finished_is_swept(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (".x.json.tmp", "half.tmp", "notes.csv"):
        (inbox.path / name).write_text("x")
    (inbox.path / "done" / "receipt.json").write_text("[]")
    assert inbox.sweep().bad == ()
    assert (inbox.path / "half.tmp").exists()
    monkeypatch.setattr("core.store._mailbox._OLD_S", -1.0)
    ((name, why),) = inbox.sweep().bad
    assert name == "notes.csv"
    assert "does not end in .json" in why
    assert sorted(p.name for p in inbox.path.rglob("*") if p.is_file()) == ["notes.csv", "notes.csv.why.txt"]


def test_delivering_refuses_what_would_be_refused_later(tmp_path: Path) -> None:
    folder = tmp_path / "x.duckdb.inbox"
    with pytest.raises(ReadError, match="metric 'a' is 'b', expected a number"):
        deliver(folder, [{"dataset": "d", "metrics": {"a": "b"}}])
    with pytest.raises(StoreError, match=r"There is no inbox .*elsewhere"):
        deliver(tmp_path / "elsewhere", [trial()])
    path = deliver(folder, [trial()])
    assert path.parent == folder
    assert [p for p in folder.iterdir() if p.is_file()] == [path], "nothing temporary is left"
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_delivery_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "x.inbox"
    Mailbox(folder).make()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"Nothing was delivered to the inbox .*: No space left on device"):
        deliver(folder, [trial()])
    assert [p for p in folder.iterdir() if p.is_file()] == []


def test_a_script_that_delivers_needs_no_database() -> None:
    code = "import sys, core.store.inbox; print({'duckdb', 'pandas', 'pyarrow'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"


def test_the_inbox_is_beside_the_file_that_links_point_to(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert folder_of(tmp_path / "link" / "x.duckdb") == real.resolve() / "x.duckdb.inbox"


def wait_for(condition, seconds: float = 120) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())


@pytest.mark.slow
def test_the_drainer_stores_while_threads_read(store: Store, inbox: Inbox) -> None:
    others = [t for t in threading.enumerate() if t.name == "inbox"]
    drainer = Drainer(store).start()
    try:
        for i in range(6):
            deliver(inbox.path, [trial(i)])
        assert wait_for(lambda: [c.n_trials for c in store.datasets.all()] == [6])
        assert wait_for(lambda: inbox.status().n_waiting == 0)
        assert np.isfinite(store.frame("d", "time_s", ["m0"]).X).all()
    finally:
        drainer.stop()
    deliver(inbox.path, [trial(9)])
    time.sleep(0.05)
    assert inbox.status().n_waiting == 1
    assert [t for t in threading.enumerate() if t.name == "inbox"] == others


def test_trouble_does_not_end_the_drainer(
    store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("core.store.inbox._TROUBLE_S", 0.02)
    drainer, calls = Drainer(store), []
    own = drainer._inbox  # this one's alone: drainers that other tests left running must not share in the calls
    real = own.drain

    def drain(*args, **more):
        calls.append(1)
        if len(calls) <= 3:
            raise DatabaseError("the disk is full")
        if len(calls) == 4:
            raise ZeroDivisionError
        return real(*args, **more)

    monkeypatch.setattr(own, "drain", drain)
    deliver(inbox.path, [trial(1)])
    drainer.start()
    assert wait_for(lambda: [c.n_trials for c in store.datasets.all()] == [1])
    drainer.stop()
    said = [r.message for r in caplog.records]
    assert said.count("the inbox waits: the disk is full") == 1
    assert said.count("the inbox waits because of a bug") == 1
