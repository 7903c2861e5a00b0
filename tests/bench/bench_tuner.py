"""Readable models against forests on brute-forced tuning spaces: 300 random points learnt, all others predicted.

Run by hand: RIDGELINE_REAL_DATA=… python -m tests.bench.bench_tuner [dedispersion__A100 …] [--repeats 5]
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from core.recipes import make_recipe
from core.trial import Frame, Kind, Metric, make_frame

SETS = ("dedispersion__A100", "dedispersion__MI250X", "convolution__A100", "convolution__MI250X")
RECIPES = {
    "forest": ("forest", {}),
    "forest, log response": ("forest", {"log": "yes"}),
    "extra trees": ("extra_trees", {"log": "yes"}),
    "anova": ("anova", {"log": "yes"}),
    "stargazer": ("stargazer", {"response_scale": "log"}),
    "stargazer, θ chosen": ("stargazer", {"response_scale": "log", "choose_thresholds": "true"}),
    "stargazer, AIC": ("stargazer", {"response_scale": "log", "criterion": "aic"}),
    "stargazer, AIC, threes": ("stargazer", {"response_scale": "log", "criterion": "aic", "order": "3"}),
    "stargazer, θ = 0, threes": ("stargazer", {"response_scale": "log", "theta": "0", "phi": "0", "order": "3"}),
    "stargazer paper, θ = 0": ("stargazer", {"variant": "paper", "theta": "0", "phi": "0"}),
    "stargazer paper, log": ("stargazer", {"variant": "paper", "theta": "0", "phi": "0", "response_scale": "log"}),
    "stargazer original, θ = 0": ("stargazer", {"variant": "original", "theta": "0", "phi": "0"}),
    "gaussian process": ("gaussian_process", {"log": "yes"}),
}


def space(folder: Path, name: str) -> Frame:
    """All designs of a set that ran, with the parameters that vary."""
    levels = json.loads((folder / f"{name}.meta.json").read_text())["tune_params"]
    table = pd.read_csv(folder / f"{name}.csv.gz")
    table = table[table["status"] == "ok"]
    names = [n for n in levels if table[n].nunique() > 1]
    metrics = [Metric(n, Kind.PARAMETER) for n in names]
    response = Metric("time_ms", Kind.RESPONSE, "ms")
    return make_frame(table[names].to_numpy(float), table["time_ms"].to_numpy(float), metrics, response)


def error(frame: Frame, train: np.ndarray, recipe: str, options: dict[str, str]) -> tuple[float, float]:
    """Mean relative error on all designs that were not learnt from, in percent, and CPU seconds of the fit."""
    settings = dict(options)
    log = settings.pop("log", None) is not None
    learnt = frame.take(train)
    if log:  # the families take the response as it comes
        learnt = make_log(learnt)
    started = time.process_time()
    model = make_recipe(recipe, settings).fit(learnt)
    spent = time.process_time() - started
    rest = np.setdiff1d(np.arange(len(frame)), train)
    predicted = model.predict(frame.X[rest][:, [frame.names.index(n) for n in model.names]]).value
    predicted = np.exp(predicted) if log else predicted
    return float(100 * np.nanmean(np.abs(predicted / frame.y[rest] - 1))), spent


def make_log(frame: Frame) -> Frame:
    """The same trials with the logarithm of the response."""
    return make_frame(frame.X, np.log(frame.y), frame.metrics, frame.response, ids=frame.ids)


def main() -> None:
    """Print a line per set and recipe: mean error, its range over repeats, the ratio to the forest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    folder = Path(os.environ["RIDGELINE_REAL_DATA"]) / "data/tuner"
    for name in a.sets:
        frame = space(folder, name)
        draws = [np.random.default_rng(r).permutation(len(frame))[:300] for r in range(a.repeats)]
        print(f"{name}: {len(frame):,} designs of {len(frame.names)} parameters", flush=True)
        forest = 0.0
        for title, (recipe, options) in RECIPES.items():
            if a.only and a.only not in title and title != "forest":
                continue
            found = np.array([error(frame, np.sort(draw), recipe, options) for draw in draws])
            mean = found[:, 0].mean()
            forest = forest or mean
            print(
                f"  {title:28s} {mean:6.2f} % ({found[:, 0].min():.2f} to {found[:, 0].max():.2f}), "
                f"{mean / forest:.2f} of the forest's, {found[:, 1].mean():.2f} s CPU a fit",
                flush=True,
            )


if __name__ == "__main__":
    main()
