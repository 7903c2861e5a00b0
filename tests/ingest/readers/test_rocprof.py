from pathlib import Path

import numpy as np
import pytest

from core.ingest.joining.gather import name_machine
from core.ingest.readers.rocprof import Rocprof
from core.store import Store
from core.trial import Kind
from tests.ingest.amd_files import (
    column,
    input_facts,
    metrics,
    read,
    refused,
    skipped,
    source,
    survives,
    takers,
    unit,
)

OLD = """\
Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,L2_READS_sum,Busy
0,"scale(float*, int) [clone .kd]",1,0,0,811,812,65536,256,512,0,12,32,0,0x0,0x7f00aa10,4096.0000000000,12.5000000000
1,"scale(float*, int) [clone .kd]",1,0,2,811,812,65536,256,512,0,12,32,0,0x0,0x7f00aa10,4100.0000000000,13.0000000000
"""
STATS = """\
"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"
0,"scale(float*, int) [clone .kd]",1,0,0,811,811,65536,256,0,0,12,4,32,64,"0x0","0x7f00aa10",3600000000000100,3600000000000200,3600000000005321,3600000000009000,5121
2,"fill.kd",1,0,4,811,811,1024,64,0,16,8,0,16,64,"0x0","0x7f00aa40",3600000000010100,3600000000010200,3600000000010901,3600000000019000,701
"""
V2 = """\
Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES

1,1,1,811,811,65536,256,512,0,12,4,32,64,"scale(float*, int) (.kd)",3600000000000200,3600000000005321,0,1024.000000
2,1,1,811,811,65536,256,512,0,12,4,32,64,"scale(float*, int) (.kd)",3600000000010200,3600000000015300,0,1024.000000
"""
SCALE = ("scale(float*, int)", "grid 65536, workgroup 256")


def test_unquoted_header_with_counters() -> None:
    found = read(Rocprof(), OLD)
    assert found.trials.application == ("scale(float*, int)",) * 2
    assert found.trials.input == ("grid 65536, workgroup 256",) * 2
    assert found.trials.execution == ("dispatch 0", "dispatch 1")
    assert found.trials.where == ("line 2", "line 3")
    assert found.trials.labels == {"gpu": ("1", "1")}
    assert metrics(found) == ["L2_READS_sum", "Busy"]
    assert column(found, "L2_READS_sum") == [4096, 4100]
    assert {m.kind for m in found.trials.metrics} == {Kind.COUNTER, Kind.DETERMINISTIC}
    assert {m.name for m in found.trials.metrics if m.kind is Kind.DETERMINISTIC} == {"arch_vgpr", "sgpr"}
    assert input_facts(found)[SCALE] == {
        "grid_size": 65536,
        "workgroup_size": 256,
        "lds_per_workgroup": 512,
        "scratch_per_workitem": 0,
        "arch_vgpr": 12,
        "sgpr": 32,
    }
    assert not found.skipped
    assert not found.warnings


def test_quoted_header_with_times() -> None:
    found = read(Rocprof(), STATS)
    assert column(found, "time_s") == [5.121e-06, 7.01e-07]
    assert unit(found, "time_s") == "s"
    assert found.original_units["time_s"] == "ns"
    assert metrics(found) == ["time_s"]
    assert found.trials.application == ("scale(float*, int)", "fill")
    assert found.trials.execution == ("dispatch 0", "dispatch 2")
    assert input_facts(found)[SCALE]["accum_vgpr"] == 4
    assert found.inputs is not None
    assert {m.name: m.unit for m in found.inputs.metrics}["lds_per_workgroup"] == "byte"


def test_version_2_counts_dispatches_from_1_and_has_an_empty_line() -> None:
    found = read(Rocprof(), V2)
    assert found.trials.application == ("scale(float*, int)",) * 2
    assert found.trials.execution == ("dispatch 0", "dispatch 1")
    assert column(found, "SQ_WAVES") == [1024, 1024]
    assert column(found, "time_s") == [5.121e-06, 5.1e-06]
    assert takers(V2) == ["rocprof"]


def test_version_2_of_2023_has_short_column_names() -> None:
    text = (
        "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,SGPR,Wave_Size,SIG,OBJ,"
        "Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,GRBM_COUNT\n\n"
        '1,4,1,1,9,9,10,10,0,0,8,0,16,64,1404649,1,"hello(char*) (.kd)",0,140469300947216,33,12637.000000\n'
    )
    found = read(Rocprof(), text)
    assert found.trials.application == ("hello(char*)",)
    assert metrics(found) == ["GRBM_COUNT"]
    assert "not of one clock" in skipped(found)["line 3"]


def test_the_same_kernel_is_the_same_application_in_every_generation() -> None:
    keys = {
        (f.trials.application[0], f.trials.input[0], f.trials.execution[0])
        for f in (read(Rocprof(), t) for t in (OLD, STATS, V2))
    }
    assert keys == {(*SCALE, "dispatch 0")}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("k(int) [clone .kd]", "k(int)"),
        ("k(int) (.kd)", "k(int)"),
        ("k.kd", "k"),
        ("k(int)", "k(int)"),
        ("k(int) ", "k(int)"),
        ("_Z1kPf.kd", "_Z1kPf"),
        ("a<b.kdx>(int)", "a<b.kdx>(int)"),
    ],
)
def test_kernel_names(written: str, name: str) -> None:
    assert read(Rocprof(), OLD.replace("scale(float*, int) [clone .kd]", written)).trials.application[0] == name


def test_long_names_and_quotes_are_kept_letter_for_letter() -> None:
    name = "void outer<" + "inner<int, 3u>, " * 400 + 'tag<""x"">>(float*)'
    found = read(Rocprof(), OLD.replace("scale(float*, int) [clone .kd]", name))
    assert len(found.trials.application[0]) > 5000
    assert found.trials.application[0] == name.replace('""', '"')


def test_names_with_commas_that_are_not_quoted() -> None:
    found = read(Rocprof(), OLD.replace('"', ""))
    assert found.trials.application == ("scale(float*, int)",) * 2
    assert column(found, "Busy") == [12.5, 13]


def test_messages_before_and_behind_the_table() -> None:
    text = "RPL: on '221130' from '/opt'\nresult, sum = 12\n" + OLD + "ROCPRofiler: 2 contexts collected\n"
    found = read(Rocprof(), text)
    assert found.trials.where == ("line 4", "line 5")
    assert skipped(found) == {"line 6": "no row of the table but a message: 'ROCPRofiler: 2 contexts collected'"}
    assert takers(text) == ["rocprof"]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace(",queue-index", ",   queue-index"),
        lambda t: t.replace("Busy\n", "Busy,\n").replace("0000\n", "0000,\n"),
        lambda t: t.replace(",Busy", ',"Busy" '),
        lambda t: t.replace("4096.0000000000", '"4,096"'),
        lambda t: t.rstrip("\n"),
    ],
    ids=["windows", "bom", "spaces", "comma at the end", "space behind quotes", "thousands", "no last line end"],
)
def test_shapes_of_the_same_file(change) -> None:
    text = change(OLD)
    assert takers(text) == ["rocprof"]
    found = read(Rocprof(), text)
    assert column(found, "L2_READS_sum") == [4096, 4100]
    assert column(found, "Busy") == [12.5, 13]
    assert found.trials.application == ("scale(float*, int)",) * 2


def test_semicolons_of_a_spreadsheet() -> None:
    text = "\n".join(line.replace(", int", "; int").replace(",", ";") for line in OLD.splitlines())
    found = read(Rocprof(), text)
    assert takers(text) == ["rocprof"]
    assert column(found, "L2_READS_sum") == [4096, 4100]


def test_dtk_has_fewer_columns_and_counters_per_channel() -> None:
    text = (
        "Index,KernelName,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,TCC_RD[0],TCC_RD[1],BeginNs,EndNs\n"
        "0,spin,64,64,0,0,8,0,16,3,4,0,1000\n1,work,4096,512,0,0,16,0,32,10,6,1000,3000\n"
    )
    found = read(Rocprof(), text)
    assert takers(text) == ["rocprof"]
    assert metrics(found) == ["time_s", "TCC_RD[0]", "TCC_RD[1]"]
    assert column(found, "time_s") == [1e-06, 2e-06]
    assert column(found, "TCC_RD[1]") == [4, 6]


def test_a_table_without_an_index_has_no_executions() -> None:
    text = "\n".join(line.split(",", 1)[1] for line in STATS.splitlines())
    assert read(Rocprof(), text).trials.execution == ()
    assert takers(text) == ["rocprof"]


def test_rows_for_each_die_are_one_execution() -> None:
    text = (
        "Dispatch_ID,GPU_ID,Queue_ID,Grid_Size,Workgroup_Size,Kernel_Name,Correlation_ID,XCC_Index,TCC_HIT[0],TCC_HIT[1],"
        "SQ_WAVES\n"
        "1,0,1,64,64,k,0,0,10,11,5\n1,0,1,64,64,k,0,1,20,21,6\n2,0,1,64,64,k,0,0,30,31,7\n2,0,1,64,64,k,0,1,40,41,8\n"
    )
    found = read(Rocprof(), text)
    assert len(found.trials) == 2
    assert [column(found, f"TCC_HIT[{i}]")[0] for i in range(4)] == [10, 11, 20, 21]
    assert column(found, "TCC_HIT[3]") == [21, 41]
    assert column(found, "SQ_WAVES") == [11, 15]
    assert any("die (XCC)" in w and "'SQ_WAVES'" in w for w in found.warnings)


def test_an_accumulated_counter_says_what_it_accumulates() -> None:
    text = OLD.replace("L2_READS_sum,Busy", "SQ_IFETCH_LEVEL,SQ_ACCUM_PREV_HIRES")
    assert metrics(read(Rocprof(), text)) == ["SQ_IFETCH_LEVEL", "SQ_ACCUM_PREV_HIRES [SQ_IFETCH_LEVEL]"]


@pytest.mark.parametrize(
    ("begin", "end", "stated", "time", "why"),
    [
        ("", "", "", np.nan, "no time stamps"),
        ("100200", "", "", np.nan, "no time stamps"),
        ("0", "0", "", np.nan, "both time stamps are 0"),
        ("3600000000005321", "3600000000000200", "", np.nan, "it ends (3600000000000200) before it begins"),
        ("n/a", "3600000000000200", "", np.nan, "a time stamp is 'n/a'"),
        ("3.6E+15", "3.6E+15", "5121", 5.121e-06, ""),
        ("3.6E+15", "3.7E+15", "", np.nan, "rounded to 1e+14 ns"),
        ("3600000000000200", "3600000000005321", "512", 5.121e-06, "DurationNs is 512"),
        ("", "", "5121", 5.121e-06, ""),
        ("9007199254740993", "9007199254740996", "", 3e-09, ""),
        ("1.00000000000002e+16", "1.000000000000712e+16", "", 6.92e-06, ""),
    ],
)
def test_time_stamps(begin: str, end: str, stated: str, time: float, why: str) -> None:
    row = STATS.replace("3600000000000200,3600000000005321,3600000000009000,5121", f"{begin},{end},1,{stated}")
    found = read(Rocprof(), row)
    assert column(found, "time_s")[0] == pytest.approx(time, nan_ok=True)
    assert column(found, "time_s")[1] == 7.01e-07
    assert why in skipped(found).get("line 2", "") if why else not found.skipped


@pytest.mark.parametrize(("stamp", "times"), [("3.6E+15", []), ("3600000000000000", [0, 0])])
def test_durations_of_zero_are_missing_where_the_stamps_were_rounded(stamp: str, times: list[float]) -> None:
    head, *rows = STATS.splitlines()
    alike = [",".join([*row.split(",")[:-4], stamp, stamp, "1", ""]) for row in rows]
    found = read(Rocprof(), "\n".join([head, *alike]))
    assert (column(found, "time_s") if times else metrics(found).count("time_s")) == (times or 0)
    assert any("every duration is 0" in w for w in found.warnings) == bool(times)


def test_a_cell_that_is_no_number_is_missing() -> None:
    found = read(Rocprof(), OLD.replace("4100.0000000000", "0x1004").replace("12.5000000000", "nan"))
    np.testing.assert_array_equal(column(found, "L2_READS_sum"), [4096, np.nan])
    np.testing.assert_array_equal(column(found, "Busy"), [np.nan, 13])
    assert skipped(found) == {"line 3": "'L2_READS_sum' is '0x1004', expected a number: it is missing there"}


def test_a_column_of_words_is_a_label() -> None:
    found = read(
        Rocprof(), OLD.replace(",Busy", ",Phase").replace("12.5000000000", "warm").replace("13.0000000000", "hot")
    )
    assert found.trials.labels["Phase"] == ("warm", "hot")
    assert metrics(found) == ["L2_READS_sum"]


def test_a_property_that_differs_between_alike_launches_is_kept_per_trial() -> None:
    found = read(
        Rocprof(), OLD.replace("256,512,0,12,32,0,0x0,0x7f00aa10,4100", "256,1024,0,12,32,0,0x0,0x7f00aa10,4100")
    )
    assert column(found, "lds_per_workgroup") == [512, 1024]
    assert unit(found, "lds_per_workgroup") == "byte"
    assert "lds_per_workgroup" not in input_facts(found)[SCALE]
    assert any("'lds_per_workgroup' differs" in w for w in found.warnings)


def test_rows_that_are_not_whole_are_told() -> None:
    text = (
        OLD + '2,"scale(float*, int) [clone .kd]",1,0\n' + OLD.splitlines()[2].replace("1,", "3,", 1) + '\n4,"scale(fl'
    )
    found = read(Rocprof(), text)
    assert found.trials.execution == ("dispatch 0", "dispatch 1", "dispatch 3")
    assert skipped(found) == {
        "line 4": "it has 4 cells and the header 18",
        "line 6": "the file breaks off within this row",
    }


def test_two_captures_in_one_file() -> None:
    found = read(Rocprof(), OLD + OLD)
    assert len(found.trials) == 4
    assert found.trials.execution == ("dispatch 0", "dispatch 1") * 2


def test_a_counter_that_stands_there_twice() -> None:
    found = read(Rocprof(), OLD.replace("L2_READS_sum,Busy", "SQ_WAVES,SQ_WAVES"))
    assert metrics(found) == ["SQ_WAVES", "SQ_WAVES [column 18]"]


def test_launches_alone_are_told() -> None:
    text = "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr\n0,k.kd,0,0,0,1,1,64,64\n"
    assert any("without times or counters" in w for w in read(Rocprof(), text).warnings)


def test_no_rows() -> None:
    assert refused(Rocprof(), OLD.splitlines()[0] + "\n") == (
        "run.csv has column names (line 1) and no measurements: the profiler saw no kernel. "
        "Check its filters, and run the capture again."
    )


def test_only_messages() -> None:
    text = "RPL: profiling '\"app\"'\nROCProfiler: input from \"/tmp/input.xml\"\nError: metric 'FOO' not found\nbye\n"
    assert takers(text) == ["rocprof"]
    sentence = refused(Rocprof(), text)
    assert sentence.startswith("run.csv holds only messages of rocprof and no measurements: 'Error: metric 'FOO'")
    assert "(line 3)" in sentence


@pytest.mark.parametrize("text", [OLD, STATS, V2])
def test_damaged_files(text: str) -> None:
    assert survives(Rocprof(), text) > 50


@pytest.mark.parametrize("text", [OLD, STATS])
def test_only_rocprof_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprof"]


@pytest.mark.parametrize(
    "text",
    [
        "| header `Index,KernelName,gpu-id,` (quoted or not) | rocprof |\n",
        "The columns are called Index,KernelName,gpu-id and so on.\n",
    ],
)
def test_texts_about_its_files_are_none(text: str) -> None:
    assert takers(text) == []


def test_real_files(real_data: Path) -> None:
    folder = real_data / "formats/rocprof_v1"
    counters = Rocprof().read(source((folder / "metrics_copy_excerpt.csv").read_bytes()))
    assert counters.trials.application == ("copy_kernel(float*, float*, int, int)",)
    assert column(counters, "TCC_EA_RDREQ_sum") == [1057241]
    stats = Rocprof().read(source((folder / "results_stats_mi300_gunrock_excerpt.csv").read_bytes()))
    assert len(stats.trials) == 4
    assert column(stats, "time_s") == [5.573e-06, 197.130e-06, 231.369e-06, 4.210e-06]
    assert stats.trials.execution[-1] == "dispatch 6"
    assert not stats.skipped


def test_registers_belong_to_the_trials_as_another_gpu_has_others(tmp_path: Path) -> None:
    head = "Index,KernelName,gpu-id,grd,wgr,lds,scr,arch_vgpr,sgpr,wave_size,BeginNs,EndNs\n"
    runs = [
        ("MI100", head + '0,"copy.kd",0,4096,256,0,0,8,16,64,1000000,1000700\n'),
        ("W7900", head + '0,"copy.kd",0,4096,256,0,0,12,16,32,1000000,1000500\n'),
    ]
    found = [name_machine(read(Rocprof(), text), machine) for machine, text in runs]
    with Store.open(tmp_path / "two.duckdb") as store:
        store.add_all("two", found)
        frame = store.frame("two", "time_s", ["arch_vgpr", "wave_size"])
    assert sorted(zip(frame.labels["machine"], frame.X.tolist(), strict=True)) == [
        ("MI100", [8, 64]),
        ("W7900", [12, 32]),
    ]
