from pathlib import Path

import numpy as np
import pytest

from core.ingest.joining.merge import Located
from core.ingest.joining.runs import join_runs
from core.ingest.readers.rocprofv3 import Rocprofv3Counters, Rocprofv3Trace
from tests.ingest.amd_files import column, input_facts, metrics, read, refused, skipped, source, survives, takers

FIRST = """\
"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value"
1,1,2,1,500,500,4096,"add<float>(float*, int)",64,512,0,8,16,"SQ_WAVES",64
1,1,2,1,500,500,4096,"add<float>(float*, int)",64,512,0,8,16,"GRBM_COUNT",9001
2,2,2,1,500,500,4096,"add<float>(float*, int)",64,512,0,8,16,"SQ_WAVES",64
2,2,2,1,500,500,4096,"add<float>(float*, int)",64,512,0,8,16,"GRBM_COUNT",9007
"""
THIRD = """\
"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
1,1,"Agent 2",1,500,500,4096,16,"add<float>(float*, int)",64,512,0,8,4,16,"SQ_WAVES",64.000000,3200000000001000,3200000000006500
2,2,"Agent 2",1,500,500,128,17,"sub(float*)",128,0,0,8,4,16,"OccupancyPercent",4.34259040e-02,3200000000011000,3200000000012000
"""
TRACE = """\
"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH",2,1,500,2,16,"add<float>(float*, int)",77,3200000000020000,3200000000027000,0,500,64,1,1,64,64,1
"KERNEL_DISPATCH",2,1,500,1,16,"add<float>(float*, int)",71,3200000000010000,3200000000015000,0,500,64,1,1,64,64,1
"""
ADD = ("add<float>(float*, int)", "grid 4096, workgroup 64")


def test_first_generation() -> None:
    found = read(Rocprofv3Counters(), FIRST)
    assert found.trials.application == (ADD[0],) * 2
    assert found.trials.input == (ADD[1],) * 2
    assert found.trials.execution == ("dispatch 1", "dispatch 2")
    assert found.trials.where == ("line 2", "line 4")
    assert found.trials.labels == {"gpu": ("2", "2")}
    assert metrics(found) == ["SQ_WAVES", "GRBM_COUNT"]
    assert column(found, "GRBM_COUNT") == [9001, 9007]
    assert input_facts(found)[ADD] == {
        "grid_size": 4096,
        "workgroup_size": 64,
        "lds_per_workgroup": 512,
        "scratch_per_workitem": 0,
        "arch_vgpr": 8,
        "sgpr": 16,
    }
    assert not found.warnings


def test_third_generation_has_times_and_agents_by_name() -> None:
    found = read(Rocprofv3Counters(), THIRD)
    assert found.trials.application == (ADD[0], "sub(float*)")
    assert found.trials.labels == {"gpu": ("2", "2")}
    assert column(found, "time_s") == [5.5e-06, 1e-06]
    np.testing.assert_array_equal(column(found, "SQ_WAVES"), [64, np.nan])
    assert column(found, "OccupancyPercent")[1] == 4.34259040e-02
    assert input_facts(found)[ADD]["accum_vgpr"] == 4


@pytest.mark.parametrize("agent", ['"Agent 2"', "2", '"GPU 2"', '"Agent-2"'])
def test_agents_are_written_in_several_ways(agent: str) -> None:
    assert read(Rocprofv3Counters(), THIRD.replace('"Agent 2"', agent)).trials.labels["gpu"] == ("2", "2")


def test_rows_of_a_dispatch_need_not_stand_together() -> None:
    head, a, b, c, d = FIRST.splitlines()
    found = read(Rocprofv3Counters(), "\n".join([head, a, c, d, b]))
    assert found.trials.execution == ("dispatch 1", "dispatch 2")
    assert column(found, "GRBM_COUNT") == [9001, 9007]


def test_instances_of_a_counter_are_added_up() -> None:
    text = FIRST.replace('"SQ_WAVES",64\n', '"TCC_HIT",10\n').replace('"GRBM_COUNT",9001', '"TCC_HIT",32')
    found = read(Rocprofv3Counters(), text)
    assert column(found, "TCC_HIT") == [42, 10]
    assert found.warnings == (
        "run.csv lists counters several times for one dispatch, once per instance; they are added up: 'TCC_HIT' (2).",
    )


@pytest.mark.parametrize(("name", "value"), [("BUSY_max", 9001), ("BUSY_min", 64), ("BUSY_sum", 9065)])
def test_instances_of_extremes_are_not_added_up(name: str, value: float) -> None:
    text = FIRST.replace("SQ_WAVES", name).replace("GRBM_COUNT", name)
    assert column(read(Rocprofv3Counters(), text), name)[0] == value


def test_processes_in_one_file_are_kept_apart() -> None:
    head, a, b, c, d = FIRST.splitlines()
    second = [row.replace("2,2,2,1,500,500", "1,1,2,1,501,501") for row in (c, d)]
    found = read(Rocprofv3Counters(), "\n".join([head, a, b, *second]))
    assert found.trials.execution == ("process 500 dispatch 1", "process 501 dispatch 1")
    assert column(found, "GRBM_COUNT") == [9001, 9007]
    assert any("2 processes" in w for w in found.warnings)


def test_dispatches_may_count_from_0() -> None:
    found = read(Rocprofv3Counters(), FIRST.replace("\n1,1,", "\n0,0,").replace("\n2,2,", "\n1,1,"))
    assert found.trials.execution == ("dispatch 0", "dispatch 1")


def test_other_orders_and_spellings_of_columns() -> None:
    text = "Dispatch_ID,Kernel_Name,Counter_Name,Counter_Value,GPU_ID\n0,add.kd,SQ_WAVES,64,1\n0,add.kd,SQ_BUSY,7,1\n"
    found = read(Rocprofv3Counters(), text)
    assert takers(text) == ["rocprofv3_counters"]
    assert found.trials.application == ("add",)
    assert found.trials.input == ("",)
    assert column(found, "SQ_BUSY") == [7]


def test_long_names_are_kept() -> None:
    name = "void k<" + "a<b, 1u>, " * 600 + "c>(float*)"
    found = read(Rocprofv3Counters(), FIRST.replace("add<float>(float*, int)", name))
    assert found.trials.application == (name, name)


def test_kernels_by_number_alone_are_refused() -> None:
    text = "dispatch_id,gpu_id,kernel_id,lds_per_workgroup,counter_id,counter_name,counter_value\n0,0,1,0,10,SQ_WAVES,8.0\n"
    assert takers(text) == ["rocprofv3_counters"]
    assert "gives kernels by number alone" in refused(Rocprofv3Counters(), text)


def test_no_rows() -> None:
    assert "no measurements: the profiler saw no kernel" in refused(Rocprofv3Counters(), FIRST.splitlines()[0] + "\n")


def test_bad_cells_are_told() -> None:
    found = read(Rocprofv3Counters(), FIRST.replace("9001", "1e999").replace('"GRBM_COUNT",9007', '"",9007'))
    assert metrics(found) == ["SQ_WAVES"]
    assert skipped(found) == {
        "line 3": "'Counter_Value' is '1e999', expected a number: it is missing there",
        "line 5": "it names no counter",
    }
    assert any("'GRBM_COUNT'" in w for w in found.warnings)


def test_times_that_end_before_they_begin_are_missing() -> None:
    found = read(Rocprofv3Counters(), THIRD.replace("3200000000006500", "3200000000000500"))
    np.testing.assert_array_equal(column(found, "time_s"), [np.nan, 1e-06])
    assert "before it begins" in skipped(found)["line 2"]


def test_windows_line_ends_and_broken_off() -> None:
    found = read(Rocprofv3Counters(), FIRST.replace("\n", "\r\n")[:-60])
    assert len(found.trials) == 2
    assert skipped(found) == {"line 5": "the file breaks off within this row"}


def test_passes_and_the_trace_join_on_the_dispatch() -> None:
    second = FIRST.replace(",500,500,", ",533,533,").replace("SQ_WAVES", "TCC_HIT").replace("GRBM_COUNT", "TCC_MISS")
    family = Rocprofv3Counters.family
    assert family == Rocprofv3Trace.family == "rocprofv3"
    parts = [
        Located("run/pmc_1/500_counter_collection.csv", family, read(Rocprofv3Counters(), FIRST)),
        Located("run/pmc_2/533_counter_collection.csv", family, read(Rocprofv3Counters(), second)),
        Located("run/500_kernel_trace.csv", family, read(Rocprofv3Trace(), TRACE)),
    ]
    (found,) = join_runs(parts)
    assert len(found.trials) == 2
    by_dispatch = dict(zip(found.trials.execution, range(2), strict=True))
    row = by_dispatch["dispatch 1"]
    assert column(found, "time_s")[row] == 5e-06
    assert column(found, "GRBM_COUNT")[row] == 9001
    assert column(found, "TCC_MISS")[row] == 9001
    assert not np.isnan(found.trials.values).any()
    assert input_facts(found)[ADD]["grid_size_x"] == 64


def test_two_processes_in_one_folder_are_not_mixed() -> None:
    other, trace = FIRST.replace(",500,500,", ",501,501,").replace("9001", "8001"), TRACE.replace("15000,0", "16000,0")
    files = {
        "r/500_counter_collection.csv": read(Rocprofv3Counters(), FIRST),
        "r/500_kernel_trace.csv": read(Rocprofv3Trace(), TRACE),
        "r/501_counter_collection.csv": read(Rocprofv3Counters(), other),
        "r/501_kernel_trace.csv": read(Rocprofv3Trace(), trace),
    }
    (found,) = join_runs([Located(path, "rocprofv3", imported) for path, imported in files.items()])
    assert len(found.trials) == 4
    rows = [i for i, e in enumerate(found.trials.execution) if e == "dispatch 1"]
    assert {(column(found, "time_s")[i], column(found, "GRBM_COUNT")[i]) for i in rows} == {
        (5e-06, 9001),
        (6e-06, 8001),
    }


@pytest.mark.parametrize("text", [FIRST, THIRD])
def test_damaged_files(text: str) -> None:
    assert survives(Rocprofv3Counters(), text) > 50


@pytest.mark.parametrize("text", [FIRST, THIRD])
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprofv3_counters"]


def test_real_files(real_data: Path) -> None:
    folder = real_data / "formats/rocprofv3"
    counters = Rocprofv3Counters().read(source((folder / "counter_collection_2024.csv").read_bytes()))
    trace = Rocprofv3Trace().read(source((folder / "kernel_trace_2024.csv").read_bytes()))
    assert len(counters.trials) == len(trace.trials) == 7
    assert column(counters, "SQ_WAVES") == [16384] * 7
    parts = [Located("counters", "rocprofv3", counters), Located("trace", "rocprofv3", trace)]
    (found,) = join_runs(parts)
    assert len(found.trials) == 7
    at = found.trials.execution.index("dispatch 5")
    assert column(found, "time_s")[at] == 100.895e-6
    assert column(found, "SQ_WAVES")[at] == 16384
