"""What rules say of trials and metrics, and the audit that says when and why."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from core.errors import StoreError
from core.registry import unknown
from core.store._connection import Cursor, every
from core.store._rows import among, insert, next_id, trial_numbers, write_values
from core.store.cards import AuditCard, HiddenCard
from core.trial import Metric

Derived = tuple[Metric, Mapping[str, float]]


def excluded(cursor: Cursor, home: int) -> dict[str, dict[str, int]]:
    """Return the trials that each rule excludes: their numbers by their ids."""
    rows = cursor.execute(
        "SELECT e.rule, t.id::VARCHAR, t.number FROM exclusion e JOIN trial t ON t.number = e.trial "
        "WHERE t.dataset = ? ORDER BY t.number",
        [home],
    ).fetchall()
    found: dict[str, dict[str, int]] = {}
    for rule, id, number in rows:
        found.setdefault(str(rule), {})[str(id)] = int(number)
    return found


def exclude(cursor: Cursor, rule: str, why: Mapping[int, str]) -> None:
    """Write that trials do not count, and why, by their numbers; refuse a rule without a name."""
    if not rule.strip():
        raise StoreError("A rule needs a name, so that it can be taken back.")
    insert(cursor, "exclusion", {"trial": list(why), "reason": list(why.values())}, rule=rule, made=datetime.now())


def lift(cursor: Cursor, numbers: Sequence[int], rule: str) -> None:
    """Take back what a rule said of some trials."""
    cursor.execute(
        "DELETE FROM exclusion WHERE rule = ? AND trial IN (SELECT unnest(?::INTEGER[]))", [rule, list(numbers)]
    )


def read_hidden(cursor: Cursor, home: int) -> tuple[HiddenCard, ...]:
    """Return the hidden metrics of a dataset, in the order of metrics."""
    rows = cursor.execute(
        "SELECT m.name, h.rule, h.reason, h.made FROM hidden_metric h JOIN metric m ON m.id = h.metric "
        "WHERE m.dataset = ? ORDER BY m.id, h.rule",
        [home],
    ).fetchall()
    return tuple(HiddenCard(*row) for row in rows)


def why_hidden(cursor: Cursor, home: int) -> dict[str, str]:
    """Return by metric which rules hide it and why, as one text."""
    said: dict[str, list[str]] = {}
    for card in read_hidden(cursor, home):
        said.setdefault(card.metric, []).append(f"{card.rule}: {card.reason}")
    return {name: "; ".join(texts) for name, texts in said.items()}


def hide(cursor: Cursor, home: int, dataset: str, rule: str, why: Mapping[str, str]) -> None:
    """Write that metrics are not offered to models, and why, by their names."""
    known = _metric_rows(cursor, home)
    strange = [name for name in why if name not in known]
    if strange:
        raise StoreError(unknown("metric", strange[0], known, f" in dataset '{dataset}'"))
    columns = {"metric": [known[name][0] for name in why], "reason": list(why.values())}
    insert(cursor, "hidden_metric", columns, rule=rule, made=datetime.now())


def show(cursor: Cursor, home: int, rule: str) -> list[str]:
    """Offer again what a rule hid, and return the names."""
    names = [card.metric for card in read_hidden(cursor, home) if card.rule == rule]
    cursor.execute(
        "DELETE FROM hidden_metric WHERE rule = ? AND metric IN (SELECT id FROM metric WHERE dataset = ?)", [rule, home]
    )
    return names


def write_derived(cursor: Cursor, home: int, dataset: str, rule: str, derived: Sequence[Derived]) -> None:
    """Replace the metrics that a rule made; one that keeps its name keeps its id."""
    known = _metric_rows(cursor, home)
    for metric, _ in derived:
        if metric.name in known and known[metric.name][1] != rule:
            whose = f"made by the rule '{known[metric.name][1]}'" if known[metric.name][1] else "measured"
            raise StoreError(
                f"The rule '{rule}' would make a metric '{metric.name}', but one of that name was {whose} "
                f"in dataset '{dataset}'; nothing was changed."
            )
    remove_derived(cursor, home, rule, keep=[m.name for m, _ in derived])
    for metric, values in derived:
        _write_one(cursor, home, rule, metric, values)


def remove_derived(cursor: Cursor, home: int, rule: str, keep: Sequence[str] = ()) -> list[str]:
    """Delete the values that a rule made, and its metrics but those to keep; return the names of these."""
    mine = {name: id for name, (id, maker) in _metric_rows(cursor, home).items() if maker == rule}
    gone = {name: id for name, id in mine.items() if name not in keep}
    cursor.execute(f"DELETE FROM measurement WHERE {among('metric', list(mine.values()))}")
    cursor.execute(f"DELETE FROM hidden_metric WHERE {among('metric', list(gone.values()))}")
    cursor.execute(f"DELETE FROM metric WHERE {among('id', list(gone.values()))}")
    return list(gone)


def _write_one(cursor: Cursor, home: int, rule: str, metric: Metric, values: Mapping[str, float]) -> None:
    numbers = trial_numbers(cursor, home, list(values))
    column = np.array([values[id] for id in numbers], dtype=np.float64)
    if not metric.name.strip() or np.isinf(column).any():
        raise StoreError(f"The rule '{rule}' made a metric '{metric.name}' that has no name or is infinite somewhere.")
    known = _metric_rows(cursor, home)
    if metric.name in known:
        id = known[metric.name][0]
        cursor.execute("UPDATE metric SET kind = ?, unit = ? WHERE id = ?", [str(metric.kind), metric.unit, id])
    else:
        id = next_id(cursor, "metric")
        columns = {"id": [id], "name": [metric.name], "kind": [str(metric.kind)], "unit": [metric.unit]}
        insert(cursor, "metric", columns, dataset=home, collector=rule, rule=rule)
    write_values(cursor, "measurement", "trial", [id], list(numbers.values()), column[:, None])


def _metric_rows(cursor: Cursor, home: int) -> dict[str, tuple[int, str]]:
    """Return id and rule of each metric of a dataset, by name."""
    rows = every(cursor, "SELECT name, id, rule FROM metric WHERE dataset = ? ORDER BY id", [home])
    return {str(name): (int(id), str(rule)) for name, id, rule in rows}


BY_HAND = "by hand"
"""The rule that stands for a person."""


def note(
    cursor: Cursor,
    home: int,
    action: str,
    rule: str,
    reason: str = "",
    *,
    n_trials: int = 0,
    lifted: Sequence[str] = (),
    metrics: Sequence[str] = (),
) -> None:
    """Write one row.

    Parameters
    ----------
    n_trials : how many trials it was about
    lifted : ids of trials that the rule excluded until now
    metrics : names of metrics it was about
    """
    row = [next_id(cursor, "audit"), datetime.now(), home, action, rule, reason, n_trials, len(metrics)]
    texts = [json.dumps(list(names), ensure_ascii=False) for names in (lifted, metrics)]
    cursor.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [*row, *texts])


def read_audit(cursor: Cursor, home: int) -> tuple[AuditCard, ...]:
    """Return what was done to a dataset, the last first."""
    rows = cursor.execute(
        "SELECT made, action, rule, reason, n_trials, n_metrics, lifted, metrics FROM audit "
        "WHERE dataset = ? ORDER BY id DESC",
        [home],
    ).fetchall()
    return tuple(AuditCard(*row[:6], *(tuple(json.loads(names)) for names in row[6:])) for row in rows)
