"""Store one import: names first, then trials, values and labels, all in the caller's transaction."""

from datetime import datetime
from functools import partial

import numpy as np

from core.errors import StoreError, count
from core.mapped import is_mapped
from core.progress import Progress, part, silent
from core.store._connection import Cursor, one
from core.store._known import known_trials
from core.store._machines import offer
from core.store._metric_ids import MetricIds, Names, grow_source, name_ids, pair, write_source
from core.store._parquet.registered import refuse_folder
from core.store._rows import dataset_id, next_id, touch, write_facts, write_labels, write_values
from core.store._trial_rows import Home, first_id, new_trials, some_of, write_trials
from core.store.cards import Receipt
from core.texts import coded
from core.trial import Import


def add_import(
    cursor: Cursor, dataset: str, imported: Import, *, grows: bool = False, progress: Progress = silent
) -> Receipt:
    """Store an import, unless this very file is in the dataset already.

    Parameters
    ----------
    grows : whether further trials are added to the source of this hash, which is made if need be

    Raises
    ------
    StoreError
        If a value contradicts what the dataset knows of a machine or an input.
    """
    home = dataset_id(cursor, dataset, create=True)
    refuse_folder(cursor, home, "nothing can be added to it")
    before = one(
        cursor, "SELECT imported, id, n_trials FROM source WHERE dataset = ? AND sha256 = ?", [home, imported.sha256]
    )
    _check_values(imported)
    adding = _Adding(cursor, home, dataset, imported, progress)
    touch(cursor, home)
    if before is None:
        return adding.run()
    return adding.run(int(before[1]), int(before[2])) if grows else adding.facts_only(before[0])


class _Adding:
    """One import under way."""

    def __init__(self, cursor: Cursor, home: int, dataset: str, imported: Import, progress: Progress) -> None:
        self.cursor, self.home, self.dataset, self.imported = cursor, home, dataset, imported
        self.progress = progress
        self.metrics = MetricIds(cursor, home, imported.format, imported.original_units)
        self.receipt = partial(Receipt, dataset, imported.format, n_metrics=len({m.name for m in imported.metrics}))

    def run(self, source: int | None = None, there: int = 0) -> Receipt:
        """Store all of it, in a source of its own or after the trials that are `there` in another."""
        trials, ids = new_trials(self.cursor, self.home, self.dataset, self.imported, there)
        names, metrics = name_ids(self.cursor, self.home, self.imported), self.metrics.ids(trials.metrics)
        again: tuple[str, ...] = ()
        if ids is None and source is None:
            known, again = known_trials(self.cursor, self.home, self.imported.source, trials, metrics, names)
            trials = some_of(trials, np.flatnonzero(~known)) if known.any() else trials
        n_known = len(self.imported.trials) - len(trials)
        if ids is not None and n_known:
            again = (f"{count(n_known, 'trial')} in the dataset already, by id, not stored again",)
        home = source or next_id(self.cursor, "source")
        first = first_id(self.dataset, self.imported.sha256)
        self.progress(0.0, f"{self.imported.source}: storing {count(len(trials), 'trial')}")
        numbers = write_trials(self.cursor, Home(self.home, home, there, first), trials, ids, names)
        progress = part(self.progress, 0.2, 0.95)
        write_values(self.cursor, "measurement", "trial", metrics, numbers, trials.values, progress)
        write_labels(self.cursor, "trial", trials.labels, numbers)
        self._write_all_facts(names)
        warnings = (*self._warnings(names, all_machines=source is None), *again)
        if source is None:
            write_source(self.cursor, self.home, home, self.imported, len(trials), warnings)
        else:
            grow_source(self.cursor, home, len(trials), self.imported.skipped, warnings)
        self.progress(1.0, f"{self.imported.source}: {count(len(trials), 'trial')} stored")
        return self.receipt(len(trials), skipped=self.imported.skipped, warnings=warnings, n_known=n_known)

    def facts_only(self, before: datetime) -> Receipt:
        """Store what a known file now says of machines, inputs and units besides; its trials are there."""
        units = self.metrics.settle(self.imported.trials.metrics)
        fresh = self._write_all_facts(name_ids(self.cursor, self.home, self.imported))
        said = f"{self.imported.source} was already imported on {before:%Y-%m-%d %H:%M}"
        facts = [f"{count(fresh, 'value')} of machines and inputs added"] if fresh else []
        added = ", ".join([*facts, *units]) or "nothing was stored"
        warnings = (*self.imported.warnings, *self.metrics.warnings)
        return self.receipt(0, warnings=warnings, already=f"{said}; {added}")

    def _write_all_facts(self, names: Names) -> int:
        """Write what is known of inputs and machines; return how many values were new."""
        n = 0
        if (inputs := self.imported.inputs) is not None:
            owners = [names.inputs[pair(k)] for k in inputs.keys]
            n += write_facts(self.cursor, "input", inputs, self.metrics.ids(inputs.metrics), owners, self.dataset)
        if (machines := self.imported.machines) is not None:
            owners = [names.machines[k[0]] for k in machines.keys]
            n += write_facts(self.cursor, "machine", machines, self.metrics.ids(machines.metrics), owners, self.dataset)
        return n

    def _warnings(self, names: Names, *, all_machines: bool) -> tuple[str, ...]:
        own = coded(self.imported.trials.machine).texts
        looked_at = names.machines.keys() & set(own) if all_machines else names.new_machines
        return (
            *self.imported.warnings,
            *self.metrics.warnings,
            *offer(self.cursor, self.home, looked_at),
        )


def _check_values(imported: Import) -> None:
    for some in imported.parts:
        if is_mapped(some.values):  # a reader that keeps values on disk has looked at each
            continue
        if np.isinf(some.values).any():
            j = int(np.argwhere(np.isinf(some.values))[0][1])
            raise StoreError(
                f"{imported.source}: metric '{some.metrics[j].name}' is infinite somewhere; nothing was stored."
            )
