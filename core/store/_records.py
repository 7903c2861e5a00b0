"""Models and jobs in the store: documents with a card each."""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.errors import StoreError
from core.store._connection import Connection, Cursor, one
from core.store._rows import named, noted
from core.store.cards import JobCard, ModelCard

_MODEL = (
    "SELECT m.id, m.name, m.dataset, m.recipe, m.response, m.created, m.n_trials, m.scores, m.options, "
    "coalesce(v.version, 1), coalesce(v.note, '') FROM model m LEFT JOIN model_version v ON v.model = m.id"
)
_JOB = "SELECT id, kind, title, options, state, message, started, finished FROM job"


class Records:
    """Saved models, and jobs with what became of them."""

    _connection: Connection

    def save_model(
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

    def models(self) -> tuple[ModelCard, ...]:
        """Return the saved models with all their versions, newest first."""
        sql = f"{_MODEL} ORDER BY m.created DESC, v.version DESC, m.id"
        return self._connection.unchanged("models", lambda: tuple(map(_model_card, self._connection.every(sql))))

    def model(self, id: str) -> bytes:
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

    def rename_model(self, id: str, name: str) -> None:
        """Give a saved model, with all versions of it, another name.

        Raises
        ------
        StoreError
            If the name is empty or too long, or another model has it.
        """
        wanted = named(name, "model")

        def rename(cursor: Cursor) -> None:
            row = one(cursor, "SELECT name FROM model WHERE id = ?", [id])
            if row is None or row[0] == wanted:
                return
            if one(cursor, "SELECT 1 FROM model WHERE name = ?", [wanted]):
                raise StoreError(f"There is a model '{wanted}' already. Choose another name.")
            cursor.execute("UPDATE model SET name = ? WHERE name = ?", [wanted, row[0]])

        self._connection.write(rename)

    def note_model(self, id: str, note: str) -> None:
        """Write down what people say of one version of a model, in place of what was said before."""
        values = [noted(note), datetime.now(), id]
        self._connection.change("UPDATE model_version SET note = ?, changed = ? WHERE model = ?", values)

    def delete_model(self, id: str) -> None:
        """Delete one version of a saved model."""

        def delete(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM model WHERE id = ?", [id])
            cursor.execute("DELETE FROM model_version WHERE model = ?", [id])

        self._connection.write(delete)

    def start_job(self, kind: str, title: str, options: Mapping[str, Any], id: str | None = None) -> str:
        """Write down that a job runs and return its id."""
        key = id or uuid.uuid4().hex
        row = [key, kind, title, _json(options), "running", "", "", datetime.now(), None]
        self._connection.change("INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return key

    def finish_job(self, id: str, state: str, message: str = "") -> None:
        """Write down how a job ended."""
        sql = "UPDATE job SET state = ?, message = ?, finished = ? WHERE id = ?"
        self._connection.change(sql, [state, message, datetime.now(), id])

    def jobs(self) -> tuple[JobCard, ...]:
        """Return the jobs, newest first."""
        return tuple(map(_job_card, self._connection.every(f"{_JOB} ORDER BY started DESC, id")))


def interrupt_jobs(connection: Connection) -> None:
    """Mark jobs that an earlier process left running."""
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
    last = one(
        cursor, "SELECT max(version) FROM model_version WHERE model IN (SELECT id FROM model WHERE name = ?)", [name]
    )
    version = 1 + (int(last[0]) if last and last[0] else 0)
    cursor.execute("INSERT INTO model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [id, name, *row])
    cursor.execute("INSERT INTO model_version VALUES (?, ?, ?, ?)", [id, version, note, datetime.now()])
    return id


def _model_card(row: tuple[Any, ...]) -> ModelCard:
    id, name, dataset, recipe, response, created, n_trials, scores, options, version, note = row
    said = json.loads(scores), json.loads(options)
    return ModelCard(id, name, dataset, recipe, response, created, n_trials, *said, version, note)


def _job_card(row: tuple[Any, ...]) -> JobCard:
    id, kind, title, options, state, message, started, finished = row
    return JobCard(id, kind, title, json.loads(options), state, message, started, finished)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
