"""Files that were dropped, kept with what they were taken for, so that corrections need no second reading."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest.joining.adjust import adjust
from core.ingest.joining.gather import Gathered, Part, gather
from core.ingest.joining.together import Together
from core.ingest.recognition.apply import apply
from core.ingest.recognition.recognise import (
    form_of,
    plain_together,
    recognise_import,
    recognise_together,
    summed,
    with_table,
)
from core.ingest.recognition.recognition import Problem, RecognisedTable, Recognition
from core.ingest.recognition.remembered import Remembered
from core.ingest.table.table import read_table
from core.progress import Progress, silent
from core.trial import Import, Kind, Skipped


@dataclass(frozen=True)
class Dropped:
    """What files are taken for, and what was read of them.

    Attributes
    ----------
    joined : the plain tables, which are the first tables of the recognition
    imports : the other files, which are the rest of them; those of one form share a table
    refused : files of a folder that hold no measurements, with the reason
    """

    recognition: Recognition
    joined: tuple[Together, ...]
    imports: tuple[tuple[Import, ...], ...]
    refused: tuple[Skipped, ...] = ()

    def gathered(self, wanted: Recognition, *, missing: str = "refuse", machine_name: str = "") -> Gathered:
        """Return the imports as a corrected recognition of these files wants them.

        Parameters
        ----------
        missing : as `Mapping.missing`
        machine_name : where the files do not say

        Raises
        ------
        OptionError, ReadError
            As `apply` and `adjust`.
        """
        found: list[Import] = []
        for i, own in enumerate(self.joined):
            mapping = replace(wanted.mapping(i), missing=missing)
            if not (mapping.machine or mapping.machine_name):
                mapping = replace(mapping, machine_name=machine_name)
            found += [apply(table, roles) for table, roles in own.under(mapping)]
        for k, alike in enumerate(self.imports, len(self.joined)):
            changes = self.said(wanted, k)
            mapping = replace(changes, machine_name="" if changes.machine else machine_name)
            found += [adjust(imported, mapping) for imported in alike]
        return Gathered(tuple(found), self.refused)

    def said(self, wanted: Recognition, i: int) -> Mapping:
        """Return what a user said of the i-th table: the columns of every role that a change concerns."""
        before, after = self.recognition.tables[i], wanted.tables[i]
        pairs = list(zip(before.columns, after.columns, strict=True))
        touched = {c.role for old, new in pairs if (old.role, old.unit) != (new.role, new.unit) for c in (old, new)}
        touched |= {"counter" if role == "metric" else role for _, role in before.said.roles()}

        def named(role: str) -> tuple[str, ...]:
            return after.named(role) if role in touched else ()

        plain = i < len(self.joined)
        return Mapping(
            application=named("application"),
            input=named("input"),
            machine=next(iter(named("machine")), None),
            responses=tuple((c.name, c.unit) for c in after.columns if c.role == "response" and c.role in touched),
            parameters=named("parameter"),
            ignore=named("ignore"),
            labels=named("label") if plain else (),
            deterministic=named("deterministic") if plain else (),
            machine_metrics=named("machine_metric") if plain else (),
            derived=named("derived") if plain else (),
        )

    def remember(self, wanted: Recognition, remembered: Remembered) -> None:
        """Keep what a user said of plain tables, for the next ones with their columns."""
        for i, own in enumerate(self.joined):
            remembered.keep(own.table.names, self.said(wanted, i))


def drop(
    parts: Sequence[Part], *, folder: bool = False, progress: Progress = silent, remembered: Remembered | None = None
) -> Dropped:
    """Return what files with their readers are taken for, with what was read of them.

    Parameters
    ----------
    folder : as in `gather`
    remembered : what was said of tables with the same columns

    Raises
    ------
    OptionError, ReadError
        As `gather`.
    """
    mixed = folder and any(not part.plain for part in parts)
    plain = [] if mixed else [with_table(part, remembered) for part in parts if part.plain]
    others = list(parts) if mixed else [part for part in parts if not part.plain]
    refused = _refused(plain, folder=folder)
    joined = plain_together(plain)
    gathered = gather(others, folder=folder, progress=progress) if others else Gathered(())
    found = [recognise_together(own) for own in joined]
    forms = _forms(gathered.imports)
    whole = summed(found, [table for table, _ in forms])
    recognition = replace(
        whole,
        tables=(*(table for one in found for table in one.tables), *(table for table, _ in forms)),
        problems=(*whole.problems, *_without_outcome(gathered.imports)),
    )
    imports = tuple(alike for _, alike in forms)
    return Dropped(recognition, tuple(joined), imports, (*refused, *gathered.refused))


def _forms(imports: Sequence[Import]) -> list[tuple[RecognisedTable, tuple[Import, ...]]]:
    """Return the imports that are taken for the same, with what they are taken for."""
    found: dict[object, list[tuple[RecognisedTable, Import]]] = {}
    for imported in imports:
        table = recognise_import(imported)
        found.setdefault(form_of(table), []).append((table, imported))
    return [
        (
            replace(own[0][0], files=tuple(f for t, _ in own for f in t.files), rows=sum(t.rows for t, _ in own)),
            tuple(imported for _, imported in own),
        )
        for own in found.values()
    ]


def _refused(parts: Sequence[Part], *, folder: bool) -> list[Skipped]:
    """Return why some parts are no tables; one that was chosen by itself must be."""
    refused: list[Skipped] = []
    for part in parts:
        if part.table is None:
            try:
                read_table(part.file, part.mapping.form if part.mapping else None)
            except ReadError as error:
                if not folder or len(parts) == 1:
                    raise
                refused.append(Skipped(part.file.name, str(error).removeprefix(f"{part.file.name} ")))
    if refused and len(refused) == len(parts):
        first = f"{refused[0].where}: {refused[0].why}"
        raise ReadError(f"None of the {len(parts)} files of the folder holds measurements. {first}")
    return refused


def _without_outcome(imports: Sequence[Import]) -> list[Problem]:
    """Return what is missing where no import has an outcome."""
    if not imports or any(m.kind is Kind.RESPONSE for i in imports for m in i.trials.metrics):
        return []
    sources = shown(imports[0].source) + (f" and {len(imports) - 1} more" if len(imports) > 1 else "")
    remedy = "Say which column is the response, or give the file that has the times with them."
    return [Problem(f"{sources}: there are no times, so there is nothing to predict.", remedy)]
