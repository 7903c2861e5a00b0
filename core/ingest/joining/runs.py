"""Several files of one profiler run to one import: passes and traces that measured the same executions."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError, first_few
from core.ingest._lookup import first_by_key
from core.ingest.joining.machines import signature, with_own_machines
from core.ingest.joining.merge import Located, original_units, overlaid, united
from core.ingest.names import shown
from core.trial import ROLES, Import, Metric, Skipped, Trials

_PASS = re.compile(r"(pmc|pass|run|perfmon|counters?)[_\-]?\d+", re.IGNORECASE)
_Key = tuple[str, str, str, str, int]


def run_folder(path: str) -> str:
    """Return the folder of the run that a file belongs to: folders of single passes are no runs of their own."""
    return "/".join(takewhile(lambda folder: not _PASS.fullmatch(folder), PurePosixPath(path).parts[:-1]))


def join_runs(files: Sequence[Located]) -> list[Import]:
    """Return one import per run of a profiler, and every other file's import as it is.

    Files of one family and one run are joined trial by trial on application, input, machine and
    execution. Files with the same metrics are further runs of the same program and add trials.
    """
    runs: dict[tuple[str, str], list[Located]] = {}
    alone: list[Import] = []
    for file in sorted(files, key=lambda f: f.path):
        if file.family and file.imported.trials.execution:
            runs.setdefault((file.family, run_folder(file.path)), []).append(file)
        else:
            alone.append(file.imported)
    return [*(joined(group) for group in _nested(runs).values()), *alone]


def joined(files: Sequence[Located]) -> Import:
    """Return the trials of one run's files as one import; a metric that two files have is the first's.

    The time is taken from the file with the fewest metrics, as counting disturbs it least.
    """
    if len(files) == 1:
        return files[0].imported
    ordered = sorted(with_own_machines(files), key=lambda f: (len(f.imported.trials.metrics), f.path))
    every = [file.imported.trials for file in ordered]
    rows = _rows(every)
    _refuse_other_units(ordered)
    first = first_by_key((row, (f, i)) for f, own in enumerate(rows) for i, row in enumerate(own))
    metrics, values, labels, differing = overlaid(every, rows, len(first))
    notes = [*_told(differing), *_incomplete(metrics, values)]
    at = [first[row] for row in range(len(first))]
    texts: dict[str, Any] = {name: tuple(getattr(every[f], name)[i] for f, i in at) for name in (*ROLES, "execution")}
    trials = Trials(
        **texts,
        metrics=metrics,
        values=values,
        labels=labels,
        where=tuple(f"{ordered[f].path} {every[f].where[i] if every[f].where else ''}".strip() for f, i in at),
        parameters=tuple(dict.fromkeys(name for own in every for name in own.parameters)),
    )
    sources = " + ".join(f.path for f in sorted(files, key=lambda f: f.path))
    kinds = dict.fromkeys(f.imported.format for f in files)
    return Import(
        source=sources,
        sha256=hashlib.sha256("".join(sorted(f.imported.sha256 for f in files)).encode()).hexdigest(),
        format=" + ".join(kinds),
        trials=trials,
        machines=united([f.imported.machines for f in ordered], notes),
        inputs=united([f.imported.inputs for f in ordered], notes),
        skipped=tuple(Skipped(f"{f.path} {s.where}".strip(), s.why) for f in ordered for s in f.imported.skipped),
        warnings=tuple(dict.fromkeys([*(w for f in ordered for w in f.imported.warnings), *notes])),
        original_units=original_units(ordered),
    )


def _nested(runs: Mapping[tuple[str, str], list[Located]]) -> dict[tuple[str, str], list[Located]]:
    """Return the runs with those of folders inside another run's folder added to that run."""
    found: dict[tuple[str, str], list[Located]] = {}
    for (family, folder), group in sorted(runs.items()):
        parts = folder.split("/") if folder else []
        outer = ["/".join(parts[:i]) for i in range(len(parts))]
        home = next(((family, o) for o in outer if any(map(_is_pass, found.get((family, o), ())))), None)
        found.setdefault(home or (family, folder), []).extend(group)
    return found


def _is_pass(file: Located) -> bool:
    return run_folder(file.path) != "/".join(PurePosixPath(file.path).parts[:-1])


def _rows(files: Sequence[Trials]) -> list[list[int]]:
    """Return for each file the row of the joined table that each of its trials is."""
    places: dict[_Key, int] = {}
    seen: dict[frozenset[str], Counter[tuple[str, str, str, str]]] = {}
    rows = []
    for trials in files:
        counts = seen.setdefault(signature(trials), Counter())
        own = []
        for key in zip(trials.application, trials.input, trials.machine, trials.execution, strict=True):
            own.append(places.setdefault((*key, counts[key]), len(places)))
            counts[key] += 1
        rows.append(own)
    return rows


def _refuse_other_units(files: Sequence[Located]) -> None:
    units: dict[str, str] = {}
    for file in files:
        for metric in file.imported.trials.metrics:
            if (known := units.setdefault(metric.name, metric.unit)) != metric.unit:
                raise ReadError(
                    f"{file.path}: '{shown(metric.name)}' is in {metric.unit or 'no unit'} here and in "
                    f"{known or 'no unit'} in another file of the run. Import the two apart."
                )


def _told(differing: Mapping[str, float]) -> list[str]:
    if not differing:
        return []
    some = sorted(differing.items(), key=lambda pair: -pair[1])
    named = first_few([f"'{shown(name)}' by up to {100 * size:.2g} %" for name, size in some])
    return [f"Measured in several passes with different results, the first of which counts: {named}."]


def _incomplete(metrics: Sequence[Metric], values: FloatArray) -> list[str]:
    missing = np.isnan(values).sum(axis=0)
    if not (some := [(m.name, int(n)) for m, n in zip(metrics, missing, strict=True) if n]):
        return []
    most = max(some, key=lambda pair: pair[1])
    return [
        f"{len(some)} of {len(metrics)} metrics are missing in some of the {len(values)} trials, most often "
        f"'{shown(most[0])}' ({most[1]} times): not every pass has every execution."
    ]
