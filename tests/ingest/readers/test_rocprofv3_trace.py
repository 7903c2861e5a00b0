from pathlib import Path

import numpy as np
import pytest

from core.ingest.readers.rocprofv3 import Rocprofv3Trace
from tests.ingest.amd_files import column, input_facts, metrics, read, refused, skipped, source, survives, takers

SECOND = """\
"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH",2,1,1,500,1,16,"add<float>(float*, int)",71,3200000000010000,3200000000015000,16,512,64,2,1,1024,32,1
"KERNEL_DISPATCH",2,1,1,500,2,17,"sub.kd",72,3200000000020000,3200000000027000,0,0,64,1,1,64,1,1
"""
THIRD = """\
"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 2",1,0,500,1,16,"add<float>(float*, int)",1,3200000000010000,3200000000015000,512,16,24,4,32,64,2,1,1024,32,1
"""
ADD = ("add<float>(float*, int)", "grid 32768, workgroup 128")


def test_second_generation() -> None:
    found = read(Rocprofv3Trace(), SECOND)
    assert list(zip(found.trials.application, found.trials.input, strict=True)) == [
        ADD,
        ("sub", "grid 64, workgroup 64"),
    ]
    assert found.trials.execution == ("dispatch 1", "dispatch 2")
    assert found.trials.labels == {"gpu": ("2", "2")}
    assert metrics(found) == ["time_s"]
    assert column(found, "time_s") == [5e-06, 7e-06]
    assert input_facts(found)[ADD] == {
        "private_segment_size": 16,
        "group_segment_size": 512,
        "workgroup_size_x": 64,
        "workgroup_size_y": 2,
        "workgroup_size_z": 1,
        "grid_size_x": 1024,
        "grid_size_y": 32,
        "grid_size_z": 1,
        "grid_size": 32768,
        "workgroup_size": 128,
    }


def test_third_generation_has_registers() -> None:
    found = read(Rocprofv3Trace(), THIRD)
    facts = input_facts(found)[ADD]
    assert (facts["lds_per_workgroup"], facts["scratch_per_workitem"]) == (512, 16)
    assert (facts["arch_vgpr"], facts["accum_vgpr"], facts["sgpr"]) == (24, 4, 32)


def test_rocpd_writes_a_run_id_and_other_capitals() -> None:
    text = THIRD.replace('"Kind"', '"Guid","Kind"').replace('"KERNEL_D', '"0000-71","KERNEL_D').replace("LDS", "Lds")
    text = text.replace("VGPR", "Vgpr").replace("SGPR", "Sgpr")
    assert takers(text) == ["rocprofv3_trace"]
    found = read(Rocprofv3Trace(), text)
    assert input_facts(found)[ADD]["arch_vgpr"] == 24
    assert found.trials.execution == ("dispatch 1",)


def test_rocpd_of_two_runs_keeps_them_apart() -> None:
    head, row = THIRD.replace('"Kind"', '"Guid","Kind"').splitlines()
    found = read(Rocprofv3Trace(), f'{head}\n"a-1",{row}\n"b-2",{row}\n')
    assert found.trials.execution == ("process a-1 dispatch 1", "process b-2 dispatch 1")


def test_the_earliest_traces_have_no_dispatch_numbers() -> None:
    lines = SECOND.splitlines()
    text = "\n".join(",".join(c for i, c in enumerate(_cells(line)) if i not in (3, 4, 5)) for line in lines)
    assert "Dispatch_Id" not in text
    assert takers(text) == ["rocprofv3_trace"]
    found = read(Rocprofv3Trace(), text)
    assert found.trials.execution == ()
    assert column(found, "time_s") == [5e-06, 7e-06]


def _cells(line: str) -> list[str]:
    return line.replace("(float*, int)", "(float*; int)").split(",")


def test_launches_of_one_size_and_several_shapes() -> None:
    found = read(Rocprofv3Trace(), SECOND + SECOND.splitlines()[1].replace("1024,32,1", "32,1024,1") + "\n")
    assert found.trials.input[0] == found.trials.input[2]
    assert column(found, "grid_size_x") == [1024, 64, 32]
    assert any("'grid_size_x' differs" in w for w in found.warnings)
    assert input_facts(found)[ADD]["grid_size"] == 32768


def test_other_records_beside_kernels_are_left_out() -> None:
    row = SECOND.splitlines()[2].replace("KERNEL_DISPATCH", "SCRATCH_MEMORY")
    found = read(Rocprofv3Trace(), SECOND + row + "\n")
    assert len(found.trials) == 2
    assert skipped(found) == {"line 4": "it is a SCRATCH_MEMORY and no kernel"}


@pytest.mark.parametrize(
    ("header", "row", "what"),
    [
        (
            "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp",
            "HIP_RUNTIME_API,hipMalloc,5,5,2,100,200",
            "API calls or markers",
        ),
        (
            "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp",
            "MARKER_CORE_API,my region,5,5,2,100,200",
            "API calls or markers",
        ),
        (
            "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp",
            "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,2,9,100,200",
            "memory copies",
        ),
        (
            "Kind,Operation,Agent_Id,Queue_Id,Thread_Id,Alloc_Flags,Start_Timestamp,End_Timestamp",
            "SCRATCH_MEMORY,SCRATCH_MEMORY_ALLOC,1,1,5,1,100,200",
            "memory allocations or copies",
        ),
        (
            "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,Instruction_Comment,Correlation_Id",
            '100,65535,1,s_endpgm,"",1',
            "samples of the program counter",
        ),
        (
            "Domain,Function,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID",
            "HIP_API_DOMAIN,hipMalloc,,100,200,2",
            "API calls or markers",
        ),
    ],
)
@pytest.mark.parametrize("quoted", [True, False])
def test_traces_of_something_else_are_refused(header: str, row: str, what: str, quoted: bool) -> None:
    names = ",".join(f'"{name}"' for name in header.split(",")) if quoted else header
    text = f"{names}\n{row}\n"
    assert takers(text) == ["rocprofv3_trace"]
    assert refused(Rocprofv3Trace(), text) == (
        f"run.csv holds {what} and no kernels: no execution can be taken from it. Import the kernel trace "
        "(rocprofv3 --kernel-trace) or the counter collection."
    )


def test_version_2_traces_kernels_with_another_name_for_the_end() -> None:
    text = (
        "Domain,Operation,Kernel_Name,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\n"
        'HIP_OPS_DOMAIN,KernelExecution,"add(int*) (.kd)",3200000000010000,3200000000015000,4\n'
    )
    found = read(Rocprofv3Trace(), text)
    assert found.trials.application == ("add(int*)",)
    assert column(found, "time_s") == [5e-06]


def test_reduced_tables() -> None:
    text = "Kernel_Name,Start_Timestamp,End_Timestamp\nadd,1000,6000\nadd,7000,9000\n"
    assert takers(text) == ["rocprofv3_trace"]
    assert column(read(Rocprofv3Trace(), text), "time_s") == [5e-06, 2e-06]


def test_constant_durations_warn() -> None:
    rows = "".join(SECOND.splitlines()[1] + "\n" for _ in range(3))
    found = read(Rocprofv3Trace(), SECOND.splitlines()[0] + "\n" + rows)
    assert any("alike, which no measurement gives" in w for w in found.warnings)


def test_missing_stamps() -> None:
    found = read(Rocprofv3Trace(), SECOND.replace("3200000000015000", "").replace("3200000000027000", "0"))
    assert metrics(found) == []
    assert "no time stamps" in skipped(found)["line 2"]
    assert "before it begins" in skipped(found)["line 3"]


def test_only_messages() -> None:
    text = (
        "W2026 09:53 1290 simple_timer.cpp:55] [rocprofv3] tool initialization\n"
        "F2026 09:53 1290 registration.cpp:9] rocprofiler failed: agent not found\n"
    )
    assert takers(text) == ["rocprofv3_trace"]
    assert refused(Rocprofv3Trace(), text) == (
        "run.csv holds only messages of rocprofv3 and no measurements: 'F2026 09:53 1290 registration.cpp:9] "
        "rocprofiler failed: agent not found'. Run it again."
    )


def test_no_rows() -> None:
    assert "no measurements: the profiler saw no kernel" in refused(Rocprofv3Trace(), SECOND.splitlines()[0])


@pytest.mark.parametrize("text", [SECOND, THIRD])
def test_damaged_files(text: str) -> None:
    assert survives(Rocprofv3Trace(), text) > 20


@pytest.mark.parametrize("text", [SECOND, THIRD, SECOND.replace("\n", "\r\n"), SECOND.replace('"', "")])
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprofv3_trace"]
    assert read(Rocprofv3Trace(), text).trials.application[0] == ADD[0]


def test_real_file(real_data: Path) -> None:
    path = real_data / "formats/rocprofv3/kernel_trace_2024.csv"
    found = Rocprofv3Trace().read(source(path.read_bytes()))
    assert len(found.trials) == 7
    assert column(found, "time_s")[0] == 48.744e-6
    assert found.trials.execution == tuple(f"dispatch {i}" for i in (1, 5, 2, 9, 13, 6, 3))
    assert not np.isnan(found.trials.values).any()
    key = ("subtract_kernel(float*, float const*, float const*, int, int)", "grid 1048576, workgroup 64")
    assert input_facts(found)[key]["grid_size_y"] == 1024
