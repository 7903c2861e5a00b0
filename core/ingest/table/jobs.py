"""Slurm's jobs as `sacct` lists them, each above its steps: a row for a job, with what its steps alone say."""

import re
from collections.abc import Iterable, Sequence

from core.frozen import Frozen

JOBS = re.compile(rb"\s*(?:\w+[ |]+)*JobID(?:Raw)?[ |]")
"""How a list of jobs begins, between bars or below each other."""
_RULE = re.compile(r"-+( -+)+ *")


class Jobs(Frozen):
    """Jobs with what each says, and where each stands.

    Attributes
    ----------
    n_steps : how many steps stand below them
    """

    names: list[str]
    rows: list[tuple[int, list[str]]]
    n_steps: int


def jobs_of(lines: Sequence[str]) -> Jobs | None:
    """Return the jobs of a list with their steps; None where no step is below its job, so that it is any table.

    What a job does not say is that of its last step that says it: the one before it is the script around it.
    """
    spans = [found.span() for found in re.finditer("-+", lines[1])] if _RULE.fullmatch("".join(lines[1:2])) else []
    first = 2 if spans else 1
    end = "|" if lines[0].endswith("|") else ""
    names = _cells(lines[0], spans, end)
    at = next((i for i, name in enumerate(names) if name.startswith("JobID")), -1)
    rows = [(i, _cells(line, spans, end)) for i, line in enumerate(lines[first:], first + 1) if line.strip()]
    if at < 0 or any(len(cells) != len(names) for _, cells in rows):
        return None
    jobs: dict[str, tuple[int, list[list[str]]]] = {}
    for i, cells in rows:
        job, step = cells[at].partition(".")[::2]
        if job in jobs and step:
            jobs[job][1].append(cells)
        elif not step and job not in jobs:
            jobs[job] = i, [cells]
        else:
            return None
    if len(jobs) == len(rows):
        return None
    said = [(i, [_said(texts) for texts in zip(*own, strict=True)]) for i, own in jobs.values()]
    return Jobs(names, said, len(rows) - len(jobs))


def _said(texts: Iterable[str]) -> str:
    """Return what the job says, else the last of its steps that says anything."""
    job, *steps = texts
    return job or next(filter(None, reversed(steps)), "")


def _cells(line: str, spans: Sequence[tuple[int, int]], end: str) -> list[str]:
    """Return the cells of a line: between bars, one of which may end each line, or below each other."""
    if spans:
        return [line[a:b].strip() for a, b in spans]
    return [cell.strip() for cell in line.removesuffix(end).split("|")]
