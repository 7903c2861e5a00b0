"""Units in headers and in names."""

import pytest

from core.ingest._units import dimension, more_is_better, split_unit, stem, unit_of_name, units_of_names

HEADERS = {
    "time (us)": ("time", "us"),
    "Duration [ns]": ("Duration", "ns"),
    "Time(%)": ("Time", "%"),
    "L2 size (KiB)": ("L2 size", "KiB"),
    "dispatch width (uops/cycle)": ("dispatch width", "uops/cycle"),
    "Temperature (°C)": ("Temperature", "°C"),
    "平均延迟（毫秒）": ("平均延迟", "ms"),
    "运行时间/秒": ("运行时间", "s"),
    "规模（个）": ("规模（个）", ""),
    "Время, мс": ("Время", "ms"),
    "Память (МБ)": ("Память", "MB"),
    "rate (1/s)": ("rate", "1/s"),
    "f(x)": ("f(x)", ""),
    "speed (higher is better)": ("speed (higher is better)", ""),
    "run (2)": ("run (2)", ""),
    "time (2nd)": ("time (2nd)", ""),
    "TCC_EA[0]": ("TCC_EA[0]", ""),
    "(us)": ("(us)", ""),
    "plain": ("plain", ""),
    "a (b) (ms)": ("a (b)", "ms"),
    "Time/sec": ("Time", "sec"),
    "Temps/s": ("Temps", "s"),
    "itr/sec": ("itr/sec", ""),
    "heap check/second": ("heap check/second", ""),
    "solve / sec": ("solve", "sec"),
    "Requests/sec": ("Requests/sec", ""),
    "Latency (in ms)": ("Latency", "ms"),
    "Zeit(Sek.)": ("Zeit", "Sek."),
    "Latency (TTFT ms)": ("Latency (TTFT)", "ms"),
    "Time (wall min)": ("Time (wall min)", ""),
}
NAMES = {
    "throughput_k_tokens_per_sec": "ktokens/s",
    "million_ops_per_sec": "Mops/s",
    "top_k_items_per_sec": "items/s",
    "sm__throughput %": "%",
    "kernel_time_us": "us",
    "time_s": "s",
    "ns_per_day": "ns/day",
    "ns/day": "ns/day",
    "ns_per_op": "ns",
    "energy_J_per_run": "J",
    "energy_mJ_per_run": "mJ",
    "joules_per_query": "J",
    "subj_per_run": "",
    "throughput_edges_per_ms": "edges/ms",
    "took_milisec": "ms",
    "requests_sec": "requests/s",
    "req_sec": "requests/s",
    "read_ops_sec": "ops/s",
    "msgs_sec": "msgs/s",
    "tokens_sec": "tokens/s",
    "MB_sec": "MB/s",
    "Requests/sec": "Requests/s",
    "Transfer/sec": "Transfer/s",
    "Lookups / s": "Lookups/s",
    "insert_sec": "s",
    "kmeans_sec": "s",
    "phases_sec": "s",
    "user_sec": "s",
    "transfer_sec": "s",
    "Mbps": "Mbit/s",
    "tput_Gbps": "Gbit/s",
    "bandwidth_gbps": "GB/s",
    "bandwidth_GBps": "GB/s",
    "up_kbps": "kbit/s",
    "latencyNanosAverage": "ns",
    "timeMillisP99": "ms",
    "throughputNanosMedian": "",
    "power/energy-pkg/": "J",
    "energy_j": "J",
    "l2_kib": "KiB",
    "clock_mhz": "MHz",
    "tdp_w": "W",
    "energy_mj": "mJ",
    "DurationNs": "ns",
    "AvgGpuCoreFrequencyMHz": "MHz",
    "footprint_bytes": "bytes",
    "n_s": "",
    "matrix_c": "",
    "columns": "",
    "us": "",
    "_us": "",
    "status": "",
    "kernels": "",
    "power_of_two": "",
    "gflops_cublas": "GFLOP/s",
    "gflops_per_watt": "",
    "gflops_ratio": "",
    "energy_per_mb": "",
}


@pytest.mark.parametrize("header", HEADERS)
def test_units_in_headers(header: str) -> None:
    assert split_unit(header) == HEADERS[header]


@pytest.mark.parametrize("name", NAMES)
def test_units_in_names(name: str) -> None:
    assert unit_of_name(name) == NAMES[name]


def test_stems_leave_the_unit_out() -> None:
    assert [stem(name) for name in ("kernel_time_us", "DurationNs", "runtime")] == [
        "kernel_time",
        "Duration",
        "runtime",
    ]


def test_mbps_is_in_bits_beside_what_networks_have() -> None:
    assert units_of_names(("mbps", "rtt_ms", "loss_pct")) == ("Mbit/s", "ms", "%")
    assert units_of_names(("up_mbps", "jitter", "MBps")) == ("Mbit/s", "", "MB/s")
    assert units_of_names(("throughput_mbps", "gpu", "loss")) == ("MB/s", "", "")
    assert units_of_names(("copy_gbps", "pcie_link_gen")) == ("GB/s", "")
    assert units_of_names(("threads", "gpu_w", "temp_c")) == ("", "W", "°C")
    assert units_of_names(("gpu_w", "cpu_w", "time_ms")) == ("", "", "ms")


def test_names_tell_of_throughputs_energies_and_times_in_other_languages() -> None:
    said = {"output_tput": "throughput", "throughputNanosMax": "throughput", "power/energy-ram/": "energy"}
    said |= {"TempSys": "time", "gpu_temp": "temperature", "eficiencia_total": "share"}
    assert {name: dimension(unit_of_name(name), name) for name in said} == said


def test_more_of_a_rate_is_better_and_less_of_a_time_or_of_what_fails() -> None:
    more = {"fps": "frames/s", "GFLOPS": "", "fmax": "MHz", "IPC": "", "Score": "", "hit_rate": "%", "WNS": ""}
    less = {"time": "s", "cycles": "cycles", "cpi": "", "miss_rate": "%", "d1_misses": "misses", "EDP": "", "LUTs": ""}
    assert [name for name, unit in more.items() if not more_is_better(unit, name)] == []
    assert [name for name, unit in less.items() if more_is_better(unit, name)] == []


def test_updates_of_a_lattice_each_second_are_a_rate() -> None:
    for name in ("GLUP/s", "MLUPS/s", "mlups/s"):
        assert dimension(unit_of_name(name), name) == "throughput"
