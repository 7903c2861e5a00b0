"""Files to trials: one reader per format, one file each; see `base.py` for the contract.

It offers `drop` (files to what they hold), `apply`, `load_sample`. It never stores, never guesses in
silence (every doubt is a question), and never takes a machine from another file than the trial's own.
"""

from collections.abc import Iterator
from dataclasses import replace

from core.ingest._sample import SampleCard, load_sample, samples
from core.ingest._units import dimension, more_is_better
from core.ingest.base import Form, Mapping, SourceFile
from core.ingest.joining.gather import Part
from core.ingest.joining.keys import is_about_machines
from core.ingest.joining.merge import join_inputs, join_machines, trials_table
from core.ingest.joining.tool_facts import join_inputs_of, join_machines_of
from core.ingest.read import READERS, find_reader, parts_of
from core.ingest.readers._command import without_arguments
from core.ingest.readers.csv import Csv
from core.ingest.recognition.apply import apply
from core.ingest.recognition.dropped import Dropped, drop
from core.ingest.recognition.groups import metric_groups
from core.ingest.recognition.recognition import Question, RecognisedColumn, RecognisedTable, Recognition, asked_together
from core.ingest.recognition.remembered import Remembered
from core.ingest.table.table import Table, read_table
from core.ingest.wanted_units import called_as, in_unit_of
from core.trial import Import

__all__ = [
    "READERS",
    "Dropped",
    "Form",
    "Mapping",
    "Part",
    "Question",
    "RecognisedColumn",
    "RecognisedTable",
    "Recognition",
    "Remembered",
    "SampleCard",
    "SourceFile",
    "Table",
    "apply",
    "asked_together",
    "called_as",
    "dimension",
    "drop",
    "find_reader",
    "in_unit_of",
    "load_sample",
    "metric_groups",
    "more_is_better",
    "parts_of",
    "read_table",
    "samples",
    "trials_of",
    "with_facts",
    "without_arguments",
]


def with_facts(
    imported: Import, machines: SourceFile | None, inputs: SourceFile | None, missing: str = "refuse", decimal: str = ""
) -> Import:
    """Return the import with what further files say of its machines, and of its inputs or again its machines.

    Parameters
    ----------
    machines, inputs : tables, or files of other tools
    missing, decimal : as in `join_machines`

    Raises
    ------
    ReadError
        If a file has nothing about the trials.
    """
    for file, join_tool in ((machines, join_machines_of), (inputs, join_inputs_of)):
        if file is None:
            continue
        reader = find_reader(file)
        if not isinstance(reader, Csv):
            imported = join_tool(imported, reader.read(file))
            continue
        by_machine = file is machines or is_about_machines(read_table(file), imported)
        join = join_machines if by_machine else join_inputs
        told = f"{file.name}: joined by {'machine' if by_machine else 'application and input'}."
        imported = join(imported, file, missing=missing, decimal=decimal)
        imported = replace(imported, warnings=(*imported.warnings, told))
    return imported


def trials_of(file: SourceFile) -> Iterator[tuple[Table, Import]]:
    """Yield the trials that an import makes of a file of which nothing is said, as tables and as they are.

    Raises
    ------
    ReadError
        If the file is not recognised, or nothing is left of it.
    """
    for imported in drop(parts_of([file])).gathered(missing="keep").imports:
        yield trials_table(imported, file.name), imported
