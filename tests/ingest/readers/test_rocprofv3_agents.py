import pytest

from core.ingest.joining.machines import with_machines
from core.ingest.joining.merge import Located
from core.ingest.readers.rocm_machines import Rocprofv3Agents
from core.ingest.readers.rocprofv3 import Rocprofv3Trace
from tests.ingest.amd_files import machine_facts, read, refused, survives, takers
from tests.ingest.readers.test_rocprofv3_trace import SECOND

AGENTS = """\
"Node_Id","Logical_Node_Id","Agent_Type","Cpu_Cores_Count","Simd_Count","Lds_Size_In_Kb","Wave_Front_Size","Num_Xcc","Cu_Count","Location_Id","Max_Engine_Clk_Fcompute","Fw_Version","Local_Mem_Size","Gpu_Id","Name","Vendor_Name","Product_Name","Model_Name"
0,0,"CPU",24,0,0,0,1,24,0,0,0,0,0,"Some CPU","CPU","Some CPU",""
1,1,"GPU",0,256,64,64,8,304,12032,2100,432,1024,64700,"gfx977","AMD","AMD Instinct MI77","model, 7"
2,2,"GPU",0,256,64,64,8,304,12544,2100,432,1024,64701,"gfx977","AMD","AMD Instinct MI77","model, 7"
"""


def test_alike_gpus_are_one_machine() -> None:
    found = read(Rocprofv3Agents(), AGENTS)
    assert len(found.trials) == 0
    assert found.machines is not None
    assert found.machines.keys == (("AMD Instinct MI77",),)
    assert machine_facts(found, "AMD Instinct MI77") == {
        "Simd_Count": (256, ""),
        "Lds_Size_In_Kb": (65536, "byte"),
        "Wave_Front_Size": (64, ""),
        "Num_Xcc": (8, ""),
        "Cu_Count": (304, ""),
        "Max_Engine_Clk_Fcompute": (2.1e9, "Hz"),
        "Local_Mem_Size": (1024, "byte"),
    }
    assert found.machines.labels["Name"] == ("gfx977",)


def test_what_differs_between_alike_gpus_is_left_out() -> None:
    found = read(Rocprofv3Agents(), AGENTS.replace("304,12544", "302,12544"))
    assert "Cu_Count" not in machine_facts(found, "AMD Instinct MI77")
    assert found.warnings == ("Cu_Count differ between GPUs called 'AMD Instinct MI77', and are left out.",)


def test_different_gpus_are_several_machines() -> None:
    last = AGENTS.splitlines()[-1]
    found = read(Rocprofv3Agents(), AGENTS.replace(last, last.replace("Instinct MI77", "Radeon 7")))
    assert found.machines is not None
    assert found.machines.keys == (("AMD Instinct MI77",), ("AMD Radeon 7",))


def test_agents_give_the_trials_beside_them_their_machine() -> None:
    described = [Located("h/9_agent_info.csv", "", read(Rocprofv3Agents(), AGENTS))]
    found = with_machines(Located("h/9_kernel_trace.csv", "rocprofv3", read(Rocprofv3Trace(), SECOND)), described)
    assert found.imported.trials.machine == ("AMD Instinct MI77",) * 2


def test_no_gpu() -> None:
    text = "\n".join(AGENTS.splitlines()[:2])
    assert refused(Rocprofv3Agents(), text) == (
        "run.csv lists no GPU, only CPU. The kernels ran nowhere that it describes."
    )


@pytest.mark.parametrize("text", [AGENTS, AGENTS.replace('"', "").replace("model, 7", "m")])
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprofv3_agents"]


def test_damaged_files() -> None:
    assert survives(Rocprofv3Agents(), AGENTS) > 50
