"""Who ran what, where: the trials and executions of Eiger's tables with the names that they refer to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.ingest.names import shown
from core.ingest.readers._eiger.tables import Cell, Row, Tables, identifier, said
from core.ingest.readers._eiger.values import Notes, Values


@dataclass(frozen=True)
class Run:
    """One execution, with its id in the file; `dataset` is -1 if it has none."""

    number: int
    application: str
    dataset: int
    input: str
    machine: str
    collection: str


def runs_of(tables: Tables, inputs: Mapping[int, str], notes: Notes) -> dict[int, Run]:
    """Return the executions by id; the trials, where the file has no executions.

    What refers to rows that are not there is skipped.
    """
    trials = _trials(tables, inputs, notes)
    return _executions(tables, trials, notes) if tables.by_execution else trials


def where_of(tables: Tables, number: int) -> str:
    """Return where an execution stands."""
    return tables.where.get(number, f"{tables.runs.removesuffix('s')} {number}")


def input_names(tables: Tables, deterministic: Values, notes: Notes) -> dict[int, str]:
    """Return the datasets' names; those of one name whose metrics differ get their ids added."""
    names = dict(tables.names["datasets"])
    alike: dict[tuple[Cell, str], list[int]] = {}
    for key, row in tables.by_id["datasets"].items():
        alike.setdefault((row[1], names[key]), []).append(key)
    for (_, name), keys in alike.items():
        if len(keys) > 1 and _differ(keys, deterministic):
            names |= {key: f"{name} #{key}" for key in keys}
            notes.warnings.append(
                f"{tables.source}: {len(keys)} datasets are called '{shown(name)}' and have different metrics; "
                "they are told apart by their ids."
            )
    return names


def _differ(datasets: list[int], deterministic: Values) -> bool:
    """Whether a metric has two values among some datasets."""
    return any(len({found[key] for key in datasets if key in found}) > 1 for found in deterministic.values())


def _trials(tables: Tables, inputs: Mapping[int, str], notes: Notes) -> dict[int, Run]:
    found: dict[int, Run] = {}
    owners = {key: row[1] for key, row in tables.by_id["datasets"].items()}
    n_stray = 0
    for key, row in tables.by_id["trials"].items():
        owner = owners.get(identifier(row[4]))
        n_stray += None not in (owner, row[3]) and identifier(owner) != identifier(row[3])
        run = _resolved(tables, inputs, (*row[:3], owner if row[3] is None else row[3], row[4]))
        if isinstance(run, str):
            notes.skip(f"trial {key}" if tables.by_execution else where_of(tables, key), run)
        else:
            found[key] = run
    if n_stray:
        notes.warnings.append(
            f"{tables.source}: {n_stray} trials name another application than their dataset does; "
            "the trial's own is taken."
        )
    return found


def _resolved(tables: Tables, inputs: Mapping[int, str], row: Row) -> Run | str:
    """Return a trial with its names, or what it refers to and is not there; NULL is no name."""
    number, collection, machine, application, dataset = row
    parts = (
        ("application", application, tables.names["applications"]),
        ("dataset", dataset, inputs),
        ("machine", machine, tables.names["machines"]),
        ("data collection", collection, tables.names["datacollections"] or {identifier(collection): ""}),
    )
    names = ["" if cell is None else known.get(identifier(cell)) for _, cell, known in parts]
    if None in names:
        noun, cell, _ = parts[names.index(None)]
        return f"its {noun} {said(cell)} is not there"
    texts = [name or "" for name in names]
    return Run(identifier(number), texts[0], identifier(dataset), texts[1], texts[2], texts[3])


def _executions(tables: Tables, trials: Mapping[int, Run], notes: Notes) -> dict[int, Run]:
    """Return a trial for each execution; its own machine comes before the trial's."""
    found: dict[int, Run] = {}
    rows = tables.by_id["executions"]
    machines = tables.names["machines"]
    for key, (_, machine, trial) in rows.items():
        run = trials.get(identifier(trial))
        if run is None:
            notes.skip(where_of(tables, key), f"its trial {said(trial)} is not there")
        elif machine is not None and identifier(machine) not in machines:
            notes.skip(where_of(tables, key), f"its machine {said(machine)} is not there")
        else:
            found[key] = replace(run, number=key, machine=machines.get(identifier(machine), run.machine))
    executed = {identifier(trial) for _, _, trial in rows.values()}
    for key in (key for key in trials if key not in executed):
        notes.skip(f"trial {key}", "it was never executed")
    return found
