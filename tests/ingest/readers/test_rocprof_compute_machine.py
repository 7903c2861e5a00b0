from pathlib import Path

import pytest

from core.ingest.joining.machines import machine_only, with_machines
from core.ingest.joining.merge import Located
from core.ingest.readers.rocm_machines import RocprofComputeMachine
from core.ingest.readers.rocprof import RocprofCompute
from tests.ingest.amd_files import machine_facts, read, refused, skipped, source, survives, takers
from tests.ingest.readers.test_rocprof_compute import PERF

SYSINFO = """\
workload_name,command,ip_blocks,timestamp,version,hostname,cpu_model,sbios,rocm_version,vbios,compute_partition,gpu_model,gpu_arch,cpu_memory,gpu_memory,gpu_l1,gpu_l2,cu_per_gpu,se_per_gpu,wave_size,max_sclk,max_mclk,hbm_bw,num_xcd
w,./copy -n 9,SQ|LDS|TCC,Thu 30 May 2024 02:19:39 PM,2,node7,Some CPU 16-Core,"Firm, LLC.V2",6.2.0-1,113-X,NA,MI77_A1,gfx977,1000,,32,4096,88,8,64,2100,1300,1600.5,2
"""
OLD = """\
workload_name,command,host_name,host_cpu,date,gpu_soc,numSE,numCU,waveSize,L1,L2,sclk,mclk,name,hbmBW,ip_blocks
w,"./copy 9",node7,Some CPU,Thu Oct  5 12:46:57 2023,gfx977,8,88,64,16,8192,1502,1200,mi77,1228.8,SQ|LDS
"""
ROOFLINE = """\
device,HBMBw,HBMBwLow,hbmBwHigh,FP32Flops,FP32FlopsLow,MFMAI8Ops,MFMAFI8OpsLow
0,1388.0,1387.5,1388.5,20990.5,20930.0,166000,165000
1,1390.0,1389.5,1390.5,21050.5,21000.0,167000,166500
2,1389.0,1388.5,1389.5,10000.5,21010.0,168000,167500
"""


def test_sysinfo_is_a_machine_and_no_trial() -> None:
    found = read(RocprofComputeMachine(), SYSINFO)
    assert len(found.trials) == 0
    assert machine_only(found)
    facts = machine_facts(found, "MI77_A1")
    assert facts["cu_per_gpu"] == (88, "")
    assert facts["max_sclk"] == (2.1e9, "Hz")
    assert facts["gpu_l2"] == (4096 * 1024, "byte")
    assert facts["hbm_bw"] == (1600.5e9, "byte/s")
    assert found.original_units["max_sclk"] == "MHz"
    assert "gpu_memory" not in facts
    assert "version" not in facts
    assert found.machines is not None
    labels = {name: texts[0] for name, texts in found.machines.labels.items()}
    assert labels["gpu_arch"] == "gfx977"
    assert labels["sbios"] == "Firm, LLC.V2"
    assert "compute_partition" not in labels
    assert skipped(found)["line 1"].startswith("workload_name, command, ip_blocks, timestamp, version say how")


def test_sysinfo_of_omniperf_1() -> None:
    facts = machine_facts(read(RocprofComputeMachine(), OLD), "mi77")
    assert facts["numCU"] == (88, "")
    assert facts["sclk"] == (1.502e9, "Hz")
    assert facts["L1"] == (16384, "byte")
    assert facts["hbmBW"] == (1228.8e9, "byte/s")


def test_a_command_with_commas_that_is_not_quoted() -> None:
    found = read(RocprofComputeMachine(), SYSINFO.replace('"Firm, LLC.V2"', "Firm").replace("-n 9", "-n 9,10,11"))
    assert machine_facts(found, "MI77_A1")["cu_per_gpu"] == (88, "")


def test_several_machines_and_one_told_twice() -> None:
    row = SYSINFO.splitlines()[1]
    found = read(RocprofComputeMachine(), SYSINFO + row.replace("MI77_A1", "MI78") + "\n" + row + "\n")
    assert found.machines is not None
    assert found.machines.keys == (("MI77_A1",), ("MI78",))
    assert skipped(found)["line 4"] == "machine 'MI77_A1' is described above"


def test_roofline_has_the_median_of_its_devices() -> None:
    found = read(RocprofComputeMachine(), ROOFLINE)
    facts = machine_facts(found, "")
    assert facts["HBMBw"] == (1389.0e9, "byte/s")
    assert facts["FP32Flops"] == (20990.5, "GFLOP/s")
    assert facts["MFMAI8Ops"] == (167000, "GOP/s")
    assert "device" not in facts
    assert "run.csv has 3 devices: the median of each peak is taken." in found.warnings
    assert "'FP32Flops' differs by 53 % between the devices." in found.warnings


@pytest.mark.parametrize("cell", ["n/a", "-1", "failed"])
def test_peaks_that_were_not_reached(cell: str) -> None:
    found = read(RocprofComputeMachine(), ROOFLINE.replace("1388.0,", f"{cell},"))
    assert machine_facts(found, "")["HBMBw"] == (1389.5e9, "byte/s")


def test_sysinfo_gives_the_trials_of_its_folder_their_machine() -> None:
    described = [Located("w/sysinfo.csv", "", read(RocprofComputeMachine(), SYSINFO))]
    trials = Located("w/pmc_perf.csv", "rocprof", read(RocprofCompute(), PERF))
    found = with_machines(trials, described).imported
    assert found.trials.machine == ("MI77_A1", "MI77_A1")
    assert machine_facts(found, "MI77_A1")["cu_per_gpu"] == (88, "")


@pytest.mark.parametrize(
    "text", [SYSINFO, OLD, ROOFLINE, ROOFLINE.replace("device,", "devID,"), SYSINFO.replace("\n", "\r\n")]
)
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["rocprof_compute_machine"]


def test_no_rows() -> None:
    assert "no measurements" in refused(RocprofComputeMachine(), SYSINFO.splitlines()[0])


@pytest.mark.parametrize("text", [SYSINFO, ROOFLINE])
def test_damaged_files(text: str) -> None:
    assert survives(RocprofComputeMachine(), text) > 30


def test_real_file(real_data: Path) -> None:
    path = real_data / "formats/rocprof-compute/vcopy_MI100_sysinfo.csv"
    found = RocprofComputeMachine().read(source(path.read_bytes()))
    facts = machine_facts(found, "MI100")
    assert facts["hbm_bw"] == (1228.8e9, "byte/s")
    assert facts["cu_per_gpu"] == (120, "")
    assert len(facts) == 19
