"""nvprof's summary: units below the header or in the cells, calls of the host, names without quotes, damage."""

import pytest

from core.errors import ReadError
from core.ingest.readers.nvprof import NvprofSummary
from core.trial import Kind
from tests.ingest.nvidia_files import KERNEL, cells, check_damaged, names, read, readers_of, said, unit, value

HEADER = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"'
TEXT = (
    "==7== NVPROF is profiling process 7, command: ./blur 512\n==7== Profiling application: ./blur 512\n"
    f"==7== Profiling result:\n{HEADER}\n,%,ms,,us,us,us,\n"
    f'"GPU activities",78.020000,7.572500,11,688.409091,684.120984,694.193046,"{KERNEL}"\n'
    '"GPU activities",21.980000,2.133100,2,1066.550000,1.504000,2131.596000,"[CUDA memcpy HtoD]"\n'
    '"API calls",15.389094,1493.259895,8,186657.486000,1.313000,1493246.020000,"cudaStreamCreateWithFlags"\n'
    '"API calls",3.686877,357.751097,4,89437.774000,0.541000,357741.117000,"cudaFree"\n'
)
OLD = (
    "Time(%),Time,Calls,Avg,Min,Max,Name\n"
    "47.79%,542.36ms,45,12.052ms,12.007ms,12.110ms,[CUDA memcpy HtoD]\n"
    "20.92%,237.43ms,150,1.5829ms,987.20us,2.1174ms,sweep(float*, float*, int, int)\n"
)


def test_a_kernel_is_a_trial_with_the_average_as_time() -> None:
    found = read(TEXT, "nvprof_summary")
    assert found.trials.application == (KERNEL, "[CUDA memcpy HtoD]")
    assert found.trials.input == ("./blur 512",) * 2
    assert found.trials.where == ("line 6", "line 7")
    assert value(found, "time_s") == pytest.approx(688.409091e-6, rel=1e-15)
    assert unit(found, "time_s") == "s"
    assert found.original_units["time_s"] == "us"
    assert value(found, "Time") == pytest.approx(7.5725e-3, rel=1e-15)
    assert value(found, "Calls") == 11


def test_nothing_that_holds_the_time_may_predict_it() -> None:
    kinds = {m.name: m.kind for m in read(TEXT, "nvprof_summary").trials.metrics}
    assert kinds.pop("Calls") is Kind.COUNTER
    assert set(kinds) == {"time_s", "Time", "Time(%)", "Min", "Max"}
    assert set(kinds.values()) == {Kind.RESPONSE}


def test_calls_of_the_host_are_skipped_with_a_reason() -> None:
    assert "lines 8-9: 2 calls of the host (cudaStreamCreateWithFlags, cudaFree), no kernels" in said(
        read(TEXT, "nvprof_summary")
    )


def test_units_in_cells_and_names_without_quotes() -> None:
    found = read(OLD, "nvprof_summary")
    assert found.trials.application == ("[CUDA memcpy HtoD]", "sweep(float*, float*, int, int)")
    assert value(found, "time_s", 1) == pytest.approx(1.5829e-3, rel=1e-15)
    assert value(found, "Min", 1) == pytest.approx(987.2e-6, rel=1e-15)
    assert value(found, "Time(%)", 1) == 20.92
    assert value(found, "Calls", 1) == 150


PRINTED = """==1== NVPROF is profiling process 1, command: ./blur 512
==1== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   99.94%  1.11524s       301  3.7051ms  3.6928ms  3.7174ms  void k<int=32>(float*,  int)
                    0.04%  406.30us         2  203.15us  136.13us  270.18us  [CUDA memcpy HtoD]
      API calls:   49.81%  285.17ms         3  95.055ms  153.32us  284.86ms  cudaMalloc
                    1.00%  285.17ms         3  95.055ms  153.32us  284.86ms  cudaFree
"""


def test_the_table_as_printed_for_people() -> None:
    assert readers_of(PRINTED.encode()) == ["nvprof_summary"]
    found = read(PRINTED, "nvprof_summary")
    assert found.trials.application == ("void k<int=32>(float*,  int)", "[CUDA memcpy HtoD]")
    assert value(found, "time_s") == pytest.approx(3.7051e-3, rel=1e-15)
    assert value(found, "Time") == 1.11524
    assert "2 calls of the host (cudaMalloc, cudaFree)" in said(found)
    old = PRINTED.replace("            Type  ", "").replace(" GPU activities: ", "").replace("      API calls:", "")
    old = old.replace("   49.81%", "\n==1== API calls:\nTime(%)   Time   Calls   Avg   Min   Max  Name\n   49.81%")
    assert cells(read(old, "nvprof_summary")) == cells(found)


def test_names_keep_their_spaces_and_separators() -> None:
    name = "void k<int, (unsigned char)3>(float*,  int)"
    text = OLD + f'11.0%,1.0ms,1,1.0ms,1.0ms,1.0ms,"{name}"\n' + f"11.0%,1.0ms,1,1.0ms,1.0ms,1.0ms,{name}\n"
    assert read(text, "nvprof_summary").trials.application[2:] == (name, name)


def test_older_tables_without_a_type() -> None:
    old = HEADER.replace('"Type",', "") + "   \n%,us,,us,us,us,   \n"
    old += '100.000000,3.840000,2,1.920000,1.504000,2.336000,"k(int)"   \n'
    calls = old.replace("k(int)", "cudaMalloc")
    found = read(f"==9== Profiling result:\n{old}\n==9== API calls:\n{calls}", "nvprof_summary")
    assert found.trials.application == ("k(int)",)
    assert value(found, "time_s") == pytest.approx(1.92e-6, rel=1e-15)
    assert "1 rows: calls of the host, no kernels" in said(found)
    mixed = old + calls.splitlines()[2] + "\n"
    assert read(mixed, "nvprof_summary").trials.application == ("k(int)",)


@pytest.mark.parametrize(("printed", "factor"), [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_units_are_chosen_per_run(printed: str, factor: float) -> None:
    found = read(TEXT.replace(",%,ms,,us,us,us,", f",%,{printed},,{printed},{printed},{printed},"), "nvprof_summary")
    assert value(found, "time_s") == pytest.approx(688.409091 * factor, rel=1e-15)


def test_without_units_no_seconds_are_guessed() -> None:
    found = read(TEXT.replace(",%,ms,,us,us,us,\n", ""), "nvprof_summary")
    assert "time_s" not in names(found)
    assert value(found, "Avg") == 688.409091
    assert "the time 'Avg' has no unit, so that it is not known in seconds" in said(found)


def test_two_captures_in_one_file_are_further_trials() -> None:
    found = read(TEXT + TEXT.replace("688.409091", "700.5").replace("./blur 512", "./blur 64"), "nvprof_summary")
    assert [value(found, "time_s", i) for i in (0, 2)] == pytest.approx([688.409091e-6, 700.5e-6], rel=1e-15)
    assert found.trials.input == ("./blur 512", "./blur 512", "./blur 64", "./blur 64")


def test_only_calls_of_the_host() -> None:
    lines = TEXT.splitlines()
    with pytest.raises(ReadError, match="line 4 begins times of the host's calls; there are no kernels"):
        read("\n".join([*lines[:5], *lines[7:]]), "nvprof_summary")


@pytest.mark.parametrize("text", [TEXT, OLD, TEXT[: TEXT.index("memcpy")], "made by hand\n" + OLD], ids=range(4))
def test_exactly_one_reader_takes_it(text: str) -> None:
    assert readers_of(text.encode()) == ["nvprof_summary"]


@pytest.mark.parametrize("text", ["", "Type,Name\na,b\n", "Time(%),Calls\n1,2\n"])
def test_other_files_are_not_taken(text: str) -> None:
    assert not NvprofSummary().sniff(text.encode())


def test_a_file_without_a_last_line_end_is_read_with_a_word_of_warning() -> None:
    found = read(OLD.rstrip("\n"), "nvprof_summary")
    assert len(found.trials) == 2
    assert "its last row (line 3) was taken as it stands" in said(found)


@pytest.mark.parametrize("text", [TEXT, OLD, PRINTED], ids=["units below", "units in cells", "printed"])
def test_damage_never_changes_untouched_rows(text: str) -> None:
    whole = cells(read(text, "nvprof_summary"))
    by_line = {n: {k for k in whole if k[0] in row} for n, row in enumerate(text.splitlines(), start=1)}
    for n, row in enumerate(text.splitlines(), start=1):
        if "Time(%)" in row or row.startswith((",%", "==")):
            by_line[n] = set(whole)
    check_damaged(text, "nvprof_summary", by_line, seed=13, n=250)
