"""Which trials and metrics count, by hand and by rule, and all trials as rules see them: reversible, with an audit."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import IntArray
from core.store import _rules as rules
from core.store._categories import settings_of
from core.store._connection import Cursor, Part
from core.store._frame import counting_trials
from core.store._parquet.registered import refuse_folder
from core.store._read import Table, read_metrics, read_values
from core.store._rows import dataset_id, touch, trial_numbers
from core.store._trial_rows import repeats
from core.store.cards import AuditCard, Condition, ExclusionCard, HiddenCard
from core.texts import coded
from core.trial import ROLES, Measured, Metric


def read_measured(cursor: Cursor, home: int, where: Sequence[Condition] = ()) -> Measured:
    """Return the trials of a dataset that fulfil a filter, in the order of their numbers, with every metric."""
    table = counting_trials(cursor, home, where, [], everything=True)
    known = read_metrics(cursor, home)
    configuration = _configurations(table)
    return Measured(
        ids=table.ids,
        **{role: tuple(table.texts[role]) for role in ROLES},
        configuration=configuration,
        run=repeats(configuration).astype(np.int64),
        metrics=tuple(m for _, m in known.values()),
        values=read_values(cursor, table, [id for id, _ in known.values()]),
        labels={name: tuple(texts) for name, texts in table.texts.items() if name not in ROLES},
        excluded={rule: frozenset(ids) for rule, ids in rules.excluded(cursor, home).items()},
        settings=settings_of(table),
    )


def _configurations(table: Table) -> IntArray:
    """Number configurations as they come; where a trial names nothing, it is one of its own."""
    named = zip(*(table.texts[role] for role in ROLES), table.setting, strict=True)
    keys = ["\x1f".join(key) if any(key) else str(i) for i, key in enumerate(named)]
    return coded(keys).codes.astype(np.int64)


class Curation(Part):
    """Exclusions, hidden metrics and metrics made by rules; nothing measured is ever deleted."""

    def exclude(self, dataset: str, ids: Sequence[str], rule: str, reason: str) -> None:
        """Say that trials do not count, and why; replaces what this rule said of these trials."""

        def work(cursor: Cursor) -> None:
            home = _own(cursor, dataset)
            numbers = trial_numbers(cursor, home, ids)
            rules.lift(cursor, list(numbers.values()), rule)
            rules.exclude(cursor, rule, dict.fromkeys(numbers.values(), reason))
            rules.note(cursor, home, "exclude", rule, reason, n_trials=len(numbers))
            touch(cursor, home)

        self._connection.write(work)

    def include(self, dataset: str, ids: Sequence[str], rule: str | None = None) -> None:
        """Let trials count again: lift what one rule says of them, or with no rule named what all say."""

        def work(cursor: Cursor) -> None:
            home = _own(cursor, dataset)
            numbers = trial_numbers(cursor, home, ids)
            for name, lifted in rules.excluded(cursor, home).items():
                again = [id for id in numbers if id in lifted]
                if again and rule in (None, name):
                    rules.lift(cursor, [numbers[id] for id in again], name)
                    rules.note(cursor, home, "include", name, n_trials=len(again), lifted=again)
            touch(cursor, home)

        self._connection.write(work)

    def exclusions(self, dataset: str) -> tuple[ExclusionCard, ...]:
        """Return why trials of a dataset do not count, one for each trial and rule."""
        with self._connection.reading() as cursor:
            rows = cursor.execute(
                "SELECT t.id::VARCHAR, e.rule, e.reason, e.made FROM exclusion e JOIN trial t ON t.number = e.trial "
                "WHERE t.dataset = ? ORDER BY e.made, t.number, e.rule",
                [dataset_id(cursor, dataset)],
            ).fetchall()
        return tuple(ExclusionCard(*row) for row in rows)

    def apply(
        self,
        dataset: str,
        rule: str,
        exclusions: Mapping[str, str],
        hidden: Mapping[str, str] | None = None,
        derived: Sequence[tuple[Metric, Mapping[str, float]]] = (),
        reason: str = "",
    ) -> None:
        """Replace all that a rule said before, in one transaction.

        Parameters
        ----------
        exclusions : why trials do not count, by their ids
        hidden : why metrics are not offered to models, by their names
        derived : metrics that the rule makes, with their values by trial id; NaN is none
        reason : what the audit trail says of it, such as the rule's options

        Raises
        ------
        StoreError
            If a trial or a metric is not in the dataset, or a derived metric has the name of a measured one.
        """

        def work(cursor: Cursor) -> None:
            home = _own(cursor, dataset)
            before = rules.excluded(cursor, home).get(rule, {})
            numbers = trial_numbers(cursor, home, list(exclusions))
            rules.lift(cursor, list(before.values()), rule)
            rules.exclude(cursor, rule, {numbers[id]: why for id, why in exclusions.items()})
            rules.write_derived(cursor, home, dataset, rule, derived)
            rules.show(cursor, home, rule)
            rules.hide(cursor, home, dataset, rule, hidden or {})
            lifted = [id for id in before if id not in numbers]
            named = list(dict.fromkeys([*(hidden or {}), *(m.name for m, _ in derived)]))
            rules.note(cursor, home, "curate", rule, reason, n_trials=len(numbers), lifted=lifted, metrics=named)
            touch(cursor, home)

        self._connection.write(work)

    def undo(self, dataset: str, rule: str) -> None:
        """Take back all that a rule said: exclusions, hidden metrics, and metrics that it made."""

        def work(cursor: Cursor) -> None:
            home = _own(cursor, dataset)
            before = rules.excluded(cursor, home).get(rule, {})
            rules.lift(cursor, list(before.values()), rule)
            changed = [*rules.show(cursor, home, rule), *rules.remove_derived(cursor, home, rule)]
            if before or changed:
                rules.note(cursor, home, "uncurate", rule, n_trials=len(before), lifted=list(before), metrics=changed)
                touch(cursor, home)

        self._connection.write(work)

    def hidden(self, dataset: str) -> tuple[HiddenCard, ...]:
        """Return the metrics that are not offered to models, one for each metric and rule."""
        with self._connection.reading() as cursor:
            return rules.read_hidden(cursor, dataset_id(cursor, dataset))

    def audit(self, dataset: str) -> tuple[AuditCard, ...]:
        """Return what was done to a dataset by hand and by rule, the last first."""
        with self._connection.reading() as cursor:
            return rules.read_audit(cursor, dataset_id(cursor, dataset))


def _own(cursor: Cursor, dataset: str) -> int:
    """Return the id of a dataset whose trials are in the database."""
    home = dataset_id(cursor, dataset)
    refuse_folder(cursor, home, "no trial or metric can be left out")
    return home
