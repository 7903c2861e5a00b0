"""Measurements that others published, read as they are; needs RIDGELINE_REAL_DATA."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import Mapping, SourceFile, apply, find_reader, read_table
from core.ingest.joining.merge import join_inputs, join_machines, per_trial
from core.ingest.recognition.roles import guess
from core.trial import Import, Kind

TABLES = [
    "aiwc/devices.csv",
    "aiwc/trials.csv",
    "aiwc/runs.csv.gz",
    "eiger_gpgpu3/app_metrics.csv",
    "eiger_gpgpu3/times.csv",
    "eiger_gpgpu3/machines.csv",
    "nca/counters_GTX-680.csv.gz",
    "nca/devices.csv",
    "nca/repeats.csv.gz",
    "neusight/devices.csv",
    "neusight/ops.csv.gz",
    "powmon/a15.csv.gz",
    "starchart/kmeans.csv",
    "titanx_dvfs/ptx_static.csv.gz",
    "titanx_dvfs/real_power_counters.csv.gz",
    "titanx_dvfs/time_power_grid.csv.gz",
    "tuner/convolution__A100.csv.gz",
    "tuner/dedispersion__MI250X.csv.gz",
]


@pytest.fixture
def data(real_data: Path) -> Path:
    return real_data / "data"


def source(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_bytes())


def imported(path: Path, mapping: Mapping | None = None) -> Import:
    return find_reader(source(path)).read(source(path), mapping)


def kinds(found: Import) -> dict[Kind, int]:
    counted = [m.kind for m, _ in per_trial(found).values()]
    return {kind: counted.count(kind) for kind in Kind if kind in counted}


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_is_what_the_standard_library_reads(data: Path, name: str) -> None:
    path = data / name
    raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    rows = list(csv.reader(raw.decode().splitlines(), strict=True))
    table = read_table(source(path))
    assert table.headers == tuple(rows[0])
    for i, column in enumerate(table.columns):
        assert column.texts() == [row[i].strip() for row in rows[1:]]
    found = apply(table)
    wanted = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    for metric, values in per_trial(found).values():
        expected = [float(cell) if cell.strip() else np.nan for cell in wanted[metric.name]]
        assert np.array_equal(values, expected, equal_nan=True), metric.name


def test_aiwc(data: Path) -> None:
    mapping = guess(read_table(source(data / "aiwc/trials.csv")))
    assert mapping.application == ("application", "kernel")
    assert (mapping.input, mapping.machine) == (("size",), "device")
    assert mapping.responses == (("kernel_time_us", None),)
    found = join_machines(imported(data / "aiwc/trials.csv"), source(data / "aiwc/devices.csv"))
    assert kinds(found) == {Kind.DETERMINISTIC: 31, Kind.MACHINE: 8, Kind.RESPONSE: 1}
    assert str(found.trials.metrics[0]) == "kernel_time_us (us)"
    assert (len(found.trials), len(set(found.trials.machine))) == (1056, 12)
    assert found.machines is not None
    assert set(found.machines.labels) == {"name", "vendor", "type", "series", "launch"}
    assert found.warnings == ()


def test_aiwc_repeats(data: Path) -> None:
    found = imported(data / "aiwc/runs.csv.gz")
    assert [m.name for m in found.trials.metrics] == ["total_time", "kernel_time"]
    assert list(found.trials.labels) == ["run"]


def test_eigers_own_trials_are_three_files(data: Path) -> None:
    folder = data / "eiger_gpgpu3"
    found = join_machines(imported(folder / "times.csv"), source(folder / "machines.csv"))
    found = join_inputs(found, source(folder / "app_metrics.csv"))
    assert kinds(found) == {Kind.DETERMINISTIC: 37, Kind.MACHINE: 9, Kind.RESPONSE: 1}
    assert len(found.trials) == 175
    assert not np.isnan(np.column_stack([v for _, v in per_trial(found).values()])).any()


def test_neusight_joins_devices_of_another_spelling(data: Path) -> None:
    found = join_machines(imported(data / "neusight/ops.csv.gz"), source(data / "neusight/devices.csv"))
    assert set(found.trials.application) >= {"add", "linear"} or len(set(found.trials.application)) == 16
    assert found.machines is not None
    assert len(found.machines.keys) == 8
    assert "left out" in found.warnings[-1]


def test_nca_devices_agree_with_the_counters(data: Path) -> None:
    found = imported(data / "nca/counters_Tesla-K40.csv.gz")
    assert found.trials.application[0].startswith("dotProd / ")
    joined = join_machines(found, source(data / "nca/devices.csv"))
    assert joined.machines is not None
    assert "num_of_cores" in {m.name for m in joined.machines.metrics}
    assert "num_of_cores" not in {m.name for m in joined.trials.metrics}


def test_repeated_rows_that_differ_are_refused(data: Path) -> None:
    grid = imported(data / "titanx_dvfs/time_power_grid.csv.gz")
    assert [m.name for m in grid.trials.metrics if m.kind is Kind.PARAMETER] == ["mem_mhz", "core_mhz"]
    with pytest.raises(ReadError, match="is there twice"):
        join_inputs(grid, source(data / "titanx_dvfs/ptx_static.csv.gz"))


def test_powmon(data: Path) -> None:
    found = imported(data / "powmon/a15.csv.gz", Mapping(responses=(("Power A15", "W"),)))
    assert found.trials.labels["Core Mask"][0] == "4,5,6,7"
    assert next(m for m in found.trials.metrics if m.name == "Power A15").unit == "W"


READ = {
    "ncu/wide_raw_b200_sdpa_flash.csv": (16, 475 + 6),  # two extents of three numbers each
    "rocprof-compute/vcopy_MI100_pmc_perf.csv": (3, 995),
    "rocprof-compute/vcopy_MI100_SQ_IFETCH_LEVEL.csv": (3, 27),
    "rocprof-compute/vcopy_MI100_timestamps.csv": (3, 21),
    "rocprof-compute/vcopy_MI100_sysinfo.csv": (1, 37),
    "rocprof_v1/metrics_copy_excerpt.csv": (1, 18),
    "rocprof_v1/results_stats_mi300_gunrock_excerpt.csv": (4, 22),
    "rocprofv3/kernel_trace_2024.csv": (7, 18),
}


@pytest.mark.parametrize("name", READ)
def test_profilers_tables_with_a_row_per_launch_are_read(real_data: Path, name: str) -> None:
    path = real_data / "formats" / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    table = read_table(source(path))
    assert (len(table), len(table.names)) == READ[name]


LISTED = {
    "caliper/mpi_scaling_27_cores.cali": 175,
    "kernel_tuner/T4_results_dual_annealing.json": 8,
    "ktt/SimulationInput_counters.json": 4,
    "ktt/TuningOutput_triad_3060.json": 10,
    "perf/stat_x_A_percpu.csv": 4,
}
"""Lines of pairs, a list of results in JSON, or a table without a header, has as many rows if somebody asks for tables."""


def test_profilers_other_files_are_refused_by_the_csv_reader(real_data: Path) -> None:
    for path in sorted((real_data / "formats").glob("*/*")):
        name = path.relative_to(real_data / "formats").as_posix()
        if name in LISTED:
            assert len(find_reader(source(path), "csv").read(source(path)).trials) == LISTED[name]
        elif name not in READ:
            with pytest.raises(ReadError, match=path.name.replace("+", r"\+")):
                find_reader(source(path), "csv").read(source(path))


def test_nsight_computes_row_of_units(real_data: Path) -> None:
    path = real_data / "formats/ncu/wide_raw_b200_sdpa_flash.csv"
    found = imported(path)
    units = {m.name: m.unit for m in found.trials.metrics}
    times = found.trials.values[:, [m.name for m in found.trials.metrics].index("time_s")]
    assert units["time_s"] == "s"
    assert found.original_units["time_s"] == "ns"
    assert times[0] == pytest.approx(687_488e-9)
