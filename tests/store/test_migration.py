"""Databases of earlier versions: backed up, brought up to date whole or not at all, every row kept."""

import os
import subprocess
import sys
import uuid
from datetime import datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest

from core.errors import StoreError
from core.store import Store, _schema
from core.trial import Kind, Metric
from tests.made import jobs_of
from tests.store.test_store import an_import

ROOT = Path(__file__).resolve().parents[2]
IDS = [str(uuid.UUID(int=i + 1)) for i in range(3)]
NOW = datetime(2024, 5, 6, 7, 8, 9)


def make_version_1(path: Path) -> None:
    """Write a database as version 1 of the schema did: three trials, one excluded, a model and a job."""
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.4.0"}) as old:
        old.execute((Path(__file__).parent / "version_1.sql").read_text())
        old.execute("INSERT INTO meta VALUES ('made_by', '0.1'), ('schema_version', '1')")
        old.execute("INSERT INTO dataset VALUES (1, 'old', ?)", [NOW])
        old.execute(
            "INSERT INTO source VALUES (1, 1, 'f.csv', 'abc', 'csv', ?, 3, '{\"skipped\": [], \"warnings\": []}')",
            [NOW],
        )
        old.execute("INSERT INTO application VALUES (1, 1, 'gemm')")
        old.execute("INSERT INTO input VALUES (1, 1, 'large')")
        old.execute("INSERT INTO machine VALUES (1, 1, 'gpu0')")
        old.execute(
            "INSERT INTO metric VALUES (1, 1, 'time_s', 'response', 's', 'csv'), (2, 1, 'misses', 'counter', '', 'csv'), (3, 1, 'clock', 'machine', 'MHz', 'csv')"
        )
        for i, id in enumerate(IDS):
            old.execute("INSERT INTO trial VALUES (?, ?, 1, 1, 1, 1, ?, '', 1, ?)", [i + 1, id, i + 1, i])
            old.execute("INSERT INTO measurement VALUES (1, ?, ?), (2, ?, ?)", [i + 1, 0.1 * (i + 1), i + 1, 7.0 + i])
        old.execute("INSERT INTO machine_metric VALUES (3, 1, 1000)")
        old.execute("INSERT INTO exclusion VALUES (2, 'by hand', 'fan was off', ?)", [NOW])
        old.execute(
            "INSERT INTO model VALUES ('m', 'mine', 'old', 'eiger', 'time_s', ?, 3, '{}', '{}', '{\"a\": 1}')", [NOW]
        )
        old.execute("INSERT INTO job VALUES ('j', 'fit', 'long', '{}', 'running', '', '', ?, NULL)", [NOW])


def test_version_1_becomes_todays_with_every_row(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    make_version_1(path)
    with Store.open(path) as store:
        (card,) = store.datasets.all()
        assert (card.n_trials, card.n_excluded, card.n_metrics) == (3, 1, 3)
        assert [source.name for source in store.datasets.sources("old")] == ["f.csv"]
        assert (card.revision, card.created) == (0, NOW)
        frame = store.frame("old", "time_s", ["misses", "clock"])
        assert set(frame.ids) == {IDS[0], IDS[2]}
        assert np.array_equal(frame.X, [[7.0, 1000.0], [9.0, 1000.0]])
        assert [m.original for m in store.metrics("old")] == ["", "", ""]
        (why,) = store.curation.exclusions("old")
        assert (why.trial, why.rule, why.reason, why.at) == (IDS[1], "by hand", "fan was off", NOW)
        assert store.curation.audit("old") == ()
        assert store.models.get("m") == b'{"a": 1}'
        assert jobs_of(store)[0][2] == "interrupted"
    (copy,) = (tmp_path / "backups").glob("*.duckdb")
    with duckdb.connect(str(copy)) as before:
        assert before.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchall() == [("1",)]
        assert before.execute("SELECT count(*) FROM measurement").fetchall() == [(6,)]


def test_a_migrated_database_does_all_that_a_new_one_does(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    make_version_1(path)
    with Store.open(path) as store:
        store.curation.exclude("old", IDS[:2], "mad", "far out")
        store.curation.include("old", IDS[:2], rule="mad")
        store.curation.apply("old", "r", {IDS[0]: "why"}, {"misses": "constant"}, [(Metric("spread"), {IDS[0]: 0.5})])
        store.machines.set("old", "gpu0", {Metric("clock", Kind.MACHINE, "MHz"): 700.0})
        store.add("old", an_import())
        assert store.datasets.all()[0].n_trials == 27
        assert len(store.curation.audit("old")) == 4
    with Store.open(path) as store:
        assert store.datasets.all()[0].n_excluded == 2
        assert len(list((tmp_path / "backups").glob("*.duckdb"))) == 1
        store.races.keep("old", "r", "ols", 0, {"entry": "ols"})
        assert store.races.runs("r") == ({"entry": "ols"},)
        store.experiments.keep("old", "e", "sweep", 1, "")
        store.experiments.keep_results("old", [("fit", {"seconds": 1.0})])
        assert (len(store.experiments.all()), store.experiments.results(["fit"])) == (1, {"fit": {"seconds": 1.0}})


def test_new_and_migrated_databases_have_the_same_tables(tmp_path: Path) -> None:
    make_version_1(tmp_path / "old.duckdb")
    found = []
    for name in ("old", "new"):
        with Store.open(tmp_path / f"{name}.duckdb") as store, store._connection.reading() as cursor:
            columns = cursor.execute(
                "SELECT table_name, column_name, data_type, is_nullable, column_default FROM duckdb_columns() "
                "WHERE NOT internal ORDER BY table_name, column_index"
            ).fetchall()
            found.append(columns)
    assert found[0] == found[1]
    assert len(found[0]) > 60


KILLED = """
import os, sys, pathlib
from core.store import _schema
from core.store._connection import Connection
path = pathlib.Path(sys.argv[1])
connection = Connection(path, path.parent / "backups")
connection.write(lambda cursor: _schema._advance(cursor, 1))
os._exit(9)
"""


def test_a_process_that_ends_right_after_the_migration_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    make_version_1(path)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert ended.returncode == 9
    assert Path(f"{path}.wal").stat().st_size > 0, "nothing was left to be replayed"
    with Store.open(path) as store:
        assert len(store.frame("old", "time_s", ["misses"])) == 2
        store.curation.exclude("old", IDS[:1], "r", "why")
        assert store.datasets.all()[0].n_excluded == 2


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.duckdb"
    make_version_1(path)
    read = _schema._sql
    monkeypatch.setattr(_schema, "_sql", lambda name: f"{read(name)}; ALTER TABLE nowhere ADD COLUMN x INTEGER;")
    with pytest.raises(StoreError, match="could not do that"):
        Store.open(path)
    monkeypatch.undo()
    with Store.open(path) as store:
        assert store.datasets.all()[0].n_trials == 3
