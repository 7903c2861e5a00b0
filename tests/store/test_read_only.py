"""A database where nobody may write: looked at by the verbs and pages that only read, and left as it is."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.cli import main
from core.errors import StoreError
from core.store import OwnedError, Store, _connection
from tests.conftest import machine_frame
from tests.store.test_store import an_import

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that all may look into, with a database of one dataset and a change that is in the log alone."""
    folder = Path(tempfile.mkdtemp(prefix="ridgeline-place-"))
    store = Store.open(folder / "x.duckdb")
    store.add("d", an_import())
    store.close()
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be a user whom permissions hold, if this is root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def looked_at(store: Store) -> tuple[object, ...]:
    return (
        store.datasets.all(),
        store.metrics("d"),
        store.labels("d"),
        store.datasets.sources("d"),
        store.trials("d").to_csv(),
        store.measured("d").ids,
    )


def test_all_of_it_can_be_read_and_nothing_changes(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "copy", copy_function=shutil.copyfile)
    (tmp_path / "copy").chmod(0o755)
    with Store.open(tmp_path / "copy" / "x.duckdb") as store:
        expected = looked_at(store)
        assert not store.read_only
    before = contents(place)
    with as_nobody(), Store.open(place / "x.duckdb") as store:
        assert store.read_only
        assert looked_at(store) == expected
        for change in (
            lambda: store.add("e", an_import(seed=2, sha="e")),
            lambda: store.datasets.rename("d", "e"),
            store.backup,
        ):
            with pytest.raises(StoreError, match=r"can only be read here: nothing is stored\. Copy it"):
                change()
    assert contents(place) == before


def test_a_file_that_may_not_be_written_is_enough(place: Path) -> None:
    place.chmod(0o777)
    with as_nobody(), Store.open(place / "x.duckdb") as store:
        assert store.read_only
        assert len(store.trials("d"))


def test_an_owner_elsewhere_is_named(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "y.duckdb"):
        monkeypatch.setattr(_connection, "may_write", lambda path: False)
        with pytest.raises(OwnedError, match=f"in use by process {os.getpid()}"):
            Store.open(tmp_path / "y.duckdb")


def test_verbs_that_read_say_so_and_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = machine_frame()
    lines = ["application,machine,a,b,time (s)"]
    for i in range(len(frame)):
        lines.append(
            f"{frame.labels['application'][i]},{frame.labels['machine'][i]},{frame.X[i, 0]},{frame.X[i, 1]},{frame.y[i]}"
        )
    (tmp_path / "t.csv").write_text("\n".join(lines))
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "x.duckdb"))
    assert main(["import", str(tmp_path / "t.csv"), "--dataset", "d"]) == 0
    monkeypatch.setattr(_connection, "may_write", lambda path: False)
    before = contents(tmp_path)
    for words in ("datasets", "curate --dataset d", "validate ols --dataset d --response time --folds kfold:3"):
        capsys.readouterr()
        assert main(words.split()) == 0, words
        assert "can only be read here" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "t.csv"), "--dataset", "e"]) == 2
    assert "nothing is stored" in capsys.readouterr().err
    assert contents(tmp_path) == before
