"""Experiments and races: what was asked and what each fit came to, kept once, so that they go on after any end."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.store._connection import Connection, Cursor
from core.store._rows import dataset_id
from core.store.cards import ExperimentCard

MOST_RESULTS = 500_000
"""Of all experiments; of more the oldest are dropped, as they can be made again."""


class Experiments:
    """Experiments by their id, results by their fit's key; both go with their dataset when that is deleted."""

    _connection: Connection

    def keep_experiment(self, dataset: str, id: str, name: str, n_fits: int, document: str) -> None:
        """Keep an experiment; the same one again becomes the newest.

        Parameters
        ----------
        document : its TOML
        """

        def keep(cursor: Cursor) -> None:
            row = [id, dataset_id(cursor, dataset), name, datetime.now(), n_fits, document]
            cursor.execute("INSERT OR REPLACE INTO experiment VALUES (?, ?, ?, ?, ?, ?)", row)
            cursor.execute(
                "DELETE FROM experiment_result WHERE made < "
                "(SELECT made FROM experiment_result ORDER BY made DESC OFFSET ? LIMIT 1)",
                [MOST_RESULTS - 1],
            )

        self._connection.write(keep)

    def experiments(self) -> tuple[ExperimentCard, ...]:
        """Return the experiments that were begun, the newest first."""
        rows = self._connection.every(
            "SELECT e.id, d.name, e.name, e.made, e.n_fits, e.document FROM experiment e "
            "JOIN dataset d ON d.id = e.dataset ORDER BY e.made DESC, e.id"
        )
        return tuple(ExperimentCard(*row) for row in rows)

    def forget_experiment(self, id: str) -> None:
        """Drop an experiment from the list; results stay, as others may need them."""
        self._connection.change("DELETE FROM experiment WHERE id = ?", [id])

    def keep_results(self, dataset: str, results: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Keep results by their fits' keys, all or none; one that is there stays.

        Parameters
        ----------
        results : pairs of a key and plain values
        """
        now = datetime.now()
        texts = [(key, json.dumps(plain, ensure_ascii=False, allow_nan=False)) for key, plain in results]

        def keep(cursor: Cursor) -> None:
            home = dataset_id(cursor, dataset)
            rows = [[key, home, now, text] for key, text in dict(texts).items()]
            cursor.executemany("INSERT OR IGNORE INTO experiment_result VALUES (?, ?, ?, ?)", rows)

        if texts:
            self._connection.write(keep)

    def kept_results(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the results that are there of some keys."""
        sql = "SELECT r.fit, r.document FROM experiment_result r JOIN (SELECT unnest(?) AS fit) w ON w.fit = r.fit"
        rows = self._connection.every(sql, [list(dict.fromkeys(keys))])
        return {str(key): json.loads(text) for key, text in rows}


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
