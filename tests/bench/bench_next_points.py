"""Next-best experiments against random ones: error on points that neither could choose, on kernels that a tuner ran whole.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data/tuner: python tests/bench/bench_next_points.py [seeds] [set …]
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import pandas as pd

from core.pipeline import FittedPipeline, Pipeline, Provenance
from core.recipes import make_recipe
from core.space.allowed import AllowedPoints, Group, reference, spread
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.plans import Evidence
from core.space.plans.base import additive
from core.space.plans.next import Next
from core.trial import Frame, Kind, Metric, make_frame

SETS = ("dedispersion__A100", "dedispersion__MI250X", "convolution__A100", "convolution__MI250X")
BUDGET, START, BATCH = 150, 60, 15


@dataclass(frozen=True)
class Measured:
    """A space of which every point was measured, or could not run."""

    space: DesignSpace
    ranks: np.ndarray
    seconds: np.ndarray

    def frame(self, places: np.ndarray) -> Frame:
        X = self.space.numbers(self.space.codes(self.ranks[places]))
        metrics = [Metric(n, Kind.PARAMETER) for n in self.space.names]
        return make_frame(
            X, self.seconds[places], metrics, Metric("time", Kind.RESPONSE, "s"), parameters=[str(p) for p in places]
        )

    def error(self, model: FittedPipeline, test: np.ndarray) -> float:
        """Mean relative error in percent."""
        X = self.space.numbers(self.space.codes(self.ranks[test]))
        said = model.predict(X[:, [self.space.names.index(n) for n in model.names]]).value
        return 100 * float(np.mean(np.abs(said / self.seconds[test] - 1)))


def load(name: str) -> Measured:
    folder = Path(os.environ["RIDGELINE_REAL_DATA"]) / "data" / "tuner"
    rows = pd.read_csv(folder / f"{name}.csv.gz")
    names = json.loads((folder / f"{name}.meta.json").read_text())["tune_params"]
    rows = rows[rows.status == "ok"].drop_duplicates(names)
    names = [n for n in names if rows[n].nunique() > 1]
    space = make_space([Parameter(n, tuple(sorted(float(v) for v in rows[n].unique()))) for n in names])
    codes = space.encode(rows[names].to_numpy(float).tolist())
    order = np.argsort(space.ranks(codes))
    return Measured(space, space.ranks(codes)[order], rows.time_ms.to_numpy(float)[order] / 1e3)


def among(known: Measured, pool: np.ndarray) -> AllowedPoints:
    """Return a pool of what was measured as all that is allowed: what else the space holds could not run."""
    group = Group(tuple(range(len(known.space.shape))), known.space, np.sort(known.ranks[pool]), True)
    return AllowedPoints(known.space, (group,))


def first(known: Measured, pool: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Points that represent the pool, before anything is measured."""
    some = rng.permutation(pool)[:2000]
    codes = known.space.codes(known.ranks[some])
    with patch("core.space.allowed.allowed_points", lambda space: among(known, pool)):
        return some[spread(known.space, codes, codes[:0], n, reference(known.space))]


def adaptive(
    known: Measured, pool: np.ndarray, seed: int, goal: str = "explore", start: int = START, budget: int = BUDGET
) -> np.ndarray:
    """Batch after batch, each proposed from all before it."""
    rng = np.random.default_rng(seed + 1000)
    places = first(known, pool, start, rng)
    while len(places) < budget:
        n = min(BATCH, budget - len(places))
        places = np.concatenate([places, proposed(known, goal, n, places, seed + len(places), pool)])
    return places


def proposed(known: Measured, goal: str, n: int, places: np.ndarray, seed: int, pool: np.ndarray) -> np.ndarray:
    """Return the next places to measure after some, of a pool alone."""
    with patch("core.space.plans.next.allowed_points", lambda space: among(known, pool)):
        found = Next(goal=goal).propose(known.space, n, Evidence(frame=known.frame(places)), seed)
    return np.searchsorted(known.ranks, known.space.ranks(found.codes))


def paper(frame: Frame) -> FittedPipeline:
    return make_recipe("stargazer", {"variant": "paper"}).fit(frame)


def splines(frame: Frame) -> FittedPipeline:
    """Our stepwise splines of the logarithm."""
    family = make_recipe("splines").family
    return Pipeline(passes=(), family=family, response_scale="log").fit(
        frame, Provenance("splines", {}, 0, "", "", len(frame))
    )


def study(name: str, seeds: int) -> None:
    known = load(name)
    errors: dict[str, list[float]] = {}
    gaps: dict[str, list[float]] = {}
    started = time.perf_counter()
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(known.ranks))
        test, pool = order[: len(order) // 3], order[len(order) // 3 :]
        plans = {
            "random 150": pool[:150],
            "random 300": pool[:300],
            "representative 150, all at once": first(known, pool, 150, np.random.default_rng(seed + 500)),
            "next-best 150": adaptive(known, pool, seed),
        }
        for label, places in plans.items():
            errors.setdefault(f"additive, {label}", []).append(known.error(additive(known.frame(places)), test))
        errors.setdefault("stepwise splines (log), random 300", []).append(
            known.error(splines(known.frame(pool[:300])), test)
        )
        errors.setdefault("paper's splines (raw), random 300", []).append(
            known.error(paper(known.frame(pool[:300])), test)
        )
        best = known.seconds[pool].min()
        gaps.setdefault("random 60", []).append(known.seconds[pool[:60]].min() / best)
        gaps.setdefault("random 300", []).append(known.seconds[pool[:300]].min() / best)
        gaps.setdefault("next-best 60, minimise", []).append(
            known.seconds[adaptive(known, pool, seed, "minimise", 30, 60)].min() / best
        )
    print(
        f"\n{name}: {len(known.ranks):,} points, {len(known.space.names)} parameters; {seeds} seeds, {time.perf_counter() - started:.0f} s"
    )
    for label, found in errors.items():
        print(
            f"  {np.mean(found):7.2f} % (± {np.std(found, ddof=min(1, seeds - 1)) / seeds**0.5:.2f})  {label}  {[round(e, 2) for e in found]}"
        )
    low, high, got = (np.mean(errors[f"additive, {k}"]) for k in ("random 150", "random 300", "next-best 150"))
    print(f"  of the way from random 150 to random 300: {100 * (low - got) / (low - high):.0f} %")
    for label, found in gaps.items():
        print(f"  best of {label}: {100 * (np.mean(found) - 1):.1f} % above the best of all that could be chosen")


if __name__ == "__main__":
    words = sys.argv[1:]
    for one in words[1:] or SETS:
        study(one, int(words[0]) if words else 5)
