"""What a dataset holds, counted by the database itself where its trials are too many for memory."""

from core.store._connection import Cursor, every, one
from core.store._narrow import MOST
from core.trial import ROLES

Range = tuple[int, int, float | None, float | None]
"""How many trials know a metric, how many different values there are, the lowest and the highest."""


def is_beyond_memory(cursor: Cursor, home: int) -> bool:
    """Whether a dataset has more trials than are held in memory at once."""
    return n_trials(cursor, home) > MOST


def n_trials(cursor: Cursor, home: int) -> int:
    """Return how many trials a dataset has."""
    row = one(cursor, "SELECT count(*) FROM trial WHERE dataset = ?", [home])
    return int(row[0]) if row else 0


def count_values(cursor: Cursor, home: int, metric: int) -> Range:
    """Return the range of a metric over the trials of a dataset, wherever it is known from."""
    facts = [owner for owner in ("input", "machine")
             if one(cursor, f"SELECT 1 FROM {owner}_metric WHERE metric = ? LIMIT 1", [metric])]  # fmt: skip
    row = one(
        cursor,
        f"SELECT count(v), count(DISTINCT v), min(v), max(v) FROM ({_values(facts)})",
        [metric] * (1 + len(facts)) + ([home] if facts else []),
    )
    n, n_distinct, low, high = row or (0, 0, None, None)
    return int(n), int(n_distinct), low, high


def _values(facts: list[str]) -> str:
    """Return SQL for the value of a metric in each trial: its own, or its input's, or its machine's."""
    if not facts:
        return "SELECT value AS v FROM measurement WHERE metric = ?"
    values = ", ".join(["o.value", *(f"{owner}_metric.value" for owner in facts)])
    joins = " ".join(f"LEFT JOIN (SELECT * FROM {owner}_metric WHERE metric = ?) {owner}_metric "
                     f"ON {owner}_metric.{owner} = t.{owner}" for owner in facts)  # fmt: skip
    own = "LEFT JOIN (SELECT * FROM measurement WHERE metric = ?) o ON o.trial = t.number"
    return f"SELECT coalesce({values}) AS v FROM trial t {own} {joins} WHERE t.dataset = ?"


def different_texts(cursor: Cursor, home: int) -> dict[str, tuple[str, ...]]:
    """Return the different values of each role and label of a dataset."""
    found: dict[str, set[str]] = {}
    for role in ROLES:
        rows = every(
            cursor, f"SELECT name FROM {role} WHERE id IN (SELECT {role} FROM trial WHERE dataset = ?)", [home]
        )
        found[role] = {str(name) for (name,) in rows}
    for owner, own in (("machine", "machine"), ("input", "input"), ("trial", "number")):
        rows = cursor.execute(
            f"SELECT DISTINCT name, value FROM {owner}_label WHERE {owner} IN "
            f"(SELECT {own} FROM trial WHERE dataset = ?)",
            [home],
        ).fetchall()
        for name, value in rows:
            key = str(name) if name not in ROLES else f"{name} (label)"
            found.setdefault(key, set()).add(str(value))
    return {name: tuple(sorted(texts)) for name, texts in found.items()}
