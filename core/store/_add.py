"""Store imports: names first, then trials, values and labels, all in the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from core.errors import StoreError, count
from core.mapped import is_mapped
from core.progress import Progress, part, silent
from core.store._connection import Cursor, every
from core.store._known import known_trials
from core.store._machines import offer
from core.store._metric_ids import MetricIds, Names, grow_source, name_ids, pair, write_sources
from core.store._parquet.registered import refuse_folder
from core.store._rows import dataset_id, next_id, touch, write_facts, write_labels, write_values
from core.store._together import as_one
from core.store._trial_rows import Home, first_id, new_trials, repeats, some_of, write_trials
from core.store.cards import Receipt
from core.texts import coded
from core.trial import Import


def add_imports(
    cursor: Cursor, dataset: str, imports: Sequence[Import], *, grows: bool = False, progress: Progress = silent
) -> tuple[Receipt, ...]:
    """Store imports of one form, but those whose very file is in the dataset already.

    Parameters
    ----------
    grows : whether further trials are added to the source of this hash, which is made if need be; of one import

    Raises
    ------
    StoreError
        If a value contradicts what the dataset knows of a machine or an input.
    """
    home = dataset_id(cursor, dataset, create=True)
    refuse_folder(cursor, home, "nothing can be added to it")
    for imported in imports:
        _check_values(imported)
    touch(cursor, home)
    sql = (
        "SELECT name, sha256, imported, id, n_trials FROM source "
        "WHERE dataset = ? AND (list_contains(?, sha256) OR list_contains(?, name))"
    )
    hashes, names = ([getattr(imported, of) for imported in imports] for of in ("sha256", "source"))
    rows = every(cursor, sql, [home, hashes, names])
    grown, there = {str(row[0]) for row in rows}, {str(sha): before for _, sha, *before in rows}

    def adding(some: Sequence[Import]) -> "_Adding":
        return _Adding(cursor, home, dataset, some, progress)

    if grows and (before := there.get(imports[0].sha256)):
        return adding(imports).run(*before[1:])
    fresh = {sha: i for i, sha in reversed([*enumerate(hashes)]) if sha not in there}
    new = sorted(fresh.values())
    together = [i for i in new if names[i] not in grown]
    alone = [[i] for i in new if names[i] in grown]  # each may hold what its name brought
    receipts: dict[int, Receipt] = {}
    for places in filter(None, (together, *alone)):
        receipts |= zip(places, adding([imports[i] for i in places]).run(), strict=True)
    now = datetime.now()
    for i, imported in enumerate(imports):
        if i not in receipts:
            receipts[i] = adding([imported]).facts_only(there[hashes[i]][0] if hashes[i] in there else now)
    return tuple(receipts[i] for i in range(len(imports)))


class _Adding:
    """Imports of one form under way."""

    def __init__(self, cursor: Cursor, home: int, dataset: str, imports: Sequence[Import], progress: Progress) -> None:
        self.cursor, self.home, self.dataset, self.imports = cursor, home, dataset, imports
        self.whole, self.progress = as_one(imports), progress
        self.metrics = MetricIds(cursor, home, self.whole.format, self.whole.original_units)

    def run(self, source: int | None = None, there: int = 0) -> tuple[Receipt, ...]:
        """Store all of it, in sources of their own or after the trials that are `there` in another."""
        trials, ids = new_trials(self.cursor, self.home, self.dataset, self.whole, there)
        names, metrics = name_ids(self.cursor, self.home, self.whole), self.metrics.ids(trials.metrics)
        sizes = [len(imported.trials) for imported in self.imports]
        place, again = np.repeat(np.arange(len(sizes)), sizes), list[str]()
        if ids is None and source is None:
            known, again = known_trials(self.cursor, self.home, self.whole.source, trials, metrics, names)
            trials = some_of(trials, np.flatnonzero(~known)) if known.any() else trials
            place = place[~known]
        elif len(trials) < len(place):
            again = [f"{count(len(place) - len(trials), 'trial')} in the dataset already, by id, not stored again"]
            place = place[: len(trials)]
        more = f" and {len(sizes) - 1} more" if len(sizes) > 1 else ""
        self.progress(0.0, f"{self.whole.source}{more}: storing {count(len(trials), 'trial')}")
        first = source or next_id(self.cursor, "source")
        first_ids = [first_id(self.dataset, imported.sha256) for imported in self.imports]
        home = Home(self.home, first, first_ids, place, there + repeats(place) - 1)
        numbers = write_trials(self.cursor, home, trials, ids, names)
        progress = part(self.progress, 0.2, 0.95)
        write_values(self.cursor, "measurement", "trial", metrics, numbers, trials.values, progress)
        write_labels(self.cursor, "trial", trials.labels, numbers)
        self._write_all_facts(names)
        common = (*self.metrics.warnings, *self._offers(names, all_machines=source is None), *again)
        stored = np.bincount(place, minlength=len(sizes)).tolist()
        receipts = self._receipts(stored, common)
        if source is None:
            write_sources(self.cursor, self.home, first, self.imports, receipts)
        else:
            grow_source(self.cursor, source, receipts[0])
        self.progress(1.0, f"{self.whole.source}{more}: {count(len(trials), 'trial')} stored")
        return receipts

    def facts_only(self, before: datetime) -> Receipt:
        """Store what a known file now says of machines, inputs and units besides; its trials are there."""
        units = self.metrics.settle(self.whole.trials.metrics)
        fresh = self._write_all_facts(name_ids(self.cursor, self.home, self.whole))
        said = f"{self.whole.source} was already imported on {before:%Y-%m-%d %H:%M}"
        facts = [f"{count(fresh, 'value')} of machines and inputs added"] if fresh else []
        added = ", ".join([*facts, *units]) or "nothing was stored"
        warnings = (*self.whole.warnings, *self.metrics.warnings)
        return Receipt(self.dataset, self.whole.format, 0, self._n_metrics, (), warnings, f"{said}; {added}")

    @property
    def _n_metrics(self) -> int:
        return len({metric.name for metric in self.whole.metrics})

    def _receipts(self, stored: Sequence[int], common: Sequence[str]) -> tuple[Receipt, ...]:
        """Return what became of each import; the first one says what all have in common."""
        return tuple(
            Receipt(
                self.dataset,
                imported.format,
                n,
                self._n_metrics,
                skipped=imported.skipped,
                warnings=(*imported.warnings, *(common if imported is self.imports[0] else ())),
                n_known=len(imported.trials) - n,
            )
            for imported, n in zip(self.imports, stored, strict=True)
        )

    def _write_all_facts(self, names: Names) -> int:
        """Write what is known of inputs and machines; return how many values were new."""
        n = 0
        if (inputs := self.whole.inputs) is not None:
            owners = [names.inputs[pair(k)] for k in inputs.keys]
            n += write_facts(self.cursor, "input", inputs, self.metrics.ids(inputs.metrics), owners, self.dataset)
        if (machines := self.whole.machines) is not None:
            owners = [names.machines[k[0]] for k in machines.keys]
            n += write_facts(self.cursor, "machine", machines, self.metrics.ids(machines.metrics), owners, self.dataset)
        return n

    def _offers(self, names: Names, *, all_machines: bool) -> Sequence[str]:
        own = coded(self.whole.trials.machine).texts
        looked_at = names.machines.keys() & set(own) if all_machines else names.new_machines
        return [*offer(self.cursor, self.home, looked_at)]


def _check_values(imported: Import) -> None:
    for some in imported.parts:
        if is_mapped(some.values):  # a reader that keeps values on disk has looked at each
            continue
        if np.isinf(some.values).any():
            j = int(np.argwhere(np.isinf(some.values))[0][1])
            raise StoreError(
                f"{imported.source}: metric '{some.metrics[j].name}' is infinite somewhere; nothing was stored."
            )
