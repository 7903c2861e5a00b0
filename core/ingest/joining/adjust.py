"""A user's wishes on top of what a profiler's reader gave: names, responses, parameters, what to leave out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.errors import OptionError
from core.ingest._mapping import Mapping
from core.ingest.joining.located import with_name
from core.ingest.names import shown
from core.trial import ROLES, Facts, Import, Kind, Metric, Trials


def adjust(imported: Import, mapping: Mapping | None) -> Import:
    """Return the import as the mapping wants it; its columns are the import's metrics and labels.

    `machine_name` names the machine where the file does not. `application`, `input` and `machine`
    may name labels (or the roles themselves), whose texts then take the role.

    Raises
    ------
    OptionError
        If there is no such metric or label.
    """
    if mapping is None:
        return imported
    _refuse_unknown(imported, mapping)
    roles = {
        "application": mapping.application,
        "input": mapping.input,
        "machine": (mapping.machine,) if mapping.machine else (),
    }
    for role, columns in roles.items():
        imported = _named(imported, role, columns) if columns else imported
    imported = name_machine(imported, mapping.machine_name) if mapping.machine_name else imported
    kinds = _with_kinds(imported, mapping)
    return kinds.without(set(mapping.ignore)) if mapping.ignore else kinds


def name_machine(imported: Import, name: str) -> Import:
    """Return the import with a name for the machine where it has none."""
    trials, machines = imported.trials, with_name(imported.machines, name)
    own = replace(trials, machine=tuple(machine or name for machine in trials.machine))
    others = sorted(set(trials.machine) - {"", name})
    warnings = imported.warnings
    if others:
        kept = f"{imported.source} names its machine itself ('{shown(others[0])}'): that name is kept."
        warnings = (*warnings, kept)
    return replace(imported, trials=own, machines=machines, warnings=warnings)


def _refuse_unknown(imported: Import, mapping: Mapping) -> None:
    metrics, labels = {m.name for m in imported.metrics}, set(imported.trials.labels)
    for name, role in mapping.roles():
        known = {*labels, *ROLES} if role in ROLES else metrics if role in ("response", "metric") else metrics | labels
        if name not in known:
            listed = ", ".join(sorted(known)[:40]) or "none"
            raise OptionError(f"{imported.source} has no column '{shown(name)}' to be {role}; there are: {listed}.")


def _named(imported: Import, role: str, columns: Sequence[str]) -> Import:
    """Return the import with a role's names made of labels; facts under the old names go with them."""
    trials = imported.trials
    sources = [getattr(trials, c) if c in ROLES else trials.labels[c] for c in columns]
    texts = tuple(" / ".join(part for part in parts if part) for parts in zip(*sources, strict=True))
    changed: dict[str, Any] = {role: texts}
    renamed = replace(trials, **changed)
    inputs = _rekeyed(imported.inputs, _pairs(trials), _pairs(renamed))
    machines = _rekeyed(imported.machines, [(m,) for m in trials.machine], [(m,) for m in renamed.machine])
    return replace(imported, trials=renamed, inputs=inputs, machines=machines)


def _pairs(trials: Trials) -> list[tuple[str, ...]]:
    return list(zip(trials.application, trials.input, strict=True))


def _rekeyed(facts: Facts | None, old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]) -> Facts | None:
    """Return the facts under the new names of what they belong to."""
    if facts is None:
        return None
    places = {key: row for row, key in enumerate(facts.keys)}
    pairs = dict.fromkeys((n, places[o]) for o, n in zip(old, new, strict=True) if o in places)
    first = dict(reversed(list(pairs)))
    return facts.take(list(first.values()), first)


def _with_kinds(imported: Import, mapping: Mapping) -> Import:
    units = dict(mapping.responses)
    parameters = set(mapping.parameters)
    trials = imported.trials
    metrics = tuple(
        Metric(m.name, Kind.RESPONSE, units[m.name] or m.unit)
        if m.name in units
        else replace(m, kind=Kind.PARAMETER if m.name in parameters else m.kind)
        for m in trials.metrics
    )
    texts = tuple(n for n in mapping.parameters if n in trials.labels and n not in trials.parameters)
    return replace(imported, trials=replace(trials, metrics=metrics, parameters=(*trials.parameters, *texts)))
