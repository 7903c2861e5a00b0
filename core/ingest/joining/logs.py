"""Files of one run each, logs or objects of JSON, as one table: a row for each, with what only the files' names say."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from decimal import Decimal
from itertools import chain

import numpy as np

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._units import unit_of_name
from core.ingest.base import Form, SourceFile
from core.ingest.joining.links import as_number
from core.ingest.names import listed
from core.ingest.opening import open_text
from core.ingest.recognition.words import forms, is_outcome
from core.ingest.table.converted import object_of
from core.ingest.table.cores import cores_of
from core.ingest.table.dialect import is_number
from core.ingest.table.pairs import record_of
from core.ingest.table.table import Table, read_table

_BETWEEN = re.compile(r"[/\\_\s=,-]+|(?<!\d)\.|\.(?!\d)")
_ENDING = re.compile(r"\.[A-Za-z]\w*$")
_DATE = re.compile(r"(19|20)\d\d-?(0[1-9]|1[0-2])-?[0-3]\d([T_-]?[0-2]\d[:-]?[0-5]\d([:-]?[0-5]\d)?)?(?!\d)")
_KEYED = re.compile(r"([A-Za-z]+)(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)([A-Za-z]+)?")

DEVICE = forms("device")
_MAGNITUDES = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_MEANT = {"t": "threads", "slurm": "slurm id", "job": "job id"}
"""What a word before a number means in the name of a file: no time, and no setting."""


def said_by_names(files: Sequence[str], said: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return by name what files' names say and their contents do not, in columns of a text for each file."""
    bare = [_DATE.sub("", _ENDING.sub("", file)) for file in files]
    for texts in said.values():
        if all(len(text) > 2 and not is_number(text) and text in file for text, file in zip(texts, bare, strict=True)):
            bare = [file.replace(text, " ", 1) for text, file in zip(texts, bare, strict=True)]
    parts = ([*filter(None, _BETWEEN.split(file))] for file in bare)
    own = _read_names([*parts])
    columns = {name: [one.get(name, "") for one in own] for name in dict.fromkeys(chain(*own))}
    varied = {name: texts for name, texts in columns.items() if len({*texts}) > 1}
    return {name: texts for name, texts in varied.items() if not any(_says(own, texts) for own in said.values())}


def under_free_names(said: Mapping[str, list[str]], names: Iterable[str]) -> dict[str, list[str]]:
    """Return what files' names say under names that no other column has."""
    taken = {name.casefold() for name in names}
    return {f"file {name}" if name.casefold() in taken else name: texts for name, texts in said.items()}


def _read_names(parts: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return what each file's name says: numbers by the word beside them, and its other words that not all have."""
    keyed = [{key: value for part in own for key, value in [_keyed(part)] if key and value} for own in parts]
    levels = {key: [own[key] for own in keyed if key in own] for key in chain(*keyed)}
    settings = {key for key, own in levels.items() if 2 * len(own) >= len(parts) and len({*own}) > 1}
    common = set.intersection(*map(set, parts))
    read = [_numbers_and_words(own, settings, common) for own in parts]
    columns = [*zip(*(words for _, words in read), strict=False)]
    if len({len(words) for _, words in read}) > 1:
        columns = [tuple("_".join(words) for _, words in read)]
    for k, texts in enumerate(columns):
        called = "machine" if all(map(DEVICE.fullmatch, texts)) else f"name {k + 1}" if k else "name"
        for (numbers, _), text in zip(read, texts, strict=True):
            numbers[called] = text
    return [numbers for numbers, _ in read]


def _numbers_and_words(
    parts: Sequence[str], settings: AbstractSet[str], common: AbstractSet[str]
) -> tuple[dict[str, str], list[str]]:
    """Return what a file's name says: numbers by the word in or before them, and the words that not all names have."""
    numbers, words = dict[str, str](), list[str]()
    for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
        key, value = (part[3:], "inf") if part[:3] == "inf" and part[3:] in settings else _keyed(part)
        if value and (not key or key in settings):
            beside = (before,) if part == value else (after, before)
            key = key or next((_MEANT.get(w, w) for w in beside if w in common and w.isalpha()), "number")
            again = sum(own == key or own.startswith(f"{key} ") for own in numbers)
            numbers[f"{key} {again + 1}" if again else key] = value
        elif part not in common:
            words.append(part)
    return numbers, words


def _keyed(part: str) -> tuple[str, str]:
    """Return (word, number) of a part such as `n1024` or `4threads`, of `20k` the number; neither if it is none."""
    if (found := _KEYED.fullmatch(part)) and found[4] in _MAGNITUDES:
        return "", f"{Decimal(found[3]) * _MAGNITUDES[found[4]]:f}"
    word = (found[1] or found[4] or "") if found else ""
    return (_MEANT.get(word, word), found[2] or found[3]) if found else ("", "")


def _says(values: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the values that logs say are what their files' names say, where both say something."""
    pairs = [(value, text) for value, text in zip(values, texts, strict=True) if value and text]
    return len({*pairs}) > 1 and all(as_number(value) == as_number(text) for value, text in pairs)


_SHARED = 0.5
"""Of the names that one log says, how many another of the same program says too."""
_MOST_BYTES = 1 << 20
"""Of a file of one run."""


class RunLog(Frozen):
    """A file of one run, the line where it begins to say something, and what it says by name."""

    file: SourceFile
    line: int
    said: dict[str, str]

    @property
    def measured(self) -> bool:
        """Whether it says an outcome."""
        said = self.said.items()
        return any(is_outcome(name, unit_of_name(name)) and value[0].isdigit() for name, value in said)

    @property
    def alone(self) -> ReadError:
        """What is said where no other log of the program is there."""
        names = listed([*self.said], 3)
        return ReadError(f"{self.file.name} holds one run ({names}). Give the files of several runs together.")


def programs_of(files: Sequence[SourceFile]) -> list[list[RunLog]]:
    """Return the logs of one run among files by program, with those of runs that failed, which say no outcome."""
    logs = [*filter(None, map(_run_log, files))]
    programs: list[list[RunLog]] = []
    for log in sorted(logs, key=lambda log: not log.measured):
        own = next((own for own in programs if _are_alike(own[0].said, log.said)), None)
        if own is not None:
            own.append(log)
        elif log.measured:
            programs.append([log])
    places = {log.file.name: place for place, log in enumerate(logs)}
    return [sorted(own, key=lambda log: places[log.file.name]) for own in programs]


def table_of(logs: Sequence[RunLog]) -> Table:
    """Return logs of a program as one table, each a row; of one alone its file's name says nothing."""
    names = dict.fromkeys(chain(*(log.said for log in logs)))
    contents = {name: [log.said.get(name, "") for log in logs] for name in names}
    several = len(logs) > 1
    named = under_free_names(said_by_names([log.file.name for log in logs], contents), contents) if several else {}
    columns = named | contents
    into = io.StringIO()
    csv.writer(into, lineterminator="\n").writerows([[*columns], *zip(*columns.values(), strict=True)])
    source = f"{logs[0].file.name} and {len(logs) - 1} more" if several else logs[0].file.name
    table = read_table(SourceFile(source, into.getvalue().encode()), Form(separator=","))
    rows = table.lines - 2
    told = f"; {listed([*named])} is what the files' names say" if named else ""
    return replace(
        table,
        sha256=hashlib.sha256(b"".join(hashlib.sha256(log.file.content).digest() for log in logs)).hexdigest(),
        lines=np.array([log.line for log in logs], dtype=np.int64)[rows],
        files=tuple((logs[k].file.name, row) for row, k in enumerate(rows.tolist())),
        warnings=(*[f"{source}: each holds one run, and is a row{told}."] * several, *table.warnings),
    )


def _run_log(file: SourceFile) -> RunLog | None:
    try:
        raw = open_text(file).raw if len(file.content) <= _MOST_BYTES else b""
    except ReadError:
        return None
    if said := object_of(raw):
        return RunLog(file, 1, said)
    text = raw.decode()
    if counted := cores_of(text):
        return RunLog(file, 1, counted)
    record = None if text.lstrip().startswith("<") else record_of(text)
    return RunLog(file, *record) if record else None


def _are_alike(first: dict[str, str], other: dict[str, str]) -> bool:
    both = first.keys() & other.keys()
    return len(both) >= _SHARED * min(len(first), len(other))
