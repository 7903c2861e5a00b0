"""Experiments in the store: what was asked, and what each fit came to, kept once by the hash of all it depends on."""

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
