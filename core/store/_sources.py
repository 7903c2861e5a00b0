"""Where trials came from: one row a file, or a day of the inbox, with its report."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from core.store._connection import Cursor, one
from core.trial import Import, Skipped

_WARNINGS = 100
"""Warnings that a growing source keeps."""


def write_source(
    cursor: Cursor, dataset: int, id: int, imported: Import, n_trials: int, warnings: Sequence[str]
) -> None:
    """Write what came of a file."""
    report = {"skipped": [asdict(s) for s in imported.skipped], "warnings": list(warnings)}
    cursor.execute(
        "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            id,
            dataset,
            imported.source,
            imported.sha256,
            imported.format,
            datetime.now(),
            n_trials,
            json.dumps(report, ensure_ascii=False),
        ],
    )


def grow_source(cursor: Cursor, id: int, n_trials: int, skipped: Sequence[Skipped], warnings: Sequence[str]) -> None:
    """Add to a source's number of trials, and to its report what it does not say yet."""
    row = one(cursor, "SELECT report FROM source WHERE id = ?", [id])
    report = json.loads(row[0]) if row else {"skipped": [], "warnings": []}
    report["skipped"] += [asdict(s) for s in skipped]
    said = dict.fromkeys([*report["warnings"], *warnings])
    report["warnings"] = list(said)[:_WARNINGS]
    cursor.execute(
        "UPDATE source SET n_trials = n_trials + ?, report = ? WHERE id = ?",
        [n_trials, json.dumps(report, ensure_ascii=False), id],
    )
