"""Logs of GPGPU-Sim and Accel-Sim: options, launches, differenced totals, and what may stand in between."""

import gzip
import math
import random
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.readers.gpgpu_sim import GpgpuSimReader
from core.trial import Import, Kind

CLOCKS = "-gpgpu_clock_domains 500.0:600.0:500.0:800.0 # Clock Domain Frequencies in MhZ {<Core Clock>:<ICNT Clock>}"
OPTIONS = f"""
-gpgpu_n_clusters                      12 # number of processing clusters
-gpgpu_scheduler                      gto # Scheduler configuration: < lrr | gto >
-gpgpu_shader_core_pipeline         1536:32 # shader core pipeline config, i.e., {{<nthread>:<warpsize>}}
-gpgpu_cache:dl1     S:8:128:32,L:T:m:L:L,A:512:8,16:0,32 # per-shader L1 data cache config
-gpgpu_cache:dl2     64:256:6,L:B:m:W:L,A:32:4,4:0,32 # unified banked L2 data cache config
-gpgpu_cache:dl1PrefL1                 none # per-shader L1 data cache config
-gpgpu_warpdistro_shader                   -1 # Specify which shader core
-hw_perf_bench_name                       # Kernel Name in Hardware Performance Statistics file
-ptx_line_stats_filename stats.txt # Output file for PTX source line statistics.
{CLOCKS}
DRAM Timing Options:
nbk                                    16 # number of banks
CCDL                                    3 # column to column delay; bank groups
Total number of memory sub partition = 12
GPGPU-Sim uArch: clock freqs: 500000000.000000:600000000.000000
"""
BANNER = "\n        *** GPGPU-Sim Simulator Version 4.0.1  [build x] ***\n\n\nGPGPU-Sim: Configuration options:\n"
SPACE = " "
"""What the simulator writes at the end of many lines."""
EXIT = "GPGPU-Sim: *** exit detected ***\n"


def push(name: str, grid: str = "(4,2,1)", block: str = "(64,1,1)") -> str:
    return f"GPGPU-Sim PTX: pushing kernel '{name}' to stream 0, gridDim= {grid} blockDim = {block} \n"


def launch(
    uid: int,
    name: str = "_Z4axpyPf",
    cycles: int = 100,
    total: int | None = None,
    loads: int = 10,
    misses: int = 3,
    more: str = "",
    stream: str = "",
    end: str = "gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 1 sec (1 sec)\ngpgpu_simulation_rate = 22 (inst/sec)\n",
) -> str:
    """The statistics of one launch; `total`, `loads` and `misses` are counted since the run began."""
    total = cycles if total is None else total
    return f"""kernel_name = {name}{SPACE}
kernel_launch_uid = {uid}{SPACE}
gpu_sim_cycle = {cycles}
gpu_sim_insn = {cycles * 2}
gpu_ipc =       2.0000
gpu_tot_sim_cycle = {total}
gpu_tot_sim_insn = {total * 2}
gpu_tot_ipc =       2.0000
gpu_tot_issued_cta = {8 * uid}
gpu_occupancy = 12.5000%{SPACE}
L2_BW  =       3.5000 GB/Sec
gpu_total_sim_rate=22

========= Core cache stats =========
L1D_cache:
\tL1D_cache_core[0]: Access = 4, Miss = 4, Miss_rate = 1.000, Pending_hits = 0, Reservation_fails = 0
\tL1D_total_cache_accesses = {loads}
\tL1D_total_cache_misses = {misses}
\tL1D_total_cache_miss_rate = {misses / loads:.4f}
\tL1D_cache_data_port_util = 0.125
Total_core_cache_stats:
\tTotal_core_cache_stats_breakdown{stream}[GLOBAL_ACC_R][HIT] = {loads - misses}
gpgpu_n_load_insn  = {loads}
gpgpu_stall_shd_mem[gl_mem][coal_stall] = {uid}
gpgpu_stall_shd_mem[l_mem_ld][rc] = 0
gpgpu_stall_shd_mem[l_mem_ld][rc] = {uid}
Stall:2\tW0_Idle:2291\tW0_Scoreboard:485\tW1:22
traffic_breakdown_coretomem[GLOBAL_ACC_R] = {16 * uid} {{8:2,}}
maxmflatency = 307{SPACE}
averagemflatency = 247{SPACE}
mrq_lat_table:0 \t1 \t0{SPACE}
dram[0]:         1         0         0
average row locality = 3/2 = 1.500000
min_bank_accesses = 0!
Memory Partition 0:{SPACE}
DRAM[0]: 16 bks, busW=16 BL=2 CL=12
n_cmd=496 n_nop=496 n_act=0 bw_util=0
n_activity=0 dram_eff=-nan
Row_Buffer_Locality = -nan
total_CMD = 496{SPACE}
Read = 7{SPACE}
L2_WB = 0{SPACE}

========= L2 cache stats =========
L2_cache_bank[0]: Access = 4, Miss = 1, Miss_rate = 0.250, Pending_hits = 0, Reservation_fails = 0
L2_total_cache_accesses = {loads}
{more}
icnt_total_pkts_mem_to_simt={6 * uid}
LD_mem_lat_dist  0 0 0 0
{end}"""


def log(*parts: str, options: str = OPTIONS, end: str = EXIT) -> bytes:
    return (BANNER + options + "".join(parts) + end).encode()


def read(content: bytes, name: str = "run.log") -> Import:
    return GpgpuSimReader().read(SourceFile(name, content))


def column(found: Import, name: str) -> list[float]:
    names = [m.name for m in found.trials.metrics]
    return found.trials.values[:, names.index(name)].tolist()


def kind_and_unit(found: Import, name: str) -> tuple[Kind, str]:
    return next((m.kind, m.unit) for m in found.trials.metrics if m.name == name)


def names(found: Import) -> set[str]:
    return {m.name for m in found.trials.metrics}


def test_numeric_options_are_parameters_and_texts_are_labels_of_the_design() -> None:
    found = read(log(push("_Z4axpyPf"), launch(1)))
    assert column(found, "gpgpu_n_clusters") == [12]
    assert kind_and_unit(found, "gpgpu_n_clusters") == (Kind.PARAMETER, "")
    assert column(found, "gpgpu_warpdistro_shader") == [-1]
    assert column(found, "gpgpu_dram_timing_opt CCDL") == [3]
    assert found.trials.labels["gpgpu_scheduler"] == ("gto",)
    assert {"gpgpu_scheduler", "gpgpu_cache:dl1", "gpgpu_cache:dl1PrefL1"} <= set(found.trials.parameters)
    assert found.trials.labels["ptx_line_stats_filename"] == ("stats.txt",)
    assert "ptx_line_stats_filename" not in found.trials.parameters  # a file to write is no part of the design
    assert "hw_perf_bench_name" not in names(found) | set(found.trials.labels)


def test_caches_and_clocks_are_split_into_numbers_where_that_is_certain() -> None:
    found = read(log(push("_Z4axpyPf"), launch(1)))
    dl1 = [column(found, f"gpgpu_cache:dl1 {part}") for part in ("sets", "block", "associativity")]
    dl2 = [column(found, f"gpgpu_cache:dl2 {part}") for part in ("sets", "block", "associativity")]  # as 3.x wrote them
    assert dl1 == [[8], [128], [32]]
    assert dl2 == [[64], [256], [6]]
    assert kind_and_unit(found, "gpgpu_cache:dl1 block") == (Kind.PARAMETER, "byte")
    assert "gpgpu_cache:dl1PrefL1 sets" not in names(found)
    assert column(found, "gpgpu_clock_domains dram") == [8e8]
    assert found.original_units["gpgpu_clock_domains dram"] == "MHz"
    assert column(found, "gpgpu_shader_core_pipeline warp size") == [32]


def test_cycles_are_the_response_and_seconds_follow_from_the_core_clock() -> None:
    found = read(log(push("_Z4axpyPf"), launch(1, cycles=250)))
    assert column(found, "gpu_sim_cycle") == [250]
    assert kind_and_unit(found, "gpu_sim_cycle") == (Kind.RESPONSE, "cycle")
    assert column(found, "time_s") == [pytest.approx(250 / 500e6, rel=1e-15)]
    assert kind_and_unit(found, "time_s") == (Kind.RESPONSE, "s")
    assert kind_and_unit(found, "gpu_ipc")[0] == Kind.DERIVED
    assert any("time_s is gpu_sim_cycle at the simulated core clock of 500 MHz" in w for w in found.warnings)


def test_no_seconds_without_a_clock_or_where_it_varies() -> None:
    without = read(log(launch(1), options=OPTIONS.replace(CLOCKS, "")))
    varying = read(log(launch(1), options=OPTIONS + "-dvfs_enabled                           1 # Turn on DVFS\n"))
    assert "time_s" not in names(without) | names(varying)


def test_a_trial_per_launch_with_its_shape() -> None:
    parts = (push("_Z4axpyPf"), launch(1), push("_Z3dotPf", "(16,1,1)", "(32,4,1)"), launch(2, "_Z3dotPf", 50, 150, 20))
    found = read(log(*parts))
    assert found.trials.application == ("_Z4axpyPf", "_Z3dotPf")
    assert found.trials.input == ("grid 4x2x1, block 64x1x1", "grid 16x1x1, block 32x4x1")
    assert found.trials.execution == ("launch 1", "launch 2")
    assert found.inputs is not None
    sizes = dict(zip((m.name for m in found.inputs.metrics), found.inputs.values.T.tolist(), strict=True))
    assert sizes["grid_size_x"] == [4, 16]
    assert sizes["block_size_y"] == [1, 4]


def test_a_trace_driven_log_gives_the_shape_in_other_words() -> None:
    header = (
        "Processing kernel ./traces/kernel-1.traceg\n-kernel name = _Z4axpyPf\n-kernel id = 7\n-grid dim = (80,1,1)\n"
        "-block dim = (256,1,1)\n-shmem = 1024\n-nregs = 18\n-cuda stream id = 94469360496112\n"
        "Header info loaded for kernel command : ./traces/kernel-1.traceg\n"
        "launching kernel name: _Z4axpyPf uid: 1 cuda_stream_id: 94469360496112\n"
    )
    found = read(b"Accel-Sim [build accelsim-commit-1]\n" + log(header, launch(1)))
    assert found.trials.input == ("grid 80x1x1, block 256x1x1",)
    assert (column(found, "shmem"), column(found, "nregs")) == ([1024], [18])
    assert not any("stream" in name or "uid" in name for name in names(found))


def test_shapes_that_fit_no_launch_are_not_guessed() -> None:
    two = push("_Z4axpyPf", "(1,1,1)") + push("_Z4axpyPf", "(2,1,1)")
    assert read(log(two, launch(7))).trials.input == ("",)
    alike = push("_Z4axpyPf") + push("_Z4axpyPf")
    assert read(log(alike, launch(7))).trials.input == ("grid 4x2x1, block 64x1x1",)


def test_totals_are_differenced_and_statistics_of_the_launch_are_not() -> None:
    found = read(
        log(launch(1, cycles=100, total=100, loads=10, misses=3), launch(2, cycles=40, total=140, loads=30, misses=8))
    )
    assert column(found, "gpu_sim_cycle") == [100, 40]
    assert column(found, "gpu_sim_insn") == [200, 80]
    assert column(found, "gpu_occupancy") == [12.5, 12.5]
    assert kind_and_unit(found, "gpu_occupancy") == (Kind.COUNTER, "%")
    assert column(found, "gpgpu_n_load_insn") == [10, 20]
    assert column(found, "gpu_tot_issued_cta") == [8, 8]
    assert column(found, "L1D_total_cache_misses") == [3, 5]
    assert column(found, "L1D_total_cache_miss_rate") == [0.3, 0.25]  # of its own 20 accesses, not of the run's 30
    assert column(found, "traffic_breakdown_coretomem[GLOBAL_ACC_R]") == [16, 16]
    assert column(found, "icnt_total_pkts_mem_to_simt") == [6, 6]
    assert not any("cannot be differenced" in w for w in found.warnings)


def test_busy_times_of_the_cores_are_kept_for_the_simulation_tail() -> None:
    ended = "".join(
        f"GPGPU-Sim uArch: Shader {core} finished CTA #{i} ({cycle},0), 0 CTAs running\n"
        for core, i, cycle in ((0, 0, 40), (1, 0, 70), (0, 1, 99))
    )
    cores = "-gpgpu_n_cores_per_cluster                    1 # number of simd cores per cluster\n"
    found = read(log(ended, launch(1), launch(2, total=200), options=OPTIONS.replace(" 12 #", " 3 #") + cores))
    assert [column(found, f"core{i}_busy")[0] for i in range(3)] == [99, 70, 0]
    assert kind_and_unit(found, "core0_busy") == (Kind.RESPONSE, "cycle")
    assert math.isnan(column(found, "core0_busy")[1])
    assert "core3_busy" not in names(found)


def test_launches_alike_are_nothing_odd_in_a_simulator() -> None:
    found = read(log(*(launch(uid, total=100 * uid) for uid in range(1, 6))))
    assert not any("durations" in w for w in found.warnings)


def test_units_stand_with_the_values() -> None:
    found = read(log(launch(1)))
    assert column(found, "L2_BW") == [3.5e9]
    assert kind_and_unit(found, "L2_BW") == (Kind.COUNTER, "byte/s")


def test_means_and_extremes_of_the_run_are_known_of_the_first_launch_only() -> None:
    found = read(log(launch(1), launch(2, cycles=40, total=140, loads=30, misses=8)))
    for name in ("maxmflatency", "averagemflatency", "L1D_cache_data_port_util"):
        first, second = column(found, name)
        assert first > 0
        assert math.isnan(second)
    left_out = [s.why for s in found.skipped if s.where == "launches after the first"]
    assert len(left_out) == 1
    assert "maxmflatency" in left_out[0]


def test_run_totals_that_repeat_the_launch_and_speeds_of_the_simulator_are_no_metrics() -> None:
    found = read(log(launch(1), launch(2, total=200)))
    assert not names(found) & {"gpu_tot_sim_cycle", "gpu_tot_sim_insn", "gpu_tot_ipc", "gpu_total_sim_rate"}
    assert not any(name.startswith("gpgpu_simulation") for name in names(found))


def test_what_is_no_single_number_is_left_out_and_counted_by_kind() -> None:
    found = read(log(launch(1)))
    assert not names(found) & {"total_CMD", "Read", "L2_WB", "n_cmd", "Access", "Row_Buffer_Locality"}
    said = [s.why for s in found.skipped]
    assert "6 lines of single memory partitions" in said
    assert "3 lines of single cores, cache banks and DRAM channels" in said
    assert len(said) < 8


def test_a_statistic_printed_twice_in_a_launch_is_no_single_number() -> None:
    found = read(log(launch(1)))
    assert "gpgpu_stall_shd_mem[l_mem_ld][rc]" not in names(found)
    assert any("gpgpu_stall_shd_mem[l_mem_ld][rc]" in s.why for s in found.skipped)


def test_breakdowns_by_stream_are_differenced_within_their_stream_and_added() -> None:
    a, b = "[Stream_94469360496112]", "[Stream_94469360459968]"
    found = read(
        log(
            launch(1, loads=10, misses=3, stream=a),
            launch(2, loads=10, misses=6, stream=b, total=200),  # the first launch of its stream: counted from 0
            launch(3, loads=12, misses=4, stream=a, total=300),
        )
    )
    hits = "Total_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT]"
    assert column(found, hits) == [7, 4, 1]
    assert not any("Stream" in name for name in names(found))


def test_breakdowns_that_old_versions_leave_out_at_zero_are_zero() -> None:
    extra = "\tL2_cache_stats_breakdown[CONST_ACC_R][MISS] = 5"
    found = read(log(launch(1), launch(2, total=200, more=extra)))
    assert column(found, "L2_cache_stats_breakdown[CONST_ACC_R][MISS]") == [0, 5]
    assert any("are 0" in w for w in found.warnings)


def test_a_launch_missing_from_the_log_leaves_totals_unknown() -> None:
    found = read(log(launch(1), launch(3, cycles=40, total=500, loads=90), launch(4, cycles=10, total=510, loads=95)))
    first, second, third = column(found, "gpgpu_n_load_insn")
    assert (first, third) == (10, 5)
    assert math.isnan(second)
    assert column(found, "gpu_sim_cycle") == [100, 40, 10]
    assert any("missing from the log" in w for w in found.warnings)


def test_the_tail_of_a_log_gives_no_totals_for_its_first_launch() -> None:
    found = read(log(launch(5, cycles=40, total=900, loads=90), launch(6, cycles=10, total=910, loads=95)))
    assert math.isnan(column(found, "gpgpu_n_load_insn")[0])
    assert column(found, "gpgpu_n_load_insn")[1] == 5


def test_an_unknown_statistic_is_differenced_and_named() -> None:
    found = read(log(launch(1, more="probe_hits = 4"), launch(2, total=200, more="probe_hits = 9")))
    assert column(found, "probe_hits") == [4, 5]
    assert any("probe_hits" in w and "differenced" in w for w in found.warnings)


def test_a_total_that_falls_is_no_total() -> None:
    found = read(log(launch(1, more="probe_hits = 9"), launch(2, total=200, more="probe_hits = 4")))
    assert column(found, "probe_hits")[0] == 9
    assert math.isnan(column(found, "probe_hits")[1])
    assert any("fall" in w and "probe_hits" in w for w in found.warnings)


def test_several_simulations_in_one_log_begin_anew() -> None:
    second = OPTIONS.replace("-gpgpu_n_clusters                      12", "-gpgpu_n_clusters                      24")
    found = read(log(launch(1), launch(2, total=200, loads=30)) + log(launch(1, cycles=60, loads=10), options=second))
    assert column(found, "gpgpu_n_clusters") == [12, 12, 24]
    assert column(found, "gpgpu_n_load_insn") == [10, 20, 10]
    assert found.trials.execution == ("simulation 1 launch 1", "simulation 1 launch 2", "simulation 2 launch 1")


def test_launches_that_ended_together_are_one_trial_and_said() -> None:
    text = launch(1, "_Z4axpyPf _Z3dotPf").replace("kernel_launch_uid = 1 ", "kernel_launch_uid = 1 2 ")
    found = read(log(push("_Z4axpyPf"), push("_Z3dotPf"), text))
    assert found.trials.application == ("_Z4axpyPf _Z3dotPf",)
    assert found.trials.execution == ("launch 1, 2",)
    assert any("ended together" in w for w in found.warnings)


def test_launches_side_by_side_are_said() -> None:
    begun = "".join(f"launching kernel name: k uid: {uid} cuda_stream_id: 0\n" for uid in (1, 2))
    assert any("ran beside launch 2" in w for w in read(log(begun, launch(1), launch(2, total=200))).warnings)
    one_by_one = [f"launching kernel name: k uid: {uid}\n{launch(uid, total=100 * uid)}" for uid in (1, 2)]
    assert not any("ran beside" in w for w in read(log(*one_by_one)).warnings)


def test_a_log_cut_off_inside_statistics_keeps_the_launches_before() -> None:
    whole = log(launch(1), launch(2, total=200), end="")
    cut = whole[: whole.rindex(b"Memory Partition 0")]
    found = read(cut)
    assert len(found.trials) == 1
    assert any("launch 2" in s.why and "breaks off" in s.why for s in found.skipped)
    assert any("no 'exit detected'" in w for w in found.warnings)


def test_a_whole_log_has_no_warning_of_its_end() -> None:
    assert not any("exit detected" in w for w in read(log(launch(1))).warnings)


def test_a_log_with_selected_lines_only_is_read() -> None:
    lines = [
        line
        for line in log(launch(1), launch(2, cycles=40, total=140, loads=30)).decode().splitlines()
        if line.startswith(("kernel_", "gpu_", "gpgpu_n"))
    ]
    found = read("\n".join(lines).encode())
    assert column(found, "gpgpu_n_load_insn") == [10, 20]
    assert found.trials.application == ("_Z4axpyPf", "_Z4axpyPf")


def test_old_versions_name_no_kernel() -> None:
    text = launch(1).split("\n", 2)[2]
    found = read(log(push("_Z4axpyPf"), text))
    assert found.trials.application == ("_Z4axpyPf",)
    assert read(log(text)).trials.application == ("",)


def test_the_network_of_the_old_versions_gives_its_means() -> None:
    network = """----------------------------Interconnect-DETAILS--------------------------------
Class 0:
Packet latency average = 12.5
\tminimum = 6
\tmaximum = 82
Injected packet rate average = 0.008
\tminimum = 0.0066 (at node 1)
====== Overall Traffic Statistics ======
====== Traffic class 0 ======
Packet latency average = 11.5 (2 samples)
\tminimum = 6 (2 samples)
----------------------------END-of-Interconnect-DETAILS-------------------------
gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 1 sec (1 sec)
"""
    found = read(log(launch(1, end=network), launch(2, total=200, end=network)))
    assert column(found, "Packet latency average") == [12.5, 12.5]
    assert not names(found) & {"minimum", "maximum"}


def test_an_option_listed_twice_takes_its_last_value_and_says_so() -> None:
    twice = "-gpgpu_shmem_size 16384 # first\n-gpgpu_shmem_size 49152 # Size\n-gpgpu_parts 1 # a\n-gpgpu_parts 1 # a\n"
    found = read(log(launch(1), options=OPTIONS + twice))
    assert column(found, "gpgpu_shmem_size") == [49152]
    assert [w for w in found.warnings if "twice" in w] == [
        "run.log: option -gpgpu_shmem_size is listed twice, with '16384' and '49152'; "
        "the last one is taken, as the simulator does."
    ]


def test_a_simulation_stopped_at_its_limit_gives_no_trial_of_the_launch_it_stopped() -> None:
    limit = "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n"
    stopped = launch(2, total=200).replace("_Z4axpyPf ", "").replace("kernel_launch_uid = 2 ", "kernel_launch_uid = ")
    found = read(log(launch(1), stopped, limit))
    assert len(found.trials) == 1
    assert any("limit of cycles" in s.why for s in found.skipped)
    assert any("limit of cycles" in w for w in found.warnings)


def test_a_deadlock_is_said() -> None:
    dead = "GPGPU-Sim uArch: ERROR ** deadlock detected: last writeback core 3 @ gpu_sim_cycle 500 (+ 0) (99 ago)\n"
    assert any("deadlock detected" in w for w in read(log(launch(1), dead, end="")).warnings)
    with pytest.raises(ReadError, match=r"without the whole statistics of any kernel: it says 'GPGPU-Sim uArch: ERROR"):
        read(log(push("_Z4axpyPf"), dead, end=""))


def test_a_log_without_statistics_says_so() -> None:
    with pytest.raises(ReadError, match=r"run.log is a log of GPGPU-Sim without the whole statistics .* ends on line"):
        read(log(push("_Z4axpyPf")))


def test_colours_progress_bars_and_a_program_s_own_output_do_not_matter() -> None:
    noise = "\x1b[32mN = 4096\x1b[0m\n\rprogress 10%\rprogress 100%\nResult = 7\nerror = 0.5\n\x07checked\n"
    plain = log(push("_Z4axpyPf"), launch(1))
    coloured = plain.replace(b"gpu_sim_cycle", b"\x1b[01;31m\x1b[Kgpu_sim_cycle\x1b[m\x1b[K")
    found = read(noise.encode() + coloured.replace(EXIT.encode(), noise.encode() + EXIT.encode()))
    expected = read(plain)
    assert found.trials.metrics == expected.trials.metrics
    assert found.trials.values.tolist() == expected.trials.values.tolist()


def test_bytes_that_are_no_text_are_said_and_do_not_matter() -> None:
    found = read(b"name: \xe4\xff and \xc3\xa4\n" + log(launch(1)))
    assert column(found, "gpu_sim_cycle") == [100]
    assert any("no UTF-8" in w for w in found.warnings)


def test_windows_line_ends_and_gzip_are_read() -> None:
    plain = log(launch(1))
    expected = read(plain).trials.values.tolist()
    assert read(plain.replace(b"\n", b"\r\n")).trials.values.tolist() == expected
    assert read(gzip.compress(plain, mtime=0)).trials.values.tolist() == expected


def test_numbers_that_are_none_are_missing() -> None:
    found = read(log(launch(1, more="probe_ratio = -nan\nprobe_level = inf"), launch(2, total=200)))
    assert not names(found) & {"probe_ratio", "probe_level"}
    assert any("probe_ratio" in w for w in found.warnings)


@pytest.mark.parametrize("start", ["banner", "options", "statistics"])
def test_sniffs_what_the_simulator_prints(start: str) -> None:
    whole = log(launch(1))
    begins = {"banner": 0, "options": whole.index(b"GPGPU-Sim: Conf"), "statistics": whole.index(b"kernel_name")}
    assert GpgpuSimReader().sniff(b"application output\n" + whole[begins[start] :])


@pytest.mark.parametrize(
    "text",
    [
        b"The simulator prints `gpu_sim_cycle = 701` at the end.\n",
        b"gpu_sim_cycle = 12345     # cycles in all\n",
        b"kernel,gpu_sim_cycle\nk,701\n",
        b"name,value\ngpu_sim_cycle,12\n",
        b"grep '*** GPGPU-Sim Simulator Version' log\n",
    ],
)
def test_does_not_sniff_what_only_speaks_of_it(text: bytes) -> None:
    assert not GpgpuSimReader().sniff(text)


def test_any_damage_ends_in_trials_or_one_sentence() -> None:
    whole = log(push("_Z4axpyPf"), launch(1), launch(2, total=200, loads=30, stream="[Stream_1]"))
    random_ = random.Random(7)
    for _ in range(150):
        damaged = bytearray(whole[: random_.randrange(len(whole))] if random_.random() < 0.5 else whole)
        for _ in range(random_.randrange(30)):
            damaged[random_.randrange(len(damaged))] = random_.randrange(256)
        try:
            assert len(read(bytes(damaged)).trials) > 0
        except ReadError as error:
            assert "\n" not in str(error)


def test_a_published_accel_sim_log(real_data: Path) -> None:
    path = real_data / "formats/accel-sim/accelsim_l2_lat_4stream_tip_serialized.head5200.log"
    found = read(path.read_bytes(), path.name)
    assert found.trials.application == ("_Z6l2_latPjS_PmS0_",) * 2
    assert found.trials.where == ("line 336", "line 2607")
    assert column(found, "gpu_sim_cycle") == [701, 560]
    assert column(found, "gpgpu_n_mem_write_global") == [4, 4]
    assert column(found, "L2_total_cache_misses") == [4, 0]
    assert column(found, "L2_cache_stats_breakdown[GLOBAL_ACC_W][HIT]") == [0, 4]
    assert column(found, "gpgpu_n_clusters") == [40, 40]
    assert any("launch 3" in s.why for s in found.skipped)
