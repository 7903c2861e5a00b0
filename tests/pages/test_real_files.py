"""Every real profiler file through the page is what it is through the command line: the same trials, or the same sentence."""

import json
from pathlib import Path

import pytest

from core.cli import main
from tests.pages.test_trials import said, store, upload

FILES = [
    "accel-sim/accelsim_l2_lat_4stream_tip_serialized.head5200.log",
    "caliper/mpi_scaling_27_cores.cali",
    "eiger_lwperf/database_dump.sql",
    "eiger_lwperf/gold.model",
    "eiger_lwperf/modelformat.tex",
    "extrap/extended1.jsonl",
    "extrap/input_data_2p.txt",
    "extrap/json_test_input.jsonl",
    "intel_oneprof/aggregated_and_raw_excerpt.txt",
    "kernel_tuner/T4_metadata-schema.json",
    "kernel_tuner/T4_results-schema.json",
    "kernel_tuner/T4_results_dual_annealing.json",
    "kernel_tuner/cache_time_energy.json",
    "kernel_tuner/cache_vector_add_A4000.json",
    "ktt/SimulationInput_counters.json",
    "ktt/TuningOutput_triad_3060.json",
    "ncu/failed_run_banner_only.csv",
    "ncu/long_details_rules_copy_blocked.csv",
    "ncu/long_metrics_rtx5070_bom_banner_appoutput.csv",
    "ncu/wide_raw_b200_sdpa_flash.csv",
    "nvprof/csv_metrics_k20c_cheby_untiled.csv",
    "perf/stat_j.json",
    "perf/stat_x_A_percpu.csv",
    "perf/stat_x_comma.csv",
    "perf/stat_x_comma_r3.csv",
    "perf/stat_x_metric_only.csv",
    "perf/stat_x_semicolon_I200.csv",
    "rocprof-compute/vcopy_MI100_SQ_IFETCH_LEVEL.csv",
    "rocprof-compute/vcopy_MI100_pmc_perf.csv",
    "rocprof-compute/vcopy_MI100_timestamps.csv",
    "rocprof_v1/metrics_copy_excerpt.csv",
    "rocprof_v1/results_stats_mi300_gunrock_excerpt.csv",
    "rocprofv3/counter_collection_2024.csv",
    "rocprofv3/kernel_trace_2024.csv",
]
REFUSED = {
    "eiger_lwperf/gold.model",
    "eiger_lwperf/modelformat.tex",
    "kernel_tuner/T4_metadata-schema.json",
    "kernel_tuner/T4_results-schema.json",
    "ncu/failed_run_banner_only.csv",
    "perf/stat_x_metric_only.csv",
}


def on_the_command_line(path: Path, db: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, int] | str:
    failed = main(["--db", str(db), "import", str(path), "--dataset", "d", "--json"])
    out, err = capsys.readouterr()
    if failed:
        return err.strip().removeprefix("ridgeline: ")
    found = json.loads(out)
    return found["n_trials"], found["n_metrics"]


@pytest.mark.parametrize("name", FILES)
def test_page_and_command_line_agree(database, open_page, real_data, tmp_path, capsys, name: str) -> None:
    path = real_data / "formats" / name
    expected = on_the_command_line(path, tmp_path / "cli.duckdb", capsys)
    at = upload(open_page, (path.name, path.read_bytes()))
    assert not at.exception
    assert isinstance(expected, str) == (name in REFUSED)
    if isinstance(expected, str):
        assert said(at.error) == expected.replace("\\", "")  # `said` takes the escapes out
        return
    if chosen := [m for m in at.multiselect if m.key.endswith("_responses") and not m.value]:
        at = chosen[0].set_value(chosen[0].options[:1]).run()
    at = at.button(key="import").click().run()
    assert not at.exception
    assert not at.error, said(at.error)
    (card,) = store().datasets.all()
    assert (card.n_trials, card.n_metrics) == expected


def test_no_file_is_left_out(real_data) -> None:
    there = {
        p.relative_to(real_data / "formats").as_posix() for p in (real_data / "formats").glob("*/*") if p.is_file()
    }
    known = {
        name
        for name in there
        if not name.lower().endswith(("readme.md", "notes.md", ".txt", "license", "licence", "sysinfo.csv"))
    }
    assert known <= set(FILES), known - set(FILES)
