"""Ids of applications, inputs and machines by name, made where they are new."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.store._connection import Cursor, every
from core.store._rows import insert, next_id
from core.texts import coded, combined, first_of_each
from core.trial import Import


@dataclass(frozen=True)
class Names:
    """The ids of all that an import names.

    Attributes
    ----------
    inputs : by (application, input)
    new_machines : those that the dataset did not know before
    """

    applications: Mapping[str, int]
    inputs: Mapping[tuple[str, str], int]
    machines: Mapping[str, int]
    new_machines: frozenset[str]


def name_ids(cursor: Cursor, home: int, imported: Import) -> Names:
    """Return the ids of applications, inputs and machines, making those that are new."""
    trials, of_inputs, of_machines = imported.trials, imported.inputs, imported.machines
    input_keys = {pair(key) for key in of_inputs.keys} if of_inputs else set()
    machine_keys = {key[0] for key in of_machines.keys} if of_machines else set()
    application, input, machine = coded(trials.application), coded(trials.input), coded(trials.machine)
    wanted = {(home, a) for a in (*application.texts, *(a for a, _ in input_keys))}
    found, _ = _ids(cursor, "application", "dataset", wanted)
    applications = {name: id for (_, name), id in found.items()}
    rows = first_of_each(combined(application.codes, input.codes)).tolist()
    named = {(application[row], input[row]) for row in rows} | input_keys
    inputs, _ = _ids(cursor, "input", "application", {(applications[a], i) for a, i in named})
    machines, fresh = _ids(cursor, "machine", "dataset", {(home, m) for m in {*machine.texts, *machine_keys}})
    return Names(
        applications,
        {(a, i): inputs[(applications[a], i)] for a, i in named},
        {name: id for (_, name), id in machines.items()},
        frozenset(name for _, name in fresh),
    )


def pair(key: tuple[str, ...]) -> tuple[str, str]:
    """Return application and input of a key of input facts."""
    return (key[0], key[1] if len(key) > 1 else "")


def _ids(
    cursor: Cursor, table: str, owner: str, wanted: set[tuple[int, str]]
) -> tuple[dict[tuple[int, str], int], list[tuple[int, str]]]:
    owners = list({o for o, _ in wanted})
    rows = every(
        cursor, f"SELECT {owner}, name, id FROM {table} WHERE {owner} IN (SELECT unnest(?::INTEGER[]))", [owners]
    )
    known = {(int(o), str(n)): int(i) for o, n, i in rows}
    fresh = sorted(wanted - known.keys())
    start = next_id(cursor, table)
    made = {pair: start + k for k, pair in enumerate(fresh)}
    insert(cursor, table, {"id": list(made.values()), owner: [o for o, _ in fresh], "name": [n for _, n in fresh]})
    return known | made, fresh
