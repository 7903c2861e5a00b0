"""Eiger's SQLite databases: what they say, and what a hostile one cannot do."""

import gzip
import random
import sqlite3
import struct
import time

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import READERS, SourceFile, find_reader
from core.ingest.joining.merge import per_trial
from core.ingest.readers.eiger_database import EigerDatabase
from core.trial import Import, Kind, Metric, Skipped
from tests.ingest.eiger_files import SCHEMA, database, experiment, sqlite_dump, table

FEW = """
INSERT INTO datacollections VALUES (1, 'first', '', NULL), (2, 'second', '', NULL);
INSERT INTO applications VALUES (1, 'fft', 'one'), (2, 'gemm', 'two');
INSERT INTO datasets VALUES (1, 1, 'small', '', '', ''), (2, 1, 'large', '', '', ''), (3, 2, 'all', '', '', '');
INSERT INTO machines VALUES (1, 'K20', ''), (2, 'C2050', '');
INSERT INTO metrics VALUES (1, 'deterministic', 'flops', ''), (2, 'nondeterministic', 'time_us', 'kernel time'),
    (3, 'nondeterministic', 'misses', ''), (4, 'machine', 'cores', ''), (5, NULL, 'never', '');
INSERT INTO trials VALUES (4, 1, 1, 1, 1), (7, 1, 2, 1, 2), (9, 1, 2, 2, NULL);
INSERT INTO deterministic_metrics VALUES (1, 1, 64.5), (2, 1, 512.25);
INSERT INTO machine_metrics VALUES (1, 4, 13), (2, 4, 14);
INSERT INTO nondeterministic_metrics VALUES (4, 2, 0.1), (4, 3, 17.0), (7, 2, 0.2), (7, 3, NULL), (9, 2, 0.3);
"""


def made(sql: str, schema: str = SCHEMA, setting: str = "") -> bytes:
    opened = sqlite3.connect(":memory:")
    opened.executescript(f"{setting}; {schema} {sql}")
    opened.commit()
    return opened.serialize()


def read(raw: bytes, name: str = "trials.db") -> Import:
    return EigerDatabase().read(SourceFile(name, raw))


def refusal(raw: bytes) -> str:
    began = time.process_time()
    with pytest.raises(ReadError) as caught:
        read(raw)
    assert time.process_time() - began < 1.5
    return str(caught.value)


def test_each_table_says_what_its_metrics_belong_to() -> None:
    found = read(made(FEW))
    assert found.trials.application == ("fft", "fft", "gemm")
    assert found.trials.input == ("small", "large", "")
    assert found.trials.machine == ("K20", "C2050", "C2050")
    assert found.trials.where == ("trial 4", "trial 7", "trial 9")
    assert found.trials.metrics == (Metric("time_us", Kind.RESPONSE, "us"), Metric("misses", Kind.COUNTER))
    np.testing.assert_array_equal(found.trials.values, [[0.1, 17.0], [0.2, np.nan], [0.3, np.nan]])
    assert found.inputs is not None
    assert found.inputs.keys == (("fft", "small"), ("fft", "large"))
    assert found.inputs.values.tolist() == [[64.5], [512.25]]
    assert found.machines is not None
    assert (found.machines.metrics, found.machines.values.tolist()) == ((Metric("cores", Kind.MACHINE),), [[13], [14]])
    assert found.trials.labels == {"dataset": ("small", "large", "")}
    assert found.warnings == ("trials.db: metrics without any value, left out: 'never'.",)
    assert (found.format, found.skipped) == ("eiger_database", ())


def test_the_data_collection_is_a_label_where_there_are_several() -> None:
    found = read(made(FEW + "UPDATE trials SET dataCollectionID = 2 WHERE ID = 9;"))
    assert found.trials.labels == {"dataset": ("small", "large", ""), "data collection": ("first", "first", "second")}


def test_references_to_nothing_are_skipped_with_the_reason() -> None:
    broken = """
    INSERT INTO trials VALUES (11, 1, 1, 8, 1), (12, 1, 77, 1, 1), (13, 1, 1, 1, 66), (14, 55, 1, 1, 1);
    INSERT INTO nondeterministic_metrics VALUES (12, 2, 5.0), (99, 2, 1.0), (99, 3, 1.0), (4, 42, 1.0), (NULL, 2, 1.0);
    INSERT INTO deterministic_metrics VALUES (3, 1, 1.0), (70, 1, 1.0);
    INSERT INTO machine_metrics VALUES (80, 4, 1.0);
    """
    found = read(made(FEW + broken))
    assert len(found.trials) == 3
    assert set(found.skipped) == {
        Skipped("trial 11", "its application '8' is not there"),
        Skipped("trial 12", "its machine '77' is not there"),
        Skipped("trial 13", "its dataset '66' is not there"),
        Skipped("trial 14", "its data collection '55' is not there"),
        Skipped("table 'nondeterministic_metrics'", "2 values of no known metric or trial"),
        Skipped("table 'nondeterministic_metrics'", "1 value of trial 12, left out"),
        Skipped("table 'nondeterministic_metrics'", "2 values of trial 99, left out"),
        Skipped("table 'deterministic_metrics'", "2 values of datasets without trials"),
        Skipped("table 'machine_metrics'", "1 value of machines that are not there"),
    }


def test_many_references_to_nothing_are_counted() -> None:
    rows = ",".join(f"({k}, 1, 77, 1, 1)" for k in range(100, 400))
    found = read(made(f"{FEW} INSERT INTO trials VALUES {rows};"))
    assert len(found.skipped) == 101
    assert found.skipped[-1] == Skipped("further", "200 more like these")


def test_of_values_said_again_the_last_counts_as_in_eiger() -> None:
    again = """
    INSERT INTO nondeterministic_metrics VALUES (4, 2, 0.7), (4, 3, 17.0);
    INSERT INTO deterministic_metrics VALUES (1, 1, 64.5);
    """
    found = read(made(FEW + again))
    assert found.trials.values[0].tolist() == [0.7, 17.0]
    assert found.warnings[0] == (
        "trials.db: table 'nondeterministic_metrics' says 'time_us' 1 times again with another value; "
        "the last one counts, as in Eiger."
    )
    assert len(found.warnings) == 2


def test_a_metric_in_two_tables_is_two_metrics() -> None:
    found = read(
        made(
            FEW
            + "INSERT INTO deterministic_metrics VALUES (1, 3, 5.0); INSERT INTO machine_metrics VALUES (1, 3, 6.0);"
        )
    )
    kinds = {metric.name: metric.kind for metric, _ in per_trial(found).values()}
    assert kinds["misses"] is Kind.COUNTER
    assert kinds["misses [input]"] is Kind.DETERMINISTIC
    assert kinds["misses [machine]"] is Kind.MACHINE


def test_what_has_no_name_is_called_by_its_id() -> None:
    found = read(
        made(FEW + "UPDATE applications SET name = NULL WHERE ID = 2; UPDATE machines SET name = ' ' WHERE ID = 1;")
    )
    assert found.trials.application[-1] == "application 2"
    assert found.trials.machine[0] == "machine 1"


def test_versions_with_executions_give_a_trial_for_each() -> None:
    schema = SCHEMA.replace("nondeterministic_metrics(trialID", "nondeterministic_metrics(executionID")
    schema += "CREATE TABLE executions(ID INTEGER PRIMARY KEY, machineID INTEGER, trialID INTEGER);"
    sql = (
        FEW.replace(
            "INSERT INTO nondeterministic_metrics VALUES", "INSERT INTO nondeterministic_metrics SELECT * FROM (VALUES"
        )
        .rstrip()
        .rstrip(";")
    )
    sql += "); INSERT INTO executions VALUES (4, NULL, 4), (7, 1, 4), (9, NULL, 7), (10, NULL, 70), (11, 70, 4);"
    found = read(made(sql, schema))
    assert found.trials.where == ("execution 4", "execution 7", "execution 9")
    assert found.trials.input == ("small", "small", "large")
    assert found.trials.machine == ("K20", "K20", "C2050")
    assert found.trials.values[:, 0].tolist() == [0.1, 0.2, 0.3]
    assert found.skipped == (
        Skipped("execution 10", "its trial '70' is not there"),
        Skipped("execution 11", "its machine '70' is not there"),
        Skipped("trial 9", "it was never executed"),
    )


def test_stored_models_are_left_out_and_told() -> None:
    found = read(made(FEW + "INSERT INTO models VALUES (1, 'a model', NULL, NULL, X'00ff');"))
    assert "trials.db: 1 row of table 'models', left out." in found.warnings


@pytest.mark.parametrize(
    "setting", ["", "PRAGMA encoding='UTF-16le'", "PRAGMA encoding='UTF-16be'", "PRAGMA page_size=512"]
)
def test_it_is_found_by_content_in_any_encoding_and_packed(setting: str) -> None:
    raw = made(FEW, setting=setting)
    for content in (raw, gzip.compress(raw, mtime=0)):
        reader = find_reader(SourceFile("measurements.csv", content))
        assert isinstance(reader, EigerDatabase)
        assert reader.read(SourceFile("m", content)).trials.input == ("small", "large", "")


def test_a_database_in_write_ahead_mode_is_read_with_a_warning() -> None:
    raw = bytearray(made(FEW))
    raw[18:20] = b"\x02\x02"
    found = read(bytes(raw))
    assert len(found.trials) == 3
    assert "trials.db-wal" in found.warnings[0]


def test_other_databases_and_files_are_none_of_eigers() -> None:
    other = made("", schema="CREATE TABLE runs(x)")
    assert not EigerDatabase().sniff(other)
    with pytest.raises(ReadError, match="an SQLite database"):
        find_reader(SourceFile("x.db", other)).read(SourceFile("x.db", other))
    assert refusal(other).startswith("trials.db has no table 'applications', so it is no database of Eiger's.")
    assert refusal(b"a,b\n1,2\n").startswith("trials.db is no SQLite database")
    assert not EigerDatabase().sniff(sqlite_dump(experiment()).encode())
    assert not EigerDatabase().sniff(table(experiment()).encode())


def test_no_other_reader_claims_a_database() -> None:
    raw = database(experiment())
    assert [name for name, cls in READERS.items() if cls().sniff(raw[: 2**20])] == ["eiger_database"]


def test_a_database_without_trials_says_so() -> None:
    assert refusal(made("")) == "trials.db holds no trials of Eiger's."
    lonely = made(FEW + "DELETE FROM machines;")
    assert refusal(lonely) == "trials.db holds no trials of Eiger's: trial 4: its machine '1' is not there."


WITHOUT_TRIALS = SCHEMA.replace("CREATE TABLE trials(", "CREATE TABLE other(").replace("ON trials(", "ON other(")
COLUMNS = "1 AS ID, 1 AS dataCollectionID, 1 AS machineID, 1 AS applicationID, 1 AS datasetID"
ENDLESS = f"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {COLUMNS} FROM c"
HOSTILE = {
    "a view in a table's place": (
        lambda: made(f"CREATE VIEW trials AS SELECT {COLUMNS};", WITHOUT_TRIALS),
        "'trials' is a view or a virtual table",
    ),
    "an endless view": (
        lambda: made(f"CREATE VIEW trials AS {ENDLESS};", WITHOUT_TRIALS),
        "'trials' is a view or a virtual table",
    ),
    "a virtual table": (
        lambda: made("CREATE VIRTUAL TABLE trials USING fts5(ID, machineID);", WITHOUT_TRIALS),
        "'trials' is a view or a virtual table",
    ),
    "a computed column": (
        lambda: made(
            "CREATE TABLE trials(ID INTEGER, dataCollectionID, applicationID, datasetID);"
            "INSERT INTO trials(ID) VALUES (1);"  # before the column: to insert would compute it
            "ALTER TABLE trials ADD COLUMN machineID AS (hex(zeroblob(400000000)));",
            WITHOUT_TRIALS,
        ),
        "has no column 'machineID' in its table 'trials'",
    ),
    "words in a column of numbers": (
        lambda: made(FEW + "INSERT INTO nondeterministic_metrics VALUES (9, 3, 'fast');"),
        "trials.db: metric 'misses' of trial 9 is 'fast', expected a finite number. Correct the row.",
    ),
    "raw bytes in a column of numbers": (
        lambda: made(FEW + "INSERT INTO machine_metrics VALUES (1, 4, X'ff00');"),
        "no UTF-8",
    ),
    "an infinite number": (
        lambda: made(FEW + "UPDATE machine_metrics SET metric = 9e999;"),
        "metric 'cores' of machine 1 is 'inf'",
    ),
    "a name that is no text": (
        lambda: made(FEW + "UPDATE machines SET name = X'c3' WHERE ID = 1;"),
        "table 'machines' holds a text that is no UTF-8",
    ),
    "an endless name": (
        lambda: made(FEW + "UPDATE machines SET name = hex(zeroblob(900000)) WHERE ID = 1;"),
        "a text of more than 1 MiB",
    ),
    "cut in half": (lambda: made(FEW)[:40_000], "is cut off: it has 40,000 bytes of"),
    "the first page alone": (lambda: made(FEW)[:4096], "is cut off: it has 4,096 bytes of"),
    "the first words alone": (lambda: made(FEW)[:50], "is no SQLite database"),
    "zeros after the header": (lambda: made(FEW)[:100] + bytes(len(made(FEW)) - 100), "is damaged"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_database_is_refused_at_once(case: str) -> None:
    make, expected = HOSTILE[case]
    said = refusal(make())
    assert expected in said
    assert said.startswith("trials.db")
    assert "\n" not in said


def test_views_and_triggers_beside_the_tables_are_never_run() -> None:
    beside = (
        f"CREATE VIEW everything AS {ENDLESS}; CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END;"
    )
    assert read(made(beside + FEW.replace("INSERT INTO trials", "DROP TRIGGER t; INSERT INTO trials"))).skipped == ()


def test_a_schema_of_hundreds_of_thousands_of_views_is_refused_at_once() -> None:
    opened = sqlite3.connect(":memory:")
    opened.executescript(f"{SCHEMA} PRAGMA writable_schema=ON;")
    many = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 150000) INSERT INTO sqlite_master "
    opened.execute(f"{many} SELECT 'view', 'v' || x, 'v' || x, 0, 'CREATE VIEW v' || x || ' AS SELECT 1' FROM c")
    opened.commit()
    assert "takes too long to read" in refusal(opened.serialize())


def test_a_tree_of_pages_that_lead_to_one_page_gives_no_endless_rows() -> None:
    raw = bytearray(made(FEW, setting="PRAGMA page_size=512"))
    opened = sqlite3.connect(":memory:")
    opened.deserialize(bytes(raw))
    root = opened.execute("SELECT rootpage FROM sqlite_master WHERE name = 'nondeterministic_metrics'").fetchone()[0]
    n_pages = len(raw) // 512
    leaf = bytes(raw[(root - 1) * 512 : root * 512])
    raw[(root - 1) * 512 : root * 512] = interior(n_pages + 1)
    for page in range(n_pages + 1, n_pages + 6):
        raw += interior(page + 1)
    raw += leaf
    raw[28:32] = struct.pack(">I", len(raw) // 512)
    assert refusal(bytes(raw)) == "trials.db is damaged: it seems to hold more rows than fit into it."


def interior(child: int, n: int = 40) -> bytes:
    """A page of 512 bytes with n pointers to one child page."""
    cells = b"".join(struct.pack(">I", child) + bytes([k]) for k in range(n))
    start = 512 - len(cells)
    head = struct.pack(">BHHHBI", 5, 0, n, start, 0, child)
    pointers = b"".join(struct.pack(">H", start + 5 * k) for k in range(n))
    return (head + pointers).ljust(start, b"\x00") + cells


@pytest.mark.parametrize("seed", range(3))
def test_flipped_bytes_give_trials_or_one_sentence(seed: int) -> None:
    rng = random.Random(seed)
    good = made(FEW, setting="PRAGMA page_size=1024")
    outcomes = {"read": 0, "refused": 0}
    for _ in range(120):
        raw = bytearray(good)
        for _ in range(rng.choice((1, 5, 50))):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        try:
            assert len(read(bytes(raw)).trials) > 0
            outcomes["read"] += 1
        except ReadError as error:
            assert str(error).startswith("trials.db")
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0
