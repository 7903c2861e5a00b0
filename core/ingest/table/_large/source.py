"""The file that a large table came from, to look again at cells that are kept only there."""

import os

from core.errors import ReadError
from core.ingest.table._large.cells import Origin
from core.ingest.table._large.rows import Beginning, split_block
from core.ingest.table._large.text import LargeText
from core.ingest.table.cells import Cells


class Source:
    """A file of plain UTF-8, whose blocks are split again by the rules by which they were split first."""

    def __init__(self, text: LargeText, begins: Beginning) -> None:
        assert text.start is not None
        self._start, self._separator, self._width = text.start, begins.separator, len(begins.header)
        self._name = text.name
        self._file = text.path.open("rb")
        self._state = self._now()

    @property
    def most_rows(self) -> int:
        """The rows that the file can have: one of empty cells has a separator for each but one, and a line end."""
        return self._state[0] // self._width + 2

    def cells(self, origin: Origin) -> Cells:
        """Return the cells of one column of a block, with the spaces around them.

        Raises
        ------
        ReadError
            If the file was changed since.
        """
        raw = os.pread(self._file.fileno(), origin.size, self._start + origin.at)
        columns = split_block(raw, self._separator, self._width) if self._now() == self._state else None
        if columns is None:
            raise self._changed()
        return columns[origin.column]

    def refuse_more(self, n_rows: int) -> None:
        """Raise ReadError if there are more rows than the file can have had."""
        if n_rows > self.most_rows:
            raise self._changed()

    def _changed(self) -> ReadError:
        return ReadError(f"{self._name} was changed while it was read. Import it again when it is complete.")

    def _now(self) -> tuple[int, int]:
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns
