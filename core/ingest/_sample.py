"""The samples that come with the project: a folder each, read as its `sample.toml` says."""

import hashlib
import tomllib
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Entries
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.base import Mapping, SourceFile
from core.ingest.joining.merge import join_inputs, join_machines, united
from core.ingest.read import find_reader
from core.ingest.recognition.apply import apply
from core.ingest.table.table import Table, read_table, stacked
from core.trial import Import

_FILE = "sample.toml"


class Answer(Frozen):
    """The best answer that is known to a question of a sample.

    Attributes
    ----------
    of : what is predicted
    says : how well, on what was held out, beside what is simpler
    command : what answers so
    figures : numbers of `says`, by where they stand in the JSON of the command
    """

    of: str
    says: str
    command: str
    figures: Entries[str, float]


class SampleCard(Frozen):
    """What a sample is, as its `sample.toml` tells it.

    Attributes
    ----------
    name, folder : the folder's name, and where it is
    measured, command, tools : when, how and with what it was measured
    response : the metric that it is meant to predict
    holds : how many trials, applications, machines and metrics
    question : what it is to answer, in a sentence
    answers : the best that are known, by name
    """

    name: str
    folder: Path
    title: str
    description: str
    measured: str
    command: str
    tools: str
    response: str
    holds: str
    question: str
    answers: Entries[str, Answer]


def samples(folder: Path) -> tuple[SampleCard, ...]:
    """Return the samples in a folder, by name; folders that begin with an underscore are none."""
    if not folder.is_dir():
        return ()
    found = sorted(path for path in folder.iterdir() if (path / _FILE).is_file() and not path.name.startswith("_"))
    return tuple(_card(path, _entries(path)) for path in found)


def load_sample(folder: Path) -> Import:
    """Return the trials of a sample with its machine and deterministic metrics.

    Raises
    ------
    ReadError
        If `sample.toml` or one of its files is missing, damaged, or not what it says.
    """
    plan = _entries(folder).get("import")
    if not isinstance(plan, dict) or not _texts(plan, "files"):
        raise ReadError(f"{folder.name}/{_FILE} names no files under [import].")
    files = [_source(folder, name) for name in _texts(plan, "files")]
    source = f"{folder.name}/{files[0].name}"
    if "format" in plan:
        return _of_tool([find_reader(file, plan["format"]).read(file) for file in files], source)
    tables = [read_table(file) for file in files]
    table = stacked(tables, source, _digest(tables))
    imported = apply(table, _mapping(plan))
    if machines := plan.get("machines"):
        imported = join_machines(imported, _source(folder, machines), plan.get("machine"))
    if inputs := plan.get("inputs"):
        keys = _texts(plan, "application"), _texts(plan, "input")
        imported = join_inputs(imported, _source(folder, inputs), *keys)
    return replace(imported, source=table.source, sha256=table.sha256)


def _of_tool(imports: Sequence[Import], source: str) -> Import:
    """Return files that one tool wrote, with the same metrics, as one import."""
    every = [one.trials for one in imports]
    if any((own.metrics, {*own.labels}) != (every[0].metrics, {*every[0].labels}) for own in every):
        raise ReadError(f"{source} and the other files of the sample have different metrics.")
    texts = ("application", "input", "machine", "where")
    own: dict[str, Any] = {name: tuple(chain.from_iterable(getattr(t, name) for t in every)) for name in texts}
    labels = {name: tuple(chain.from_iterable(t.labels[name] for t in every)) for name in every[0].labels}
    trials = replace(every[0], **own, labels=labels, values=np.vstack([t.values for t in every]), execution=())
    machines, inputs = united((i.machines for i in imports), []), united((i.inputs for i in imports), [])
    digest = _digest(imports)
    found = replace(imports[0], source=source, sha256=digest, trials=trials, machines=machines, inputs=inputs)
    return replace(found, skipped=(), warnings=())  # the tool's messages are of no use to who takes a sample


def _digest(parts: Iterable[Table | Import]) -> str:
    return hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest()


def _mapping(plan: Entries[str, Any]) -> Mapping:
    return Mapping(
        application=_texts(plan, "application"),
        input=_texts(plan, "input"),
        machine=plan.get("machine"),
        machine_name=plan.get("machine_name", ""),
        responses=tuple(_response(text) for text in _texts(plan, "response_columns")),
        parameters=_texts(plan, "parameter"),
        ignore=_texts(plan, "ignore"),
        complete=True,
    )


def _response(text: str) -> tuple[str, str | None]:
    name, sign, unit = text.rpartition(":")
    return (name, unit) if sign else (text, None)


def _card(folder: Path, entries: Entries[str, Any]) -> SampleCard:
    known = ("title", "description", "measured", "command", "tools", "response", "holds", "question")
    answers = {name: Answer(**plain) for name, plain in entries.get("answers", {}).items()}
    return SampleCard(name=folder.name, folder=folder, answers=answers, **{key: entries.get(key, "") for key in known})


def _entries(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_source(folder, _FILE).content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{folder.name}/{_FILE} is no TOML: {error}.") from None


def _source(folder: Path, name: str) -> SourceFile:
    if Path(name).name != name:
        raise ReadError(f"{folder.name}/{_FILE} names '{name}'; only files in its own folder are read.")
    try:
        return SourceFile(name, (folder / name).read_bytes())
    except OSError as error:
        raise ReadError(f"{folder.name}/{name} cannot be read: {error.strerror or error}.") from None


def _texts(entries: Entries[str, Any], key: str) -> tuple[str, ...]:
    value = entries.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ReadError(f"{_FILE}: '{key}' must be a list of texts, got {value!r}.")
    return tuple(value)
