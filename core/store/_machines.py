"""Machines in the database: metrics typed by a person or known elsewhere, and what host and target measured."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import StoreError
from core.store._categories import chosen_metrics, indicators
from core.store._connection import Cursor, Part, every, one
from core.store._frame import chosen_values, counting_trials, shown_metrics, with_response
from core.store._metric_ids import MetricIds
from core.store._parquet.registered import refuse_folder
from core.store._read import Table, metric_of, read_metrics, read_values, take
from core.store._rows import dataset_id, insert, touch, write_labels
from core.store._rules import BY_HAND, note, why_hidden
from core.store.cards import Condition
from core.trial import Frame, Kind, Metric, Side, make_frame

Known = tuple[str, dict[Metric, float], dict[str, str]]
"""What is known of a machine: in which dataset, its metrics, its labels."""


class Machines(Part):
    """What belongs to machines and not to their trials."""

    def set(
        self, dataset: str, machine: str, values: Mapping[Metric, float], labels: Mapping[str, str] | None = None
    ) -> None:
        """Take over machine metrics that a person typed; what was there under their names is changed.

        Parameters
        ----------
        values : finite numbers by metric of kind MACHINE; NaN takes a value away
        labels : texts by name; "" takes one away

        Raises
        ------
        StoreError
            If the dataset has no such machine, or a metric of the name has another kind or unit.
        """

        def work(cursor: Cursor) -> None:
            home = dataset_id(cursor, dataset)
            refuse_folder(cursor, home, "no machine metric can be added to it")
            who = _machine_id(cursor, home, dataset, machine)
            _check(read_metrics(cursor, home), values, dataset)
            ids = MetricIds(cursor, home, BY_HAND, {}).ids(list(values))
            pairs = zip(values.items(), ids, strict=True)
            changes = [_set_value(cursor, m, id, who, float(value)) for (m, value), id in pairs]
            changes += [_set_label(cursor, who, name, text) for name, text in (labels or {}).items()]
            if said := ", ".join(text for text in changes if text):
                changed = [m.name for m, text in zip(values, changes, strict=False) if text]
                note(cursor, home, "machine", BY_HAND, f"{machine}: {said}", metrics=changed)
                touch(cursor, home)

        self._connection.write(work)

    def known(self) -> dict[str, Known]:
        """Return what is known of machines, by name; of several datasets the one that knows most."""
        with self._connection.reading() as cursor:
            return dict(_known(cursor))


def offer(cursor: Cursor, home: int, machines: Collection[str]) -> Iterator[str]:
    """Say which of these machines, unknown here, have machine metrics in another dataset."""
    named = [m for m in machines if m]
    elsewhere = "SELECT 1 FROM machine WHERE dataset <> ? AND list_contains(?, name) LIMIT 1"
    if one(cursor, elsewhere, [home, named]) is None:  # as nearly always, and a tenth of the question below
        return
    rows = cursor.execute(
        """
        WITH counted AS (
            SELECT m.name, m.dataset, count(*) AS n FROM machine m JOIN machine_metric v ON v.machine = m.id
            WHERE m.name IN (SELECT unnest(?::VARCHAR[])) GROUP BY ALL
        )
        SELECT c.name, d.name FROM counted c JOIN dataset d ON d.id = c.dataset
        WHERE c.name NOT IN (SELECT name FROM counted WHERE dataset = ?) AND c.dataset <> ?
        ORDER BY c.name, c.n, d.name DESC
        """,
        [named, home, home],
    ).fetchall()
    knows_most = {str(name): str(dataset) for name, dataset in rows}
    for dataset in dict.fromkeys(knows_most.values()):
        names = ", ".join(f"'{name}'" for name, where in knows_most.items() if where == dataset)
        yield (
            f"nothing is known here of {names}, but dataset '{dataset}' has machine metrics of that name, "
            "which can be taken over"
        )


def _known(cursor: Cursor) -> Iterator[tuple[str, Known]]:
    metrics = every(
        cursor,
        "SELECT v.machine, k.name, k.unit, v.value FROM machine_metric v JOIN metric k ON k.id = v.metric ORDER BY id",
    )
    texts = every(cursor, "SELECT machine, name, value FROM machine_label ORDER BY name")
    values: dict[int, dict[Metric, float]] = {}
    labels: dict[int, dict[str, str]] = {}
    for machine, name, unit, value in metrics:
        values.setdefault(machine, {})[Metric(str(name), Kind.MACHINE, str(unit))] = float(value)
    for machine, name, text in texts:
        labels.setdefault(machine, {})[str(name)] = str(text)
    named = every(
        cursor,
        "SELECT m.name, d.name, m.id FROM machine m JOIN dataset d ON d.id = m.dataset WHERE m.name <> '' ORDER BY 3",
    )
    told = [(str(name), str(dataset), values.get(id, {}), labels.get(id, {})) for name, dataset, id in named]
    for name, dataset, own, said in sorted(told, key=lambda row: (row[0], len(row[2]), len(row[3]))):
        if own or said:  # of several datasets the one that knows most comes last, and stays
            yield name, (dataset, own, said)


def _set_value(cursor: Cursor, metric: Metric, id: int, who: int, value: float) -> str:
    """Write one value and return what changed, or ""."""
    row = one(cursor, "SELECT value FROM machine_metric WHERE metric = ? AND machine = ?", [id, who])
    before = float(row[0]) if row else float("nan")
    if before == value or (np.isnan(before) and np.isnan(value)):
        return ""
    cursor.execute("DELETE FROM machine_metric WHERE metric = ? AND machine = ?", [id, who])
    if not np.isnan(value):
        insert(cursor, "machine_metric", {"metric": [id], "machine": [who], "value": [value]})
    return f"{metric.name} {_text(before)} → {_text(value)}{f' {metric.unit}' if metric.unit else ''}"


def _set_label(cursor: Cursor, who: int, name: str, text: str) -> str:
    row = one(cursor, "SELECT value FROM machine_label WHERE machine = ? AND name = ?", [who, name])
    before = str(row[0]) if row else ""
    if before == text:
        return ""
    cursor.execute("DELETE FROM machine_label WHERE machine = ? AND name = ?", [who, name])
    write_labels(cursor, "machine", {name: [text]}, [who])
    return f"{name} '{before}' → '{text}'"


def _machine_id(cursor: Cursor, home: int, dataset: str, machine: str) -> int:
    """Return the id of a machine, or raise StoreError that lists those of the dataset."""
    row = one(cursor, "SELECT id FROM machine WHERE dataset = ? AND name = ?", [home, machine])
    if row is None:
        rows = every(cursor, "SELECT name FROM machine WHERE dataset = ? ORDER BY name", [home])
        there = ", ".join(str(r[0]) for r in rows if r[0]) or "none with a name"
        raise StoreError(f"There is no machine '{machine}' in dataset '{dataset}'; there are: {there}.")
    return int(row[0])


def _check(known: Mapping[str, tuple[int, Metric]], values: Mapping[Metric, float], dataset: str) -> None:
    for metric, value in values.items():
        there = known[metric.name][1] if metric.name in known else metric
        if not metric.name.strip() or metric.kind != Kind.MACHINE or np.isinf(value):
            raise StoreError(f"A machine metric has a name and a finite number; got '{metric.name}' = {value}.")
        if there.kind != Kind.MACHINE:
            raise StoreError(
                f"'{metric.name}' is a {there.kind} metric in dataset '{dataset}' and belongs to no machine. "
                "Choose another name."
            )
        if metric.unit not in ("", there.unit):
            raise StoreError(
                f"'{metric.name}' is in {there.unit or 'no unit'} in dataset '{dataset}', and was typed in "
                f"{metric.unit}. Convert it, or choose another name."
            )


def _text(value: float) -> str:
    return "nothing" if np.isnan(value) else f"{value:.17g}"


def target_side(
    cursor: Cursor, dataset: str, response: str, machine: str, where: Sequence[Condition]
) -> tuple[Metric, Side]:
    """Return what is to be predicted, and what a target needed."""
    id, answer = metric_of(read_metrics(cursor, dataset_id(cursor, dataset)), response, dataset)
    notes: list[str] = []
    table = _of_machine(cursor, dataset, machine, where, notes)
    y = read_values(cursor, table, [id])[:, 0]
    rows = with_response(y, answer, notes)
    table, y = take(table, rows), y[rows]
    return answer, _side(table, np.empty((len(y), 0)), y, (), answer, [f"{machine}: {note}" for note in notes])


def host_side(
    cursor: Cursor,
    dataset: str,
    answer: Metric,
    machine: str,
    metrics: Sequence[str] | None,
    where: Sequence[Condition],
) -> tuple[Side, str]:
    """Return what the host measured, and which of its metrics the target's response can be a ratio to."""
    home = dataset_id(cursor, dataset)
    known = read_metrics(cursor, home)
    notes: list[str] = []
    table = _of_machine(cursor, dataset, machine, where, notes)
    texts = indicators(table, known)
    every = (*(m for _, m in known.values()), *(own.metric for own in texts.values()))
    offered = [m for m in every if m.kind is not Kind.MACHINE]
    if metrics is None:
        chosen = shown_metrics(sorted(offered, key=lambda m: m.name), why_hidden(cursor, home), notes)
    else:
        chosen = chosen_metrics(metrics, known, texts, dataset)
    own = known[answer.name][1] if answer.name in known else None
    if own is not None and own not in chosen:
        chosen = [*chosen, own]
    if not chosen:
        raise StoreError(f"Dataset '{dataset}' has no metric of '{machine}' to predict from. Import its counters.")
    X = chosen_values(cursor, table, chosen, known, texts)
    told = [_on(m, machine) for m in chosen]
    y, reference = np.zeros(len(table)), ""
    if own is not None and own.unit == answer.unit and not np.isnan(X[:, chosen.index(own)]).all():
        column, reference = chosen.index(own), _on(own, machine).name
        rows = with_response(X[:, column], own, notes)
        table, X = take(table, rows), X[rows]
        y = X[:, column]
    return _side(table, X, y, told, answer, [f"{machine}: {note}" for note in notes]), reference


def _on(metric: Metric, machine: str) -> Metric:
    """Return a response of the host as what it is for the target: a counter."""
    return Metric(f"{metric.name} on {machine}", Kind.COUNTER, metric.unit) if metric.kind is Kind.RESPONSE else metric


def _of_machine(cursor: Cursor, dataset: str, machine: str, where: Sequence[Condition], notes: list[str]) -> Table:
    home = dataset_id(cursor, dataset)
    _machine_id(cursor, home, dataset, machine)
    told: list[str] = []
    table = counting_trials(cursor, home, [*where, ("machine", "=", machine)], told)
    notes += [f"only trials with {' and '.join(''.join(c) for c in where)}"] * bool(where) + told[1:]
    if not len(table):
        raise StoreError(f"Every trial of '{machine}' in dataset '{dataset}' is excluded. Change the curation.")
    return table


def _side(
    table: Table, X: FloatArray, y: FloatArray, metrics: Sequence[Metric], answer: Metric, notes: Sequence[str]
) -> Side:
    frame: Frame = make_frame(X, y, metrics, answer, table.texts, table.ids, table.setting, notes)
    return Side(frame, dict(zip(table.ids, table.setting, strict=True)))
