"""How time and memory grow over two decades of applications, datasets and kernels: the exponents, at most 1.15.

Metrics are in `bench_eiger`, trials in `bench_parquet` and `bench_large`. Run by hand:
python -m tests.bench.bench_growth [applications datasets kernels]
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tests.bench.bench_large import Run, run
from tests.bench.record import taken
from tests.scaling.made import made_study

MOST = 1.15
LEVELS = (8, 8, 7)
"""Of the parameters that kernels are measured over: 448 configurations."""
VERB = """
from core.cli import main
assert main(["--db", {db!r}, *{words!r}]) == 0
"""
DATASETS = """
from pathlib import Path
from core.ingest import apply, read_table
from core.store import Store
trials = apply(read_table(Path({table!r})))
with Store.open(Path({db!r})) as store:
    for i in range({n}):
        store.add(f"set {{i}}", trials)
"""


def table(path: Path, n_applications: int) -> None:
    """Write ten trials of each application: ten metrics, and a time of three of them and the application."""
    draw = np.random.default_rng(0)
    n = 10 * n_applications
    Z, own = draw.standard_normal((n, 10)), np.repeat(draw.standard_normal(n_applications), 10)
    y = np.exp(0.5 * Z[:, 0] + 0.3 * Z[:, 1] ** 2 + 0.3 * own + 0.1 * draw.standard_normal(n))
    rows = (
        f"app{i // 10},{i % 10},{','.join(f'{v:.9g}' for v in own)},{time:.9g}"
        for i, (own, time) in enumerate(zip(np.exp(Z), y, strict=True))
    )
    path.write_text("\n".join([f"application,input,{','.join(f'm{j}' for j in range(10))},time_s", *rows]) + "\n")


def applications(folder: Path, n: int) -> list[Run]:
    """Return what it takes to import n applications, and to fit and validate eiger."""
    path, db = folder / f"{n}.csv", str(folder / f"applications-{n}")
    table(path, n)
    verbs = (["import", str(path), "--dataset", "d"], ["fit", "eiger", "--dataset", "d", "--response", "time_s"])
    return [run(VERB.format(db=db, words=words)) for words in verbs]


def datasets(folder: Path, n: int) -> list[Run]:
    """Return what it takes to store n datasets of 20 trials, to list them, and to fit one of them."""
    path, db = folder / "few.csv", str(folder / f"datasets-{n}")
    table(path, 2)
    stored = run(DATASETS.format(table=str(path), db=db, n=n))
    verbs = (["datasets"], ["fit", "ridge", "--dataset", "set 5", "--response", "time_s"])
    return [stored, *(run(VERB.format(db=db, words=words)) for words in verbs)]


def kernels(folder: Path, n: int) -> list[Run]:
    """Return what it takes to import n kernels on 448 configurations, and to validate a scaling predictor on them."""
    path, db = folder / f"kernels-{n}.csv", str(folder / f"kernels-{n}")
    study = made_study(n, LEVELS)
    head = [m.name for m in (*study.axes, *study.counters, *study.responses)]
    with path.open("w") as file:
        file.write(f"application,{','.join(head)}\n")
        for k, kernel in enumerate(study.kernels):
            rows = np.column_stack([study.grid, study.counts[k], *study.values[:, k]])
            file.writelines(f"{kernel},{','.join(f'{v:.9g}' for v in row)}\n" for row in rows.tolist())
    roles = [word for axis in study.axes for word in ("--parameter", axis.name)]
    add = ["import", str(path), "--dataset", "d", *roles, "--response", "time_s:s", "--response", "power_w:W"]
    learn = ["scale", "validate", "shared_leaves", "--dataset", "d", "--response", "time_s", "--folds", "kfold:3"]
    return [run(VERB.format(db=db, words=words)) for words in (add, learn)]


def recorded(what: str, noun: str, sizes: tuple[int, int], found: tuple[Run, Run]) -> None:
    """Record time and memory at the larger size, and by which power of the size each grew."""
    few, many = found
    taken(f"{what}, {sizes[1]:,} {noun}", many.cpu)
    taken(f"{what}, {sizes[1]:,} {noun}: memory", many.rss * 1.048576, unit="MB")
    for name, growth in (("time", many.cpu / few.cpu), ("memory", many.rss / few.rss)):
        exponent = float(np.log(growth) / np.log(sizes[1] / sizes[0]))
        taken(f"{what}: exponent of {name} from {sizes[0]:,} to {sizes[1]:,} {noun}", exponent, MOST, "")


WORK: dict[str, tuple[tuple[int, int], Sequence[str], Callable[[Path, int], list[Run]]]] = {
    "applications": ((20, 2_000), ("import", "fit eiger"), applications),
    "datasets": ((10, 1_000), ("store", "datasets", "fit of one of them"), datasets),
    "kernels": ((50, 5_000), ("import", "scale validate"), kernels),
}

if __name__ == "__main__":
    for noun in sys.argv[1:] or WORK:
        sizes, names, work = WORK[noun]
        with tempfile.TemporaryDirectory() as name:
            runs = zip(*(work(Path(name), n) for n in sizes), strict=True)
            for what, found in zip(names, runs, strict=True):
                recorded(what, noun, sizes, found)
