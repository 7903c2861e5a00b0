"""A second CSV joined to trials by machine, or by application and input."""

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.ingest import Mapping, SourceFile, apply, read_table
from core.ingest.joining.merge import join_inputs, join_machines, per_trial
from core.trial import Import, Kind


def trials(text: str, mapping: Mapping | None = None) -> Import:
    return apply(read_table(SourceFile("run7.csv", text.encode())), mapping)


def file(text: str, name: str = "devices.csv") -> SourceFile:
    return SourceFile(name, text.encode())


RUNS = "app,size,machine,misses,time_s\nfft,s,K40,5,1\nfft,l,K40,6,2\nfft,s,P100,7,3\ngemm,s,P100,8,4\n"


def test_machine_metrics_join_by_machine() -> None:
    found = join_machines(
        trials(RUNS), file("machine,clock_mhz,vendor,l3\nP100,1300,nv,\nK40,700,nv,2\nV100,1500,nv,6\n")
    )
    facts = found.machines
    assert facts is not None
    assert facts.keys == (("P100",), ("K40",))
    assert [(m.name, m.unit, m.kind) for m in facts.metrics] == [
        ("clock_mhz", "MHz", Kind.MACHINE),
        ("l3", "", Kind.MACHINE),
    ]
    assert np.array_equal(facts.values, [[1300, np.nan], [700, 2]], equal_nan=True)
    assert dict(facts.labels) == {"vendor": ("nv", "nv")}
    assert found.warnings == ("devices.csv: without trials, and left out: machine 'V100'.",)


def test_machines_without_a_row_are_named() -> None:
    found = join_machines(trials(RUNS), file("machine,clock\nK40,700\n"))
    assert found.warnings == ("devices.csv has no row for machine 'P100': missing values.",)
    assert np.isnan(per_trial(found)["clock"][1][2])


def test_the_key_is_found_by_name_and_cells() -> None:
    text = "name,device,clock\nTesla K40,K40,700\nTesla P100,P100,1300\n"
    found = join_machines(trials(RUNS), file(text))
    assert found.machines is not None
    assert dict(found.machines.labels) == {"name": ("Tesla K40", "Tesla P100")}
    other = join_machines(trials(RUNS), file("which,clock\nK40,700\nP100,1300\n"))
    assert other.machines is not None
    assert other.machines.keys == (("K40",), ("P100",))
    with pytest.raises(OptionError, match=r"devices.csv has no column 'nope'"):
        join_machines(trials(RUNS), file(text), key="nope")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("machine,clock\nV100,1\n", "devices.csv has no column with the trials' machines, such as 'K40'"),
        (
            "machine,clock\nK40,1\nP100,2\nK40,3\n",
            "devices.csv line 4: 'K40' is there twice, with 'clock' '3' here and '1' on line 2. Keep one of the rows.",
        ),
        ("machine,vendor\nK40,nv\nP100,nv\nK40,amd\n", "'K40' is there twice, with 'vendor' 'amd' here and 'nv'"),
        (
            "machine,clock\nK40,fast\nP100,2\n",
            "devices.csv line 2: machine metric 'clock' is 'fast', expected a number.",
        ),
        ("machine,clock\nK40,1\n,2\n", "devices.csv line 3: the name in 'machine' is empty, expected a name"),
        ("machine\nK40\n", "seems to be text"),
        ("machine,note\nK40,\n", "has no column beside its key"),
        ("machine;clock\nK40;1,234\n", "devices.csv line 2: 'clock' is '1,234', whose comma"),
        ("machine,time_s\nK40,1\nP100,2\n", "devices.csv: 'time_s' is a response of run7.csv. Rename one of them."),
        (
            "machine,misses\nK40,5\nP100,7\n",
            "'misses' is '5' for the trial on line 3 of run7.csv, which has '6'. Correct one of the files, or ignore",
        ),
        ("machine,misses\nK40,a\nP100,b\n", "'misses' holds words, but numbers in run7.csv"),
    ],
)
def test_what_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        join_machines(trials(RUNS), file(text))
    assert sentence in str(caught.value)


def test_missing_words_can_be_kept_or_their_row_dropped() -> None:
    text = "machine,clock\nK40,n/a\nP100,2\n"
    kept = join_machines(trials(RUNS), file(text), missing="keep")
    assert np.array_equal(per_trial(kept)["clock"][1], [np.nan, np.nan, 2, 2], equal_nan=True)
    dropped = join_machines(trials(RUNS), file(text), missing="drop")
    assert dropped.skipped[0].where == "devices.csv line 2"
    assert "no row for machine 'K40'" in dropped.warnings[0]


def test_rows_said_twice_alike_are_counted() -> None:
    found = join_machines(trials(RUNS), file("machine,clock\nK40,1\nP100,2\nK40,1\n"))
    assert "1 row left out: others say the same" in found.warnings[0]


def test_trials_without_machines_cannot_be_joined() -> None:
    with pytest.raises(ReadError, match=r"The trials of run7.csv name no machine"):
        join_machines(trials("app,time\na,1\n"), file("machine,clock\nK40,1\n"))


def test_a_metric_in_both_files_is_taken_once_if_alike() -> None:
    text = "app,machine,clock,time\na,K40,700,1\nb,K40,700,2\na,P100,900,3\n"
    found = join_machines(trials(text), file("machine,clock,cores\nK40,700,15\nP100,900,56\n"))
    assert found.machines is not None
    assert [m.name for m in found.machines.metrics] == ["clock", "cores"]
    assert "'clock' is in run7.csv and in devices.csv alike: taken from devices.csv." in found.warnings
    one = join_machines(trials("app,machine,clock,time\na,K40,700,1\n"), file("machine,clock\nK40,700\n"))
    assert [m.name for m in one.trials.metrics] == ["time"]


def test_deterministic_metrics_join_by_application_and_input() -> None:
    text = "app,size,work (ops),kind\nfft,s,10,x\nfft,l,90,x\ngemm,s,30,y\ngemm,l,70,y\n"
    found = join_inputs(trials(RUNS), file(text, "inputs.csv"))
    facts = found.inputs
    assert facts is not None
    assert facts.keys == (("fft", "s"), ("fft", "l"), ("gemm", "s"))
    assert [(m.name, m.unit, m.kind) for m in facts.metrics] == [("work", "ops", Kind.DETERMINISTIC)]
    assert per_trial(found)["work"][1].tolist() == [10, 90, 10, 30]
    assert dict(facts.labels) == {"size": ("s", "l", "s"), "kind": ("x", "x", "y")}
    assert "left out: application and input 'gemm / l'" in found.warnings[0]


def test_a_file_without_inputs_holds_for_all_of_them() -> None:
    found = join_inputs(trials(RUNS), file("app,work\nfft,10\ngemm,30\nbfs,1\n", "inputs.csv"))
    assert found.inputs is not None
    assert found.inputs.keys == (("fft", "s"), ("fft", "l"), ("gemm", "s"))
    assert per_trial(found)["work"][1].tolist() == [10, 10, 10, 30]


def test_joined_application_names_are_found() -> None:
    runs = "application,kernel,machine,time\na,k1,x,1\na,k2,x,2\n"
    found = join_inputs(trials(runs), file("application,kernel,work\na,k1,5\na,k2,6\n", "inputs.csv"))
    assert per_trial(found)["work"][1].tolist() == [5, 6]
    given = join_inputs(trials(runs), file("p,q,work\na,k1,5\na,k2,6\n", "inputs.csv"), application=("p", "q"))
    assert per_trial(given)["work"][1].tolist() == [5, 6]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("app,size,work\nlud,s,1\n", "inputs.csv has no column with the trials' applications, such as 'fft'"),
        ("app,size,work\nfft,huge,1\n", "has no row for any application and input of the trials, such as 'fft / s'"),
        ("app,size,work\nfft,s,1\nfft,s,2\n", "inputs.csv line 3: 'fft / s' is there twice, with 'work' '2' here"),
    ],
)
def test_inputs_that_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        join_inputs(trials(RUNS), file(text, "inputs.csv"))
    assert sentence in str(caught.value)


def test_facts_that_contradict_each_other_are_refused() -> None:
    found = join_machines(trials(RUNS), file("machine,clock\nK40,1\nP100,2\n"))
    with pytest.raises(ReadError, match=r"more.csv: 'clock' is '9' for the trial on line 4"):
        join_machines(found, file("machine,clock\nK40,1\nP100,9\n", "more.csv"))
    with pytest.raises(ReadError, match=r"more.csv: 'clock' is missing for the trial on line 4"):
        join_machines(found, file("machine,clock\nK40,1\n", "more.csv"))


def test_two_files_of_machine_metrics_add_up() -> None:
    found = join_machines(trials(RUNS), file("machine,clock\nK40,1\nP100,2\n"))
    found = join_machines(found, file("machine,cores,vendor\nP100,56,nv\n", "more.csv"))
    assert found.machines is not None
    assert found.machines.keys == (("K40",), ("P100",))
    assert np.array_equal(found.machines.values, [[1, np.nan], [2, 56]], equal_nan=True)
    assert dict(found.machines.labels) == {"vendor": ("", "nv")}


def test_the_decimal_mark_can_be_said() -> None:
    text = "machine;clock\nK40;1,234\nP100;2,345\n"
    found = join_machines(trials(RUNS), file(text), decimal="comma")
    assert found.machines is not None
    assert found.machines.values.tolist() == [[1.234], [2.345]]


def test_every_metric_per_trial() -> None:
    found = join_machines(trials(RUNS), file("machine,clock\nP100,2\nK40,1\n"))
    values = per_trial(found)
    assert list(values) == ["clock", "misses", "time_s"]
    assert values["clock"][0].kind is Kind.MACHINE
    assert values["clock"][1].tolist() == [1, 1, 2, 2]
