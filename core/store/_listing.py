"""Which datasets there are, and what each holds, counted once per change."""

from datetime import datetime

from core.store._connection import Connection, Cursor, every, one
from core.store._datasets import dataset_card
from core.store.cards import DatasetCard

_ROWS = "SELECT id, name, created, revision FROM dataset"


class Listing:
    """What there is. A dataset's card is counted again when its revision has moved on."""

    _connection: Connection
    _cards: dict[int, DatasetCard]

    def datasets(self) -> tuple[DatasetCard, ...]:
        """Return what datasets there are, by name."""
        with self._connection.reading() as cursor:
            return tuple(self._card(cursor, *row) for row in every(cursor, f"{_ROWS} ORDER BY name"))

    def dataset(self, name: str) -> DatasetCard | None:
        """Return one dataset at a glance, or None if there is none of that name."""
        with self._connection.reading() as cursor:
            row = one(cursor, f"{_ROWS} WHERE name = ?", [name])
            return self._card(cursor, *row) if row else None

    def dataset_names(self) -> tuple[str, ...]:
        """Return the datasets' names, in order, without counting anything."""
        return tuple(str(row[0]) for row in self._connection.every("SELECT name FROM dataset ORDER BY name"))

    def stamp(self, name: str) -> str:
        """Return a text that changes with every change to a dataset, its name among them; "" if there is none."""
        return " ".join(str(own) for row in self._connection.every(f"{_ROWS} WHERE name = ?", [name]) for own in row)

    def _card(self, cursor: Cursor, home: int, name: str, created: datetime, revision: int) -> DatasetCard:
        known = self._cards.get(home)
        if known is None or (known.name, known.created, known.revision) != (name, created, revision):
            known = self._cards[home] = dataset_card(cursor, home, name, created, revision)
        return known
