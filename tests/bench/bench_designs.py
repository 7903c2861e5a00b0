"""Designs recommended after 150 runs, beside random search, a Gaussian process and Optuna's TPE; and whether p is p.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data/tuner (TPE is left out where optuna is not installed):
python -m tests.bench.bench_designs [--seeds 5] [--only ridgeline,random] [--calibration] [--chosen] [--mix] [set …]

With --chosen: how often the truth of a recommended design, which was not measured, lies in its interval.
With --mix: designs that are good for all ten loops of the sample, or for both GPUs (sets `dedispersion`, `convolution`).
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.progress import silent
from core.recipes import make_recipe
from core.report.space.decision import runs_sentence
from core.space.applications import ask_over, several_of
from core.space.believed import Believed, believe_in
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.designs import Decision, decide
from core.space.distinct import draw_goals
from core.space.mix import HOWS
from core.space.offered import Question
from core.space.plans import Evidence
from core.space.trial_space import trial_holes
from core.space.wishes import read_wishes
from core.trial import Frame, Kind, Metric, make_frame
from tests.bench._sets import SAMPLES
from tests.bench.bench_next_points import SETS, Measured, load, proposed

RUNS, START, BATCH, NEAR = 150, 30, 10, 1.03
CHOSEN_OF = 300
HELD, SHOWN = 400, 5


def random_search(known: Measured, seed: int) -> list[int]:
    """Runs drawn at random."""
    return np.random.default_rng(seed).permutation(len(known.ranks))[:RUNS].tolist()


def ridgeline(known: Measured, seed: int) -> list[int]:
    """`plan --method next --set goal=minimise`, ten runs at a time."""
    places = random_search(known, seed)[:START]
    while len(places) < RUNS:
        n, every = min(BATCH, RUNS - len(places)), np.arange(len(known.ranks))
        places += proposed(known, "minimise", n, np.array(places), seed + len(places), every).tolist()
    return places


def gaussian_process(known: Measured, seed: int) -> list[int]:
    """Expected improvement of log time, one run at a time; lengths are learnt anew every five runs."""
    codes = known.space.codes(known.ranks)
    X, y = codes / np.maximum(np.array(known.space.shape) - 1, 1), np.log(known.seconds)
    places = random_search(known, seed)[:START]
    kernel = ConstantKernel(1.0) * Matern(np.full(X.shape[1], 0.5), (0.05, 20.0), nu=2.5) + WhiteKernel(
        1e-3, (1e-6, 1.0)
    )
    while len(places) < RUNS:
        learn = (len(places) - START) % 5 == 0
        model = GaussianProcessRegressor(
            kernel, optimizer="fmin_l_bfgs_b" if learn else None, normalize_y=True, random_state=0
        )
        kernel = model.fit(X[places], y[places]).kernel_
        mean, doubt = model.predict(X, return_std=True)
        u = (y[places].min() - mean) / np.maximum(doubt, 1e-12)
        worth = doubt * (u * norm.cdf(u) + norm.pdf(u))
        worth[places] = -1.0
        places.append(int(np.argmax(worth)))
    return places


def tpe(known: Measured, seed: int) -> list[int]:
    """Optuna's default sampler over the levels' numbers; what cannot run, or ran already, costs it no run."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=START))
    places: list[int] = []
    for _ in range(20 * RUNS):
        if len(places) == RUNS:
            break
        trial = study.ask()
        codes = np.array(
            [[trial.suggest_int(n, 0, size - 1) for n, size in zip(known.space.names, known.space.shape, strict=True)]]
        )
        rank = int(known.space.ranks(codes)[0])
        place = int(np.searchsorted(known.ranks, rank).clip(max=len(known.ranks) - 1))
        if known.ranks[place] != rank:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        study.tell(trial, float(known.seconds[place]))
        places += [place] if place not in places else []
    return places


METHODS: dict[str, Callable[[Measured, int], list[int]]] = {
    "ridgeline": ridgeline,
    "random": random_search,
    "gaussian_process": gaussian_process,
    "tpe": tpe,
}


def decided(known: Measured, frame: Frame, seed: int) -> Decision:
    """Five designs from what was measured, in the space as its constraints leave it."""
    every = known.frame(np.arange(len(known.ranks)))
    space = trial_holes(every, "").constrained(())
    wishes = read_wishes({"time": "low"}, (), ("time",), space)
    return decide(
        Question(wishes, {"time": believe_in(Evidence(frame=frame), wishes.space, seed=seed)}), SHOWN, seed=seed
    )


def reached(known: Measured, places: Sequence[int], method: str, seed: int) -> tuple[float, str]:
    """The best of five recommended designs over the best of the whole space, and what is said of further runs.

    The other methods recommend the best five that they measured. A recommended design that could not run is none.
    """
    best = known.seconds.min()
    if method != "ridgeline":
        return float(known.seconds[list(places)].min() / best), ""
    found = decided(known, known.frame(np.array(places)), seed)
    texts = {text: i for i, text in enumerate(map(tuple, known.space.texts(known.space.codes(known.ranks))))}
    rows = [tuple(found.question.space.texts(one.codes[None])[0]) for one in found.alternatives]
    seconds = [known.seconds[texts[row]] for row in rows if row in texts]
    return float(min(seconds) / best), runs_sentence(found)


def study(name: str, seeds: int, only: Sequence[str]) -> None:
    """Print a line per method."""
    known = load(name)
    print(f"\n{name}: {len(known.ranks):,} designs, {RUNS} runs; % above the best of all", flush=True)
    for method in only:
        started, gaps, stops = time.process_time(), [], 0
        for seed in range(seeds):
            ratio, said = reached(known, METHODS[method](known, seed), method, seed)
            gaps.append(100 * (ratio - 1))
            stops += said.startswith("Stop")
        near = sum(gap <= 100 * (NEAR - 1) for gap in gaps)
        stop = f"; says stop {stops} times" if method == "ridgeline" else ""
        print(
            f"  {method:18s} within 3 %: {near} of {seeds}; {[round(g, 1) for g in gaps]}, "
            f"{(time.process_time() - started) / seeds:.0f} s CPU a run{stop}",
            flush=True,
        )


def statements(
    believed: Believed, codes: np.ndarray, z: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities that one held-out design is faster than another, and whether it is."""
    joint = believed.joint(codes, orders=True)
    first, second = (rng.integers(0, len(z), 40_000) for _ in range(2))
    keep = z[first] != z[second]
    first, second = first[keep], second[keep]
    apart = ((joint.apart[:, first] - joint.apart[:, second]) ** 2).sum(axis=0) + joint.own[first] + joint.own[second]
    p = student.cdf((joint.mean[second] - joint.mean[first]) / np.sqrt(apart), joint.tails)
    return p, z[first] < z[second]


def calibrate(name: str, seeds: int) -> None:
    """Print, per model and bin of p, how often it came true among designs that nothing was learnt from."""
    known = sampled() if name == "design_space" else load(name)
    for recipe in ("trees", "anova", "stargazer"):
        told = [held_out(known, recipe, seed) for seed in range(seeds)]
        off, counts = by_tenths(*(np.concatenate([one[i] for one in told]) for i in (0, 1)))
        print(
            f"{name:24s} {recipe:8s} p - share true by tenths: {np.round(off, 3)}, at least {counts.min()} each; worst {np.nanmax(np.abs(off)):.3f}",
            flush=True,
        )


def held_out(known: Measured, recipe: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Statements about 400 designs from 150 others."""
    rng = np.random.default_rng(1000 + seed)
    order = rng.permutation(len(known.ranks))
    frame, asked = known.frame(np.sort(order[:RUNS])), np.sort(order[RUNS : RUNS + HELD])
    if recipe == "trees":
        evidence = Evidence(frame=frame)
    else:
        chosen = make_recipe(recipe, {"response_scale": "log"} if recipe == "stargazer" else {})
        evidence = Evidence(chosen.fit(frame), frame, chosen.fit)
    believed = believe_in(evidence, known.space, seed=seed)
    z = np.log(known.seconds[asked])
    return statements(believed, known.space.codes(known.ranks[asked]), z, rng)


def sampled() -> Measured:
    """The first loop of the sample `design_space`."""
    rows = pd.read_csv(SAMPLES / "design_space" / "trials.csv.gz").rename(columns=lambda c: c.split(" (")[0])
    rows = rows[(rows.kernel == rows.kernel[0]) & (rows.variant == rows.variant[0])]
    names = [n for n in rows.columns if n not in ("kernel", "variant", "cycles")]
    space = make_space([Parameter(n, tuple(sorted(float(v) for v in rows[n].unique()))) for n in names])
    ranks = space.ranks(space.encode(rows[names].to_numpy(float).tolist()))
    order = np.argsort(ranks)
    return Measured(space, ranks[order], rows.cycles.to_numpy(float)[order])


def several(name: str) -> tuple[DesignSpace, Frame, str]:
    """All trials of the ten loops of the sample, or of the designs of a kernel that ran on both GPUs."""
    if name == "design_space":
        rows = pd.read_csv(SAMPLES / name / "trials.csv.gz").rename(columns=lambda c: c.split(" (")[0])
        rows, role = (
            rows.rename(columns={"kernel": "application", "cycles": "time"}).drop(columns="variant"),
            "application",
        )
    else:
        both = {gpu: load(f"{name}__{gpu}") for gpu in ("A100", "MI250X")}
        tables = [
            pd.DataFrame(one.space.numbers(one.space.codes(one.ranks)), columns=list(one.space.names)).assign(
                time=one.seconds, machine=gpu
            )
            for gpu, one in both.items()
        ]
        rows, role = pd.concat(tables), "machine"
    names = [n for n in rows.columns if n not in (role, "time")]
    ran = rows.groupby(names)[role].transform("count")
    rows = rows[ran == rows[role].nunique()]
    X = rows[names].to_numpy(float)
    metrics = [Metric(n, Kind.PARAMETER) for n in names]
    keys = [repr(tuple(row)) for row in X.tolist()]
    labels = {role: rows[role].tolist()}
    frame = make_frame(
        X, rows.time.to_numpy(float), metrics, Metric("time", Kind.RESPONSE, "s"), labels, parameters=keys
    )
    return trial_holes(frame, "").constrained(()), frame, role


def mixes(name: str, seeds: int, recipe: str = "anova") -> None:
    """Print how far the best of five designs for all lies above the best of all, and whether probabilities come true."""
    space, frame, role = several(name)
    ranks = space.ranks(space.encode(frame.X.tolist()))
    every, design = np.unique(ranks, return_inverse=True)
    found = several_of(role, {"time": frame})
    for how in HOWS:
        gaps, told = [], []
        for seed in range(seeds):
            order = np.random.default_rng(1000 + seed).permutation(len(every))
            known = frame.take(np.flatnonzero(np.isin(design, order[:RUNS])))
            own = several_of(role, {"time": known})
            wishes = read_wishes({f"time over {role}s by {how}": "low"}, (), ("time",), space, own)
            evidence = {"time": Evidence(None, known, make_recipe(recipe).fit)}
            question = ask_over(wishes, own, evidence, False, seed, silent)
            said = {
                own.own("time", app): frame.y[rows][np.argsort(ranks[rows])]
                for app in found.names
                for rows in [np.flatnonzero(np.array(frame.labels[role]) == app)]
            }
            true = question.goals(said, len(every))[0]
            chosen = [int(space.ranks(one.codes[None])[0]) for one in decide(question, SHOWN, seed=seed).alternatives]
            values = [true[np.searchsorted(every, rank)] for rank in chosen if rank in every]
            gaps.append(round(100 * float(min(values, default=np.inf) / true.min() - 1), 1))
            asked = np.sort(order[RUNS : RUNS + HELD])
            told.append(mixed_statements(question, space.codes(every[asked]), true[asked], seed))
        off, counts = by_tenths(*(np.concatenate([one[i] for one in told]) for i in (0, 1)))
        kind = question.notes[0].split(", ")[0]
        print(
            f"{name} {how:9s} {kind}; % above the best {gaps}; p - share true by tenths: {np.round(off, 3)}, at least {counts.min()} each; worst {np.nanmax(np.abs(off)):.3f}",
            flush=True,
        )


def mixed_statements(
    question: Question, codes: np.ndarray, true: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities that one held-out design is better for all than another, by draws, and whether it is."""
    drawn = draw_goals(question, codes, 1000, seed, orders=True)[0]
    first, second = np.random.default_rng(seed).integers(0, len(true), (2, 20_000))
    keep = true[first] != true[second]
    first, second = first[keep], second[keep]
    return np.concatenate(
        [
            (drawn[:, a] < drawn[:, b]).mean(axis=0)
            for a, b in zip(np.array_split(first, 20), np.array_split(second, 20), strict=True)
        ]
    ), true[first] < true[second]


def chosen(name: str, seeds: int) -> None:
    """Print how often the truth of recommended designs lies in their intervals, 300 others learnt from."""
    known = load(name)
    space = trial_holes(known.frame(np.arange(len(known.ranks))), "").constrained(())
    texts = {text: i for i, text in enumerate(map(tuple, known.space.texts(known.space.codes(known.ranks))))}
    for recipe in (make_recipe("anova"), make_recipe("gaussian_process")):
        inside, width = list[bool](), list[float]()
        for seed in range(seeds):
            frame = known.frame(np.random.default_rng(seed).permutation(len(known.ranks))[:CHOSEN_OF])
            wishes = read_wishes({"time": "low"}, (), ("time",), space)
            believed = believe_in(Evidence(recipe.fit(frame), frame, recipe.fit), wishes.space, seed=seed)
            for one in decide(Question(wishes, {"time": believed}), SHOWN, seed=seed).alternatives:
                place = texts.get(tuple(space.texts(one.codes[None])[0]))
                if place is not None and not one.measured:
                    inside.append(bool(one.low[0] <= known.seconds[place] <= one.high[0]))
                    width.append(float(np.log(one.high[0] / one.low[0])))
        share = 100 * float(np.mean(inside)) if inside else np.nan
        print(f"{name}, {recipe.name}: {share:.0f} % of {len(inside)}, wide {np.mean(width or [np.nan]):.2f} in ln")


def by_tenths(p: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far probabilities lie above the share that came true, and how many there are, per tenth."""
    place = np.minimum((10 * p).astype(int), 9)
    off = [p[place == i].mean() - true[place == i].mean() if (place == i).any() else np.nan for i in range(10)]
    return np.array(off), np.bincount(place, minlength=10)


def main() -> None:
    """Run what was asked for."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default=",".join(METHODS))
    parser.add_argument("--calibration", action="store_true")
    parser.add_argument("--chosen", action="store_true")
    parser.add_argument("--mix", action="store_true")
    a = parser.parse_args()
    for name in a.sets:
        if a.mix:
            mixes(name, a.seeds)
        elif a.chosen:
            chosen(name, a.seeds)
        elif a.calibration:
            calibrate(name, a.seeds)
        else:
            study(name, a.seeds, a.only.split(","))


if __name__ == "__main__":
    main()
