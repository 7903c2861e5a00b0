"""Runs of races in the store: what was learnt without one fold, so that a race goes on after any end."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.store._connection import Connection, Cursor
from core.store._rows import dataset_id

MOST_RUNS = 20_000
"""Of all races; of more the oldest are dropped, as they can be made again."""


class RaceRuns:
    """Runs by what they are good for: a text that is the same for the same trials, folds, seed and entry."""

    _connection: Connection

    def keep_race_run(self, dataset: str, race: str, entry: str, fold: int, run: Mapping[str, Any]) -> None:
        """Keep one run in place of an earlier one; it goes with its dataset when that is deleted.

        Parameters
        ----------
        race : what the run is good for
        fold : its number, below 0 for the run with all trials
        run : plain values
        """
        text = json.dumps(run, ensure_ascii=False, allow_nan=False)

        def keep(cursor: Cursor) -> None:
            home = dataset_id(cursor, dataset)
            cursor.execute("DELETE FROM race_run WHERE race = ? AND entry = ? AND fold = ?", [race, entry, fold])
            row = [home, race, entry, fold, datetime.now(), text]
            cursor.execute("INSERT INTO race_run VALUES (?, ?, ?, ?, ?, ?)", row)
            cursor.execute(
                "DELETE FROM race_run WHERE made < (SELECT made FROM race_run ORDER BY made DESC OFFSET ? LIMIT 1)",
                [MOST_RUNS - 1],
            )

        self._connection.write(keep)

    def race_runs(self, race: str) -> tuple[dict[str, Any], ...]:
        """Return the runs that are good for a race, by entry and fold."""
        rows = self._connection.every("SELECT document FROM race_run WHERE race = ? ORDER BY entry, fold", [race])
        return tuple(json.loads(row[0]) for row in rows)

    def forget_race_runs(self, race: str) -> None:
        """Drop the runs of a race, so that it is run anew."""
        self._connection.change("DELETE FROM race_run WHERE race = ?", [race])
