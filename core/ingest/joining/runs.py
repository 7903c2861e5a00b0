"""Several files of one profiler run to one import: passes and traces that measured the same executions."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.ingest._names import shown
from core.trial import Facts, Import, Metric, Skipped, Trials

_PASS = re.compile(r"(pmc|pass|run|perfmon|counters?)[_\-]?\d+", re.IGNORECASE)
_CAPABILITY = "compute capability"
"""The label that tells NVIDIA's GPUs apart where a file does not name them."""
_Key = tuple[str, str, str, str, int]
_Execution = tuple[str, str, str]
_Gpu = tuple[str, str, frozenset[str]]


@dataclass(frozen=True)
class Located:
    """An import and where its file was: the path inside the folder that was given, or its bare name.

    Attributes
    ----------
    describes : of a file that describes machines, the formats whose runs these are; empty for any
    """

    path: str
    family: str
    imported: Import
    describes: tuple[str, ...] = ()


def run_folder(path: str) -> str:
    """Return the folder of the run that a file belongs to: folders of single passes are no runs of their own."""
    folders = PurePosixPath(path).parts[:-1]
    for i, part in enumerate(folders):
        if _PASS.fullmatch(part):
            return "/".join(folders[:i])
    return "/".join(folders)


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
    ordered = sorted(_with_own_machines(files), key=lambda f: (len(f.imported.trials.metrics), f.path))
    rows = _rows(ordered)
    metrics, values, notes = _values(ordered, rows)
    first = _first_rows(ordered, rows)
    sources = " + ".join(f.path for f in sorted(files, key=lambda f: f.path))
    kinds = dict.fromkeys(f.imported.format for f in files)
    trials = _trials(ordered, rows, first, metrics, values)
    return Import(
        source=sources,
        sha256=hashlib.sha256("".join(sorted(f.imported.sha256 for f in files)).encode()).hexdigest(),
        format=" + ".join(kinds),
        trials=trials,
        machines=united([f.imported.machines for f in ordered], notes),
        inputs=united([f.imported.inputs for f in ordered], notes),
        skipped=tuple(Skipped(f"{f.path} {s.where}".strip(), s.why) for f in ordered for s in f.imported.skipped),
        warnings=tuple(dict.fromkeys([*(w for f in ordered for w in f.imported.warnings), *notes])),
        original_units=_original_units(ordered),
    )


def _nested(runs: Mapping[tuple[str, str], list[Located]]) -> dict[tuple[str, str], list[Located]]:
    """Return the runs with those of folders inside another run's folder added to that run."""
    found: dict[tuple[str, str], list[Located]] = {}
    for (family, folder), group in sorted(runs.items()):
        parts = folder.split("/") if folder else []
        outer = ["/".join(parts[:i]) for i in range(len(parts))]
        home = next(((family, o) for o in outer if (family, o) in found and _has_passes(found[family, o])), None)
        found.setdefault(home or (family, folder), []).extend(group)
    return found


def _has_passes(files: Sequence[Located]) -> bool:
    return any(run_folder(f.path) != "/".join(PurePosixPath(f.path).parts[:-1]) for f in files)


def _with_own_machines(files: Sequence[Located]) -> list[Located]:
    """Return the files with machines' names where a pass over the same execution says the name.

    A machine never comes from an execution of another kernel, nor from a further run of the same one.
    GPUs that nobody names are told apart by their compute capability where there are several.
    """
    known: dict[_Execution, list[_Gpu]] = {}
    for file in files:
        for execution, gpu in _executions(file.imported.trials):
            if gpu[0]:
                known.setdefault(execution, []).append(gpu)
    named = [_named(file, known) for file in files]
    gpus = {gpu[:2] for file in named for _, gpu in _executions(file.imported.trials)}
    return [_by_capability(file) for file in named] if len(gpus) > 1 else named


def _executions(trials: Trials) -> Iterator[tuple[_Execution, _Gpu]]:
    """Yield what ran, and on what: the machine's name, its capability, and the metrics of the pass."""
    signature, capability = _signature(trials), trials.labels.get(_CAPABILITY, ("",) * len(trials))
    ran = zip(trials.application, trials.input, trials.execution, strict=True)
    gpus = ((name, cc, signature) for name, cc in zip(trials.machine, capability, strict=True))
    return zip(ran, gpus, strict=True)


def _named(file: Located, known: Mapping[_Execution, Sequence[_Gpu]]) -> Located:
    names = []
    for execution, (own, capability, signature) in _executions(file.imported.trials):
        passes = [gpu for gpu in known.get(execution, ()) if gpu[2] != signature]
        found = {name for name, cc, _ in passes if not (cc and capability) or cc == capability}
        names.append(own or (found.pop() if len(found) == 1 else ""))
    return _on_machines(file, names)


def _by_capability(file: Located) -> Located:
    gpus = [gpu for _, gpu in _executions(file.imported.trials)]
    return _on_machines(file, [name or (capability and f"{_CAPABILITY} {capability}") for name, capability, _ in gpus])


def _on_machines(file: Located, names: Sequence[str]) -> Located:
    trials = replace(file.imported.trials, machine=tuple(names))
    return replace(file, imported=replace(file.imported, trials=trials))


def _rows(files: Sequence[Located]) -> list[list[int]]:
    """Return for each file the row of the joined table that each of its trials is."""
    places: dict[_Key, int] = {}
    seen: dict[frozenset[str], dict[tuple[str, str, str, str], int]] = {}
    rows = []
    for file in files:
        trials = file.imported.trials
        counts = seen.setdefault(_signature(trials), {})
        own = []
        for key in zip(trials.application, trials.input, trials.machine, trials.execution, strict=True):
            again = counts[key] = counts.get(key, -1) + 1
            own.append(places.setdefault((*key, again), len(places)))
        rows.append(own)
    return rows


def _signature(trials: Trials) -> frozenset[str]:
    """Return what tells a pass from a repeat of it: its metrics."""
    return frozenset(m.name for m in trials.metrics)


def _values(
    files: Sequence[Located], rows: Sequence[Sequence[int]]
) -> tuple[tuple[Metric, ...], FloatArray, list[str]]:
    """Return (metrics, values, what was noticed); of a metric in several files the first value counts."""
    metrics: dict[str, Metric] = {}
    for file in files:
        for metric in file.imported.trials.metrics:
            known = metrics.setdefault(metric.name, metric)
            if known.unit != metric.unit:
                raise ReadError(
                    f"{file.path}: '{shown(metric.name)}' is in {metric.unit or 'no unit'} here and in "
                    f"{known.unit or 'no unit'} in another file of the run. Import the two apart."
                )
    n = 1 + max((row for own in rows for row in own), default=-1)
    places = {name: i for i, name in enumerate(metrics)}
    values = np.full((n, len(metrics)), np.nan)
    differing: dict[str, float] = {}
    for file, own in zip(files, rows, strict=True):
        trials = file.imported.trials
        at = np.array(own, dtype=np.int64)
        for j, metric in enumerate(trials.metrics):
            column, new = values[:, places[metric.name]], trials.values[:, j]
            _note_difference(differing, metric.name, column[at], new)
            column[at] = np.where(np.isnan(column[at]), new, column[at])
    return tuple(metrics.values()), values, [*_told(differing), *_incomplete(tuple(metrics.values()), values)]


def _note_difference(differing: dict[str, float], name: str, before: FloatArray, new: FloatArray) -> None:
    both = ~np.isnan(before) & ~np.isnan(new) & (before != new)
    if both.any():
        sizes = np.maximum(np.abs(before[both]), np.abs(new[both]))
        differing[name] = max(differing.get(name, 0.0), float((np.abs(before - new)[both] / sizes).max()))


def _told(differing: Mapping[str, float]) -> list[str]:
    if not differing:
        return []
    some = sorted(differing.items(), key=lambda pair: -pair[1])
    named = ", ".join(f"'{shown(name)}' by up to {100 * size:.2g} %" for name, size in some[:5])
    more = f" and {len(some) - 5} more" if len(some) > 5 else ""
    return [f"Measured in several passes with different results, the first of which counts: {named}{more}."]


def _incomplete(metrics: Sequence[Metric], values: FloatArray) -> list[str]:
    missing = np.isnan(values).sum(axis=0)
    some = [(m.name, int(n)) for m, n in zip(metrics, missing, strict=True) if n]
    if not some:
        return []
    most = max(some, key=lambda pair: pair[1])
    return [
        f"{len(some)} of {len(metrics)} metrics are missing in some of the {len(values)} trials, most often "
        f"'{shown(most[0])}' ({most[1]} times): not every pass has every execution."
    ]


def _first_rows(files: Sequence[Located], rows: Sequence[Sequence[int]]) -> dict[int, tuple[int, int]]:
    """Return for each joined row the first (file, trial) that made it."""
    first: dict[int, tuple[int, int]] = {}
    for f, own in enumerate(rows):
        for i, row in enumerate(own):
            first.setdefault(row, (f, i))
    return dict(sorted(first.items()))


def _trials(
    files: Sequence[Located],
    rows: Sequence[Sequence[int]],
    first: Mapping[int, tuple[int, int]],
    metrics: tuple[Metric, ...],
    values: FloatArray,
) -> Trials:
    trials = [f.imported.trials for f in files]
    at = list(first.values())
    return Trials(
        application=tuple(trials[f].application[i] for f, i in at),
        input=tuple(trials[f].input[i] for f, i in at),
        machine=tuple(trials[f].machine[i] for f, i in at),
        metrics=metrics,
        values=values,
        labels=_labels(trials, rows, len(first)),
        where=tuple(f"{files[f].path} {trials[f].where[i] if trials[f].where else ''}".strip() for f, i in at),
        parameters=tuple(dict.fromkeys(name for t in trials for name in t.parameters)),
        execution=tuple(trials[f].execution[i] for f, i in at),
    )


def _labels(trials: Sequence[Trials], rows: Sequence[Sequence[int]], n: int) -> dict[str, tuple[str, ...]]:
    labels: dict[str, list[str]] = {}
    for own, places in zip(trials, rows, strict=True):
        for name, texts in own.labels.items():
            column = labels.setdefault(name, [""] * n)
            for row, text in zip(places, texts, strict=True):
                column[row] = column[row] or text
    return {name: tuple(texts) for name, texts in labels.items()}


def united(parts: Iterable[Facts | None], notes: list[str]) -> Facts | None:
    """Return the facts of all files; where two contradict each other the first counts, and that is noted."""
    known = [facts for facts in parts if facts is not None]
    if not known:
        return None
    keys = tuple(dict.fromkeys(key for facts in known for key in facts.keys))
    metrics = {m.name: m for facts in reversed(known) for m in reversed(facts.metrics)}
    places = {key: row for row, key in enumerate(keys)}
    columns = {name: i for i, name in enumerate(metrics)}
    values = np.full((len(keys), len(metrics)), np.nan)
    labels: dict[str, list[str]] = {}
    for facts in known:
        at = [places[key] for key in facts.keys]
        for j, metric in enumerate(facts.metrics):
            column, new = values[:, columns[metric.name]], facts.values[:, j]
            if (~np.isnan(column[at]) & ~np.isnan(new) & (column[at] != new)).any():
                notes.append(f"'{shown(metric.name)}' differs between the files of the run: the first value counts.")
            column[at] = np.where(np.isnan(column[at]), new, column[at])
        for name, texts in facts.labels.items():
            own = labels.setdefault(name, [""] * len(keys))
            for row, text in zip(at, texts, strict=True):
                own[row] = own[row] or text
    return Facts(keys, tuple(metrics.values()), values, {name: tuple(texts) for name, texts in labels.items()})


def _original_units(files: Sequence[Located]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in files:
        for name, unit in file.imported.original_units.items():
            found.setdefault(name, unit)
    return found


def machine_only(imported: Import) -> bool:
    """Whether a file describes machines and has no trials."""
    return not len(imported.trials) and imported.machines is not None


def with_machines(file: Located, described: Sequence[Located]) -> Located:
    """Return an import with the machine that the nearest file at or above its folder describes.

    Trials without a machine's name take the name if exactly one machine is described there.
    """
    near = _nearest(file.path, [d for d in described if not d.describes or file.imported.format in d.describes])
    if not near:
        return file
    near, names = _one_name(near)
    imported = file.imported
    if len(names) == 1:
        machine = tuple(own or names[0] for own in imported.trials.machine)
        imported = replace(imported, trials=replace(imported.trials, machine=machine))
    own_machines = set(imported.trials.machine)
    notes: list[str] = []
    facts = united([imported.machines, *(f.imported.machines for f in near)], notes)
    if facts is not None:
        facts = _only(facts, own_machines)
    told = [f"{f.path}: machine metrics of {', '.join(names)}." for f in near]
    units = _original_units([file, *near])
    warnings = (*imported.warnings, *(w for f in near for w in f.imported.warnings), *told, *notes)
    return replace(
        file, imported=replace(imported, machines=facts, warnings=tuple(dict.fromkeys(warnings)), original_units=units)
    )


def _one_name(described: Sequence[Located]) -> tuple[list[Located], list[str]]:
    """Return the machine files and the machines' names; if there is one name, nameless facts are of that machine."""
    keys = [key[0] for f in described if f.imported.machines for key in f.imported.machines.keys]
    names = list(dict.fromkeys(name for name in keys if name))
    if len(names) != 1:
        return list(described), names
    return [_renamed(f, names[0]) for f in described], names


def _renamed(file: Located, name: str) -> Located:
    facts = file.imported.machines
    if facts is None or ("",) not in facts.keys or (name,) in facts.keys:
        return file
    facts = replace(facts, keys=tuple((key[0] or name,) for key in facts.keys))
    return replace(file, imported=replace(file.imported, machines=facts))


def _only(facts: Facts, machines: set[str]) -> Facts | None:
    rows = [i for i, key in enumerate(facts.keys) if key[0] in machines]
    if not rows:
        return None
    labels = {name: tuple(texts[i] for i in rows) for name, texts in facts.labels.items()}
    return Facts(tuple(facts.keys[i] for i in rows), facts.metrics, facts.values[rows], labels)


def _nearest(path: str, described: Sequence[Located]) -> list[Located]:
    """Return the machine files in the file's own folder, or else in the nearest folder above it."""
    folder = PurePosixPath(path).parent
    for place in (folder, *folder.parents):
        found = [f for f in described if PurePosixPath(f.path).parent == place]
        if found:
            return found
    return []
