"""Another tool's file about the same runs: its metrics become facts of applications and inputs, or of machines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError, count
from core.ingest._lookup import by_key
from core.ingest.joining.merge import about, merged, united
from core.ingest.names import shown
from core.trial import Facts, Import, Kind, Trials


def join_machines_of(imported: Import, other: Import) -> Import:
    """Return the import with the machine metrics that another tool's file gives.

    A file that describes one machine describes that of the trials, if they too have one alone.

    Raises
    ------
    ReadError
        If the file describes no machine, or none of the trials'.
    """
    if other.machines is None:
        raise ReadError(f"{other.source} describes no machine. Give a table with one row per machine.")
    facts, mine = other.machines, sorted(set(imported.trials.machine))
    if len(facts.keys) == 1 and len(mine) == 1 and mine[0] in ("", facts.keys[0][0]):
        trials = imported.trials
        imported = replace(imported, trials=replace(trials, machine=facts.keys[0] * len(trials)))
    elif len(facts.keys) == 1 and len(mine) == 1:
        facts = replace(facts, keys=((mine[0],),))
    if (known := about(facts, {(name,) for name in imported.trials.machine})) is None:
        raise ReadError(
            f"{other.source} describes machine '{shown(facts.keys[0][0])}', and the trials ran on "
            f"'{shown(mine[0])}'. Use the same name in both, or --machine-name."
        )
    return _merged(imported, known, other, "machine")


def join_inputs_of(imported: Import, other: Import) -> Import:
    """Return the import with the metrics that another tool measured of the same applications and inputs.

    Repeats in the other file are averaged; its responses are left out, as each trial has its own.

    Raises
    ------
    ReadError
        If the files have no application and input in common.
    """
    wanted = set(zip(imported.trials.application, imported.trials.input, strict=True))
    facts, notes = _averaged(other, wanted)
    if facts is None:
        mine, theirs = _example(imported.trials), _example(other.trials)
        raise ReadError(
            f"{other.source} has nothing about what the trials ran, such as {mine}; it has {theirs}. "
            "Use the same names in both files."
        )
    joined = _merged(imported, facts, other, "application and input")
    return replace(joined, warnings=(*joined.warnings, *notes))


def _merged(imported: Import, facts: Facts, other: Import, noun: str) -> Import:
    told = f"{other.source}: {count(len(facts.metrics), 'metric')} joined by {noun}."
    joined = merged(imported, facts, other.source, other.skipped, (*other.warnings, told))
    return replace(joined, original_units={**other.original_units, **imported.original_units})


def _averaged(other: Import, wanted: set[tuple[str, str]]) -> tuple[Facts | None, list[str]]:
    """Return what the file says of what the trials ran, and what was noticed."""
    trials = other.trials
    pairs = list(zip(trials.application, trials.input, strict=True))
    by_application = not (set(pairs) & wanted) and not any(trials.input)
    kept = [i for i, m in enumerate(trials.metrics) if m.kind is not Kind.RESPONSE]
    own = [m.name for m in trials.metrics if m.kind is Kind.RESPONSE]
    notes = [f"{other.source}: its own {', '.join(own)} is left out; the trials have theirs."] if own else []
    rows = by_key(((p[0], "") if by_application else p, i) for i, p in enumerate(pairs))
    told = {key: (key[0], "") if by_application else key for key in sorted(wanted)}
    found = {key: _means(trials.values[np.ix_(rows[own], kept)]) for key, own in told.items() if own in rows}
    facts = None
    if found:
        metrics = tuple(replace(trials.metrics[i], kind=Kind.DETERMINISTIC) for i in kept)
        facts = Facts(tuple(found), metrics, np.vstack(list(found.values())))
        if len(pairs) > len(set(pairs)):
            notes.append(f"{other.source}: repeats of one application and input were averaged.")
    return united([facts, about(other.inputs, wanted) if other.inputs else None], notes), notes


def _means(values: FloatArray) -> FloatArray:
    """Return the mean of each column over its known values; NaN where there are none."""
    known = ~np.isnan(values)
    means: FloatArray = np.where(known, values, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0), means, np.nan)


def _example(trials: Trials) -> str:
    names: Sequence[str] = (trials.application[0], trials.input[0]) if len(trials) else ()
    return f"'{shown(' / '.join(part for part in names if part))}'" if names else "no trials"
