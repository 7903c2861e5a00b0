"""The audit trail: one row for each thing that was done to the trials of a dataset by hand or by rule."""

import json
from collections.abc import Sequence
from datetime import datetime

from core.store._connection import Cursor
from core.store._rows import next_id
from core.store.cards import AuditCard

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
    return tuple(_card(row) for row in rows)


def _card(row: tuple[datetime, str, str, str, int, int, str, str]) -> AuditCard:
    return AuditCard(*row[:6], tuple(json.loads(row[6])), tuple(json.loads(row[7])))
