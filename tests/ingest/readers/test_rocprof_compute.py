from pathlib import Path

import numpy as np
import pytest

from core.ingest.joining.merge import Located
from core.ingest.joining.runs import join_runs
from core.ingest.readers.rocprof import Rocprof, RocprofCompute
from tests.ingest.amd_files import column, input_facts, metrics, read, refused, skipped, source, survives, takers

NAME = '"copy(double*, int) [clone .kd]"'
PERF = f"""\
Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,SQC_DCACHE_REQ_READ_1,SQC_DCACHE_REQ_READ_16,wave_size_1,obj_1,TCC_HIT[0],TCC_HIT[1],SQ_BUSY_sum,wave_size_2,obj_2,Start_Timestamp,End_Timestamp
0,{NAME},2,4096,256,0,0,8,8,16,64,0x7f93318b0ec0,7,5,64,0x7f6520174ec0,10,11,12.0,64,0x7fc1bb190ec0,1410078545000100,1410078545003200
1,{NAME},2,4096,256,0,0,8,8,16,64,0x7f93318b0ec0,8,6,64,0x7f6520174ec0,20,21,22.0,64,0x7fc1bb190ec0,1410078545010100,1410078545013300
"""
SQ = f"""\
Dispatch_ID,Kernel_Name,GPU_ID,queue-id,queue-index,pid,tid,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,sig,obj,SQ_IFETCH_LEVEL,SQ_ACCUM_PREV_HIRES,DispatchNs,Start_Timestamp,End_Timestamp,CompleteNs
0,{NAME},2,0,0,77,77,4096,256,0,0,8,8,16,64,0x0,0x7f1a76c30ec0,900,90000,1410066882102360,1410078545000100,1410078545003900,1410066889784789
1,{NAME},2,0,2,77,77,4096,256,0,0,8,8,16,64,0x0,0x7f1a76c30ec0,901,90100,1410066889807272,1410078545010100,1410078545013900,1410066890267580
"""
TIMES = f"""\
Dispatch_ID,Kernel_Name,GPU_ID,queue-id,queue-index,pid,tid,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,sig,obj,DispatchNs,Start_Timestamp,End_Timestamp,CompleteNs
0,{NAME},2,0,0,78,78,4096,256,0,0,8,8,16,64,0x0,0x7febef7c8ec0,1,1410078545000100,1410078545003200,9
1,{NAME},2,0,2,78,78,4096,256,0,0,8,8,16,64,0x0,0x7febef7c8ec0,1,1410078545010100,1410078545013300,9
"""
MI300 = """\
Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Correlation_ID,SQ_WAVES,Wave_Size_1,Correlation_ID_1,XCC_Index,TCC_HIT[0],TCC_HIT[17],XCC_Index_5,Start_Timestamp,End_Timestamp
1,2,4096,256,0,0,4,4,16,64,"copy(double*, int) (.kd)",0,16,64,0,0,3,4,0,8.1097E+14,8.1097E+14
2,2,4096,256,0,0,4,4,16,64,"copy(double*, int) (.kd)",0,16,64,0,0,5,6,0,8.1097E+14,8.1097E+14
3,2,4096,256,0,0,4,4,16,64,"copy(double*, int) (.kd)",0,16,64,0,0,5,6,0,8.1097E+14,8.1097E+14
"""
COPY = ("copy(double*, int)", "grid 4096, workgroup 256")


def test_columns_of_version_1() -> None:
    found = read(RocprofCompute(), PERF)
    assert found.trials.application == (COPY[0],) * 2
    assert found.trials.input == (COPY[1],) * 2
    assert found.trials.execution == ("dispatch 0", "dispatch 1")
    assert column(found, "time_s") == [3.1e-06, 3.2e-06]
    assert column(found, "TCC_HIT[1]") == [11, 21]
    assert input_facts(found)[COPY] == {
        "grid_size": 4096,
        "workgroup_size": 256,
        "lds_per_workgroup": 0,
        "scratch_per_workitem": 0,
        "arch_vgpr": 8,
        "accum_vgpr": 8,
        "sgpr": 16,
        "wave_size": 64,
    }
    assert not found.warnings


def test_copies_of_columns_are_left_out_and_counters_that_end_in_numbers_are_not() -> None:
    assert metrics(read(RocprofCompute(), PERF)) == [
        "time_s",
        "SQC_DCACHE_REQ_READ_1",
        "SQC_DCACHE_REQ_READ_16",
        "TCC_HIT[0]",
        "TCC_HIT[1]",
        "SQ_BUSY_sum",
    ]


def test_columns_of_version_2_saved_by_a_spreadsheet() -> None:
    found = read(RocprofCompute(), MI300)
    assert takers(MI300) == ["rocprof_compute"]
    assert metrics(found) == ["SQ_WAVES", "TCC_HIT[0]", "TCC_HIT[17]"]
    assert found.trials.application == (COPY[0],) * 3
    assert found.trials.execution == ("dispatch 0", "dispatch 1", "dispatch 2")
    assert "without a value in any trial, and left out: 'time_s'" in found.warnings[0]
    assert any("rounded to 1e+10 ns, perhaps by a spreadsheet" in s.why for s in found.skipped)


def test_thousands_of_columns() -> None:
    extra = [f"TCC_EA_X{k}[{c}]" for k in range(100) for c in range(32)]
    head, *rows = PERF.splitlines()
    rows = [row + "," + ",".join(str(i + j) for j in range(len(extra))) for i, row in enumerate(rows)]
    found = read(RocprofCompute(), "\n".join([f"{head},{','.join(extra)}", *rows]))
    assert len(metrics(found)) == 6 + 3200
    assert column(found, "TCC_EA_X99[31]") == [3199, 3200]


def test_files_of_one_folder_join() -> None:
    assert RocprofCompute.family == Rocprof.family == "rocprof"
    files = {"pmc_perf.csv": PERF, "SQ_IFETCH_LEVEL.csv": SQ, "timestamps.csv": TIMES}
    parts = [Located(f"w/{name}", "rocprof", read(RocprofCompute(), text, name)) for name, text in files.items()]
    (found,) = join_runs(parts)
    assert len(found.trials) == 2
    assert column(found, "time_s") == [3.1e-06, 3.2e-06]  # of timestamps.csv, which counted nothing
    assert column(found, "SQ_ACCUM_PREV_HIRES [SQ_IFETCH_LEVEL]") == [90000, 90100]
    assert not np.isnan(found.trials.values).any()


def test_files_of_one_folder_join_although_one_counts_from_1() -> None:
    times = (
        "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n"
        '1,2,1,5,5,4096,256,"copy(double*, int) (.kd)",1410078545000100,1410078545003200\n'
        '2,2,1,5,5,4096,256,"copy(double*, int) (.kd)",1410078545010100,1410078545013400\n'
    )
    assert takers(times) == ["rocprof"]
    parts = [Located("w/a", "rocprof", read(Rocprof(), times)), Located("w/b", "rocprof", read(RocprofCompute(), SQ))]
    (found,) = join_runs(parts)
    assert found.trials.execution == ("dispatch 0", "dispatch 1")
    assert column(found, "time_s") == [3.1e-06, 3.3e-06]


def test_half_renamed_columns_and_blanks_behind_names() -> None:
    text = SQ.replace("Grid_Size", "grd").replace("Scratch_Per_Workitem", "scr").replace("Arch_VGPR", "arch_vgpr")
    found = read(RocprofCompute(), text.replace(" [clone .kd]", " "))
    assert takers(text) == ["rocprof_compute"]
    assert found.trials.application == (COPY[0],) * 2
    assert found.trials.input == (COPY[1],) * 2


def test_an_index_of_a_data_frame_is_no_metric() -> None:
    head, *rows = PERF.splitlines()
    text = "\n".join(["," + head, *(f"{i},{row}" for i, row in enumerate(rows))])
    assert metrics(read(RocprofCompute(), text))[0] == "time_s"
    assert len(metrics(read(RocprofCompute(), text))) == 6


def test_a_list_of_dispatches_is_refused() -> None:
    text = f"Dispatch_ID,Kernel_Name,GPU_ID\n0,{NAME},2\n"
    assert takers(text) == ["rocprof_compute"]
    assert refused(RocprofCompute(), text) == (
        "run.csv lists dispatches and measures nothing of them. Import pmc_perf.csv of the same folder."
    )


def test_no_rows_and_rows_cut_off() -> None:
    assert "no measurements" in refused(RocprofCompute(), PERF.splitlines()[0])
    found = read(RocprofCompute(), PERF.replace("\n", "\r\n")[:-90])
    assert len(found.trials) == 1
    assert skipped(found) == {"line 3": "the file breaks off within this row"}


@pytest.mark.parametrize("text", [PERF, SQ, TIMES])
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprof_compute"]


@pytest.mark.parametrize("text", [PERF, SQ, MI300])
def test_damaged_files(text: str) -> None:
    assert survives(RocprofCompute(), text) > 30


def test_real_folder(real_data: Path) -> None:
    folder = real_data / "formats/rocprof-compute"
    parts = []
    for name, n_metrics in (("pmc_perf", 950), ("SQ_IFETCH_LEVEL", 7), ("timestamps", 1)):
        found = RocprofCompute().read(source((folder / f"vcopy_MI100_{name}.csv").read_bytes(), name))
        assert len(found.trials) == 3
        assert len(metrics(found)) == n_metrics
        assert column(found, "time_s") == [24.8e-6, 18.88e-6, 18.88e-6]
        parts.append(Located(f"w/{name}", "rocprof", found))
    (joined,) = join_runs(parts)
    assert len(joined.trials) == 3
    assert column(joined, "SQC_DCACHE_REQ_READ_2") == [32768] * 3
    assert column(joined, "SQ_ACCUM_PREV_HIRES [SQ_IFETCH_LEVEL]") == [1679996, 1048592, 1048584]
