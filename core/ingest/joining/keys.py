"""Which columns of a second file name the machines, applications and inputs of the trials."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, key
from core.ingest.table.table import Table
from core.ingest.table.texts import joined_texts
from core.trial import Import

Key = tuple[str, ...]


@dataclass(frozen=True)
class Keys:
    """What each row of a file is about.

    Attributes
    ----------
    columns : those that say it; `required` are those among them that may not be empty
    keys : per row, (machine,), (application,) or (application, input)
    by_input : whether they name inputs
    """

    columns: tuple[int, ...]
    keys: tuple[Key, ...]
    required: tuple[int, ...]
    by_input: bool = False


def machine_keys(table: Table, imported: Import, name: str | None) -> Keys:
    """Return the machine of each row.

    Raises
    ------
    OptionError
        If there is no column `name`.
    ReadError
        If no column holds a name of the trials' machines.
    """
    machines = set(imported.trials.machine)
    if machines == {""}:
        raise ReadError(
            f"The trials of {imported.source} name no machine, so {table.source} cannot be joined. "
            "Choose the machine's column, or give the machine's name."
        )
    named = [own for word in (*MACHINE, "name", "id") for own in table.names if key(own) == word]
    tried = [(name,)] if name else _singly(named, table)
    columns, texts = _best(table, tried, machines, given=bool(name))
    if not columns:
        raise ReadError(
            f"{table.source} has no column with the trials' machines, such as '{shown(min(machines))}'. "
            "Use the same names in both files."
        )
    places = _places(table, columns)
    return Keys(places, tuple((text,) for text in texts), places)


def is_about_machines(table: Table, imported: Import) -> bool:
    """Whether a table's columns name machines of the trials, and none of their applications."""
    names = [set(texts) - {""} for texts in (imported.trials.machine, imported.trials.application)]
    found = [any(own & set(cells.encoded()[1]) for cells in table.columns) for own in names]
    return found == [True, False]


def input_keys(table: Table, imported: Import, application: Sequence[str], input_: Sequence[str]) -> Keys:
    """Return the application, or the application and input, of each row.

    Raises
    ------
    OptionError
        If there is no such column.
    ReadError
        If no column holds a name of the trials' applications.
    """
    trials = imported.trials
    applications = set(trials.application)
    if applications == {""}:
        raise ReadError(
            f"The trials of {imported.source} name no application, so {table.source} cannot be joined. "
            "Choose the application's columns."
        )
    named = tuple(own for own in table.names if key(own) in APPLICATION)
    tried = [tuple(application)] if application else [named, *_singly(named, table)]
    columns, texts = _best(table, tried, applications, given=bool(application))
    if not columns:
        raise ReadError(
            f"{table.source} has no column with the trials' applications, such as '{shown(min(applications))}'. "
            "Use the same names in both files."
        )
    found = _inputs(table, imported, columns, texts, tuple(input_))
    places = _places(table, columns)
    return found or Keys(places, tuple((text,) for text in texts), places)


def _inputs(
    table: Table, imported: Import, application: Key, texts: Sequence[str], given: tuple[str, ...]
) -> Keys | None:
    """Return the keys with the input, if the trials have inputs and the file names them."""
    trials = imported.trials
    if set(trials.input) == {""} and not given:
        return None
    named = tuple(own for own in table.names if key(own) in INPUT and own not in application)
    if not (given or named):
        return None
    tried = [given] if given else [named, *((own,) for own in named)]
    pairs = set(zip(trials.application, trials.input, strict=True))
    rows = np.arange(len(table))
    options = {columns: joined_texts(table, _own(table, columns), "input", rows) for columns in tried if columns}
    best = max(options, key=lambda columns: len(pairs & set(zip(texts, options[columns], strict=True))))
    keys = tuple(zip(texts, options[best], strict=True))
    return Keys(_places(table, (*application, *best)), keys, _places(table, application), by_input=True)


def _best(table: Table, tried: Sequence[Key], wanted: set[str], *, given: bool) -> tuple[Key, Sequence[str]]:
    """Return the columns whose joined texts name most of what is wanted, the earlier if equal; () if none does."""
    rows = np.arange(len(table))
    best: Key = ()
    best_texts: Sequence[str] = ()
    most = -1 if given else 0
    for columns in tried:
        if columns:
            texts = joined_texts(table, _own(table, columns), "key", rows)
            found = len(wanted & set(texts))
            if found > most:
                best, best_texts, most = columns, texts, found
    return best, best_texts


def _singly(first: Sequence[str], table: Table) -> list[Key]:
    """Return each column alone, those named in `first` before the others."""
    return [(name,) for name in dict.fromkeys((*first, *table.names))]


def _own(table: Table, columns: Sequence[str]) -> Key:
    return tuple(table.names[table.find(name)] for name in columns)


def _places(table: Table, columns: Sequence[str]) -> tuple[int, ...]:
    return tuple(table.find(name) for name in columns)
