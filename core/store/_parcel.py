"""Whole imports as bytes and back: every number bit for bit, texts once each, of bounded size."""

import gzip
import io
import zlib
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.store.cards import Delivery
from core.texts import CodedTexts, coded
from core.trial import Facts, Import, Kind, Metric, Skipped, Trials

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


class _Metric(msgspec.Struct):
    name: str
    kind: str
    unit: str


class _Trials(msgspec.Struct):
    application: _Texts
    input: _Texts
    machine: _Texts
    metrics: list[_Metric]
    values: _Values
    labels: dict[str, _Texts]
    parameters: list[str]
    ids: _Texts


class _Facts(msgspec.Struct):
    keys: list[list[str]]
    metrics: list[_Metric]
    values: _Values
    labels: dict[str, _Texts]


class _Import(msgspec.Struct):
    source: str
    sha256: str
    format: str
    trials: _Trials
    machines: _Facts | None
    inputs: _Facts | None
    skipped: list[tuple[str, str]]
    warnings: list[str]
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
    trials = _Trials(
        _pack_texts(t.application),
        _pack_texts(t.input),
        _pack_texts(t.machine),
        _pack_metrics(t.metrics),
        _pack_values(t.values),
        _pack_labels(t.labels),
        list(t.parameters),
        _pack_texts(t.ids),
    )
    return _Import(
        i.source,
        i.sha256,
        i.format,
        trials,
        _pack_facts(i.machines),
        _pack_facts(i.inputs),
        [(s.where, s.why) for s in i.skipped],
        list(i.warnings),
        dict(i.original_units),
    )


def _unpack(i: _Import) -> Import:
    t = i.trials
    trials = Trials(
        application=_unpack_texts(t.application),
        input=_unpack_texts(t.input),
        machine=_unpack_texts(t.machine),
        metrics=_unpack_metrics(t.metrics),
        values=_unpack_values(t.values),
        labels=_unpack_labels(t.labels),
        parameters=tuple(t.parameters),
        ids=tuple(_unpack_texts(t.ids)),
    )
    columns = [trials.input, trials.machine, *trials.labels.values(), *([trials.ids] if trials.ids else [])]
    if any(len(column) != len(trials) for column in columns) or trials.values.shape != (len(trials), len(t.metrics)):
        raise ValueError("columns of unequal length")
    return Import(
        source=i.source,
        sha256=i.sha256,
        format=i.format,
        trials=trials,
        machines=_unpack_facts(i.machines),
        inputs=_unpack_facts(i.inputs),
        skipped=tuple(Skipped(where, why) for where, why in i.skipped),
        warnings=tuple(i.warnings),
        original_units=i.original_units,
    )


def _pack_facts(facts: Facts | None) -> _Facts | None:
    if facts is None:
        return None
    keys = [list(key) for key in facts.keys]
    return _Facts(keys, _pack_metrics(facts.metrics), _pack_values(facts.values), _pack_labels(facts.labels))


def _unpack_facts(facts: _Facts | None) -> Facts | None:
    if facts is None:
        return None
    keys, values = tuple(tuple(key) for key in facts.keys), _unpack_values(facts.values)
    labels = {name: tuple(texts) for name, texts in _unpack_labels(facts.labels).items()}
    if values.shape != (len(keys), len(facts.metrics)) or any(len(texts) != len(keys) for texts in labels.values()):
        raise ValueError("columns of unequal length")
    return Facts(keys, _unpack_metrics(facts.metrics), values, labels)


def _pack_metrics(metrics: Sequence[Metric]) -> list[_Metric]:
    return [_Metric(m.name, str(m.kind), m.unit) for m in metrics]


def _unpack_metrics(metrics: Sequence[_Metric]) -> tuple[Metric, ...]:
    return tuple(Metric(m.name, Kind(m.kind), m.unit) for m in metrics)


def _pack_values(values: FloatArray) -> _Values:
    n_rows, n_columns = values.shape
    return _Values(n_rows, n_columns, np.ascontiguousarray(values, dtype="<f8").tobytes())


def _unpack_values(values: _Values) -> FloatArray:
    numbers = np.frombuffer(values.numbers, dtype="<f8")
    return numbers.reshape(values.n_rows, values.n_columns).astype(np.float64, copy=False)


def _pack_labels(labels: Mapping[str, Sequence[str]]) -> dict[str, _Texts]:
    return {name: _pack_texts(texts) for name, texts in labels.items()}


def _unpack_labels(labels: Mapping[str, _Texts]) -> dict[str, Sequence[str]]:
    return {name: _unpack_texts(texts) for name, texts in labels.items()}


def _pack_texts(texts: Sequence[str]) -> _Texts:
    column = coded(texts)
    return _Texts(list(column.texts), column.codes.astype("<i4").tobytes())


def _unpack_texts(texts: _Texts) -> Sequence[str]:
    codes = np.frombuffer(texts.places, dtype="<i4").astype(np.int32, copy=False)
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(texts.words):
        raise ValueError("a place without a text")
    return CodedTexts(codes, tuple(texts.words))
