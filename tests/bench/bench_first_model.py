"""The table of docs/first_model.md: what stands beside the automatic model, and it, by folds of the question.

Run by hand: RIDGELINE_REAL_DATA=… python -m tests.bench.bench_first_model [SET …] [--seeds 0,1,2,3,4] [--lines FILE]

Every seed deals the outer folds anew; whatever is learnt or chosen sees their training parts alone. One JSON object
per set, seed and procedure is appended to the file of --lines; what is there already is not done again. The mean is
over the twelve sets that stand where none is named. `--names auto,"trees and process"` on tuning spaces compares with
the mean of scikit-learn's extra trees and Gaussian process.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.preprocessing import StandardScaler

from core.errors import FitError
from core.race.versus import CONSTANT, READABLE, STOCK, rivals
from core.recipes import make_recipe
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.verdict import errors_of
from core.workspace import ROOT
from tests.bench._sets import FURTHER, SUBJECTS, Subject, subject

INNER = 4
"""Folds inside the training part that the automatic model chooses its weights on."""
AUTO = "auto"
NAMES = (CONSTANT, STOCK, AUTO, READABLE, "eiger")
BOTH = "trees and process"


def both(train: Frame, test: Frame, seed: int) -> np.ndarray:
    """Return the mean of ExtraTreesRegressor() on the metrics and a Gaussian process on their logarithms, both of ln y."""
    X, asked, y = np.log1p(train.X), np.log1p(test.X), np.log(train.y)
    kernel = ConstantKernel() * Matern(np.ones(X.shape[1]), nu=2.5) + WhiteKernel(1e-3)
    scaler = StandardScaler().fit(X)
    process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(scaler.transform(X), y)
    trees = ExtraTreesRegressor(random_state=seed).fit(train.X, y)
    return (np.exp(trees.predict(test.X)) + np.exp(process.predict(scaler.transform(asked)))) / 2


def said(name: str, own: Subject, train: Frame, test: Frame, seed: int) -> np.ndarray:
    """Return what a procedure says of held-out trials; NaN where it cannot learn."""
    if name == BOTH:
        return both(train, test, seed)
    try:
        if name in (CONSTANT, STOCK):
            return rivals(seed, own.plan)[name](train)(test)
        settings = {"folds": own.question.replace("by:", f"kfold:{INNER}:"), "seed": str(seed)} if name == AUTO else {}
        return held_out(make_recipe(name, settings).asking(own.plan).fit(train), test).predicted
    except FitError:
        return np.full(len(test), np.nan)


def measured(name: str, own: Subject, seed: int) -> dict[str, Any]:
    """Return a procedure's errors over the outer folds of a seed."""
    started, parts, truth = time.process_time(), [], []
    for fold in own.split(seed):
        parts.append(said(name, own, without(own.frame, fold), own.frame.take(fold.test), seed))
        truth.append(own.frame.y[fold.test])
    y, predicted = np.concatenate(truth), np.concatenate(parts)
    ape, known = 100 * np.abs(predicted / y - 1), predicted > 0
    sizes = errors_of(y, predicted)
    return {
        "set": own.name,
        "seed": seed,
        "name": name,
        "log": float(np.nanmean(sizes)),
        "mape": float(np.nanmean(ape)),
        "median": float(np.nanmedian(ape)),
        "bias": float(np.log(predicted[known] / y[known]).mean()),
        "refused": int((~np.isfinite(sizes)).sum()),
        "seconds": round(time.process_time() - started, 2),
    }


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return |ln| / MAPE / median APE per set and procedure, means over seeds, and the geometric means of |ln|."""
    names = [n for n in (*NAMES, BOTH) if any(line["name"] == n for line in lines)]
    sets = [s for s in (*SUBJECTS, *FURTHER) if any(line["set"] == s for line in lines)]
    last = ["bias of auto"] if AUTO in names else []
    rows, errors = [["set", *names, *last]], {n: [] for n in names}
    for s in sets:
        cells, biases = [], []
        for n in names:
            own = [line for line in lines if line["set"] == s and line["name"] == n]
            mean = {
                k: float(np.mean([line[k] for line in own])) if own else float("nan")
                for k in ("log", "mape", "median", "bias")
            }
            errors[n] += [mean["log"]] if s in SUBJECTS else []
            cells.append(f"{mean['log']:.3f} / {mean['mape']:,.3g} / {mean['median']:.3g}")
            biases += [f"{mean['bias']:+.2f}"] if n == AUTO else []
        rows.append([s, *cells, *biases])
    rows.append(
        [
            "geometric mean of \\|ln\\|",
            *(f"**{np.exp(np.mean(np.log(errors[n]))):.4f}**" for n in names),
            *([""] if last else []),
        ]
    )
    text = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([text[0], "|" + " --- |" * len(rows[0]), *text[1:]])


def main() -> None:
    """Measure what is not in the file yet, and print the table."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--seeds", default="0,1,2,3,4")
    parser.add_argument("--names", default=",".join(NAMES))
    parser.add_argument("--lines", type=Path, default=ROOT / "data/workspace/bench_first_model.jsonl")
    a = parser.parse_args()
    a.lines.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in a.lines.read_text().splitlines()] if a.lines.exists() else []
    done = {(line["set"], line["seed"], line["name"]) for line in known}
    for seed in map(int, a.seeds.split(",")):
        for own in map(subject, a.sets):
            for name in a.names.split(","):
                if (own.name, seed, name) not in done:
                    known.append(measured(name, own, seed))
                    with a.lines.open("a") as file:
                        file.write(json.dumps(known[-1]) + "\n")
    print(table(known))


if __name__ == "__main__":
    main()
