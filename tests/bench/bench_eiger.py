"""Eiger on many metrics and on many trials: seconds of processor and memory of a fit, without the program's start.

The start is measured by itself (`bench_start`): both programs that are compared have fitted a small table before, so that
what a first fit imports (SciPy's linear algebra, a fifth of a second) counts in neither.

Run by hand: python -m tests.bench.bench_eiger [--million]
"""

import sys

import numpy as np

from tests.bench.bench_large import Run, run
from tests.bench.record import taken

FIT = """
import numpy as np
from core.recipes import make_recipe
from core.trial import Metric, make_frame
draw = np.random.default_rng(0)
Z = draw.standard_normal(({n}, {p}))
y = np.exp({y})
frame = make_frame(np.exp(Z), y, [Metric(f"m{{i}}") for i in range({p})], Metric("time", unit="s"))
del Z
few = make_frame(frame.X[:60, :5].copy(), y[:60], [Metric(f"m{{i}}") for i in range(5)], Metric("time", unit="s"))
make_recipe("eiger", {{}}).fit(few)
{fit}
"""
NOISE = "draw.standard_normal(len(Z))"
SIGNAL = "0.5 * Z[:, 0] + 0.3 * Z[:, 1] ** 2 + 0.2 * Z[:, 2] * Z[:, 3] + 0.1 * draw.standard_normal(len(Z))"
RECIPE = 'make_recipe("eiger", {}).fit(frame)'


def fitted(n: int, p: int, y: str) -> tuple[Run, ...]:
    """Return what a program that fits takes, and one that makes the same trials alone: of three runs the shortest."""
    programs = [FIT.format(n=n, p=p, y=y, fit=fit) for fit in (RECIPE, "make_recipe")]
    whole, alone = zip(*(map(run, programs) for _ in range(3)), strict=True)
    return tuple(min(runs, key=lambda own: own.cpu) for runs in (whole, alone))


def measured(n: int, p: int, y: str, seconds: float | None, megabytes: float | None) -> float:
    """Record seconds and memory of a fit, and return the seconds."""
    whole, alone = fitted(n, p, y)
    what = f"eiger, {n:,} × {p}{' of noise' if y == NOISE else ''}"
    taken(what, whole.cpu - alone.cpu, seconds)
    taken(
        f"{what}: memory of the whole program",
        whole.rss * 1.048576,
        megabytes,
        "MB",
        f"{alone.rss * 1.048576:.0f} MB without a fit",
    )
    return whole.cpu - alone.cpu


def grown(n: int, few: int, many: int) -> None:
    """Record how the time grows with the metrics."""
    less, more = (measured(n, p, SIGNAL, None, None) for p in (few, many))
    exponent = np.log(more / less) / np.log(many / few)
    taken(f"eiger, {n:,} trials: exponent of the time from {few:,} to {many:,} metrics", float(exponent), 1.15, "")


if __name__ == "__main__":
    measured(2_000, 500, NOISE, 0.7, 250)
    measured(100_000, 50, SIGNAL, 1.2, 400)
    grown(400, 1_000, 4_990)
    if "--million" in sys.argv:
        measured(1_000_000, 50, SIGNAL, None, 2000)
