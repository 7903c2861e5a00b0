"""The first model: `auto` on 2,000 trials of 40 metrics, and eiger's held-out errors at every number of terms.

Run by hand: python -m tests.bench.bench_first_seconds
"""

import time
import warnings
from collections.abc import Callable

from core.race.auto import automatic
from core.recipes import make_recipe, validate
from core.validate.folds import parse_folds
from tests.bench._sets import subject
from tests.bench.bench_stepwise import trials
from tests.bench.record import taken


def processor(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    warnings.simplefilter("ignore")
    frame = trials(2_000, 40)
    loops = subject("generations by application")
    recipe, plan = make_recipe("eiger", {}), parse_folds("by:application")
    taken(
        "eiger's held-out errors, generations by application",
        processor(lambda: validate(recipe, loops.frame, plan, workers=1)),
        3,
    )
    taken("auto, 2,000 × 40, one process", processor(lambda: automatic(frame, workers=1)), 10)


if __name__ == "__main__":
    main()
