"""Tables to trials: exact numbers, missing cells, kinds of metrics, and sentences about what is wrong."""

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.ingest import Mapping, SourceFile, apply, read_table
from core.trial import Import, Kind


def read(text: str, mapping: Mapping | None = None, name: str = "run7.csv") -> Import:
    return apply(read_table(SourceFile(name, text.encode())), mapping)


TRIALS = """app,input,machine,work,clock,suite,vendor,misses,note,time_s
fft,small,K40,10,700,hpc,nv,5,a,1.5
fft,large,K40,90,700,hpc,nv,6,b,9.5
gemm,small,K40,30,700,ml,nv,7,c,3.5
fft,small,P100,10,1300,hpc,amd,5,d,0.5
fft,large,P100,90,1300,hpc,amd,8,e,4.5
gemm,small,P100,30,1300,ml,amd,9,f,1.0
"""


def test_columns_go_where_they_belong() -> None:
    found = read(TRIALS)
    trials, machines, inputs = found.trials, found.machines, found.inputs
    assert trials.application == ("fft", "fft", "gemm", "fft", "fft", "gemm")
    assert trials.machine[2:4] == ("K40", "P100")
    assert [(m.name, m.kind, m.unit) for m in trials.metrics] == [
        ("misses", Kind.COUNTER, ""),
        ("time_s", Kind.RESPONSE, "s"),
    ]
    assert trials.values.tolist() == [[5, 1.5], [6, 9.5], [7, 3.5], [5, 0.5], [8, 4.5], [9, 1.0]]
    assert dict(trials.labels) == {"note": ("a", "b", "c", "d", "e", "f")}
    assert trials.where[0] == "line 2"
    assert machines is not None
    assert inputs is not None
    assert machines.keys == (("K40",), ("P100",))
    assert [(m.name, m.kind) for m in machines.metrics] == [("clock", Kind.MACHINE)]
    assert machines.values.tolist() == [[700], [1300]]
    assert dict(machines.labels) == {"vendor": ("nv", "amd")}
    assert inputs.keys == (("fft", "small"), ("fft", "large"), ("gemm", "small"))
    assert [(m.name, m.kind) for m in inputs.metrics] == [("work", Kind.DETERMINISTIC)]
    assert inputs.values.tolist() == [[10], [90], [30]]
    assert dict(inputs.labels) == {"input": ("small", "large", "small"), "suite": ("hpc", "hpc", "ml")}
    assert (found.source, found.format, found.skipped, found.warnings) == ("run7.csv", "csv", (), ())


def test_nothing_is_deterministic_on_one_machine() -> None:
    one = "\n".join(line for line in TRIALS.splitlines() if "P100" not in line)
    found = read(one)
    assert found.machines is not None
    assert [m.name for m in found.machines.metrics] == ["clock"]
    assert found.inputs is None
    assert [m.name for m in found.trials.metrics] == ["work", "misses", "time_s"]


def test_a_row_for_each_machine_is_a_design_space_of_machines() -> None:
    found = read("app,machine,clock,time\na,x,1,2\na,y,3,4\n")
    assert [m.kind for m in found.trials.metrics] == [Kind.RESPONSE]
    assert found.machines is not None
    assert [(m.name, m.kind) for m in found.machines.metrics] == [("clock", Kind.MACHINE)]


def test_a_value_that_is_missing_in_part_is_no_fact() -> None:
    text = "app,machine,work,time\na,x,1,2\na,y,,4\nb,x,3,2\nb,y,3,2\n"
    found = read(text)
    assert found.inputs is None
    assert np.isnan(found.trials.values[1, 0])
    assert found.warnings == ("run7.csv: empty cells, taken as missing values: 'work' 1 (1 in all).",)
    everywhere = read(text.replace("a,x,1,2", "a,x,,2"))
    assert everywhere.inputs is not None
    assert np.isnan(everywhere.inputs.values[0, 0])


def test_names_in_several_columns_are_joined() -> None:
    found = read(
        "app,kernel,size,variant,time\na,k1,1,x,3\nb,k2,2,y,4\na,k1,1,x,3\nb,k2,2,y,4\n",
        Mapping(input=("size", "variant")),
    )
    assert found.trials.application[:2] == ("a / k1", "b / k2")
    assert found.trials.input[:2] == ("1 / x", "2 / y")


def test_parameters_and_units() -> None:
    text = "tile,layout,time (ms)\n1,row,5\n2,col,6\n"
    found = read(text, Mapping(parameters=("tile", "layout"), responses=(("time", None),), machine_name="K40"))
    assert [(m.name, m.kind, m.unit) for m in found.trials.metrics] == [
        ("tile", Kind.PARAMETER, ""),
        ("time", Kind.RESPONSE, "ms"),
    ]
    assert found.trials.labels["layout"] == ("row", "col")
    assert found.trials.parameters == ("layout",)
    assert found.trials.machine == ("K40", "K40")
    assert read(text, Mapping(responses=(("time", "s"),))).trials.metrics[-1].unit == "s"


def test_ignored_columns_are_gone_and_labels_stay_texts() -> None:
    found = read("app,x,id,time\na,1,5,2\n", Mapping(ignore=("x",), labels=("id",)))
    assert [m.name for m in found.trials.metrics] == ["time"]
    assert dict(found.trials.labels) == {"id": ("5",)}


BAD = "app,machine,l2_misses,time\n" + "a,x,1,2\n" * 12 + "a,x,few,3\nb,y,5,oops\nb,,6,7\n"


def test_a_cell_that_is_no_number_is_refused_by_default() -> None:
    with pytest.raises(ReadError) as caught:
        read("app,l2_misses,time\n" + "a,1,2\n" * 12 + "a,few,3\n")
    assert str(caught.value) == (
        "run7.csv line 14: metric 'l2_misses' is 'few', expected a number. Fix the row, or import with --missing drop."
    )


def test_more_than_one_bad_cell_is_counted() -> None:
    with pytest.raises(
        ReadError, match=r"line 14: metric 'l2_misses' is 'few', expected a number \(and 2 more like it\)\. Fix"
    ):
        read(BAD)


def test_a_word_for_no_number_is_as_an_empty_cell() -> None:
    found = read("app,l2_misses,time\na,1,2\na,NA,3\nb,4,n/a\n")
    np.testing.assert_array_equal(found.trials.values, [[1, 2], [np.nan, 3], [4, np.nan]])
    assert (
        "cells that are no numbers, taken as missing values: 'l2_misses' 1, 'time' 1 (2 in all)." in found.warnings[0]
    )


def test_trials_can_be_dropped() -> None:
    found = read(BAD, Mapping(missing="drop"))
    assert len(found.trials) == 12
    assert [(s.where, s.why) for s in found.skipped] == [
        ("line 14", "metric 'l2_misses' is 'few', expected a number"),
        ("line 15", "response 'time' is 'oops', expected a number"),
        ("line 16", "machine 'machine' is empty, expected a name"),
    ]


def test_trials_can_be_kept_without_the_value() -> None:
    found = read(BAD, Mapping(missing="keep"))
    assert len(found.trials) == 15
    values = {m.name: found.trials.values[:, i] for i, m in enumerate(found.trials.metrics)}
    assert np.isnan(values["l2_misses"][12])
    assert np.isnan(values["time"][13])
    assert found.trials.machine[14] == ""
    assert "cells that are no numbers, taken as missing values" in " ".join(found.warnings)


def test_all_trials_dropped_is_refused() -> None:
    with pytest.raises(ReadError, match=r"No row is left of run7.csv.*; run7.csv line 2: metric 'time' is 'n/a'"):
        read("app,x,time\na,1,n/a\nb,2,n/a\n", Mapping(metrics=("time",), missing="drop"))


@pytest.mark.parametrize(
    ("text", "mapping", "sentence"),
    [
        (
            "app,status,x\na,ok,1\nb,bad,2\n",
            Mapping(responses=(("status", None),)),
            "run7.csv line 2: response 'status' holds words, such as 'ok', expected numbers. Choose another response.",
        ),
        ("app,t,x\na,,1\nb,,2\n", Mapping(responses=(("t", None),)), "response 't' holds no values"),
        ("app,note\na,b\nc,d\n", None, "run7.csv has no column of numbers left to model"),
        (
            "app,id,x\na,007,1\nb,008,2\n",
            Mapping(metrics=("id",)),
            "line 2: metric 'id' is '007', which has leading zeros like an identifier, expected a number (and 1 more",
        ),
        (
            "app,h,x\na,1,1\nb,9007199254740993,2\n",
            Mapping(metrics=("h",)),
            "line 3: metric 'h' is '9007199254740993', an integer that a number of 64 bits cannot hold exactly. Make the",
        ),
        (
            "app,x,y\na,1,2\nb,1e999,2\nc,3,4\n",
            None,
            "line 3: metric 'x' is '1e999', which is too large or too small for a number of 64 bits",
        ),
        (
            "app,x,y\na,1,2\nb,inf,2\nc,3,4\n",
            Mapping(parameters=("x",)),
            "line 3: parameter 'x' is 'inf', expected a number",
        ),
        ("app,x,y\na,1,2\nb,0x1F,2\nc,3,4\n", None, "line 3: metric 'x' is '0x1F', expected a number"),
        ("app;x;y\na;1,234;2\n", None, "line 2: 'x' is '1,234', whose comma may be a decimal mark"),
        ("app,x,y\na,1,2\n,3,4\n", None, "line 3: application 'app' is empty, expected a name"),
        (
            "app,x\ng\u200bemm,1\nb,2\n",
            None,
            "run7.csv line 2: 'app' is 'g\u200bemm', which holds the invisible character U+200B",
        ),
    ],
)
def test_sentences(text: str, mapping: Mapping | None, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text, mapping)
    assert sentence in str(caught.value)


def test_unknown_columns_are_option_errors() -> None:
    with pytest.raises(OptionError, match="no column 'nope'"):
        read(TRIALS, Mapping(ignore=("nope",)))


def test_names_alone_are_trials_if_asked_for() -> None:
    found = read("app,machine\na,x\nb,y\n", Mapping(needs_numbers=False))
    assert found.trials.values.shape == (2, 0)
    assert found.trials.application == ("a", "b")


def test_names_are_composed_and_spaces_counted() -> None:
    found = read("app,x\ncafe\u0301,1\ncaf\u00e9 ,2\n")
    assert found.trials.application == ("caf\u00e9", "caf\u00e9")
    assert found.warnings == ("run7.csv: texts with spaces around them, which were left out: 'app' 1 (1 in all).",)


def test_identifiers_are_labels_and_said_so() -> None:
    found = read("app,code,x\na,007,1\nb,8,2\n")
    assert dict(found.trials.labels) == {"code": ("007", "8")}
    assert "holds identifiers such as '007': kept as a label" in found.warnings[0]


def test_one_trial_is_enough_to_read() -> None:
    assert len(read("app,time\na,1\n").trials) == 1


def test_runs_stay_with_the_trials() -> None:
    found = read("app,machine,run,time\na,x,1,2\na,y,1,2\nb,x,1,2\nb,y,1,2\n")
    assert dict(found.trials.labels) == {"run": ("1",) * 4}


@pytest.mark.parametrize("cells", [("", ""), ("n/a", "?")])
def test_a_response_that_nobody_knows_yet_is_missing_if_asked_for(cells: tuple[str, str]) -> None:
    text = f"app,x,time\na,1,{cells[0]}\nb,2,{cells[1]}\n"
    mapping = Mapping(responses=(("time", None),), missing="keep")
    assert np.isnan(read(text, mapping).trials.values[:, 1]).all()
    with pytest.raises(ReadError, match="response 'time' holds"):
        read(text, Mapping(responses=(("time", None),)))
    with pytest.raises(ReadError, match="response 'time' holds words"):
        read(text.replace(f"a,1,{cells[0]}", "a,1,fast"), mapping)


def test_a_total_stands_before_the_times_of_its_parts() -> None:
    trials = read(
        "users,kind,fit_time_s,rec_time_s,total_time_s\n10,a,1.5,2,3.6\n20,b,2.5,3,5.4\n40,a,4.5,6,10.7\n"
    ).trials
    assert next(m.name for m in trials.metrics if m.kind is Kind.RESPONSE) == "total_time_s"
    beside = read("users,kind,time_s,total_energy_j\n10,a,1.5,20\n20,b,2.5,31\n40,a,4.5,64\n").trials
    assert next(m.name for m in beside.metrics if m.kind is Kind.RESPONSE) == "time_s"


def test_a_time_is_what_was_measured_where_a_rate_says_the_work_and_else_how_long_runs_were_told_to_last() -> None:
    work = [(8 << k, 100 + 1.5 * k) for k in range(7)]
    rows = [("call", "", 67.5, ""), ("copy", 0, 85.5, 0), *(("copy", n, t, round(1e9 * n / t, -3)) for n, t in work)]
    told = [("DS1", n, 60 + n / 100, 0, 1e6 * n / (1 + n / 90)) for n in (1, 2, 4, 8, 16, 32, 64, 128)]
    for names, cells, first in (
        ("name,bytes,real_time_ns,bytes_per_second", rows, "real_time_ns"),
        ("trace,threads,duration,limit,throughput", told, "throughput"),
    ):
        found = read(f"{names}\n" + "".join(f"{','.join(map(str, row))}\n" for row in cells))
        assert next(m.name for m in found.trials.metrics if m.kind is Kind.RESPONSE) == first


def test_words_in_a_column_that_is_derived_are_told_and_stop_nothing() -> None:
    rows = [
        f"{n},{p},{n / 7 / p:.4f},{f'{p} / {p}' if n < p else f'{7 * p / n:.7f}'}"
        for n in (5, 90)
        for p in (1, 2, 4, 8)
    ]
    raw = "\n".join(["size,threads,time_s,per_s", *rows]) + "\n"
    for missing in ("refuse", "drop"):
        found = read(raw, Mapping(missing=missing))
        assert {m.name: m.kind for m in found.trials.metrics}["per_s"] is Kind.DERIVED
        assert len(found.trials) == 8
        assert found.skipped == ()
        assert any("no numbers, taken as missing values: 'per_s' 1" in told for told in found.warnings)
