"""Which columns of a second file name the machines, applications and inputs of the trials."""

from collections.abc import Sequence

import numpy as np

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.names import shown
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, key
from core.ingest.table.table import Table
from core.ingest.table.texts import joined_texts
from core.trial import Import

Key = tuple[str, ...]


class Keys(Frozen):
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
    named = [own for word in (*MACHINE, "name", "id") for own in table.names if key(own) == word]
    tried = [(name,)] if name else _singly(named, table)
    remedy = "Choose the machine's column, or give the machine's name."
    columns, texts = _best(table, imported, "machine", tried, remedy, given=bool(name))
    places = _places(table, columns)
    return Keys(places, tuple((text,) for text in texts), places)


def is_about_machines(table: Table, imported: Import) -> bool:
    """Whether a table's columns name machines of the trials, and none of their applications."""
    names = [set(texts) - {""} for texts in (imported.trials.machine, imported.trials.application)]
    return [any(own & set(cells.encoded()[1]) for cells in table.columns) for own in names] == [True, False]


def input_keys(table: Table, imported: Import, application: Sequence[str], input_: Sequence[str]) -> Keys:
    """Return the application, or the application and input, of each row.

    Raises
    ------
    OptionError
        If there is no such column.
    ReadError
        If no column holds a name of the trials' applications.
    """
    named = tuple(own for own in table.names if key(own) in APPLICATION)
    tried = [tuple(application)] if application else [named, *_singly(named, table)]
    remedy = "Choose the application's columns."
    columns, texts = _best(table, imported, "application", tried, remedy, given=bool(application))
    found = _inputs(table, imported, columns, texts, tuple(input_))
    places = _places(table, columns)
    return found or Keys(places, tuple((text,) for text in texts), places)


def _inputs(
    table: Table, imported: Import, application: Key, texts: Sequence[str], given: tuple[str, ...]
) -> Keys | None:
    """Return the keys with the input, if the trials have inputs and the file names them."""
    trials = imported.trials
    named = tuple(own for own in table.names if key(own) in INPUT and own not in application)
    if not (given or (named and set(trials.input) != {""})):
        return None
    tried = [given] if given else [named, *((own,) for own in named)]
    pairs = set(zip(trials.application, trials.input, strict=True))
    options = {columns: _joined(table, columns, "input") for columns in tried}
    best = max(options, key=lambda columns: len(pairs & set(zip(texts, options[columns], strict=True))))
    keys = tuple(zip(texts, options[best], strict=True))
    return Keys(_places(table, (*application, *best)), keys, _places(table, application), by_input=True)


def _best(
    table: Table, imported: Import, role: str, tried: Sequence[Key], remedy: str, *, given: bool
) -> tuple[Key, Sequence[str]]:
    """Return the columns that name most of what the trials have of a role, and their joined texts.

    Raises
    ------
    ReadError
        If the trials have nothing of it, or, where there is a choice, no column names any.
    """
    if (wanted := set(getattr(imported.trials, role))) == {""}:
        raise ReadError(f"The trials of {imported.source} name no {role}, so {table.source} cannot be joined. {remedy}")
    options = {columns: _joined(table, columns, "key") for columns in tried if columns}
    best = max(options, key=lambda columns: len(wanted & set(options[columns])), default=())
    if not best or not (given or wanted & set(options[best])):
        raise ReadError(
            f"{table.source} has no column with the trials' {role}s, such as '{shown(min(wanted))}'. "
            "Use the same names in both files."
        )
    return best, options[best]


def _singly(first: Sequence[str], table: Table) -> list[Key]:
    """Return each column alone, those named in `first` before the others."""
    return [(name,) for name in dict.fromkeys((*first, *table.names))]


def _joined(table: Table, columns: Key, what: str) -> Sequence[str]:
    return joined_texts(table, columns, what, np.arange(len(table)))


def _places(table: Table, columns: Sequence[str]) -> tuple[int, ...]:
    return tuple(table.find(name) for name in columns)
