"""Eiger's offline logs of both generations, logs in one file, logs that break off."""

import contextlib
import gzip
import random

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import READERS, SourceFile, find_reader
from core.ingest.readers.eiger_log import EigerLog
from core.trial import Import, Kind, Metric, Skipped
from tests.ingest.eiger_files import experiment, log, mysql_dump, sqlite_dump, table

HEAD = "VERSION;2\nFORMAT;character\nCONNECT;trials.db\n"
BODY = """C;look;made up;0
A;fft;an app;0
S;0;small;the small one;http://x;0
S;0;large;;;1
H;K20;;0
T;0;0;0;0;0
T;0;0;0;1;1
v;nondeterministic;time;in seconds;0
v;nondeterministic;misses;;1
v;deterministic;flops;;2
v;machine;cores;;3
N;0;0;0.125
N;0;1;17
N;1;0;0.5
D;0;2;64
D;1;2;512
R;0;3;13
"""
WHOLE = HEAD + BODY + "DISCONNECT\n"

CALL_BY_CALL = """VERSION;2
FORMAT;character
CONNECT;localhost;eiger;somebody;a secret
C;look;made up;1
H;K20;;1
A;fft;an app;1
S;1;small;;;1
v;result;seconds;;1
v;nondeterministic;misses;;2
T;1 ;1 ;1 ;1 ;7
E;1;7;1
N;1 ;1 ;0.125
N;1 ;2 ;17
A;fft;an app;1
v;result;seconds;;1
E;1;7;2
N;2 ;1 ;0.25
"""
"""Version 2: things said again with their ids, executions, blanks, no DISCONNECT."""


def read(text: str, name: str = "fakeeiger.log.Xy12Ab") -> Import:
    return EigerLog().read(SourceFile(name, text.encode()))


def test_what_a_program_leaves_when_it_disconnects() -> None:
    found = read(WHOLE)
    assert found.trials.application == ("fft", "fft")
    assert found.trials.input == ("small", "large")
    assert found.trials.machine == ("K20", "K20")
    assert found.trials.where == ("line 9", "line 10")
    assert found.trials.metrics == (Metric("time", Kind.RESPONSE), Metric("misses", Kind.COUNTER))
    np.testing.assert_array_equal(found.trials.values, [[0.125, 17], [0.5, np.nan]])
    assert found.inputs is not None
    assert found.inputs.values.tolist() == [[64], [512]]
    assert found.machines is not None
    assert found.machines.values.tolist() == [[13]]
    assert (found.format, found.skipped, found.warnings) == ("eiger_log", (), ())


def test_what_a_program_of_version_2_writes_as_it_runs() -> None:
    found = read(CALL_BY_CALL)
    assert found.trials.where == ("line 11", "line 16")
    assert found.trials.metrics == (Metric("seconds", Kind.RESPONSE, "s"), Metric("misses", Kind.COUNTER))
    np.testing.assert_array_equal(found.trials.values, [[0.125, 17], [0.25, np.nan]])
    assert found.skipped == ()
    assert "secret" not in repr(found)


def test_ids_that_are_not_written_are_counted() -> None:
    kinds = {"A": 3, "C": 3, "S": 5, "H": 3, "T": 5, "v": 4}
    lines = [line.split(";") for line in BODY.splitlines()]
    short = "\n".join(";".join(parts[: kinds.get(parts[0], 9)]) for parts in lines)
    assert read(HEAD + short + "\nDISCONNECT\n").trials.input == read(WHOLE).trials.input


def test_the_long_keywords() -> None:
    long = {
        "A": "Application",
        "C": "DataCollection",
        "S": "Dataset",
        "H": "Machine",
        "T": "Trial",
        "v": "Metric",
        "N": "NondeterministicMetric",
        "D": "DeterministicMetric",
        "R": "MachineMetric",
    }
    body = "\n".join(f"{long[line[0]]}_commit{line[1:]}" for line in BODY.splitlines())
    text = f"VERSION;2\nFORMAT;full\nCONNECT;db\nApplication;fft;an app\n{body}\nDISCONNECT\n"
    assert EigerLog().sniff(text.encode())
    np.testing.assert_array_equal(read(text).trials.values, read(WHOLE).trials.values)


def test_two_logs_in_one_file_have_ids_of_their_own() -> None:
    found = read(WHOLE + WHOLE.replace("K20", "C2050").replace("0.125", "0.75"))
    assert found.trials.machine == ("K20", "K20", "C2050", "C2050")
    assert found.trials.values[:, 0].tolist() == [0.125, 0.5, 0.75, 0.5]
    assert found.inputs is not None
    assert found.inputs.keys == (("fft", "small"), ("fft", "large"))


def test_lines_that_cannot_be_read_are_skipped_with_the_reason() -> None:
    strange = "X;1;2\nT;0;0\nN;0;1;many\nN;0\nA;only\nT;0;5;0;0;2\nT;0;zero;0;0;3\nN;9;0;1.5\n"
    found = read(HEAD + BODY + strange + "DISCONNECT\n")
    assert len(found.trials) == 2
    assert found.skipped == (
        Skipped("line 21", "'X' is no keyword of the log"),
        Skipped("line 22", "'T' has 2 fields, expected 4"),
        Skipped("line 23", "the value 'many' is no number"),
        Skipped("line 24", "'N' has 1 fields, expected 3"),
        Skipped("line 25", "'A' has 1 fields, expected 2"),
        Skipped("line 26", "its machine '5' is not there"),
        Skipped("line 27", "its machine 'zero' is not there"),
        Skipped("table 'nondeterministic_metrics'", "1 value of trial 9, left out"),
    )


def test_semicolons_in_a_description_are_told() -> None:
    found = read(WHOLE.replace("A;fft;an app;0", "A;fft;an app; of sorts; indeed;0"))
    assert found.trials.application == ("fft", "fft")
    assert found.warnings == (
        "fakeeiger.log.Xy12Ab line 5: more fields than Eiger writes, as of a name or description with a semicolon; "
        "'fft' may be cut short.",
    )


def test_a_log_that_breaks_off_loses_its_last_line_and_says_so() -> None:
    text = HEAD + BODY.removesuffix(";13\n") + ";1"
    found = read(text)
    assert found.machines is None
    assert found.skipped == (Skipped("line 20", "the log breaks off in this line"),)
    assert read(HEAD + BODY + "DISCONNECT").skipped == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD, "holds no trials: the program stopped before it committed one. Run it again."),
        (WHOLE.replace("VERSION;2", "VERSION;3"), "line 1: version '3' of Eiger's log, expected 2."),
        (HEAD + BODY.replace("N;1;0;0.5", "N;1;0;inf"), "metric 'time' of trial 1 is 'inf', expected a finite number"),
        (
            HEAD + BODY.replace("H;K20;;0", "H;K20;;0\nH;C2050;;0"),
            "table 'machines' has the id 0 twice, with different rows",
        ),
        (HEAD + BODY.replace("A;fft", "B;fft"), "holds no trials of Eiger's: line 5: 'B' is no keyword of the log."),
    ],
    ids=["nothing", "another version", "infinity", "one id twice", "no application"],
)
def test_what_is_no_whole_log_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert expected in str(caught.value)
    assert str(caught.value).startswith("fakeeiger.log.Xy12Ab")


def test_missing_values_are_missing() -> None:
    found = read(WHOLE.replace("N;0;1;17", "N;0;1;-nan"))
    assert [m.name for m in found.trials.metrics] == ["time"]


@pytest.mark.parametrize(
    "text", [WHOLE, WHOLE.replace("\n", "\r\n"), CALL_BY_CALL, HEAD, "VERSION;3\n", log(experiment())]
)
def test_it_is_found_by_content_and_claimed_by_no_other_reader(text: str) -> None:
    assert [name for name, cls in READERS.items() if name != "csv" and cls().sniff(text.encode())] == ["eiger_log"]
    assert isinstance(find_reader(SourceFile("a.csv", gzip.compress(text.encode(), mtime=0))), EigerLog)


@pytest.mark.parametrize(
    "text",
    [
        "VERSION;time\n2;0.5\n",
        "version;2\nformat;x\n",
        "a;b\nVERSION;2\nFORMAT;character\n",
        "VERSION;2;3\n1;2;3\n",
        mysql_dump(experiment()),
        sqlite_dump(experiment()),
        table(experiment()),
    ],
    ids=["a table", "small letters", "not at the start", "another table", "mysql", "sqlite", "csv"],
)
def test_other_files_are_not_taken_for_logs(text: str) -> None:
    assert not EigerLog().sniff(text.encode())


def test_wherever_a_log_is_cut_or_damaged_it_ends_in_trials_or_one_sentence() -> None:
    text = log(experiment())
    whole = read(text)
    known = dict(zip(whole.trials.where, whole.trials.values.tolist(), strict=True))
    rng = random.Random(7)
    for _ in range(80):
        with contextlib.suppress(ReadError):
            found = read(text[: rng.randrange(len(text))])
            for where, row in zip(found.trials.where, found.trials.values, strict=True):
                assert not set(row[~np.isnan(row)].tolist()) - set(known[where])
    for _ in range(80):
        damaged = list(text)
        for _ in range(rng.choice((1, 8))):
            damaged[rng.randrange(len(text))] = rng.choice(";\nANTv0- ")
        with contextlib.suppress(ReadError):
            read("".join(damaged))
