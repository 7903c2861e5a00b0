"""Whole imports as bytes and back: every number bit for bit, texts once each, of bounded size."""

import gzip
import io
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.store.cards import Delivery
from core.texts import CodedTexts, coded
from core.trial import ROLES, Facts, Import, Metric, Skipped, Trials

MAX_BYTES = 4 * 1024**3
"""Of one parcel when it is unpacked."""
_VERSION = 1
_BAD = "is no whole import as `ridgeline import` writes it. Import the file again."


class _Texts(msgspec.Struct):
    """A column of texts: those that differ, and which of them stands where."""

    words: list[str]
    places: bytes


class _Values(msgspec.Struct):
    """A matrix of numbers, row by row."""

    n_rows: int
    n_columns: int
    numbers: bytes


class _Table(msgspec.Struct, kw_only=True):
    metrics: tuple[Metric, ...]
    values: _Values
    labels: dict[str, _Texts]


class _Trials(_Table, kw_only=True):
    application: _Texts
    input: _Texts
    machine: _Texts
    parameters: tuple[str, ...]
    ids: _Texts


class _Facts(_Table, kw_only=True):
    keys: tuple[tuple[str, ...], ...]


class _Import(msgspec.Struct):
    source: str
    sha256: str
    format: str
    trials: _Trials
    machines: _Facts | None
    inputs: _Facts | None
    skipped: list[tuple[str, str]]
    warnings: tuple[str, ...]
    original_units: dict[str, str]


class _Parcel(msgspec.Struct):
    version: int
    dataset: str
    imports: list[_Import]


def pack(dataset: str, imports: Sequence[Import]) -> bytes:
    """Return imports as bytes; what the database does not keep (`where`, `execution`) is left out.

    Raises
    ------
    ReadError
        If they are too large to be sent.
    """
    raw = msgspec.msgpack.encode(_Parcel(_VERSION, dataset, [_pack(i) for i in imports]))
    if len(raw) > MAX_BYTES:
        raise ReadError(f"{len(raw)} bytes are too much for the inbox. Close the dashboard and import again.")
    return gzip.compress(raw, compresslevel=1, mtime=0)


def unpack(name: str, raw: bytes) -> list[Delivery]:
    """Return the imports of a parcel, and where they belong.

    Raises
    ------
    ReadError
        If it is damaged, too large, or of another version.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            plain = file.read(MAX_BYTES + 1)
        if len(plain) > MAX_BYTES:
            raise ReadError(f"{name} is larger than {MAX_BYTES} bytes when it is unpacked.")
        parcel = msgspec.msgpack.decode(plain, type=_Parcel)
        if parcel.version != _VERSION:
            raise ReadError(f"{name} is of version {parcel.version}, expected {_VERSION}. Use one Ridgeline.")
        return [Delivery(parcel.dataset, _unpack(i)) for i in parcel.imports]
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError, ValueError, IndexError, UnicodeDecodeError):
        raise ReadError(f"{name} {_BAD}") from None


def _pack(i: Import) -> _Import:
    t = i.trials
    named: dict[str, Any] = {role: _pack_texts(getattr(t, role)) for role in (*ROLES, "ids")}
    return _Import(
        trials=_Trials(parameters=t.parameters, **named, **_pack_table(t)),
        machines=_pack_facts(i.machines),
        inputs=_pack_facts(i.inputs),
        skipped=[(s.where, s.why) for s in i.skipped],
        **_alike(i),
    )


def _unpack(i: _Import) -> Import:
    t, table = i.trials, _unpack_table(i.trials)
    named: dict[str, Any] = {role: _unpack_texts(getattr(t, role)) for role in ROLES}
    trials = Trials(**named, **table, parameters=t.parameters, ids=tuple(_unpack_texts(t.ids)))
    columns = [*named.values(), *trials.labels.values(), *([trials.ids] if trials.ids else [])]
    _refuse_uneven(trials.values, columns, len(trials))
    return Import(
        trials=trials,
        machines=_unpack_facts(i.machines),
        inputs=_unpack_facts(i.inputs),
        skipped=tuple(Skipped(where, why) for where, why in i.skipped),
        **_alike(i),
    )


def _alike(i: Import | _Import) -> dict[str, Any]:
    """Return what is the same in an import and in a parcel."""
    return {name: getattr(i, name) for name in ("source", "sha256", "format", "warnings", "original_units")}


def _pack_facts(own: Facts | None) -> _Facts | None:
    return None if own is None else _Facts(keys=own.keys, **_pack_table(own))


def _unpack_facts(own: _Facts | None) -> Facts | None:
    if own is None:
        return None
    table = _unpack_table(own)
    labels = {name: tuple(texts) for name, texts in table.pop("labels").items()}
    _refuse_uneven(table["values"], labels.values(), len(own.keys))
    return Facts(own.keys, **table, labels=labels)


def _refuse_uneven(values: FloatArray, columns: Iterable[Sequence[str]], n: int) -> None:
    if len(values) != n or any(len(column) != n for column in columns):
        raise ValueError("columns of unequal length")


def _pack_table(own: Trials | Facts) -> dict[str, Any]:
    values = _Values(len(own.values), len(own.metrics), np.ascontiguousarray(own.values, dtype="<f8").tobytes())
    labels = {name: _pack_texts(texts) for name, texts in own.labels.items()}
    return {"metrics": own.metrics, "values": values, "labels": labels}


def _unpack_table(own: _Table) -> dict[str, Any]:
    shape = own.values.n_rows, len(own.metrics)
    if own.values.n_columns != shape[1]:
        raise ValueError("columns of unequal length")
    values = np.frombuffer(own.values.numbers, dtype="<f8").reshape(shape).astype(np.float64, copy=False)
    labels = {name: _unpack_texts(texts) for name, texts in own.labels.items()}
    return {"metrics": own.metrics, "values": values, "labels": labels}


def _pack_texts(texts: Sequence[str]) -> _Texts:
    column = coded(texts)
    return _Texts(list(column.texts), column.codes.astype("<i4").tobytes())


def _unpack_texts(texts: _Texts) -> Sequence[str]:
    codes = np.frombuffer(texts.places, dtype="<i4").astype(np.int32, copy=False)
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(texts.words):
        raise ValueError("a place without a text")
    return CodedTexts(codes, tuple(texts.words))
