"""Metrics that are the response in another unit are flagged; good predictors are not."""

from pathlib import Path

import numpy as np
import pytest

from core.closeness import closeness, rank_correlation
from core.curate import RULES
from core.curate.giveaway import speaks_of_time
from core.ingest import SourceFile, find_reader
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured, of_import

GIVEAWAY = RULES["giveaway"]


def flagged(m: Measured, response: str = "time_s", **options: object) -> dict[str, str]:
    rule = GIVEAWAY.parse({k: str(v) for k, v in options.items()})
    return dict(rule.judge(m, response).flagged)


class Runs:
    """Programs on machines: their time is made by causes, with noise from run to run."""

    def __init__(self, n: int = 400, repeats: int = 1, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.program = np.arange(n) % 12
        self.machine = np.arange(n) // 12 % 4
        self.configuration = np.arange(n) // repeats if repeats > 1 else np.arange(n)
        if repeats > 1:
            self.program, self.machine = self.configuration % 12, self.configuration // 12 % 4
        size = self.rng.uniform(0, 3, n)[self.configuration] if repeats > 1 else self.rng.uniform(0, 3, n)
        self.loads = 10 ** (4 + size) * self.program.clip(1)
        self.clock = np.array([0.7e9, 1e9, 1.4e9, 2.1e9])[self.machine]
        self.noise = np.exp(0.04 * self.rng.standard_normal(n))
        self.time = 3 * self.loads / self.clock * np.exp(0.6 * np.sin(self.program)) * self.noise

    def measured(self, **columns: np.ndarray) -> Measured:
        kinds = {"clock": Kind.MACHINE, "size": Kind.PARAMETER}
        return measured(
            {TIME: self.time, **{Metric(k, kinds.get(k, Kind.COUNTER)): v for k, v in columns.items()}},
            self.configuration,
            application=[f"p{p}" for p in self.program],
            machine=[f"m{k}" for k in self.machine],
        )


def jitter(r: Runs, by: float) -> np.ndarray:
    return np.exp(by * r.rng.standard_normal(len(r.time)))


def test_cycles_of_the_same_machine() -> None:
    r = Runs()
    found = flagged(r.measured(active=r.time * r.clock * jitter(r, 0.01), loads=r.loads))
    assert list(found) == ["active"]
    assert found["active"].startswith("time_s / active is 4.76")
    assert "e-10 to 1.4" in found["active"]
    assert "on each machine constant within 1.5 %; rank correlation 0.9999" in found["active"]


@pytest.mark.parametrize("seed", range(10))
def test_a_good_predictor_is_none(seed: int) -> None:
    """R² of 0.97 between logarithms, by a cause that the machine's clock turns into time."""
    r = Runs(seed=seed)
    log_time = np.log(r.time)
    cause = np.exp(log_time + np.std(log_time) * np.sqrt(0.03 / 0.97) * r.rng.standard_normal(len(r.time)))
    assert 0.96 < np.corrcoef(np.log(cause), log_time)[0, 1] ** 2 < 0.98
    assert flagged(r.measured(bytes=cause, loads=r.loads, clock=r.clock)) == {}


def test_the_name_is_weighed_but_proves_nothing() -> None:
    r = Runs()
    loose = r.time * r.clock * jitter(r, 0.12)
    compiled = r.rng.uniform(1, 2, len(r.time))
    found = flagged(r.measured(elapsed_cycles_sm=loose, branches=loose, compile_time=compiled))
    assert list(found) == ["elapsed_cycles_sm"]


def test_cycles_where_the_clock_is_a_parameter() -> None:
    r = Runs()
    size = np.array([1.0, 1.5, 2.0, 3.0])[r.rng.integers(0, 4, len(r.time))]
    cycles = r.time * size * 1e9
    found = flagged(r.measured(cycles=cycles, size=size))
    assert found["cycles"].startswith("time_s · size / cycles is 1e-09 and on each machine constant within")


def test_a_rate_of_fixed_work() -> None:
    r = Runs(n=240, repeats=20)
    r.configuration = r.program = r.machine * 0 + r.configuration % 12
    work = 10.0**r.program
    r.time = work * np.exp(r.rng.standard_normal(240)) * 1e-6
    found = flagged(r.measured(throughput=work / r.time))
    assert "time_s · throughput is" in found["throughput"]
    assert "for each application and input constant" in found["throughput"]


def test_what_follows_the_noise_of_repeats() -> None:
    """Stalls that share the run's noise, but whose size over configurations is another."""
    r = Runs(n=800, repeats=8)
    other = np.exp(r.rng.standard_normal(100))[r.configuration]
    found = flagged(r.measured(stalls=other * r.noise, noise=other * jitter(r, 0.04)))
    assert list(found) == ["stalls"]
    assert "among the repeats of each configuration constant" in found["stalls"]


def test_a_one_to_one_function_that_is_no_ratio() -> None:
    r = Runs(n=200)
    r.machine[:] = 0
    found = flagged(r.measured(score=1 / np.sqrt(1 + r.time), loads=r.loads))
    assert list(found) == ["score"]
    assert (
        "orders the trials of each machine just in reverse, as time_s does; rank correlation -1.0000" in found["score"]
    )


def one_knob(n: int = 60) -> Runs:
    """One program, run over sizes: anything grows with the time."""
    r = Runs(n=n)
    r.machine[:] = r.program[:] = 0
    r.loads = np.geomspace(1e3, 1e7, n)
    r.time = r.loads * 1e-9
    return r


def test_where_the_size_explains_as_much_a_counter_gives_nothing_away() -> None:
    r = one_knob()
    assert set(flagged(r.measured(loads=r.loads * 4))) == {"loads"}
    assert flagged(r.measured(loads=r.loads * 4, size=r.loads)) == {}
    assert set(flagged(r.measured(cycles=r.time * 1e9, size=r.loads))) == {"cycles"}
    assert flagged(r.measured(loads=r.loads**2, size=np.sqrt(r.loads))) == {}


def test_a_counter_that_is_alike_in_all_repeats_knows_no_noise() -> None:
    r = Runs(n=800, repeats=8)
    r.time = r.loads * 1e-9 * np.exp(0.02 * r.rng.standard_normal(800))
    assert flagged(r.measured(loads=r.loads)) == {}
    assert set(flagged(r.measured(loads=r.loads * jitter(r, 0.001)))) == {"loads"}


def test_only_counters_are_judged() -> None:
    r = Runs()
    m = measured(
        {
            TIME: r.time,
            Metric("cpu_time", Kind.RESPONSE, "s"): r.time,
            Metric("size", Kind.PARAMETER): r.time,
            Metric("work", Kind.DETERMINISTIC): r.time,
            Metric("same"): r.time,
        }
    )
    assert "same" not in flagged(m)  # nothing that the size would not tell, too
    assert set(
        flagged(measured({TIME: r.time, Metric("cpu_time", Kind.RESPONSE): r.time, Metric("same"): r.time}))
    ) == {"same"}


def test_flagged_metrics_are_hidden_if_asked() -> None:
    r = Runs()
    m = r.measured(active=r.time * r.clock)
    assert GIVEAWAY().judge(m, "time_s").hidden == {}
    judged = GIVEAWAY(hide=True).judge(m, "time_s")
    assert judged.hidden == judged.flagged != {}


def test_few_trials_say_nothing() -> None:
    r = Runs(n=19)
    judged = GIVEAWAY().judge(r.measured(cycles=r.time), "time_s")
    assert judged.flagged == {}
    assert judged.notes == ("19 trials with time_s are too few to judge; 20 are needed",)


def test_a_counter_that_is_seldom_there_is_not_judged() -> None:
    r = Runs()
    seldom = np.where(np.arange(400) % 5 == 0, r.time, np.nan)
    often = np.where(np.arange(400) % 3 == 0, r.time, np.nan)
    assert set(flagged(r.measured(seldom=seldom, often=often))) == {"often"}


def test_of_many_trials_some_are_judged_and_it_says_so() -> None:
    r = Runs(n=20_000, repeats=10)
    judged = GIVEAWAY().judge(r.measured(active=r.time * r.clock), "time_s")
    assert list(judged.flagged) == ["active"]
    (note,) = judged.notes
    assert note.endswith("of 20,000 trials, evenly over the range of time_s")
    assert 1_000 < int(note.split()[2].replace(",", "")) <= 2_100


@pytest.mark.parametrize(
    ("name", "unit", "wanted"),
    [
        ("elapsed_cycles_sm", "", True),
        ("smsp__cycles_active.avg", "", True),
        ("CycleCount", "", True),
        ("Elapsed Cycles", "", True),
        ("gpu__time_duration.sum", "", True),
        ("KernelDuration", "", True),
        ("GRBM_GUI_ACTIVE", "cycle", True),
        ("busy", "s", True),
        ("ref-cycles", "", True),
        ("Eligible.Warps.Per.Active.Cycle", "", False),
        ("inst_per_cycle", "", False),
        ("timer_interrupts", "", False),
        ("bicycle", "", False),
        ("instructions", "", False),
    ],
)
def test_names_that_speak_of_time(name: str, unit: str, wanted: bool) -> None:
    assert speaks_of_time(Metric(name, unit=unit), GIVEAWAY().words) is wanted


@pytest.mark.parametrize("seed", range(4))
def test_ranks_as_scipy(seed: int) -> None:
    from scipy.stats import rankdata, spearmanr

    rng = np.random.default_rng(seed)
    y, x = np.round(rng.standard_normal(80), 1), np.round(rng.standard_normal(80), 1)
    one = np.zeros(80, dtype=np.int64)
    assert rank_correlation(y, x, one)[0] == pytest.approx(spearmanr(y, x).statistic, abs=1e-12)
    keys = rng.integers(0, 4, 80)
    a, b = np.empty(80), np.empty(80)
    for k in range(4):
        rows = keys == k
        for out, v in ((a, y), (b, x)):
            out[rows] = (rankdata(v[rows]) - (rows.sum() + 1) / 2) / rows.sum()
    assert rank_correlation(y, x, keys)[0] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)), abs=1e-12)


def test_closeness_is_the_half_width_of_the_ratio_in_groups() -> None:
    rng = np.random.default_rng(0)
    keys = np.repeat([3, 8], 500)
    log_x = rng.standard_normal(1000) * 3
    log_y = log_x + np.where(keys == 3, 1.0, 5.0) + 0.01 * rng.standard_normal(1000)
    found = closeness(log_y, log_x, keys)
    assert found is not None
    assert found.half == pytest.approx(0.01645, rel=0.1)  # 90 % of normal noise is within 1.645 sd
    assert found.own == pytest.approx(4.93, rel=0.1)
    assert (found.low, found.high) == pytest.approx((np.e, np.e**5), rel=0.01)
    assert closeness(log_y[:19], log_x[:19], keys[:19]) is None


def real(folder: Path, name: str) -> Measured:
    path = folder / "data" / name
    file = SourceFile(path.name, path.read_bytes())
    return of_import(find_reader(file).read(file, None))


@pytest.mark.parametrize("gpu", ["GTX-680", "GTX-980", "Quadro", "Tesla-K20", "Tesla-K40", "Titan", "TitanBlack"])
def test_cycle_counters_of_published_gpu_counters(real_data: Path, gpu: str) -> None:
    found = set(flagged(real(real_data, f"nca/counters_{gpu}.csv.gz"), "duration_s"))
    # On one GPU a rate of fixed work is steady, too: FLOP efficiency · time = FLOP / peak.
    assert found - {"FLOP.Efficiency.Peak.Single."} == {"elapsed_cycles_sm", "active_cycles"}


@pytest.mark.parametrize(
    ("name", "response"),
    [
        ("titanx_dvfs/real_power_counters.csv.gz", "power_w"),
        ("titanx_dvfs/rx580_power_counters.csv.gz", "power_w"),
        ("powmon/a15.csv.gz", "Power A15"),
        ("powmon/a15.csv.gz", "Workload Duration"),
        ("neusight/ops.csv.gz", "latency_ms"),
    ],
)
def test_published_counters_that_give_nothing_away(real_data: Path, name: str, response: str) -> None:
    assert flagged(real(real_data, name), response) == {}
