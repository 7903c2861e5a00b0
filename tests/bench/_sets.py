"""The sets of measurements that first models are judged on, each with the folds of its question.

Ten of the twelve of `SUBJECTS` come from $RIDGELINE_REAL_DATA/data, `generations` and `cachegrind` from the shipped
samples. Of each set at most 700 trials are drawn once; tuning spaces have 300 trials to learn from, and up to 3,000
others to predict. `FURTHER` are two more tuning spaces and a simulated one, and three tables of
$RIDGELINE_REAL_DATA/strangers as the import understands them by itself.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from core import api
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import Fold, FoldPlan, parse_folds

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"
MOST, LEARNT, ASKED = 700, 300, 3000
RANDOM = "kfold:5"
FEW_VALUES = 10
"""Groups up to which each is held out in turn; more are dealt into five folds."""


@dataclass(frozen=True)
class Subject:
    """A set of measurements and what is asked of it.

    Attributes
    ----------
    name : of the set and its question
    frame : the trials
    folds : as users write them: `by:application`, `kfold:5:machine`, `holdout:3000`
    question : the folds that a model chosen for this question is told of: `by:application`, `kfold:5`
    """

    name: str
    frame: Frame
    folds: str
    question: str

    @property
    def plan(self) -> FoldPlan:
        """The plan to tell a model of, for folds inside its training part."""
        return parse_folds(self.question)

    def split(self, seed: int) -> tuple[Fold, ...]:
        """Return the outer folds of a seed."""
        return parse_folds(self.folds).split(self.frame, seed)


def aiwc(most: int | None = MOST) -> Frame:
    """Kernel times of OpenCL benchmarks on 12 devices, from 31 metrics of the kernel and those of the device."""
    roles = ("application", "kernel", "size", "device", "kernel_time_us")
    trials = pd.read_csv(_real("aiwc") / "trials.csv")
    own = [c for c in trials.columns if c not in roles]
    facts = pd.read_csv(_real("aiwc") / "devices.csv")
    facts["clock_max_mhz"] = facts["clock_max_mhz"].fillna(facts["clock_min_mhz"])
    facts["clock_turbo_mhz"] = facts["clock_turbo_mhz"].fillna(facts["clock_max_mhz"])
    facts["l3_kib"] = facts["l3_kib"].fillna(0)
    for kind in ("CPU", "GPU"):
        facts[kind] = (facts["type"] == kind).astype(int)
    for vendor in ("Intel", "Nvidia", "AMD"):
        facts[vendor] = (facts["vendor"] == vendor).astype(int)
    devices = facts.select_dtypes("number").columns.tolist()
    trials = trials.merge(facts, on="device")
    trials["input"] = trials["kernel"] + " " + trials["size"]
    kinds = {**dict.fromkeys(own, Kind.DETERMINISTIC), **dict.fromkeys(devices, Kind.MACHINE)}
    labels = {"application": "application", "input": "input", "machine": "device"}
    return _frame(trials, kinds, "kernel_time_us", labels, most=most)


def generations() -> Frame:
    """Cycles of compiled loops on twelve processors, from metrics of the code and of the processor."""
    return _sample("generations", ("kernel", "variant", "cpu"), "cycles")


def cachegrind() -> Frame:
    """Misses of programs in the first-level caches of 24 geometries."""
    return _sample("cachegrind", ("program", "size", "geometry"), "d1_misses")


def neusight(most: int | None = MOST) -> Frame:
    """Latency of deep-learning operators on 8 GPUs, from launch sizes, work and the GPU's metrics."""
    machine = ["Dev_Mem", "Mem_Bw", "Num_Sm", "Core_Per_SM", "Freq", "L2Cache"]
    own = ["grid_x", "grid_y", "grid_z", "block_x", "block_y", "derived_flops", "derived_min_bytes"]
    devices = pd.read_csv(_real("neusight") / "devices.csv").rename(columns={"Device": "device"})
    trials = pd.read_csv(_real("neusight") / "ops.csv.gz").merge(devices, on="device")
    kinds = {**dict.fromkeys(own, Kind.DETERMINISTIC), **dict.fromkeys(machine, Kind.MACHINE)}
    return _frame(trials, kinds, "latency_ms", {"application": "op", "machine": "device"}, most=most)


def nca(host: str = "Tesla-K40", target: str = "GTX-980", most: int | None = MOST) -> Frame:
    """Times of CUDA kernels on one GPU as ratios to those on another, from the counters of the latter."""
    keys = ["AppName", "Input.Size", "Grid.X", "Grid.Y", "Block.X", "Block.Y"]
    there, here = (pd.read_csv(_real("nca") / f"counters_{gpu}.csv.gz").drop_duplicates(keys) for gpu in (host, target))
    response = f"duration_s_on_{target.rpartition('-')[2]}"
    both = there.merge(here[[*keys, "duration_s"]].rename(columns={"duration_s": response}), on=keys)
    texts = ("AppId", "gpu_id", "Start", response)
    names = [c for c in both.select_dtypes("number").columns if c not in texts and both[c].notna().all()]
    names = [n for n in names if both[n].nunique() > 1]
    both = both.assign(input=both[keys[1:]].astype(str).agg(" ".join, axis=1)).copy()
    kinds = dict.fromkeys(names, Kind.COUNTER)
    labels = {"application": "AppName", "input": "input"}
    return _frame(both, kinds, response, labels, reference="duration_s", most=most)


def powmon(most: int | None = MOST) -> Frame:
    """Power of an ARM Cortex-A15 cluster, from counters, clock and voltage; 60 workloads."""
    trials = pd.read_csv(_real("powmon") / "a15.csv.gz")
    names = [c for c in trials.columns if c.startswith("Average A15 ")] + ["A15 Average Utilisation"]
    names = [n for n in names if "Temperature" not in n]
    trials["cores"] = trials["Core Mask"].str.count(",") + 1
    kinds = {
        **dict.fromkeys(("Frequency A15", "Voltage A15", "cores"), Kind.PARAMETER),
        **dict.fromkeys(names, Kind.COUNTER),
    }
    return _frame(trials, kinds, "Power A15", {"application": "Workload Name"}, most=most)


def titanx() -> Frame:
    """Power of 35 applications at 64 clock pairs of a Titan X, from 8 counters and both clocks."""
    trials = pd.read_csv(_real("titanx_dvfs") / "real_power_counters.csv.gz")
    counters = [c for c in trials.columns if c.startswith("util_")]
    kinds = {**dict.fromkeys(("core_mhz", "mem_mhz"), Kind.PARAMETER), **dict.fromkeys(counters, Kind.COUNTER)}
    return _frame(trials, kinds, "power_w", {"application": "benchmark"})


def starchart() -> Frame:
    """Run times of k-means on an HD 7970 over three tuning parameters."""
    trials = pd.read_csv(_real("starchart") / "kmeans.csv")
    return _frame(trials, dict.fromkeys(("ppb", "tpp", "consec"), Kind.PARAMETER), "runtime", {}, most=None)


def tuned(name: str) -> Frame:
    """Times of a kernel on a GPU over its tuning parameters, by the name of its file."""
    levels = json.loads((_real("tuner") / f"{name}.meta.json").read_text())["tune_params"]
    table = pd.read_csv(_real("tuner") / f"{name}.csv.gz")
    table = table[table["status"] == "ok"]
    kinds = {n: Kind.PARAMETER for n in levels if table[n].nunique() > 1}
    return _frame(table, kinds, "time_ms", {}, most=LEARNT + ASKED)


def simulated(loop: str = "matmul_tile_f32") -> Frame:
    """Return the simulated cycles of a loop on every design of the shipped design space."""
    trials = pd.read_csv(SAMPLES / "design_space" / "trials.csv.gz").rename(columns=lambda c: c.split(" (")[0])
    kinds = dict.fromkeys((c for c in trials.columns if c not in ("kernel", "variant", "cycles")), Kind.PARAMETER)
    return _frame(trials[trials["kernel"] == loop], kinds, "cycles", {}, most=None)


def strange(name: str) -> Frame:
    """Run times of a program on several computers, as its import understands it; nothing is answered."""
    trials = api.read(Path(os.environ["RIDGELINE_REAL_DATA"]) / "strangers" / f"{name}.csv").frame()
    return trials.take(np.flatnonzero(np.isfinite(trials.y)))


SUBJECTS: Mapping[str, tuple[Callable[[], Frame], str]] = {
    "aiwc by application": (aiwc, "application"),
    "aiwc by device": (aiwc, "machine"),
    "generations by application": (generations, "application"),
    "generations by machine": (generations, "machine"),
    "cachegrind by application": (cachegrind, "application"),
    "neusight by machine": (neusight, "machine"),
    "nca k40 to gtx-980": (nca, "application"),
    "powmon by workload": (powmon, "application"),
    "titanx power by kernel": (titanx, "application"),
    "convolution a100": (partial(tuned, "convolution__A100"), ""),
    "dedispersion mi250x": (partial(tuned, "dedispersion__MI250X"), ""),
    "starchart": (starchart, ""),
}
FURTHER: Mapping[str, tuple[Callable[[], Frame], str]] = {
    "convolution mi250x": (partial(tuned, "convolution__MI250X"), ""),
    "dedispersion a100": (partial(tuned, "dedispersion__A100"), ""),
    "a loop on simulated processors": (simulated, ""),
    "a matrix product on seven computers": (partial(strange, "matmul_lab_omp"), RANDOM),
    "npb mg on eight computers": (partial(strange, "runtimes_final_npb_mg"), RANDOM),
    "svm on 475 invented machines": (partial(strange, "svm"), RANDOM),
}


def subject(name: str) -> Subject:
    """Return a set by its name in `SUBJECTS` or `FURTHER`."""
    load, column = {**SUBJECTS, **FURTHER}[name]
    frame = load()
    if column == RANDOM:
        return Subject(name, frame, RANDOM, RANDOM)
    if not column:
        return Subject(name, frame, f"holdout:{len(frame) - LEARNT}", RANDOM)
    each = name == "aiwc by application"
    return Subject(name, frame, f"by:{column}" if each else f"kfold:5:{column}", f"by:{column}")


def _real(name: str) -> Path:
    return Path(os.environ["RIDGELINE_REAL_DATA"]) / "data" / name


def _sample(name: str, roles: tuple[str, str, str], response: str) -> Frame:
    """Return a shipped sample: trials with what is known of inputs and machines."""
    trials, inputs, machines = (
        pd.read_csv(SAMPLES / name / file) for file in ("trials.csv.gz", "inputs.csv", "machines.csv")
    )
    tables = [t.rename(columns=lambda c: c.split(" (")[0]) for t in (trials, inputs, machines)]
    own = [c for c in tables[1].columns if c not in roles]
    facts = [c for c in tables[2].columns if c not in roles]
    joined = tables[0].merge(tables[1], on=list(roles[:2])).merge(tables[2], on=roles[2])
    kinds = {**dict.fromkeys(own, Kind.DETERMINISTIC), **dict.fromkeys(facts, Kind.MACHINE)}
    return _frame(joined, kinds, response, dict(zip(("application", "input", "machine"), roles, strict=True)))


def _frame(
    trials: pd.DataFrame,
    kinds: Mapping[str, Kind],
    response: str,
    labels: Mapping[str, str],
    reference: str = "",
    most: int | None = MOST,
) -> Frame:
    """Return at most so many trials drawn at random; each is a configuration of its own where no input is named."""
    names = [n for n in kinds if trials[n].nunique() > 1]
    trials = trials.dropna(subset=[*names, response]).reset_index(drop=True)
    trials = trials[trials[response] > 0]
    trials = trials.sample(min(most or len(trials), len(trials)), random_state=0)
    texts: dict[str, Sequence[str]] = {role: [str(v) for v in trials[column]] for role, column in labels.items()}
    texts.setdefault("input", [f"trial {i}" for i in trials.index])
    X = trials[names].to_numpy(float)
    metrics = [Metric(n, kinds[n]) for n in names]
    y = trials[response].to_numpy(float)
    return make_frame(X, y, metrics, Metric(response, Kind.RESPONSE), texts, reference=reference)
