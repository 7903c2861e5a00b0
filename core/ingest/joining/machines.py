"""On which machine each file's trials ran: what the file says, a pass over the same execution, or a description."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.ingest.joining.merge import Located, about, original_units, united, with_name
from core.trial import Import, Trials

_CAPABILITY = "compute capability"
"""The label that tells NVIDIA's GPUs apart where a file does not name them."""
_Execution = tuple[str, str, str]
_Gpu = tuple[str, str, frozenset[str]]


def with_own_machines(files: Sequence[Located]) -> list[Located]:
    """Return the files with machines' names where a pass over the same execution says the name.

    A machine never comes from an execution of another kernel, nor from a further run of the same one.
    GPUs that nobody names are told apart by their compute capability where there are several.
    """
    known: dict[_Execution, dict[_Gpu, None]] = {}
    some = [file for file in files if any(file.imported.trials.machine)]
    for file in some if not all(all(file.imported.trials.machine) for file in files) else ():
        for execution, gpu in _executions(file.imported.trials):
            if gpu[0]:
                known.setdefault(execution, {})[gpu] = None
    named = [_named(file, known) for file in files] if known else list(files)
    gpus = {gpu for file in named for gpu in _gpus(file.imported.trials)}
    return [_by_capability(file) for file in named] if len(gpus) > 1 else named


def _gpus(trials: Trials) -> Iterator[tuple[str, str]]:
    """Yield the machine's name and capability, trial by trial."""
    return zip(trials.machine, trials.labels.get(_CAPABILITY, ("",) * len(trials)), strict=True)


def _executions(trials: Trials) -> Iterator[tuple[_Execution, _Gpu]]:
    """Yield what ran, and on what: the machine's name, its capability, and the metrics of the pass."""
    own = signature(trials)
    ran = zip(trials.application, trials.input, trials.execution, strict=True)
    return zip(ran, ((name, cc, own) for name, cc in _gpus(trials)), strict=True)


def _named(file: Located, known: Mapping[_Execution, Iterable[_Gpu]]) -> Located:
    names: list[str] = []
    for execution, (own, capability, signature) in _executions(file.imported.trials):
        if own:
            names.append(own)
            continue
        passes = [gpu for gpu in known.get(execution, ()) if gpu[2] != signature]
        found = {name for name, cc, _ in passes if not (cc and capability) or cc == capability}
        names.append(found.pop() if len(found) == 1 else "")
    return _on_machines(file, names)


def _by_capability(file: Located) -> Located:
    gpus = _gpus(file.imported.trials)
    return _on_machines(file, [name or (capability and f"{_CAPABILITY} {capability}") for name, capability in gpus])


def _on_machines(file: Located, names: Sequence[str]) -> Located:
    trials = replace(file.imported.trials, machine=tuple(names))
    return replace(file, imported=replace(file.imported, trials=trials))


def signature(trials: Trials) -> frozenset[str]:
    """Return what tells a pass from a repeat of it: its metrics."""
    return frozenset(m.name for m in trials.metrics)


def machine_only(imported: Import) -> bool:
    """Whether a file describes machines and has no trials."""
    return not len(imported.trials) and imported.machines is not None


def with_machines(file: Located, described: Sequence[Located]) -> Located:
    """Return an import with the machine that the nearest file at or above its folder describes.

    Trials and facts without a machine's name take the name if exactly one machine is described there.
    """
    if not (near := nearest(file, described)):
        return file
    imported, told_of = file.imported, [f.imported.machines for f in near]
    names = list(dict.fromkeys(key[0] for facts in told_of if facts for key in facts.keys if key[0]))
    if len(names) == 1:
        told_of = [with_name(facts, names[0]) for facts in told_of]
        machine = tuple(own or names[0] for own in imported.trials.machine)
        imported = replace(imported, trials=replace(imported.trials, machine=machine))
    notes: list[str] = []
    facts = united([imported.machines, *told_of], notes)
    facts = facts and about(facts, {(name,) for name in imported.trials.machine})
    told = [f"{f.path}: machine metrics of {', '.join(names)}." for f in near]
    units = original_units([file, *near])
    warnings = (*imported.warnings, *(w for f in near for w in f.imported.warnings), *told, *notes)
    found = replace(imported, machines=facts, warnings=tuple(dict.fromkeys(warnings)), original_units=units)
    return replace(file, imported=found)


def nearest(file: Located, described: Sequence[Located]) -> list[Located]:
    """Return what describes a file's runs in its own folder, or else in the nearest folder above it."""
    own = [d for d in described if not d.describes or file.imported.format in d.describes]
    folder = PurePosixPath(file.path).parent
    for place in (folder, *folder.parents):
        if found := [f for f in own if PurePosixPath(f.path).parent == place]:
            return found
    return []
