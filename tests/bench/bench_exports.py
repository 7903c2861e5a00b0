"""Every family and recipe in every export format on the shipped samples: largest relative difference over 10,000 rows.

In brackets the plain relative difference, where it is more than twice that: |exported - model| / |model| however near
to 0 the model is. A star marks a form that refuses the model of some sample. The last column is by how much a model
differs from itself where its metrics change in their last digit. Lines are added to a file, so that samples may be
measured one after another; --table prints what it holds.

Run by hand: python tests/bench/bench_exports.py [--rows N] [--samples A,B] [--families A,B] [--formats A,B]
             [--out FILE.jsonl] [--table]
"""

import argparse
import json
import os
import sys
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from core.blend import MEAN, SUM, Mixture, blend
from core.curate import join
from core.export import EXPORTERS
from core.export._lowered import prove, relative_difference
from core.export.base import rows as rows_of
from core.ingest import load_sample
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.recipes.base import Recipe, Treated
from core.store import Store
from core.trial import Frame
from core.validate.folds import parse_folds
from core.workspace import ROOT, SAMPLES
from tests.conftest import plain_interval

TRIALS = 120
"""Of each sample, drawn at random: a Gaussian process on all of them would take the day."""
FEWER = {
    "forest": {"trees": "50"},
    "extra_trees": {"trees": "50"},
    "roofline": {"trees": "60"},
    "gradient_boosting": {"trees": "100"},
}
RECIPES = ("eiger", "stargazer", "halwpe")
MEMBERS = ("ridge", "forest", "eiger", "splines", "gradient_boosting")
HOWS = {"blend": MEAN, "stack": SUM}
VARIANTS: dict[str, Recipe] = {
    "eiger (raw)": make_recipe("eiger", {"response_scale": "raw", "metric_scale": "raw", "pool": "table1"}),
    "ridge (raw)": Treated(family=FAMILIES["ridge"](), response_scale="raw"),
    "gaussian_process (raw)": Treated(family=FAMILIES["gaussian_process"](), response_scale="raw"),
}
"""On the response as it is, whose predictions may cross 0; the samples' own scale is the logarithm."""
SLOW_IN_SQL = (
    "anova",
    "forest",
    "extra_trees",
    "gradient_boosting",
    "roofline",
    "gaussian_process",
    "gaussian_process (raw)",
    *HOWS,
)
"""Trees are walked, and each row meets each training point."""
FEWER_ROWS = dict.fromkeys(((name, "sql") for name in SLOW_IN_SQL), 1000)
"""For a model and a format: where 10,000 rows take too long."""
TEXTS = ("json", "card", "csv", "formula", "latex")
"""Formats with nothing to run."""


SAMPLES_WITH_HOST = ("generations", "design_space", "scaling", "cachegrind", "generations with a host")


def frame_of(name: str) -> Frame:
    """Return some trials of a sample, with a host where its name says so."""
    sample = name.partition(" ")[0]
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "samples.duckdb") as store:
        store.add(sample, load_sample(SAMPLES / sample))
        if name != sample:
            sides = store.host_target(sample, "cycles", "haswell", "skylake-avx512", None, [])
            return some(join(sides, "each").frame)
        response = tomllib.loads((SAMPLES / sample / "sample.toml").read_text())["response"]
        return some(store.frame(sample, response, None, []))


def some(frame: Frame) -> Frame:
    rows = np.sort(np.random.default_rng(0).permutation(len(frame))[:TRIALS])
    return frame.take(rows)


def fitted(name: str, frame: Frame) -> FittedPipeline:
    recipe = VARIANTS[name] if name in VARIANTS else make_recipe(name, FEWER.get(name, {}))
    try:
        return train(recipe, frame, parse_folds("holdout:40")).model
    except Exception:
        return replace(recipe.fit(frame))


def blended(known: dict[str, FittedPipeline], frame: Frame, how: str) -> FittedPipeline:
    """Return a blend or a stack of what was fitted, on its own scale each, with the interval of its first member."""
    models = {name: known[name] for name in MEMBERS if name in known}
    mixture = Mixture(dict.fromkeys(models, 1 / len(models)), how, bool(frame.y.min() > 0), float(np.log(2)))
    interval = plain_interval(0.1, 0.9, len(frame), "made")
    return replace(blend(models, mixture, frame, how), interval=interval, validation={})


def measure(a: argparse.Namespace) -> None:
    """Write a line of JSON per sample, model and format."""
    formats = a.formats.split(",") if a.formats else [e for e in EXPORTERS if e not in TEXTS]
    names = a.families.split(",") if a.families else [*FAMILIES, *RECIPES, *VARIANTS, *HOWS]
    for sample in a.samples.split(",") if a.samples else SAMPLES_WITH_HOST:
        frame = frame_of(sample)
        known: dict[str, FittedPipeline] = {}
        for name in names:
            try:
                known[name] = blended(known, frame, HOWS[name]) if name in HOWS else fitted(name, frame)
            except Exception as error:
                tell({"sample": sample, "model": name, "error": str(error)[:150]}, a.out)
                continue
            own = noise(known[name])
            for f in formats:
                rows = FEWER_ROWS.get((name, f), a.rows)
                proof = prove(EXPORTERS[f](), known[name], min(a.rows, rows))
                found = {
                    "worst": proof.largest_relative_difference,
                    "plain": proof.plain_difference,
                    "rows": proof.n,
                    "flags": proof.flags_equal,
                    "own": own,
                    "why": proof.why_not,
                    "seconds": round(proof.seconds, 1),
                }
                tell({"sample": sample, "model": name, "format": f, **found}, a.out)


def noise(model: FittedPipeline) -> float:
    """Return by how much the model differs from itself where its metrics change in their last digit."""
    X, rng = rows_of(model, 1000), np.random.default_rng(2)
    right, worst = model.predict(X).value, 0.0
    for _ in range(4):
        moved = model.predict(X * (1 + np.finfo(float).eps * rng.choice([-1.0, 1.0], size=X.shape))).value
        both = np.isfinite(right) & np.isfinite(moved)
        worst = max(worst, relative_difference(moved[both], right[both]))
    return worst


def tell(line: dict[str, object], out: Path) -> None:
    with out.open("a") as file:
        print(json.dumps(line), file=file)
    print(line, flush=True)


def table(lines: list[dict[str, Any]]) -> str:
    """Return the table of models and formats: the worst over the samples, without and with the floor."""
    found = [line for line in lines if "error" not in line]
    formats = list(dict.fromkeys(line["format"] for line in found))
    rows = [f"| | {' | '.join(f'`{f}`' for f in formats)} | itself |", f"|---{'|---' * len(formats)}|---|"]
    for name in dict.fromkeys(line["model"] for line in found):
        own = [[line for line in found if (line["model"], line["format"]) == (name, f)] for f in formats]
        itself = max(line["own"] for lines in own for line in lines)
        rows.append(f"| `{name}` | {' | '.join(cell(lines) for lines in own)} | {itself:.0e} |")
    return "\n".join(rows)


def cell(lines: list[dict[str, Any]]) -> str:
    said = [line for line in lines if not line["why"]]
    if not said:
        return "refused" if lines else ""
    worst, plain = (max(line[key] for line in said) for key in ("worst", "plain"))
    odd = "".join([" FLAGS"] * any(line["flags"] is False for line in said))
    some = "*" if len(said) < len(lines) else ""
    more = f" ({plain:.0e})" if plain > 2 * worst and plain > 1e-15 else ""
    return ("0" if worst == 0 else f"{worst:.0e}") + more + some + odd


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--samples", default="")
    parser.add_argument("--families", default="")
    parser.add_argument("--formats", default="")
    parser.add_argument("--out", type=Path, default=ROOT / "data/workspace/bench_exports.jsonl")
    parser.add_argument("--table", action="store_true", help="print the table of what was measured before")
    a = parser.parse_args()
    a.out.parent.mkdir(parents=True, exist_ok=True)
    if not a.table:
        measure(a)
    read = [json.loads(line) for line in a.out.read_text().splitlines()]
    lines = list(
        {(line["sample"], line["model"], line.get("format")): line for line in read}.values()
    )  # the last of each
    print(table(lines))
    reasons = {(line["format"], line["why"]): line["model"] for line in lines if line.get("why")}
    for (f, why), name in sorted(reasons.items()):
        print(f"  {f} refuses, as {name}: {why}")
    for line in lines:
        if "error" in line:
            print(f"  {line['model']} cannot be fitted to {line['sample']}: {line['error']}")


if __name__ == "__main__":
    main()
