"""Trials as rows: their ids, what was set, which repeat each is; in steps of little memory, however many there are."""

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from core.arrow import numbers
from core.arrow import texts as words
from core.codec import FloatArray, Frozen, IntArray
from core.errors import StoreError
from core.store._connection import Cursor, one
from core.store._metric_ids import Names
from core.store._rows import BATCH, among, insert_from, next_id
from core.texts import coded, combined, first_of_each, numbered
from core.trial import Import, Kind, Trials

_NAMESPACE = b"ridgeline trial"
_IN_ORDER = "array_to_string(list_sort(string_split({}, '; ')), '; ')"
"""What was set, whatever the order of the columns in the file."""


def new_trials(
    cursor: Cursor, home: int, dataset: str, imported: Import, there: int
) -> tuple[Trials, list[str] | None]:
    """Return the trials that are not in the dataset yet, with their ids; one id counts once.

    There are no ids where none was given: then each trial's is `first_id` and its place in the source.

    Parameters
    ----------
    there : trials that the source has already
    """
    trials = imported.trials
    if not any(trials.ids):
        return trials, None
    made = first_id(dataset, imported.sha256)
    ids = [_uuid(text, imported.source) or str(uuid.UUID(int=made + there + i)) for i, text in enumerate(trials.ids)]
    rows = cursor.execute(
        "SELECT t.id::VARCHAR FROM (SELECT unnest(?::UUID[]) AS id) w JOIN trial t ON t.id = w.id WHERE t.dataset = ?",
        [list(dict.fromkeys(ids)), home],
    ).fetchall()
    first = {id: i for i, id in reversed(list(enumerate(ids)))}
    for (known,) in rows:
        del first[str(known)]
    keep = sorted(first.values())
    return (trials if len(keep) == len(ids) else some_of(trials, keep)), [ids[i] for i in keep]


def first_id(dataset: str, sha256: str) -> int:
    """Return the id of a source's first trial as a number: a UUID (version 8) that ends in 32 zero bits.

    The others follow by their places, so that ids of any number of trials are one addition.
    """
    stem = b"\x1f".join((_NAMESPACE, dataset.encode(), sha256.encode()))
    raw = bytearray(hashlib.sha256(stem).digest()[:12]) + bytes(4)
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return int.from_bytes(raw, "big")


def some_of(trials: Trials, rows: Sequence[int] | IntArray) -> Trials:
    """Return some trials; what the database does not keep is left out."""
    return replace(trials.take(rows), where=(), execution=(), ids=())


def _uuid(text: str, source: str) -> str:
    try:
        return str(uuid.UUID(text)) if text else ""
    except ValueError:
        raise StoreError(f"{source}: the trial id '{text[:80]}' is no UUID; nothing was stored.") from None


_SHORT = 65_536
"""So many numbers have 16 bits, and are sorted faster."""
_MANY = 100_000

Small = npt.NDArray[np.int32]


class Home(Frozen):
    """Where trials are stored.

    Attributes
    ----------
    source : id of the first file; those of the others follow
    first_ids : of each file, a number to which a trial's position is added for its id
    file, position : arrays of shape (n_trials,): which of the files each trial is from, and its place in that
    """

    dataset: int
    source: int
    first_ids: Sequence[int]
    file: IntArray
    position: IntArray | Small


def write_trials(cursor: Cursor, home: Home, trials: Trials, ids: Sequence[str] | None, names: Names) -> IntArray:
    """Write the rows of trials and return their numbers.

    Parameters
    ----------
    ids : one per trial; None if all are made from their positions
    """
    numbers = np.arange(len(trials), dtype=np.int64) + next_id(cursor, "trial", "number")
    columns, settings = _columns(trials, names)
    earlier = _earlier_runs(cursor, home.dataset, np.unique(columns["input"]))
    run, join = "r.run", ""
    if earlier:
        run = "r.run + coalesce(e.last, 0)"
        same = f"e.input = r.input AND e.machine = r.machine AND e.setting = {_IN_ORDER.format('r.setting')}"
        join = f"LEFT JOIN earlier_run e ON {same}"
    made = "(list_extract(?::UHUGEINT[], r.file + 1) + r.position::UHUGEINT)::UUID"
    sql = (
        "INSERT INTO trial (number, id, dataset, application, input, machine, run, setting, source, position) "
        f"SELECT r.number, {'r.id::UUID' if ids is not None else made}, ?, r.application, r.input, r.machine, "
        f"{run}, r.setting, ? + r.file, r.position FROM rows_to_insert r {join}"
    )
    values = [*([[*map(str, home.first_ids)]] if ids is None else []), home.dataset, home.source]
    if len(trials):
        places = {"file": home.file.astype(np.int32), "position": home.position.astype(np.int32)}
        insert_from(cursor, sql, _batches(columns | places, settings, numbers, ids), values)
    if earlier:
        cursor.execute("DROP TABLE earlier_run")
    return numbers


def _columns(trials: Trials, names: Names) -> tuple[dict[str, Small], "_Settings"]:
    """Return what the rows of trials hold as numbers, arrays of shape (n_trials,) by name, and what was set."""
    settings, input, machine = _settings(trials), input_ids(trials, names), machine_ids(trials, names)
    configuration = combined(input, machine)
    if settings.codes is not None:
        configuration = combined(configuration, settings.codes)
    columns = {
        "application": _ids(names.applications, trials.application),
        "input": input,
        "machine": machine,
        "run": repeats(configuration),
    }
    return columns, settings


def input_ids(trials: Trials, names: Names) -> Small:
    """Return the id of each trial's input, shape (n_trials,)."""
    pairs = combined(coded(trials.application).codes, coded(trials.input).codes)
    rows = first_of_each(pairs).tolist()
    ids = [names.inputs[trials.application[row], trials.input[row]] for row in rows]
    return np.array(ids, dtype=np.int32)[pairs]


def machine_ids(trials: Trials, names: Names) -> Small:
    """Return the id of each trial's machine, shape (n_trials,)."""
    return _ids(names.machines, trials.machine)


def _ids(known: Mapping[str, int], texts: Sequence[str]) -> Small:
    own = coded(texts)
    return np.array([known[text] for text in own.texts], dtype=np.int32)[own.codes]


def repeats(configuration: IntArray) -> Small:
    """Number the repeats of each configuration from 1 on, in their order; configurations count from zero."""
    seen = np.zeros(int(configuration.max(initial=-1)) + 1, dtype=np.int32)
    runs = np.empty(len(configuration), dtype=np.int32)
    for start in range(0, len(runs), BATCH):
        own = configuration[start : start + BATCH]
        order = np.argsort(own.astype(np.uint16) if len(seen) <= _SHORT else own, kind="stable")
        ordered = own[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(begins, append=len(own))
        runs[start + order] = np.arange(1, len(own) + 1) + np.repeat(seen[ordered[begins]] - begins, counts)
        seen[ordered[begins]] += counts.astype(np.int32)
    return runs


def _earlier_runs(cursor: Cursor, dataset: int, inputs: Small) -> bool:
    """Make a table of the last repeat of each configuration with these inputs; return whether there is any."""
    if one(cursor, "SELECT 1 FROM trial WHERE dataset = ? LIMIT 1", [dataset]) is None:
        return False
    with_these = f"AND {among('input', inputs.tolist())}" if len(inputs) <= _MANY else ""
    cursor.execute(
        f"CREATE TEMP TABLE earlier_run AS SELECT input, machine, {_IN_ORDER.format('setting')} AS setting, "
        "max(run) AS last FROM trial "
        f"WHERE dataset = ? {with_these} GROUP BY ALL",
        [dataset],
    )
    return True


class _Settings(Frozen):
    """What was set in each trial.

    Attributes
    ----------
    codes : array of shape (n_trials,), equal where all was set alike; None if nothing is set
    parts : per parameter (which of its texts each trial has, those texts)
    """

    codes: IntArray | None
    parts: tuple[tuple[Small, tuple[str, ...]], ...]

    def texts(self, start: int, stop: int) -> Any:
        """Return what was set in some trials as one text each, an Arrow array."""
        import pyarrow as pa

        codes = np.zeros(stop - start, dtype=np.int64) if self.codes is None else self.codes[start:stop]
        places, different = numbered(codes)
        rows = first_of_each(places) + start
        columns = ([names[code] for code in own[rows].tolist()] for own, names in self.parts)
        texts = [*map("; ".join, zip(*columns, strict=True))] if self.parts else [""] * len(different)
        return pa.DictionaryArray.from_arrays(numbers(places), words(texts))


def _settings(trials: Trials) -> _Settings:
    """Return what was set, so that repeats can be told from settings."""
    parts: list[tuple[Small, tuple[str, ...]]] = []
    for j, metric in enumerate(trials.metrics):
        if metric.kind == Kind.PARAMETER:
            codes, different = value_codes(trials.values[:, j])
            parts.append((codes, tuple(f"{metric.name}={v!r}" for v in different.tolist())))
    for name in trials.parameters:
        if name in trials.labels:
            texts = coded(trials.labels[name])
            parts.append((texts.codes, tuple(f"{name}={text}" for text in texts.texts)))
    together: IntArray | None = None
    for codes, _ in parts:
        together = codes.astype(np.int64) if together is None else combined(together, codes)
    return _Settings(together, tuple(parts))


def value_codes(values: FloatArray) -> tuple[Small, FloatArray]:
    """Return which of the different values each one is, and these; NaN is one, and -0 is 0."""
    codes, different = numbered(np.where(np.isnan(values), np.nan, values + 0.0).view(np.int64))
    return codes, different.view(np.float64)


def _batches(
    columns: dict[str, Small], settings: _Settings, numbers: IntArray, ids: Sequence[str] | None
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(numbers), BATCH):
        stop = min(start + BATCH, len(numbers))
        some = slice(start, stop)
        yield {
            "number": numbers[some].astype(np.int32),
            **{name: column[some] for name, column in columns.items()},
            "setting": settings.texts(start, stop),
            **({} if ids is None else {"id": ids[some]}),
        }
