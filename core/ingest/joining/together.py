"""Plain tables that were dropped together under one form: joined or stacked, then each file with the roles of all."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.errors import RidgelineError
from core.frozen import Frozen
from core.ingest.base import Mapping
from core.ingest.joining.belonging import Belonging, belongs
from core.ingest.joining.said import with_said
from core.ingest.recognition.apply import apply
from core.ingest.recognition.recognition import Join
from core.ingest.recognition.roles import guess
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, key
from core.ingest.table.columns import study
from core.ingest.table.table import Table
from core.trial import Facts, Import

_NAMING = {*APPLICATION, *INPUT, *MACHINE}
"""What names trials in their own table is no more than a fact of the key in one that is joined."""


class Together(Frozen):
    """Tables that are one.

    Attributes
    ----------
    table : all rows, whose columns say what each is
    mapping : what the user says of the columns, and what a join has shown of them
    files : the rows of each file with what was joined to them
    said : the columns whose role the user said
    """

    table: Table
    mapping: Mapping | None
    files: tuple[Table, ...]
    joins: tuple[Join, ...] = ()
    said: frozenset[str] = frozenset()

    def under(self, mapping: Mapping) -> list[tuple[Table, Mapping]]:
        """Return each file's rows with what a mapping of all rows says of its columns."""
        if len(self.files) == 1:
            return [(self.files[0], mapping)]
        known = self.mapping.machine_metrics if self.mapping else ()
        whole = apply(self.table, replace(mapping, missing="keep"))
        spread = _with_facts(_of_one_file(mapping, self.files, known), whole, _several(self.files))
        return [(file, spread.called({name: name for name in file.names})) for file in self.files]


def together(tables: Sequence[tuple[Table, Mapping | None]]) -> list[Together]:
    """Return the tables that become trials, those that belong together as one.

    What the user says of one of them holds for what it becomes; a form that is filled in stands as it is,
    and tables that cannot be read under one form are read alone.
    """
    done = [pair for pair in tables if pair[1] and pair[1].complete]
    free = [pair for pair in tables if not (pair[1] and pair[1].complete)]
    form = max((given or Mapping() for _, given in free), key=lambda given: len(given.roles()), default=Mapping())
    if len(free) < 2:
        return [_alone(*pair) for pair in tables]
    try:
        found = [_together(own, form) for own in belongs([table for table, _ in free])]
    except RidgelineError:
        return [_alone(*pair) for pair in tables]
    return [*(Together(table, given, (table,)) for table, given in done), *found]


def _alone(table: Table, given: Mapping | None) -> Together:
    """Return a table by itself, as it is where a form for it is filled in."""
    own = table if given and given.complete else with_said([table])[0]
    return Together(own, given, (own,))


def _together(own: Belonging, given: Mapping) -> Together:
    joins = [join for join in own.joins if join.adds != "trials"]
    names, told = [join.files[1] for join in joins], [_told(join) for join in joins]
    files = [replace(t, source=" + ".join([t.source, *names]), warnings=(*t.warnings, *told)) for t in own.files]
    mapping, said = _with_joined(own, joins, given), frozenset(name for name, _ in given.roles())
    return Together(own.table, mapping, tuple(files), own.joins, said)


def _several(files: Sequence[Table]) -> set[str]:
    """Return the columns that more than one file has."""
    return {name for name, n in Counter(name for file in files for name in file.names).items() if n > 1}


def _of_one_file(mapping: Mapping, files: Sequence[Table], known: Sequence[str]) -> Mapping:
    """Return the mapping with metrics of the machine that only one file has as counters, but those known to be."""
    of_one = [name for name in mapping.machine_metrics if name not in {*_several(files), *known}]
    kept = tuple(name for name in mapping.machine_metrics if name not in of_one)
    return replace(mapping, machine_metrics=kept, metrics=(*mapping.metrics, *of_one))


def _with_joined(own: Belonging, joins: Sequence[Join], given: Mapping) -> Mapping:
    """Return the mapping with what was joined by machine, or by application and input, as facts of these."""
    keyed = next((join.by[0] for join in joins if join.adds == "machine"), None)
    if keyed and not (given.machine or given.machine_name):
        given = replace(given, machine=keyed)
    numbers = {column.name for column in study(own.table, given.decimal).columns if column.numeric}
    said = {name for name, _ in given.roles()}
    named = [name for names in own.added for name in names if key(name) in _NAMING and name not in said]
    given = replace(given, labels=(*given.labels, *(name for name in dict.fromkeys(named) if name not in numbers)))
    chosen = guess(own.table, given)
    free = numbers - said
    ran = (*chosen.application, *chosen.input)
    for join, added in zip(joins, own.added, strict=True):
        names = tuple(name for name in added if name in free)
        if join.by == (chosen.machine,):
            given = replace(given, machine_metrics=(*given.machine_metrics, *names))
        elif join.adds == "input" and ran:
            given = replace(given, deterministic=(*given.deterministic, *(names if {*join.by} <= {*ran} else ())))
        else:
            given = replace(given, metrics=(*given.metrics, *(name for name in names if name in named)))
    return given


def _told(join: Join) -> str:
    missing = f", {join.n_missing} without a row there" if join.n_missing else ""
    extra = f", {join.n_extra} there without trials" if join.n_extra else ""
    by = ", ".join(f"'{name}'" for name in join.by)
    return f"{join.files[1]}: joined by {by}: {join.n_joined} found{missing}{extra}."


def _with_facts(mapping: Mapping, ended: Import, several: set[str]) -> Mapping:
    """Return the mapping with what all rows show to belong to machines and inputs, of columns of several files."""
    free = several - {name for name, _ in mapping.roles() if name not in mapping.metrics}
    machines, inputs = _names(ended.machines) & free, _names(ended.inputs) & free
    return replace(
        mapping,
        machine_metrics=(*mapping.machine_metrics, *sorted(machines)),
        deterministic=(*mapping.deterministic, *sorted(inputs)),
        metrics=tuple(name for name in mapping.metrics if name not in machines | inputs),
    )


def _names(facts: Facts | None) -> set[str]:
    return {metric.name for metric in facts.metrics} if facts else set()
