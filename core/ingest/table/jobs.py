"""Slurm's jobs, as `sacct` lists them above their steps: a row for a job, with what its steps alone say."""

from collections.abc import Sequence
from dataclasses import replace

from core.errors import count
from core.ingest.table.cells import Cells
from core.ingest.table.shape import MOST_ROWS, Shaped


def with_steps(name: str, shaped: Shaped) -> Shaped:
    """Return jobs with what the steps below them say; as it is any other table, or one with a step below no job.

    What a job does not say is that of its last step that says it: the one before it is the script around it.
    """
    at = next((i for i, own in enumerate(shaped.header) if own.strip() in ("JobID", "JobIDRaw")), -1)
    ids = shaped.columns[at].texts() if at >= 0 and len(shaped.lines) <= MOST_ROWS else ()
    jobs: dict[str, list[int]] = {}
    for row, text in enumerate(ids):
        job, _, step = text.partition(".")
        if bool(step) != (job in jobs):
            return shaped
        jobs.setdefault(job, []).append(row)
    if not (n := len(ids) - len(jobs)):
        return shaped

    def said(texts: Sequence[str]) -> list[str]:
        own = ([texts[job], *(texts[row] for row in reversed(steps))] for job, *steps in jobs.values())
        return [next(filter(None, each), "") for each in own]

    columns = tuple(Cells.of(said(cells.texts())) for cells in shaped.columns)
    steps = f"{count(n, 'step')} of jobs {'was' if n == 1 else 'were'} read with their jobs"
    told = f"{name}: {steps}: what a job does not say is what its last step says."
    lines = shaped.lines[[job for job, *_ in jobs.values()]]
    return replace(shaped, columns=columns, lines=lines, warnings=(*shaped.warnings, told))
