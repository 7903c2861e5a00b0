"""Models and jobs in the store: documents with a card each."""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.errors import StoreError
from core.store._connection import Connection, one
from core.store.cards import JobCard, ModelCard

_MODEL = "SELECT id, name, dataset, recipe, response, created, n_trials, scores, options FROM model"
_JOB = "SELECT id, kind, title, options, state, message, started, finished FROM job"


class Records:
    """Saved models, and jobs with what became of them."""

    _connection: Connection

    def save_model(
        self, name: str, document: bytes, *, dataset: str, recipe: str, response: str, n_trials: int,
        scores: Mapping[str, Any], options: Mapping[str, Any],
    ) -> str:  # fmt: skip
        """Keep a model file under a name and return its id; the same file is kept once.

        Parameters
        ----------
        document : the model file's bytes, as `core.export.write_model` gives them
        """
        key = uuid.uuid5(uuid.NAMESPACE_OID, document.decode()).hex
        row = [
            key,
            name,
            dataset,
            recipe,
            response,
            datetime.now(),
            n_trials,
            _json(scores),
            _json(options),
            document.decode(),
        ]
        self._connection.write(
            lambda c: c.execute("INSERT OR REPLACE INTO model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        )
        return key

    def models(self) -> tuple[ModelCard, ...]:
        """Return the saved models, newest first."""
        with self._connection.reading() as cursor:
            rows = cursor.execute(f"{_MODEL} ORDER BY created DESC, id").fetchall()
        return tuple(_model_card(row) for row in rows)

    def model(self, id: str) -> bytes:
        """Return the model file of a saved model.

        Raises
        ------
        StoreError
            If there is none of that id.
        """
        with self._connection.reading() as cursor:
            row = one(cursor, "SELECT document FROM model WHERE id = ?", [id])
        if row is None:
            raise StoreError(f"There is no saved model '{id}'; it may have been deleted.")
        return str(row[0]).encode()

    def rename_model(self, id: str, name: str) -> None:
        """Give a saved model another name."""
        if not name.strip():
            raise StoreError("A model needs a name.")
        self._connection.write(lambda c: c.execute("UPDATE model SET name = ? WHERE id = ?", [name.strip(), id]))

    def delete_model(self, id: str) -> None:
        """Delete a saved model."""
        self._connection.write(lambda c: c.execute("DELETE FROM model WHERE id = ?", [id]))

    def start_job(self, kind: str, title: str, options: Mapping[str, Any], id: str | None = None) -> str:
        """Write down that a job runs and return its id."""
        key = id or uuid.uuid4().hex
        row = [key, kind, title, _json(options), "running", "", "", datetime.now(), None]
        self._connection.write(
            lambda c: c.execute("INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        )
        return key

    def finish_job(self, id: str, state: str, message: str = "", result: str = "") -> None:
        """Write down how a job ended."""
        self._connection.write(
            lambda c: c.execute(
                "UPDATE job SET state = ?, message = ?, result = ?, finished = ? WHERE id = ?",
                [state, message, result, datetime.now(), id],
            )
        )

    def jobs(self) -> tuple[JobCard, ...]:
        """Return the jobs, newest first."""
        with self._connection.reading() as cursor:
            rows = cursor.execute(f"{_JOB} ORDER BY started DESC, id").fetchall()
        return tuple(_job_card(row) for row in rows)


def interrupt_jobs(connection: Connection) -> None:
    """Mark jobs that an earlier process left running."""
    connection.write(
        lambda c: c.execute(
            "UPDATE job SET state = 'interrupted', message = 'the program ended before the job did', finished = ? "
            "WHERE state = 'running'",
            [datetime.now()],
        )
    )


def _model_card(row: tuple[Any, ...]) -> ModelCard:
    id, name, dataset, recipe, response, created, n_trials, scores, options = row
    return ModelCard(id, name, dataset, recipe, response, created, n_trials, json.loads(scores), json.loads(options))


def _job_card(row: tuple[Any, ...]) -> JobCard:
    id, kind, title, options, state, message, started, finished = row
    return JobCard(id, kind, title, json.loads(options), state, message, started, finished)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
