"""A table of 100 MB of 24 columns through `ridgeline import`, against DuckDB's own CREATE TABLE, run by turns.

Run by hand: python -m tests.bench.bench_import [megabytes] [times]
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from tests.bench.bench_large import CREATE, IMPORT, Run, fresh, run
from tests.bench.record import Line, record, taken

_STEP, _BYTES_A_ROW = 50_000, 191
_FORMS = ("%d",) * 6 + ("%.9g",) * 7 + ("%.4f", "%.2f", "%.1f", "%.6e")
_NAMES = (
    "application,input,machine,repeat,block,threads,clock_mhz,count_0,count_1,count_2,count_3,count_4,count_5,"
    "rate_0,rate_1,rate_2,rate_3,rate_4,rate_5,rate_6,occupancy,hit_rate,power_w,time_s"
)


def make(path: Path, n_rows: int, seed: int = 0) -> None:
    """Write names, repeats, settings, a fact of the machine, counts, rates, shares, a power and a time."""
    draw = np.random.default_rng(seed)
    with path.open("w") as file:
        file.write(_NAMES + "\n")
        for start in range(0, n_rows, _STEP):
            n = min(_STEP, n_rows - start)
            machine = draw.integers(4, size=n)
            texts = [
                np.char.mod("app%02d", draw.integers(20, size=n)),
                np.char.mod("size %d", 2 ** draw.integers(6, 16, size=n)),
                np.array(["gpu A", "gpu B", "gpu C", "gpu D"])[machine],
                np.char.mod("run %d", draw.integers(1, 6, size=n)),
                np.char.mod("%d", 2 ** draw.integers(5, 11, size=n)),
                np.char.mod("%d", draw.integers(1, 65, size=n)),
                np.array(["1410", "1590", "1755", "2100"])[machine],
            ]
            scale = np.array([*(8 + 2 * k for k in range(6)), *(3,) * 7])
            numbers = [*np.exp(draw.normal(size=(n, 13)) * 2 + scale).T, draw.random(n), 100 * draw.random(n)]
            numbers += [100 + 200 * draw.random(n), np.exp(draw.normal(size=n) - 7)]
            texts += [
                np.char.mod(form, np.trunc(v) if form == "%d" else v) for form, v in zip(_FORMS, numbers, strict=True)
            ]
            file.write("\n".join(map(",".join, zip(*texts, strict=True))) + "\n")


def main(megabytes: int, times: int) -> None:
    folder = Path(os.environ.get("RIDGELINE_BENCH", tempfile.gettempdir())) / "ridgeline-bench"
    folder.mkdir(parents=True, exist_ok=True)
    path, few = folder / f"import-{megabytes}.csv", folder / "few.csv"
    if not path.exists():
        make(path, megabytes * 1_000_000 // _BYTES_A_ROW)
    few.write_text("application,time_s\na,1\nb,2\n")
    found: dict[str, list[Run]] = {"create table": [], "import": [], "import of two rows": []}
    for _ in range(times):
        for name, work, file in zip(found, (CREATE, IMPORT, IMPORT), (path, path, few), strict=True):
            with fresh(folder) as db:
                found[name].append(run(work.format(db=str(db), path=str(file))))
    print(f"{path.stat().st_size / 1e6:.0f} MB; {times} times by turns; seconds by the clock, of processor, peak MiB")
    for name, runs in found.items():
        best = min(r.seconds for r in runs), min(r.cpu for r in runs), max(r.rss for r in runs)
        print(f"{name:20}{best[0]:8.2f}{best[1]:8.2f}{best[2]:8.0f}")
    turns = list(zip(*found.values(), strict=True))
    for what, unit in (("seconds", "s by the clock"), ("cpu", "s")):
        own, theirs = (
            median(v)
            for v in (
                [getattr(i, what) - getattr(s, what) for _, i, s in turns],
                [getattr(c, what) for c, _, _ in turns],
            )
        )
        work = f"import of a CSV of {megabytes} MB without start-up, {unit}"
        record(Line(work, own, unit, "DuckDB's CREATE TABLE AS", theirs, 1.5 if unit == "s" else None))
    taken(f"import of a CSV of {megabytes} MB: memory", max(r.rss for r in found["import"]) * 1.048576, 600, "MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
