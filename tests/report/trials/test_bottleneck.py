"""Verdicts on kernels: each published rule at its thresholds, real files, counters by subsystem, elasticities."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.errors import OptionError
from core.ingest import SourceFile, find_reader
from core.ingest.readers.ncu import NcuDetails
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.report.figures.scaling import roofline_scatter
from core.report.trials.bottleneck.kernels import Limits, elasticities, kernels_of, limits, roofline_of
from core.report.trials.bottleneck.rules import Kernel, Verdict, by_subsystem, judged_by, subsystem, verdict
from core.trial import Import, Kind, Metric, make_frame

TIME = Metric("time_s", Kind.RESPONSE, "s")


def kernel(values: Mapping[str, float], unit: str = "%") -> Kernel:
    return Kernel("k", {Metric(name, unit=unit): value for name, value in values.items()})


def of_import(imported: Import) -> Verdict:
    trials, facts = imported.trials, imported.machines
    counters = dict(zip(trials.metrics, np.nanmedian(trials.values, axis=0).tolist(), strict=True))
    counters |= dict(zip(facts.metrics, facts.values[0].tolist(), strict=True)) if facts else {}
    return verdict(Kernel("k", counters))


def nsight(compute: float, memory: float, **more: float) -> Verdict:
    known = {"Compute (SM) Throughput": compute, "Memory Throughput": memory}
    return verdict(kernel(known | {name.replace("_", " "): value for name, value in more.items()}))


@pytest.mark.parametrize(
    ("compute", "memory", "limit"),
    [
        (59.9, 59.9, "latency"),
        (60, 50, "compute"),
        (60, 50.1, "balanced"),
        (51, 61, "memory"),
        (85, 84, "compute"),
        (79.9, 80, "memory"),
    ],
)
def test_nsight_computes_rule_at_its_thresholds(compute: float, memory: float, limit: str) -> None:
    found = nsight(compute, memory)
    assert found.limit == limit
    assert found.shares["compute"] == compute
    assert found.shares["memory"] == memory
    assert "SOLBottleneck" in found.source


def test_few_warps_are_why_latency_shows() -> None:
    few = {"Theoretical_Occupancy": 50.0, "Achieved_Occupancy": 48.0}
    assert nsight(
        20, 30, **few, Block_Limit_Registers=2.0, Block_Limit_Warps=4.0, Block_Limit_SM=16.0
    ).because.endswith("occupancy is at most 50 %, limited by registers")
    assert nsight(20, 30, Theoretical_Occupancy=100.0, Achieved_Occupancy=89.0).limit == "occupancy"
    assert nsight(20, 30, Theoretical_Occupancy=100.0, Achieved_Occupancy=91.0).limit == "latency"
    assert nsight(20, 70, **few).limit == "memory"
    waves = Kernel(
        "k", {Metric("SM [%]", unit="%"): 1.0, Metric("Memory [%]", unit="%"): 2.0, Metric("Waves Per SM"): 0.4}
    )
    assert verdict(waves).limit == "occupancy"
    assert "0.4 of one wave" in verdict(waves).because


def test_a_rate_in_bytes_is_no_share_of_the_peak() -> None:
    counters = {Metric("Memory Throughput", unit="byte/s"): 2e11, Metric("Compute (SM) Throughput", unit="%"): 1.0}
    found = verdict(Kernel("k", counters))
    assert found.limit == "cannot be told"
    assert found.needs == (
        "speed of light (Nsight Compute): Memory Throughput or gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    )
    both = verdict(Kernel("k", counters | {Metric("Memory Throughput [%]", unit="%"): 90.0}))
    assert both.limit == "memory"


@pytest.mark.parametrize(
    ("retiring", "bad", "front", "back", "limit"),
    [
        (75, 10, 10, 5, "compute"),
        (60, 14, 14, 12, "balanced"),
        (40, 30, 20, 10, "bad speculation"),
        (40, 15, 30, 15, "front end"),
        (20, 5, 5, 70, "back end"),
    ],
)
def test_top_down_by_shares_of_slots(retiring: float, bad: float, front: float, back: float, limit: str) -> None:
    names = ("topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound")
    slots = dict(zip(names, (1e6 * x for x in (retiring, bad, front, back)), strict=True))
    found = verdict(kernel(slots, ""))
    assert found.limit == limit
    assert found.shares["retiring"] == pytest.approx(retiring)
    assert "Yasin" in found.source


def test_the_back_end_is_memory_or_execution_units() -> None:
    slots = {"tma_retiring": 20.0, "tma_bad_speculation": 5.0, "tma_frontend_bound": 5.0, "tma_backend_bound": 70.0}
    assert verdict(kernel(slots | {"tma_memory_bound": 50.0})).limit == "memory"
    found = verdict(kernel(slots | {"tma_memory_bound": 20.0}))
    assert (found.limit, found.shares["core"]) == ("compute", pytest.approx(50))
    del slots["tma_bad_speculation"], slots["tma_backend_bound"]
    assert verdict(kernel(slots)).needs == ("top-down, level 1: topdown-bad-spec, topdown-be-bound",)


def test_perfs_own_file(tmp_path: Path) -> None:
    events = {
        "slots": 1000,
        "topdown-retiring": 100,
        "topdown-bad-spec": 50,
        "topdown-fe-bound": 100,
        "topdown-be-bound": 750,
        "topdown-mem-bound": 600,
    }
    text = "# started on Sat Nov 21 00:45:12 2026\n\n" + "".join(
        f"{n},,cpu_core/{e}/,1000,100.00,,\n" for e, n in events.items()
    )
    file = SourceFile("stat.csv", text.encode())
    found = of_import(find_reader(file).read(file, None))
    assert found.limit == "memory"
    assert found.shares["memory"] == pytest.approx(60)


def test_rocprofs_busy_units() -> None:
    assert verdict(kernel({"VALUBusy": 30.0, "MemUnitBusy": 75.0})).limit == "memory"
    assert verdict(kernel({"VALUBusy": 30.0})).needs == ("busy units (rocprof): VALUBusy and MemUnitBusy",)


def test_nothing_is_said_without_counters() -> None:
    found = verdict(kernel({"instructions": 1e9}, ""))
    assert found.limit == "cannot be told"
    assert not found.advice
    assert not found.shares
    assert [text.split(":")[0] for text in found.needs][::4] == ["speed of light (Nsight Compute)", "top-down, level 1"]


def test_nsight_computes_own_text_says_the_same(real_data: Path) -> None:
    path = real_data / "formats/ncu/long_details_rules_copy_blocked.csv"
    table = pd.read_csv(path)
    said = table.loc[table["Rule Name"] == "SOLBottleneck", "Rule Description"].item()
    assert said.startswith("Memory is more heavily utilized than Compute")
    assert "identify the DRAM bottleneck" in said
    found = of_import(NcuDetails().read(SourceFile(path.name, path.read_bytes()), None))
    assert found.limit == "memory"
    assert found.because.endswith("of its levels DRAM is busiest")


def test_descriptions_of_nvprof_in_any_spelling_are_its_metrics() -> None:
    for join in (" ", ".", "_"):
        said = {
            "Device Memory Utilization": 8,
            "L2 Cache Utilization": 9,
            "Single-Precision Function Unit Utilization": 3,
        }
        found = verdict(kernel({name.replace(" ", join).replace("-", join): value for name, value in said.items()}))
        assert found.limit == "memory"
        assert found.shares == {"single_precision_fu": 30, "dram": 80, "l2": 90}


def test_many_kernels_are_counted_in_a_sentence() -> None:
    kernels = [kernel({"VALUBusy": 90.0, "MemUnitBusy": 5.0}), kernel({"VALUBusy": 30.0}), kernel({"VALUBusy": 20.0})]
    found = Limits(tuple(kernels), tuple(map(verdict, kernels)), {})
    assert found.sentence() == (
        "3 kernels: cannot be told 2, compute 1. To tell of 2 it needs busy units (rocprof): VALUBusy and MemUnitBusy."
    )
    assert found.table()["because"].tolist()[1:] == ["counters are missing"] * 2


def test_real_files_of_nvprof_and_rocprof_compute(real_data: Path) -> None:
    path = real_data / "formats/nvprof/csv_metrics_k20c_cheby_untiled.csv"
    file = SourceFile(path.name, path.read_bytes())
    found = of_import(find_reader(file).read(file, None))
    assert found.limit == "memory"
    assert (found.shares["l2"], found.shares["dram"], found.shares["alu_fu"]) == (70, 30, 40)
    pmc = real_data / "formats/rocprof-compute/vcopy_MI100_pmc_perf.csv"
    lone = SourceFile(pmc.name, pmc.read_bytes())
    alone = of_import(find_reader(lone).read(lone, None))
    assert alone.limit == "cannot be told"
    assert "hbm_bw" in alone.needs[0]
    beside = pmc.with_name("vcopy_MI100_sysinfo.csv")
    files = [SourceFile(p.name, p.read_bytes()) for p in (pmc, beside)]
    machine = find_reader(files[1]).read(files[1], None).machines
    trials = find_reader(lone).read(lone, None).trials
    assert machine is not None
    counters = dict(zip(trials.metrics, np.median(trials.values, axis=0).tolist(), strict=True))
    both = verdict(Kernel("k", counters | dict(zip(machine.metrics, machine.values[0].tolist(), strict=True))))
    assert both.limit == "memory"
    seconds = counters[next(m for m in trials.metrics if m.name == "time_s")]
    copied = 100 * 2**20 * 8 * 2 / seconds / 1228.8e9
    assert copied / 2 < both.shares["memory"] < copied


def test_counters_by_subsystem() -> None:
    expected = {
        "dram__bytes_read.sum": "dram",
        "fb_subp0_read_sectors": "dram",
        "TCC_EA_RDREQ_sum": "dram",
        "lts__t_sectors.sum": "L2",
        "TCC_HIT_sum": "L2",
        "l1tex__t_requests.sum": "L1",
        "TCP_READ_sum": "L1",
        "shared_load": "L1",
        "flop_count_sp": "compute",
        "instructions": "compute",
        "Achieved Occupancy": "scheduler",
        "branch-misses": "branch",
        "LLC-load-misses": "dram",
        "page-faults": "other",
    }
    assert {name: subsystem(name) for name in expected} == expected
    found = by_subsystem(
        [Metric("flops"), Metric("time", Kind.RESPONSE), Metric("width", Kind.PARAMETER), Metric("dram")]
    )
    assert found == {"dram": ("dram",), "compute": ("flops",)}


def trials() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "application": ["a", "a", "a", "b"],
            "input": ["", "", "", "s"],
            "machine": ["m"] * 4,
            "excluded": ["", "", "by hand", ""],
            "VALUBusy": [10.0, 20.0, 99.0, 90.0],
            "MemUnitBusy": [70.0, 80.0, 0.0, 10.0],
        }
    )


def test_kernels_are_medians_of_the_trials_that_count() -> None:
    metrics = [Metric("VALUBusy", unit="%"), Metric("MemUnitBusy", unit="%")]
    table = limits(trials(), metrics).table()
    assert table["kernel"].tolist() == ["a · m", "b · s · m"]
    assert table["trials"].tolist() == [2, 1]
    assert table["limited by"].tolist() == ["memory", "compute"]
    assert [k.name for k in kernels_of(trials(), metrics, ["b"])] == ["b · s · m"]
    with pytest.raises(OptionError, match="'c'"):
        kernels_of(trials(), metrics, ["c"])
    with pytest.raises(OptionError, match="No trial counts"):
        kernels_of(trials().assign(excluded="x"), metrics)


def power_law() -> FittedPipeline:
    rng = np.random.default_rng(0)
    X = 10 ** rng.uniform(1, 4, (60, 3))
    metrics = [Metric("dram__bytes"), Metric("dram__sectors"), Metric("flops")]
    y = X[:, 0] ** 0.5 * X[:, 1] ** 0.25 * X[:, 2] ** 0.1
    return make_recipe("ols").fit(make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s")))


def test_elasticities_are_the_exponents_of_a_power_law() -> None:
    at = Kernel("k", {Metric("dram__bytes"): 100.0, Metric("dram__sectors"): 300.0, Metric("flops"): 200.0})
    found = elasticities(power_law(), at)
    assert found == {"dram": pytest.approx(0.75, abs=1e-6), "compute": pytest.approx(0.1, abs=1e-6)}
    with pytest.raises(OptionError, match="has no flops"):
        elasticities(power_law(), Kernel("k", {Metric("dram__bytes"): 1.0, Metric("dram__sectors"): 1.0}))


def test_a_model_that_knows_texts_follows_the_counters_of_kernels() -> None:
    metrics = [Metric("dram__bytes"), Metric("layout=row"), Metric("layout=col"), Metric("machine=m")]
    rng = np.random.default_rng(0)
    X = np.column_stack([10 ** rng.uniform(1, 4, 60), np.tile(np.eye(2), (30, 1)), np.repeat([0.0, 1.0], 30)])
    y = X[:, 0] ** 0.5 * 2 ** X[:, 1] * 3 ** X[:, 3]
    model = make_recipe("ols").fit(make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s")))
    table = trials().assign(dram__bytes=[50.0, 90.0, 1.0, 100.0], layout=["row", "row", "col", "col"])
    found = limits(table, [Metric("dram__bytes")], model=model).elasticities
    assert [one["dram"] for one in found] == pytest.approx([0.5, 0.5])
    with pytest.raises(OptionError, match="has no layout=row, which"):
        limits(table.drop(columns="layout"), [Metric("dram__bytes")], model=model)


def test_kernels_that_count_operations_and_bytes_lie_under_the_roofs() -> None:
    nsight = {
        f"smsp__sass_thread_inst_executed_op_f{what}_pred_on.sum": n
        for what, n in (("add", 10.0), ("mul", 20.0), ("fma", 35.0))
    }
    first = Kernel(
        "n",
        {Metric(k): v for k, v in (nsight | {"dram__bytes_read.sum": 40.0, "dram__bytes_write.sum": 10.0}).items()}
        | {TIME: 2.0},
    )
    nvprof = {
        "flop_count_sp": 64.0,
        "flop_count_dp": 0.0,
        "dram_read_transactions": 1.0,
        "dram_write_transactions": 1.0,
    }
    second = Kernel("v", {Metric(k): v for k, v in nvprof.items()} | {TIME: 1.0})
    value = roofline_of([first, second, kernel({"flop_count_sp": 1.0})])
    assert value is not None
    assert value.names == ("n", "v")
    assert value.intensity.tolist() == [2.0, 1.0]
    assert value.rate.tolist() == [50.0, 64.0]
    assert (value.most_rate, value.most_traffic) == (64.0, 64.0)
    picture = roofline_scatter(value)
    assert picture.alt.startswith("Roofline of 2 kernels: ")
    assert "at the base" not in picture.note
    assert roofline_of([kernel({"flop_count_sp": 1.0})]) is None
    assert roofline_of([]) is None


def test_rules_that_have_something_to_judge() -> None:
    assert judged_by([Metric("VALUBusy"), Metric("tma_retiring")]) == ("busy units (rocprof)", "top-down, level 1")
    assert judged_by([Metric("instructions")]) == ()
