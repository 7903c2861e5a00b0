"""What a host measured of its workloads and what a target needed for them, before the two are joined."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import StoreError
from core.store._categories import chosen_metrics, indicators
from core.store._connection import Cursor
from core.store._frame import chosen_values, counting_trials, shown_metrics, with_response
from core.store._read import Table, metric_of, read_metrics, read_table, read_values
from core.store._rows import dataset_id
from core.store._rules import why_hidden
from core.store.cards import Condition
from core.trial import Frame, Kind, Metric, Side, make_frame


def target_side(
    cursor: Cursor, dataset: str, response: str, machine: str, where: Sequence[Condition]
) -> tuple[Metric, Side]:
    """Return what is to be predicted, and what a target needed."""
    known = read_metrics(cursor, dataset_id(cursor, dataset))
    id, answer = metric_of(known, response, dataset)
    notes: list[str] = []
    table = _of_machine(cursor, dataset, machine, where, notes)
    table, y = with_response(table, read_values(cursor, table, [id])[:, 0], response, notes)
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
        table, y = with_response(table, X[:, column], own.name, notes)
        X = X[~np.isnan(X[:, column])]
    return _side(table, X, y, told, answer, [f"{machine}: {note}" for note in notes]), reference


def _on(metric: Metric, machine: str) -> Metric:
    """Return a response of the host as what it is for the target: a counter."""
    return Metric(f"{metric.name} on {machine}", Kind.COUNTER, metric.unit) if metric.kind is Kind.RESPONSE else metric


def _of_machine(cursor: Cursor, dataset: str, machine: str, where: Sequence[Condition], notes: list[str]) -> Table:
    home = dataset_id(cursor, dataset)
    known = sorted(set(read_table(cursor, home).texts["machine"]))
    if machine not in known:
        raise StoreError(f"There is no machine '{machine}' in dataset '{dataset}'; there are: {', '.join(known)}.")
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
