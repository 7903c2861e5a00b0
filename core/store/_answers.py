"""What a user said of files, by what their headers say, so that the next such file gets the same answers."""

import json

from core.store._connection import Connection, one

_KEY = "answers:"
Answers = dict[str, dict[str, str]]
"""By what was said ("roles", "units", "answers"), what was said of each column."""


class Remembered:
    """Answers about files, kept by their headers."""

    _connection: Connection

    def remember(self, header: str, answers: Answers) -> None:
        """Keep what a user said of files with a header, in place of what was said before."""
        text = json.dumps(answers, sort_keys=True)
        self._connection.write(
            lambda cursor: cursor.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [f"{_KEY}{header}", text])
        )

    def remembered(self, header: str) -> Answers:
        """Return what was said of files with a header; nothing if there were none."""
        with self._connection.reading() as cursor:
            row = one(cursor, "SELECT value FROM meta WHERE key = ?", [f"{_KEY}{header}"])
        found: Answers = json.loads(str(row[0])) if row else {}
        return found
