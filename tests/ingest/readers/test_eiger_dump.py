"""Dumps of Eiger's databases: MySQL's and SQLite's ways of writing, statements that are no rows, dumps that break off."""

import contextlib
import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import READERS, SourceFile, find_reader
from core.ingest.readers._builder import Builder
from core.ingest.readers.eiger_dump import Dump, EigerDump
from core.trial import Import, Kind, Metric, Skipped
from tests.ingest.eiger_files import SCHEMA, experiment, log, mysql_dump, sqlite_dump, table

TABLES = """
CREATE TABLE applications(ID int, name text, description text);
CREATE TABLE datasets(ID int, applicationID int, name text);
CREATE TABLE machines(ID int, name text);
CREATE TABLE metrics(ID int, type text, name text);
CREATE TABLE trials(ID int, dataCollectionID int, machineID int, applicationID int, datasetID int);
CREATE TABLE deterministic_metrics(datasetID int, metricID int, metric real);
CREATE TABLE nondeterministic_metrics(trialID int, metricID int, metric real);
"""
ROWS = """
INSERT INTO applications VALUES (1, 'fft', '');
INSERT INTO datasets VALUES (1, 1, 'small');
INSERT INTO machines VALUES (1, 'K20');
INSERT INTO metrics VALUES (1, 'nondeterministic', 'time');
INSERT INTO trials VALUES (1, NULL, 1, 1, 1), (2, NULL, 1, 1, 1);
INSERT INTO nondeterministic_metrics VALUES (1, 1, 0.5), (2, 1, 0.25);
"""


def read(text: str | bytes, name: str = "eiger.sql") -> Import:
    return EigerDump().read(SourceFile(name, text if isinstance(text, bytes) else text.encode()))


def rows(text: str, columns: str = "x") -> list[tuple[object, ...]]:
    dump = Dump(Builder("d.sql", "", "eiger_dump"), f"CREATE TABLE t ({columns});\n{text}", ["t"])
    assert dump.builder.skipped == []
    return list(dump.rows["t"])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("'it''s'", "it's"),
        ("'a\\nb'", "a\\nb"),
        ("'\\'", "\\"),
        ("''", ""),
        ("NULL", None),
        ("null", None),
        ("-5", -5),
        ("+5", 5),
        ("1.5e-3", 0.0015),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("TRUE", 1),
        ("X'4142'", b"AB"),
        ("x''", b""),
        ("replace('a\\nb','\\n',char(10))", "a\nb"),
        ("unistr('a\\u000ab\\\\')", "a\nb\\"),
        ("replace(replace('a\\r\\n','\\r',char(13)),'\\n',char(10))", "a\r\n"),
        ("CAST(X'c3b6' AS TEXT)", "ö"),
        ("'(1),(2);'", "(1),(2);"),
        ("'-- no comment'", "-- no comment"),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_values_as_sqlite_writes_them(written: str, meant: object) -> None:
    assert rows(f"BEGIN TRANSACTION;\nINSERT INTO t VALUES({written});") == [(meant,)]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("'it\\'s'", "it's"),
        ("'it''s'", "it's"),
        ("'a\\nb\\tc\\r\\0'", "a\nb\tc\r\0"),
        ("'\\\\'", "\\"),
        ("'\\\\n'", "\\n"),
        ("'a\\%b\\_'", "a\\%b\\_"),
        ("'\\q'", "q"),
        ("_utf8mb4'x'", "x"),
        ("_binary 'x'", "x"),
        ("N'x'", "x"),
        ("0x4142", b"AB"),
        ("0x1ff", b"\x01\xff"),
        ("'a' 'b'\n'c'", "abc"),
        ("\"say 'hi'\"", "say 'hi'"),
        ("DEFAULT", None),
        ("'\\Z'", "\x1a"),
        ("'two\nlines'", "two\nlines"),
    ],
)
def test_values_as_mysql_writes_them(written: str, meant: object) -> None:
    assert rows(f"/*!40101 SET NAMES utf8 */;\nINSERT INTO `t` VALUES ({written});") == [(meant,)]


def test_statements_may_hold_rows_in_many_ways() -> None:
    text = """
    INSERT INTO t VALUES (1,'a'),(2,'b');
    INSERT INTO "t" ("y", "x") VALUES ('c', 3);
    INSERT IGNORE INTO `t` (x) VALUES (4)
    , (5) ON DUPLICATE KEY UPDATE x = 9;
    insert or replace into main.t values (6, /* six */ 'f'); -- ; INSERT INTO t VALUES (7,'g')
    # INSERT INTO t VALUES (8,'h');
    REPLACE INTO [t] VALUES (9,
        'i'
    );
    INSERT INTO other VALUES (1);
    """
    assert rows(text, "x int PRIMARY KEY, y enum('a','b') DEFAULT 'a', KEY `k` (`x`), UNIQUE (y)") == [
        (1, "a"),
        (2, "b"),
        (3, "c"),
        (4, None),
        (5, None),
        (6, "f"),
        (9, "i"),
    ]


def test_triggers_and_views_insert_nothing() -> None:
    text = """
    CREATE TRIGGER z AFTER INSERT ON t BEGIN
      INSERT INTO t VALUES (10); SELECT CASE WHEN 1 THEN 2 ELSE 3 END; INSERT INTO t VALUES (11);
    END;
    CREATE VIEW v AS SELECT 1;
    INSERT INTO t VALUES (1);
    """
    assert rows(text) == [(1,)]


def test_statements_that_are_no_rows_are_told() -> None:
    text = "CREATE TABLE t(x);\nINSERT INTO t SELECT 1;\nDELETE FROM t;\nUPDATE t SET x = 1;\nINSERT INTO t VALUES (random()), (2);"
    dump = Dump(Builder("d.sql", "", "eiger_dump"), text, ["t"])
    assert dump.rows["t"] == [(2,)]
    assert dump.builder.skipped == [
        Skipped("line 2", "a statement on 't' that holds no plain rows"),
        Skipped("line 3", "DELETE of 't': only rows that are inserted are read"),
        Skipped("line 4", "UPDATE of 't': only rows that are inserted are read"),
        Skipped("line 5", "a row of 't' with more than plain values: (random())"),
    ]


def test_mysqls_dump_of_version_2() -> None:
    found = read(mysql_dump(experiment()))
    assert (len(found.trials), found.format, found.warnings, found.skipped) == (24, "eiger_dump", (), ())
    assert found.trials.where[3] == "execution 4"
    assert set(found.trials.application) == {"fft", 'it\'s "gemm"\\n<float>'}
    assert "Größe 9" in found.trials.machine
    assert found.trials.metrics[0] == Metric("time", Kind.RESPONSE)


def test_a_metric_of_type_result_is_a_response_whatever_its_name() -> None:
    found = read(TABLES + ROWS.replace("'nondeterministic', 'time'", "'result', 'score'"))
    assert found.trials.metrics == (Metric("score", Kind.RESPONSE),)


def test_a_trial_with_several_executions_is_several_trials() -> None:
    text = TABLES.replace("(trialID", "(executionID") + ROWS
    text += "CREATE TABLE executions(ID int, machineID int, trialID int); INSERT INTO executions VALUES (1, 1, 2), (2, 1, 2);"
    found = read(text)
    assert found.trials.values[:, 0].tolist() == [0.5, 0.25]
    assert found.trials.where == ("execution 1", "execution 2")
    assert found.skipped == (Skipped("trial 1", "it was never executed"),)


def test_sqlites_dump() -> None:
    found = read(sqlite_dump(experiment()))
    assert (len(found.trials), found.warnings, found.skipped) == (24, (), ())
    assert found.trials.where[3] == "trial 4"


def test_numbers_of_sqlites_dump_are_the_databases_to_the_last_bit() -> None:
    # SQLite (before 3.47) writes 48937.274829344096 so, since it reads that as the same number.
    value = 48937.274829344096
    made = experiment()
    made.rows["machine_metrics"][0] = (*made.rows["machine_metrics"][0][:2], value)
    found = read(sqlite_dump(made)).machines
    assert found is not None
    assert found.values[0, 0] == value


def test_datasets_of_one_name_are_one_input_unless_their_metrics_differ() -> None:
    same = "INSERT INTO datasets VALUES (2, 1, 'small'); INSERT INTO trials VALUES (3, NULL, 1, 1, 2);"
    same += "INSERT INTO metrics VALUES (2, 'deterministic', 'flops');"
    alike = read(TABLES + ROWS + same + "INSERT INTO deterministic_metrics VALUES (1, 2, 7.0), (2, 2, 7.0);")
    assert set(alike.trials.input) == {"small"}
    other = read(TABLES + ROWS + same + "INSERT INTO deterministic_metrics VALUES (1, 2, 7.0), (2, 2, 8.0);")
    assert other.trials.input == ("small #1", "small #1", "small #2")
    assert "2 datasets are called 'small' and have different metrics" in other.warnings[0]


def test_a_trial_of_another_application_than_its_dataset() -> None:
    text = (
        TABLES
        + ROWS
        + "INSERT INTO applications VALUES (2, 'gemm', ''); INSERT INTO trials VALUES (3, NULL, 1, 2, 1), (4, NULL, 1, NULL, 1);"
    )
    text += "INSERT INTO metrics VALUES (2, 'deterministic', 'flops'); INSERT INTO deterministic_metrics VALUES (1, 2, 7.0);"
    found = read(text)
    assert found.trials.application == ("fft", "fft", "gemm", "fft")
    assert found.inputs is not None
    assert found.inputs.keys == (("fft", "small"), ("gemm", "small"))
    assert found.warnings[0].startswith("eiger.sql: 1 trials name another application than their dataset does")


@pytest.mark.parametrize("form", [mysql_dump, sqlite_dump])
def test_it_is_found_by_content_packed_or_not(form: object) -> None:
    text = form(experiment()).encode()
    for raw in (text, gzip.compress(text, mtime=0), text.decode().encode("utf-16")):
        assert isinstance(find_reader(SourceFile("x.csv", raw)), EigerDump)


@pytest.mark.parametrize(
    "text",
    [
        log(experiment()),
        table(experiment()),
        "CREATE TABLE runs (x);\nINSERT INTO runs VALUES (1);\n",
        "note: INSERT INTO machine_metrics VALUES (1)\na,b\n1,2\n",
        "-- MySQL dump 10.13\nCREATE TABLE `trials` (`ID` int);\n",
    ],
    ids=["log", "table", "other tables", "talk", "one table alike"],
)
def test_other_files_are_not_taken_for_dumps(text: str) -> None:
    assert not EigerDump().sniff(text.encode())


@pytest.mark.parametrize("text", [mysql_dump(experiment()), sqlite_dump(experiment())], ids=["mysql", "sqlite"])
def test_no_other_reader_claims_a_dump(text: str) -> None:
    assert [name for name, cls in READERS.items() if name != "csv" and cls().sniff(text.encode()[:3000])] == [
        "eiger_dump"
    ]


REFUSED = {
    "a schema alone": (SCHEMA, "eiger.sql holds Eiger's tables and no trials. Dump a database that has some."),
    "some tables alone": (
        TABLES.replace("trials(", "runs("),
        "has no table 'trials', so it is no whole dump of an Eiger database",
    ),
    "columns not said": (ROWS, "eiger.sql line 2: the dump does not say the columns of 'applications'."),
    "too few values": (
        TABLES + ROWS + "INSERT INTO machines VALUES (3);",
        "a row of 'machines' has 1 values for 2 columns (id, name)",
    ),
    "a column missing": (
        TABLES.replace("name text, description", "title text, description") + ROWS,
        "no column 'name' in its table 'applications'",
    ),
    "two databases": (
        f"USE `a`;\n{TABLES}{ROWS}\nUSE `b`;\nINSERT INTO machines VALUES (2, 'x');",
        "holds the databases 'a' and 'b'",
    ),
    "two databases, not said": (
        TABLES + ROWS + "INSERT INTO machines VALUES (1, 'other');",
        "table 'machines' has the id 1 twice, with different rows",
    ),
    "no id": (
        TABLES + ROWS + "INSERT INTO machines VALUES (NULL, 'other');",
        "table 'machines' has the id NULL, expected a whole number",
    ),
    "a word as a value": (
        TABLES + ROWS + "INSERT INTO nondeterministic_metrics VALUES (2, 1, 'slow');",
        "metric 'time' of trial 2 is 'slow', expected a finite number",
    ),
    "infinity": (
        TABLES + ROWS + "INSERT INTO nondeterministic_metrics VALUES (2, 1, 1e999);",
        "metric 'time' of trial 2 is 'inf', expected a finite number",
    ),
    "broken off before the trials": (
        mysql_dump(experiment()).partition("INSERT INTO `trials`")[0] + "INSERT INTO `trials` VALUES (1,",
        "holds Eiger's tables and no trials. line",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_whole_dump_is_refused(case: str) -> None:
    text, expected = REFUSED[case]
    with pytest.raises(ReadError) as caught:
        read(text)
    assert expected in str(caught.value)
    assert str(caught.value).startswith("eiger.sql")


def test_of_a_dump_that_breaks_off_the_whole_rows_are_taken() -> None:
    whole = mysql_dump(experiment())
    start = whole.index("INSERT INTO `trials`")
    found = read(whole[: start + 120])
    assert 2 < len(found.trials) < 10
    line = whole[:start].count("\n") + 1
    n = len(found.trials)
    assert found.skipped[0] == Skipped(
        f"line {line}", f"the dump breaks off in the rows of 'trials' that begin here; {n} are whole"
    )
    assert found.warnings[0] == "eiger.sql: does not end with 'Dump completed'; it may be cut off."
    cut = sqlite_dump(experiment()).partition("COMMIT")[0]
    assert read(cut).warnings == ("eiger.sql: does not end with COMMIT; it may be cut off.",)
    assert "ROLLBACK" in read(cut + "ROLLBACK; -- due to errors\n").warnings[0]


@pytest.mark.parametrize("form", [mysql_dump, sqlite_dump])
def test_wherever_a_dump_is_cut_or_damaged_it_ends_in_trials_or_one_sentence(form: object) -> None:
    text = form(experiment())
    whole = read(text)
    known = dict(zip(whole.trials.where, whole.trials.values.tolist(), strict=True))
    rng = random.Random(5)
    for _ in range(60):
        with contextlib.suppress(ReadError):
            found = read(text[: rng.randrange(len(text))])
            for where, row in zip(found.trials.where, found.trials.values, strict=True):
                assert not set(row[~np.isnan(row)].tolist()) - set(known[where])
    for _ in range(60):
        damaged = list(text)
        for _ in range(rng.choice((1, 8))):
            damaged[rng.randrange(len(text))] = rng.choice("'\"`\\;(),x0-/*#\n")
        with contextlib.suppress(ReadError):
            read("".join(damaged))


def test_eigers_own_example(real_data: Path) -> None:
    path = real_data / "formats/eiger_lwperf/database_dump.sql"
    found = find_reader(SourceFile(path.name, path.read_bytes())).read(SourceFile(path.name, path.read_bytes()))
    assert (len(found.trials), found.skipped) == (50, ())
    assert [w.split(": ", 1)[1] for w in found.warnings] == [
        "taken as parameters, for they are called like the size of the problem: 'size'."
    ]
    assert found.trials.metrics == (Metric("size", Kind.PARAMETER), Metric("runtime", Kind.RESPONSE))
    assert found.trials.values[0].tolist() == [10.0, 0.000013574000149674248]
    assert found.trials.values[-1].tolist() == [500.0, 0.8283967971801758]
    assert (set(found.trials.application), set(found.trials.input), set(found.trials.machine)) == (
        {"test"},
        {"test"},
        {"test"},
    )


def test_a_semicolon_ends_a_definition_whose_bracket_does_not_close() -> None:
    """What follows it is read, so that the statement that is lost takes no others with it."""
    broken = TABLES.replace("datasetID int, metricID int, metric real);", "datasetID int, metricID int, metric real;")
    assert read(broken + ROWS).trials.application == ("fft", "fft")


def test_temporary_tables_and_statements_without_an_end_are_read() -> None:
    temporary = TABLES.replace("CREATE TABLE", "CREATE TEMPORARY TABLE IF NOT EXISTS")
    assert read(temporary + ROWS + "SELECT " + "(x, " * 20_000).trials.application == ("fft", "fft")
