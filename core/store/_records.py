"""Models, jobs, experiments and races: documents and results that are kept by an id."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.errors import StoreError
from core.store._connection import Connection, Cursor, Part, one
from core.store._rows import dataset_id, named, noted
from core.store.cards import ExperimentCard, ModelCard

_MODEL = (
    "SELECT m.id, m.name, m.dataset, m.recipe, m.response, m.created, m.n_trials, m.scores, m.options, "
    "coalesce(v.version, 1), coalesce(v.note, '') FROM model m LEFT JOIN model_version v ON v.model = m.id"
)


class Models(Part):
    """Saved models, as versions of a name."""

    def save(
        self,
        name: str,
        document: bytes,
        *,
        dataset: str,
        recipe: str,
        response: str,
        n_trials: int,
        scores: Mapping[str, Any],
        options: Mapping[str, Any],
        note: str = "",
    ) -> str:
        """Keep a model file under a name and return its id; under a name that is there it is the next version.

        The same file under the same name is kept once.

        Parameters
        ----------
        document : the model file's bytes, as `core.export.write_model` gives them
        """
        text = document.decode()
        row = [dataset, recipe, response, datetime.now(), n_trials, _json(scores), _json(options), text]
        return self._connection.write(lambda c: _save(c, named(name, "model"), text, row, noted(note)))

    def all(self) -> tuple[ModelCard, ...]:
        """Return the saved models with all their versions, newest first."""
        sql = f"{_MODEL} ORDER BY m.created DESC, v.version DESC, m.id"
        return self._connection.unchanged("models", lambda: tuple(map(_model_card, self._connection.every(sql))))

    def get(self, id: str) -> bytes:
        """Return the model file of a saved model.

        Raises
        ------
        StoreError
            If there is none of that id.
        """
        rows = self._connection.every("SELECT document FROM model WHERE id = ?", [id])
        if not rows:
            raise StoreError(f"There is no saved model '{id}'; it may have been deleted.")
        return str(rows[0][0]).encode()

    def rename(self, id: str, name: str) -> None:
        """Give a saved model, with all versions of it, another name.

        Raises
        ------
        StoreError
            If the name is empty or too long, or another model has it.
        """
        wanted = named(name, "model")

        def work(cursor: Cursor) -> None:
            row = one(cursor, "SELECT name FROM model WHERE id = ?", [id])
            if row is None or row[0] == wanted:
                return
            if one(cursor, "SELECT 1 FROM model WHERE name = ?", [wanted]):
                raise StoreError(f"There is a model '{wanted}' already. Choose another name.")
            cursor.execute("UPDATE model SET name = ? WHERE name = ?", [wanted, row[0]])

        self._connection.write(work)

    def note(self, id: str, note: str) -> None:
        """Write down what people say of one version of a model, in place of what was said before."""
        values = [noted(note), datetime.now(), id]
        self._connection.change("UPDATE model_version SET note = ?, changed = ? WHERE model = ?", values)

    def delete(self, id: str) -> None:
        """Delete one version of a saved model."""

        def work(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM model WHERE id = ?", [id])
            cursor.execute("DELETE FROM model_version WHERE model = ?", [id])

        self._connection.write(work)


class Jobs(Part):
    """Jobs with what became of them."""

    def start(self, kind: str, title: str, id: str | None = None) -> str:
        """Write down that a job runs and return its id."""
        key = id or uuid.uuid4().hex
        row = [key, kind, title, "{}", "running", "", "", datetime.now(), None]
        self._connection.change("INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return key

    def finish(self, id: str, state: str, message: str = "") -> None:
        """Write down how a job ended."""
        sql = "UPDATE job SET state = ?, message = ?, finished = ? WHERE id = ?"
        self._connection.change(sql, [state, message, datetime.now(), id])


def interrupt_jobs(connection: Connection) -> None:
    """Mark jobs that an earlier process left running; where there are none, nothing is written."""
    if connection.every("SELECT 1 FROM job WHERE state = 'running' LIMIT 1"):
        connection.change(
            "UPDATE job SET state = 'interrupted', message = 'the program ended before the job did', finished = ? "
            "WHERE state = 'running'",
            [datetime.now()],
        )


def _save(cursor: Cursor, name: str, document: str, row: list[Any], note: str) -> str:
    """Insert a model as the next version of its name, unless this very file is one already."""
    known = one(cursor, "SELECT id FROM model WHERE name = ? AND document = ?", [name, document])
    if known is not None:
        return str(known[0])
    id = uuid.uuid5(uuid.NAMESPACE_OID, document).hex
    if one(cursor, "SELECT 1 FROM model WHERE id = ?", [id]):  # the same file under another name
        id = uuid.uuid4().hex
    own = "FROM model_version WHERE model IN (SELECT id FROM model WHERE name = ?)"
    (version,) = one(cursor, f"SELECT coalesce(max(version), 0) + 1 {own}", [name]) or (1,)
    cursor.execute("INSERT INTO model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [id, name, *row])
    cursor.execute("INSERT INTO model_version VALUES (?, ?, ?, ?)", [id, version, note, datetime.now()])
    return id


def _model_card(row: tuple[Any, ...]) -> ModelCard:
    id, name, dataset, recipe, response, created, n_trials, scores, options, version, note = row
    said = json.loads(scores), json.loads(options)
    return ModelCard(id, name, dataset, recipe, response, created, n_trials, *said, version, note)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _drop_oldest(cursor: Cursor, table: str, most: int) -> None:
    last = f"SELECT made FROM {table} ORDER BY made DESC OFFSET ? LIMIT 1"
    cursor.execute(f"DELETE FROM {table} WHERE made < ({last})", [most - 1])


MOST_RESULTS = 500_000
"""Of all experiments; of more the oldest are dropped, as they can be made again."""


class Experiments(Part):
    """Experiments by their id, results by their fit's key; both go with their dataset when that is deleted."""

    def keep(self, dataset: str, id: str, name: str, n_fits: int, document: str) -> None:
        """Keep an experiment; the same one again becomes the newest.

        Parameters
        ----------
        document : its TOML
        """

        def keep(cursor: Cursor) -> None:
            row = [id, dataset_id(cursor, dataset), name, datetime.now(), n_fits, document]
            cursor.execute("INSERT OR REPLACE INTO experiment VALUES (?, ?, ?, ?, ?, ?)", row)
            _drop_oldest(cursor, "experiment_result", MOST_RESULTS)

        self._connection.write(keep)

    def all(self) -> tuple[ExperimentCard, ...]:
        """Return the experiments that were begun, the newest first."""
        rows = self._connection.every(
            "SELECT e.id, d.name, e.name, e.made, e.n_fits, e.document FROM experiment e "
            "JOIN dataset d ON d.id = e.dataset ORDER BY e.made DESC, e.id"
        )
        return tuple(ExperimentCard(*row) for row in rows)

    def forget(self, id: str) -> None:
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

    def results(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the results that are there of some keys."""
        sql = "SELECT r.fit, r.document FROM experiment_result r JOIN (SELECT unnest(?) AS fit) w ON w.fit = r.fit"
        rows = self._connection.every(sql, [list(dict.fromkeys(keys))])
        return {str(key): json.loads(text) for key, text in rows}


MOST_RUNS = 20_000
"""Of all races; of more the oldest are dropped, as they can be made again."""


class Races(Part):
    """Runs by what they are good for: a text that is the same for the same trials, folds, seed and entry."""

    def keep(self, dataset: str, race: str, entry: str, fold: int, run: Mapping[str, Any]) -> None:
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
            _drop_oldest(cursor, "race_run", MOST_RUNS)

        self._connection.write(keep)

    def runs(self, race: str) -> tuple[dict[str, Any], ...]:
        """Return the runs that are good for a race, by entry and fold."""
        rows = self._connection.every("SELECT document FROM race_run WHERE race = ? ORDER BY entry, fold", [race])
        return tuple(json.loads(row[0]) for row in rows)

    def forget(self, race: str) -> None:
        """Drop the runs of a race, so that it is run anew."""
        self._connection.change("DELETE FROM race_run WHERE race = ?", [race])
