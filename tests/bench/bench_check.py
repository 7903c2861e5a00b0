"""`ridgeline check` on repeats: how often nothing changed and it alarms, and how often a kernel is slower and it names it.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data:
python -m tests.bench.bench_check [--seeds 2] [--kernels 8] [--worse 15]

A run of the test is the suite of one device: some repeats of each configuration as the baseline, as many others as
new measurements, by chance or the first against the last. In the second kind of run every new measurement of one
kernel takes so many percent longer. `nca` is a set on which nothing of the method was chosen.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from core.ingest import SourceFile
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.report.model.check import check_baseline, check_model
from core.report.model.checked import Group, Question
from core.report.model.predictions import PredictedRows, predict_file
from core.trial import Kind, Metric, make_frame
from core.validate.folds import parse_folds


@dataclass(frozen=True)
class Repeats:
    """A set of repeated runs: a row each, in the order in which they were measured."""

    name: str
    runs: pd.DataFrame
    keys: tuple[str, ...]
    device: str
    metrics: tuple[str, ...]
    response: str
    sizes: tuple[int, ...]


def aiwc() -> Repeats:
    """OpenCL kernels on twelve devices, 40 repeats and more."""
    keys = ("application", "kernel", "size", "device")
    trials = pd.read_csv(_folder() / "aiwc" / "trials.csv").drop(columns="kernel_time_us")
    runs = pd.read_csv(_folder() / "aiwc" / "runs.csv.gz").drop(columns="total_time").merge(trials, on=list(keys))
    own = tuple(c for c in trials.columns if c not in keys)
    return Repeats("aiwc", runs[runs["kernel_time"] > 0], keys, "device", own, "kernel_time", (20, 10))


def nca() -> Repeats:
    """CUDA kernels on eight devices, 10 repeats."""
    runs = pd.read_csv(_folder() / "nca" / "repeats.csv.gz").drop(columns=["gpu", "app"])
    shape = ["input_size", "grid_x", "grid_y", "block_x", "block_y"]
    runs["launch"] = "launch " + runs[shape].astype(str).agg(" ".join, axis=1)
    keys = ("kernel", "trace_set", "launch", "device")
    return Repeats("nca", runs, keys, "device", tuple(shape), "duration_s", (5,))


def _folder() -> Path:
    return Path(os.environ["RIDGELINE_REAL_DATA"]) / "data"


def model_of(found: Repeats) -> FittedPipeline:
    """Return trees of the medians, tested on random folds."""
    texts = {"application": "kernel", "machine": found.device}
    medians = found.runs.groupby(list(found.keys), as_index=False).median(numeric_only=True)
    labels = {role: medians[column].tolist() for role, column in texts.items()}
    labels["input"] = medians[list(found.keys)].agg(" ".join, axis=1).tolist()
    metrics = [Metric(name, Kind.DETERMINISTIC) for name in found.metrics]
    X, y = medians[list(found.metrics)].to_numpy(float), medians[found.response].to_numpy(float)
    frame = make_frame(X, y, metrics, Metric(found.response, Kind.RESPONSE), labels)
    return train(make_recipe("extra_trees", {"trees": "50"}), frame, parse_folds("kfold:5")).model


def halves(found: Repeats, own: pd.DataFrame, n: int, seed: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return n repeats of each configuration and n others: by chance, or without a seed the first and the last."""
    order = own if seed is None else own.sample(frac=1.0, random_state=seed)
    groups = order.groupby(list(found.keys))
    first, last = groups.cumcount(), groups.cumcount(ascending=False)
    return order[first < n], order[last < n]


def rows(model: FittedPipeline, table: pd.DataFrame) -> PredictedRows:
    """Return rows as the command line reads them."""
    return predict_file(model, SourceFile("runs.csv", table.to_csv(index=False).encode()))


@dataclass
class Tally:
    """What the runs of a kind said."""

    quiet: list[bool]
    alarmed: list[bool]
    alone: list[bool]

    def line(self, name: str) -> str:
        """Return the shares."""
        shares = " | ".join(f"{100 * np.mean(own):.0f} %" for own in (self.quiet, self.alarmed, self.alone))
        return f"| {name} | {len(self.quiet)} | {len(self.alarmed)} | {shares} |"


def judged(
    found: Repeats, model: FittedPipeline, n: int, seeds: Iterator[int | None], worse: float, most: int
) -> Tally:
    """Run the test on every device."""
    tally = Tally([], [], [])
    for seed in seeds:
        for i, (_, own) in enumerate(found.runs.groupby(found.device)):
            old, new = halves(found, own, n, seed)
            before, now = rows(model, old), rows(model, new)
            tally.quiet.append(bool(check_baseline(model, now, before, Question()).alarms))
            every = sorted(new["kernel"].unique())
            drawn = np.random.default_rng([i, seed or 0]).permutation(len(every))[:most]
            for kernel in (every[k] for k in drawn):
                assert now.observed is not None
                slow = np.where(new["kernel"] == kernel, 1 + worse / 100, 1.0) * now.observed
                slower = replace(now, observed=slow)
                tally.alarmed.append(kernel in names(check_baseline(model, slower, before, Question()).alarms))
                if kernel != every[drawn[0]]:
                    continue
                tally.alone.append(kernel in names(check_model(model, slower, Question()).alarms))
    return tally


def names(alarms: tuple[Group, ...]) -> list[str]:
    """Return what alarms are about."""
    return [alarm.name for alarm in alarms]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--kernels", type=int, default=8, help="per device and seed")
    parser.add_argument("--worse", type=float, default=15.0, help="percent")
    a = parser.parse_args()
    print("| set, repeats, split | runs | slowed runs | false alarm | named, baseline | named, model alone |")
    print("|---|---|---|---|---|---|")
    for found in (aiwc(), nca()):
        model = model_of(found)
        for n in found.sizes:
            for name, seeds in (("by chance", [100 + i for i in range(a.seeds)]), ("first and last", [None])):
                tally = judged(found, model, n, iter(seeds), a.worse, a.kernels)
                print(tally.line(f"{found.name}, {n} and {n}, {name}"), flush=True)


if __name__ == "__main__":
    main()
