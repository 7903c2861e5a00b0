"""What a trial is called for the world: the id it came with, or one made from its place in its file."""

import hashlib
import uuid
from dataclasses import replace

from core.errors import StoreError
from core.store._connection import Cursor
from core.trial import Import, Trials

_NAMESPACE = b"ridgeline trial"


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
    return (trials if len(keep) == len(ids) else _take(trials, keep)), [ids[i] for i in keep]


def first_id(dataset: str, sha256: str) -> int:
    """Return the id of a source's first trial as a number: a UUID (version 8) that ends in 32 zero bits.

    The others follow by their places, so that ids of any number of trials are one addition.
    """
    stem = b"\x1f".join((_NAMESPACE, dataset.encode(), sha256.encode()))
    raw = bytearray(hashlib.sha256(stem).digest()[:12]) + bytes(4)
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return int.from_bytes(raw, "big")


def _take(trials: Trials, rows: list[int]) -> Trials:
    """Return some trials; what the database does not keep is left out."""
    return replace(
        trials,
        application=tuple(trials.application[i] for i in rows),
        input=tuple(trials.input[i] for i in rows),
        machine=tuple(trials.machine[i] for i in rows),
        values=trials.values[rows],
        labels={name: tuple(texts[i] for i in rows) for name, texts in trials.labels.items()},
        where=(),
        execution=(),
        ids=(),
    )


def _uuid(text: str, source: str) -> str:
    try:
        return str(uuid.UUID(text)) if text else ""
    except ValueError:
        raise StoreError(f"{source}: the trial id '{text[:80]}' is no UUID; nothing was stored.") from None
