"""An experiment under way: what is kept is not done again, what is new is kept at once, and how long it takes still."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.errors import RidgelineError
from core.execution.execute import execute
from core.experiment.experiment import Result, Subject, result_from_plain
from core.experiment.grid import Fit, Grid
from core.frozen import Frozen
from core.progress import Progress, silent

BATCH_S, MOST_IN_BATCH = 0.5, 32
"""Fits on the same split travel together for about so long, so that trials are taken apart once for several."""
TIMED, TRIED = 2, 3

Keep = Callable[[Sequence[tuple[str, Result]]], None]
"""Stores results by their keys, before it returns."""
Batch = tuple[Fit, ...]
"""Fits on one split of one subject."""


class Shared(Frozen):
    """What every batch needs."""

    subjects: tuple[Subject, ...]
    predictions: bool


class Estimate(Frozen):
    """How much there is to do.

    Attributes
    ----------
    n_fits, n_known : of all, and of those whose result is kept already
    seconds_per_fit : of those that were timed, one process, None where nothing is left to do
    """

    n_fits: int
    n_known: int
    seconds_per_fit: float | None

    def seconds(self, workers: int = 1) -> float:
        """Return about how long the rest takes."""
        return (self.n_fits - self.n_known) * (self.seconds_per_fit or 0.0) / max(workers, 1)


def run(
    grid: Grid,
    known: Mapping[str, Result],
    keep: Keep,
    progress: Progress = silent,
    *,
    workers: int = 1,
    cluster: str = "",
) -> dict[str, Result]:
    """Make the fits whose results are not known, and return the results of all by their keys.

    Parameters
    ----------
    known : results of before, of this experiment or any other
    keep : called in this thread with new results as they come
    progress : may raise `Cancelled`; what was kept stays good

    Raises
    ------
    ExecutionError
        If processes or the cluster cannot be used. A setting that cannot be fitted is no error; its result says why.
    """
    found = {fit.key: known[fit.key] for fit in grid.fits if fit.key in known}
    shared = Shared(grid.subjects, grid.experiment.predictions)

    def kept(fits: Sequence[Fit], results: Sequence[Result]) -> None:
        pairs = [(fit.key, result) for fit, result in zip(fits, results, strict=True)]
        keep(pairs)
        found.update(pairs)

    left, seconds = _left(grid, found), 0.0
    for fit in left[:TIMED]:
        progress(len(found) / grid.n_fits, f"{len(found):,} of {grid.n_fits:,} fits")
        if seconds < BATCH_S:  # the first one also loads what fits need, so that it says too much
            started = time.process_time()  # which other programs do not lengthen as they do the clock
            kept((fit,), fit_batch(shared, (fit,)))
            seconds = time.process_time() - started
    batches = tuple(batched((fit for fit in left if fit.key not in found), seconds, workers))

    def told(fraction: float, message: str) -> None:
        _, done, where = message.partition(" done")
        n = len(found)
        progress(n / grid.n_fits, f"{n:,} of {grid.n_fits:,} fits{where if done else f': {message}'}")

    def on_result(number: int, results: tuple[Result, ...]) -> None:
        kept(batches[number], results)

    if batches:
        execute(fit_batch, batches, shared, on_result=on_result, progress=told, cluster=cluster, workers=workers)
    progress(1.0, "done")
    return found


def fit_batch(shared: Shared, batch: Batch) -> tuple[Result, ...]:
    """Make the fits of a batch, in any process; no database is needed."""
    subject, procedures = shared.subjects[batch[0].subject], [fit.procedure for fit in batch]
    return subject.fits(batch[0].split, procedures, predictions=shared.predictions)


def estimate(grid: Grid, known: Mapping[str, Result], keep: Keep) -> Estimate:
    """Time a few fits, evenly taken from what is left, and keep their results."""
    there = {fit.key for fit in grid.fits if fit.key in known}
    left, shared = _left(grid, there), Shared(grid.subjects, grid.experiment.predictions)
    picked = [left[i * (len(left) - 1) // (TRIED - 1)] for i in range(min(TRIED, len(left)))]
    clock = [time.process_time()]
    for fit in picked:
        keep([(fit.key, fit_batch(shared, (fit,))[0])])
        clock.append(time.process_time())
    first = min(1, len(picked) - 1)  # as the first one also loads what fits need
    each = (clock[-1] - clock[first]) / (len(picked) - first) if picked else None
    return Estimate(grid.n_fits, len(there) + len(picked), each)


def batched(fits: Iterable[Fit], seconds: float, workers: int) -> Iterator[Batch]:
    """Yield batches: fits on one split, as many as take about `BATCH_S`, fewer where workers would stand idle."""
    by_split: dict[tuple[object, ...], list[Fit]] = {}
    for fit in fits:
        by_split.setdefault((fit.subject, fit.split), []).append(fit)
    n = sum(map(len, by_split.values()))
    size = max(min(MOST_IN_BATCH, int(BATCH_S / max(seconds, 1e-6)), n // (4 * max(workers, 1))), 1)
    for some in by_split.values():
        yield from (tuple(some[start : start + size]) for start in range(0, len(some), size))


def kept_results(kept: Mapping[str, dict[str, Any]]) -> dict[str, Result]:
    """Return kept results by their fits' keys; those written in another form are left out, to be made again."""
    found = {}
    for key, plain in kept.items():
        with suppress(KeyError, TypeError, ValueError, RidgelineError):
            found[key] = result_from_plain(plain)
    return found


def _left(grid: Grid, found: Iterable[str]) -> tuple[Fit, ...]:
    """Return one fit per key that is not known, in the order of the table."""
    there = set(found)
    return tuple({fit.key: fit for fit in reversed(grid.fits) if fit.key not in there}.values())[::-1]
