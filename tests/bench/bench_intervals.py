"""Coverage and width of 90 % intervals: every family and recipe on five published sets, against a Gaussian process's own intervals.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data:
python -m tests.bench.bench_intervals [LINES.jsonl] [--trials 600] [--families ols,ridge] [--sets aiwc,titanx]

One JSON object per set, family and folds is appended to LINES.jsonl; what is there already is not done again. At the
end the tables of docs/intervals.md are printed from it.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.models import FAMILIES
from core.passes.scales import Log, Standardize
from core.pipeline import Pipeline
from core.recipes import make_recipe
from core.trial import Frame, Metric, make_frame
from core.validate.calibration import AUTO, PLAIN, measure
from core.validate.crossval import cross_validate, without
from core.validate.folds import parse_folds
from core.validate.intervals import LEVERAGE, PREDICTION
from core.validate.scores import score
from core.workspace import ROOT

METHODS = (PLAIN, LEVERAGE, PREDICTION, AUTO)
REFERENCE = "process"
"""A Gaussian process with its own posterior standard deviation: ± 1.645 of it."""
RECIPES = ("eiger", "stargazer", "halwpe")
"""The recipes that are no single family, with what they choose by themselves."""
_SETTINGS = {"forest": {"trees": "60"}, "extra_trees": {"trees": "60"}}


def aiwc(n: int) -> Frame:
    """Kernel times of OpenCL benchmarks on 12 devices, from 31 metrics of the kernel and 5 of the device."""
    trials = pd.read_csv(_folder("aiwc") / "trials.csv")
    roles = ("application", "kernel", "size", "device", "kernel_time_us")
    own = [c for c in trials.columns if c not in roles]
    machine = ["cores_listed", "clock_min_mhz", "l1_kib", "l2_kib", "tdp_w"]
    trials = trials.merge(pd.read_csv(_folder("aiwc") / "devices.csv"), on="device")
    labels = {"application": "application", "machine": "device"}
    return _frame(trials, n, [*own, *machine], "kernel_time_us", labels, trials["kernel"] + trials["size"])


def neusight(n: int) -> Frame:
    """Latency of deep-learning operators on 8 GPUs, from launch sizes, work and the GPU's metrics."""
    devices = pd.read_csv(_folder("neusight") / "devices.csv").rename(columns={"Device": "device"})
    trials = pd.read_csv(_folder("neusight") / "ops.csv.gz").merge(devices, on="device")
    metrics = [
        "grid_x",
        "grid_y",
        "grid_z",
        "block_x",
        "derived_flops",
        "derived_min_bytes",
        "Dev_Mem",
        "Mem_Bw",
        "Num_Sm",
        "Core_Per_SM",
        "Freq",
        "L2Cache",
    ]
    return _frame(trials, n, metrics, "latency_ms", {"application": "op", "machine": "device"})


def powmon(n: int) -> Frame:
    """Power of an ARM Cortex-A15 cluster, from counters, clock and voltage; 60 workloads."""
    trials = pd.read_csv(_folder("powmon") / "a15.csv.gz")
    counters = [c for c in trials.columns if c.startswith("Core ") and "Event" in c and int(c.split()[1]) >= 4]
    return _frame(trials, n, ["Frequency A15", "Voltage A15", *counters], "Power A15", {"application": "Workload Name"})


def convolution(n: int) -> Frame:
    """Times of a tuning space on an A100; whole values of the first block size are left out together."""
    trials = pd.read_csv(_folder("tuner") / "convolution__A100.csv.gz")
    trials = trials[trials["status"] == "ok"]
    names = ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "read_only", "use_padding", "use_shmem")
    metrics = [name for name in names if trials[name].nunique() > 1]
    return _frame(trials, n, metrics, "time_ms", {"application": "block_size_x"})


def titanx(n: int) -> Frame:
    """Power of 35 applications at 64 clock pairs of a Titan X, from 8 counters and both clocks."""
    trials = pd.read_csv(_folder("titanx_dvfs") / "real_power_counters.csv.gz")
    metrics = [c for c in trials.columns if c not in ("benchmark", "power_w")]
    return _frame(trials, n, metrics, "power_w", {"application": "benchmark"})


SETS: dict[str, Callable[[int], Frame]] = {f.__name__: f for f in (aiwc, neusight, powmon, convolution, titanx)}


def _folder(name: str) -> Path:
    return Path(os.environ["RIDGELINE_REAL_DATA"]) / "data" / name


def _frame(
    trials: pd.DataFrame,
    n: int,
    metrics: Sequence[str],
    response: str,
    labels: dict[str, str],
    inputs: pd.Series | None = None,
) -> Frame:
    """Return n trials drawn at random; each is a configuration of its own where no input is given."""
    trials = trials.assign(_input=[str(i) for i in range(len(trials))] if inputs is None else inputs)
    trials = trials.dropna(subset=[*metrics, response])
    trials = trials.sample(min(n, len(trials)), random_state=0)
    texts = {role: [str(v) for v in trials[column]] for role, column in {**labels, "input": "_input"}.items()}
    X = trials[list(metrics)].to_numpy(float)
    return make_frame(X, trials[response].to_numpy(float), [Metric(m) for m in metrics], Metric(response), texts)


def plans(frame: Frame) -> tuple[str, str]:
    """Return random folds, and whole applications left out, several at a time where there are many."""
    n = len(set(frame.labels["application"]))
    return "kfold:10", "by:application" if n <= 15 else "kfold:15:application"


def of_family(frame: Frame, family: str, folds: str) -> dict[str, object]:
    """Return coverage and width of each method for a family."""
    recipe = make_recipe(family, _SETTINGS.get(family))
    plan = parse_folds(folds)
    found = cross_validate(recipe.fit, frame, plan, interval=PLAIN)
    said: dict[str, object] = {"median_ape": found.scores.median_ape}
    low, high = (np.full(len(frame), np.nan) for _ in range(2))
    scale = recipe.fit(frame).scale.of(frame.reference_values)
    for method in METHODS:
        one = measure(found.known, method, 0.9)
        low, high = (scale.inverse(found.known.scaled + sign * one.widths) for sign in (-1, 1))
        scores = score(frame.y, found.predicted, low, high)
        said[method] = [scores.coverage_90, scores.width_90, one.loss, float(np.nanmean(2 * one.widths))]
        said["chosen"] = one.method
    said["scale"] = scale.name
    return said


def of_process(frame: Frame, folds: str) -> dict[str, object]:
    """Return coverage and width of a Gaussian process's own intervals on the same folds."""
    low, high, value, half, off = (np.full(len(frame), np.nan) for _ in range(5))
    for fold in parse_folds(folds).split(frame):
        train, test = without(frame, fold), frame.take(fold.test)
        prepared = Pipeline((Log(), Standardize()), make_recipe("ols").family).prepare(train)
        columns = np.clip(test.select(prepared.frame.names).X, prepared.domain.low, prepared.domain.high)
        for step in prepared.passes:
            columns = step.apply(columns)
        mean, deviation = _posterior(prepared.features.X, prepared.z, columns)
        scale = prepared.scale.of(None)
        value[fold.test] = scale.inverse(mean)
        low[fold.test], high[fold.test] = (scale.inverse(mean + sign * 1.6449 * deviation) for sign in (-1, 1))
        half[fold.test], off[fold.test] = 1.6449 * deviation, np.abs(scale.forward(test.y) - mean)
    scores = score(frame.y, value, low, high)
    loss = 2 * half + 20 * np.maximum(off - half, 0.0)
    found = [scores.coverage_90, scores.width_90, float(loss.mean()), float(2 * half.mean())]
    # What all of its intervals have to be multiplied with so that they cover 90 %.
    factor = float(np.quantile(off / half, 0.9))
    said = {"median_ape": scores.median_ape, "chosen": REFERENCE, **dict.fromkeys(METHODS, found)}
    return {**said, "scale": scale.name, "factor": factor}


def _posterior(X: np.ndarray, z: np.ndarray, rows: np.ndarray, most: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation; the kernel's parameters are learnt from at most 150 trials."""
    kernel = ConstantKernel(1.0) * Matern(np.full(X.shape[1], 3.0), (1e-1, 1e4), nu=2.5) + WhiteKernel(0.1)
    few = np.random.default_rng(0).permutation(len(z))[:most]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learnt = GaussianProcessRegressor(kernel, normalize_y=True).fit(X[few], z[few])
        whole = GaussianProcessRegressor(learnt.kernel_, optimizer=None, normalize_y=True).fit(X, z)
    mean, deviation = whole.predict(rows, return_std=True)
    return mean, deviation


def tables(lines: Sequence[dict]) -> str:
    """Return the tables of docs/intervals.md."""
    table = pd.DataFrame(lines)
    parts = []
    for random, title in ((True, "random folds"), (False, "whole applications left out")):
        own = table[table["random"] == random]
        rows = own.assign(
            said=[f"{r[0]:.1f} ({f'{r[1]:.0f}' if r[1] < 1e6 else 'over a million'} %)" for r in own[AUTO]]
        )
        wide = rows.pivot(index="family", columns="set", values="said").reindex(
            columns=[s for s in SETS if s in set(own["set"])]
        )
        wide = wide.reindex([f for f in (*FAMILIES, *RECIPES, REFERENCE) if f in wide.index]).fillna("–")
        parts += [f"\n{title}: coverage in percent (median width in percent of the response), auto", _markdown(wide)]
        both = own[own["family"].isin(("gaussian_process", REFERENCE))]
        if both["family"].nunique() == 2:
            beside = both.assign(said=[f"{r[0]:.1f}, {r[1]:.0f} %, {r[2]:.3g}" for r in both[AUTO]])
            parts += [
                f"\n{title}: coverage, median width, interval score on the model's scale",
                _markdown(beside.pivot(index="family", columns="set", values="said").fillna("–")),
            ]
        parts += [
            f"\n{title}: mean width, times that of the process widened to cover 90 % (its factor below), on the model's scale",
            _markdown(beside_process(own)),
        ]
        families = own[own["family"] != REFERENCE]
        methods = pd.DataFrame(
            {
                m: [
                    np.mean([r[0] for r in families[m]]),
                    np.mean([abs(r[0] - 90) for r in families[m]]),
                    min(r[0] for r in families[m]),
                    max(r[0] for r in families[m]),
                    float(
                        np.exp(
                            np.mean([np.log(r[2] / p[2]) for r, p in zip(families[m], families[PLAIN], strict=True)])
                        )
                    ),
                ]
                for m in METHODS
            },
            index=["coverage", "mean distance from 90", "least", "most", "interval score over plain's"],
        ).T.round(2)
        parts += [f"\n{title}: methods over all families and sets", _markdown(methods)]
    return "\n".join(parts)


def beside_process(own: pd.DataFrame) -> pd.DataFrame:
    """Return mean widths of auto over the process's at equal coverage, where both are on one scale."""
    process = own[own["family"] == REFERENCE].set_index("set").to_dict("index")
    cells: dict[str, dict[str, str]] = {s: {"its factor": f"{process[s]['factor']:.2f}"} for s in SETS if s in process}
    for line in own.to_dict("records"):
        beside = process.get(line["set"], {})
        if line["family"] != REFERENCE and len(line[AUTO]) > 3 and line["scale"] == beside.get("scale"):
            ratio = line[AUTO][3] / (beside[AUTO][3] * beside["factor"])
            cells[line["set"]][line["family"]] = f"{ratio:.2f}"
    table = pd.DataFrame(cells)
    return table.reindex([f for f in (*FAMILIES, *RECIPES, "its factor") if f in table.index]).fillna("–")


def _markdown(table: pd.DataFrame) -> str:
    head = ["", *map(str, table.columns)]
    rows = [[str(i), *map(str, row)] for i, row in zip(table.index, table.to_numpy(), strict=True)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def main() -> None:
    """Measure what is not in the file yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lines", type=Path, nargs="?", default=ROOT / "data/workspace/bench_intervals.jsonl")
    parser.add_argument("--trials", type=int, default=600)
    parser.add_argument("--families", default=",".join([*FAMILIES, *RECIPES, REFERENCE]))
    parser.add_argument("--sets", default=",".join(SETS))
    a = parser.parse_args()
    a.lines.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in a.lines.read_text().splitlines()] if a.lines.exists() else []
    done = {(line["set"], line["family"], line["folds"]) for line in known}
    for family in a.families.split(","):
        for name in a.sets.split(","):
            frame = SETS[name](a.trials)
            for i, folds in enumerate(plans(frame)):
                if (name, family, folds) in done:
                    continue
                started = time.perf_counter()
                said = of_process(frame, folds) if family == REFERENCE else of_family(frame, family, folds)
                line = {"set": name, "family": family, "folds": folds, "random": i == 0, "n": len(frame), **said}
                line["seconds"] = round(time.perf_counter() - started, 1)
                known.append(line)
                with a.lines.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(json.dumps(line), flush=True)
    print(tables(known))


if __name__ == "__main__":
    main()
