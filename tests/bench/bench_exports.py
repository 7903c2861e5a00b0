"""Every family and recipe in every export format on the shipped samples: largest relative difference over 10,000 rows.

Run by hand: python tests/bench/bench_exports.py [--rows N] [--samples A,B] [--families A,B] [--formats A,B]
"""

import argparse
import os
import sys
import tempfile
import time
import tomllib
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from core.curate import join
from core.export import EXPORTERS
from core.export._proof import Proof, prove
from core.ingest import load_sample
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.store import Store
from core.trial import Frame
from core.validate.folds import parse_folds
from core.workspace import SAMPLES

TRIALS = 200
"""Of each sample, drawn at random: a Gaussian process on all of them would take the day."""
FEWER = {"forest": {"trees": "50"}, "extra_trees": {"trees": "50"}, "roofline": {"trees": "60"}, "gradient_boosting": {"trees": "100"}}
RECIPES = ("eiger", "stargazer", "halwpe")
TEXTS = ("json", "card", "csv", "formula", "latex")
"""Formats with nothing to run."""


def frames() -> dict[str, Frame]:
    """Return some trials of each sample; of `generations` with a host too."""
    found = {}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "samples.duckdb") as store:
        for sample in ("generations", "design_space", "scaling", "cachegrind"):
            store.add(sample, load_sample(SAMPLES / sample))
            response = tomllib.loads((SAMPLES / sample / "sample.toml").read_text())["response"]
            found[sample] = some(store.frame(sample, response, None, []))
        sides = store.host_target("generations", "cycles", "haswell", "skylake-avx512", None, [])
        found["generations, a host"] = some(join(sides, "each").frame)
    return found


def some(frame: Frame) -> Frame:
    rows = np.sort(np.random.default_rng(0).permutation(len(frame))[:TRIALS])
    return frame.take(rows)


def fitted(name: str, frame: Frame) -> FittedPipeline:
    recipe = make_recipe(name, FEWER.get(name, {}))
    try:
        return train(recipe, frame, parse_folds("holdout:60")).model
    except Exception:
        return replace(recipe.fit(frame))


def told(proof: Proof) -> str:
    if proof.why_not:
        return "refused"
    return f"{proof.largest_relative_difference:.0e}" + ("" if proof.flags_equal is not False else " FLAGS")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--samples", default="")
    parser.add_argument("--families", default="")
    parser.add_argument("--formats", default="")
    a = parser.parse_args()
    formats = a.formats.split(",") if a.formats else [e for e in EXPORTERS if e not in TEXTS]
    names = a.families.split(",") if a.families else [*FAMILIES, *RECIPES]
    worst, reasons = 0.0, {}
    for sample, frame in frames().items():
        if a.samples and sample not in a.samples.split(","):
            continue
        print(f"\n{sample}: {len(frame)} trials, {len(frame.metrics)} metrics")
        print(f"{'':22s}" + "".join(f"{f:>12s}" for f in formats), flush=True)
        for name in names:
            started = time.perf_counter()
            try:
                model = fitted(name, frame)
            except Exception as error:
                print(f"{name:22s} cannot be fitted: {str(error)[:90]}")
                continue
            proofs = {f: prove(EXPORTERS[f](), model, a.rows) for f in formats}
            worst = max([worst, *(p.largest_relative_difference for p in proofs.values() if not p.why_not)])
            reasons |= {(f, p.why_not): name for f, p in proofs.items() if p.why_not}
            print(f"{name:22s}" + "".join(f"{told(p):>12s}" for p in proofs.values()) + f"  {time.perf_counter() - started:5.1f} s", flush=True)
    print(f"\nlargest relative difference of all: {worst:.1e}")
    for (f, why), name in sorted(reasons.items()):
        print(f"  {f} refuses, as {name}: {why}")


if __name__ == "__main__":
    main()
