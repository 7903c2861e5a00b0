"""Any table, one row per trial: columns are mapped to names, responses and metrics."""

from core.ingest.base import Mapping, Reader, SourceFile
from core.ingest.recognition.apply import apply
from core.ingest.table.table import read_table
from core.trial import Import


class Csv(Reader):
    """Reads tables of text, whatever separates their cells, workbooks, JSON, Parquet and Arrow.

    It knows no file by its head: a file that no other reader knows comes here.
    """

    label = "CSV, one row per trial"

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file; roles that the mapping leaves open are guessed."""
        return apply(read_table(file, mapping.form if mapping else None), mapping)
