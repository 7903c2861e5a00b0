"""Every family on the same folds: from one GPU's counters to another's times, and a device held out.

Run by hand, with measurements in $RIDGELINE_REAL_DATA/data: python -m tests.bench.bench_race
"""

import time
import warnings

from core.race.entry import entries_for
from core.race.race import race
from tests.bench._sets import subject
from tests.bench.record import taken

SETS = {"nca k40 to gtx-980": 120.0, "aiwc by device": 300.0}


def main() -> None:
    warnings.simplefilter("ignore")
    for name, seconds in SETS.items():
        own = subject(name)
        entries = entries_for(own.frame)
        started, clock = time.process_time(), time.perf_counter()
        race(own.frame, own.plan, 0, entries, workers=1)
        spent = time.process_time() - started
        what = f"race, {name}: {len(own.frame)} trials, {len(entries)} entries, one process"
        taken(what, spent, seconds, limit=f"{time.perf_counter() - clock:.0f} s by the clock")


if __name__ == "__main__":
    main()
