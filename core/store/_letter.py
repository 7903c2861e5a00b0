"""Trials as any script can write them in JSON, read strictly, and made few and dense imports."""

import json
import math
import unicodedata
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from core.codec import Frozen, TwiceError, first_twice, once_each
from core.errors import ReadError
from core.store.cards import Delivery
from core.trial import ROLES, Import, Kind, Metric, Trials

MAX_BYTES = 16 * 1024 * 1024
"""Of one file."""
TIME = Metric("time_s", Kind.RESPONSE, "s")
"""What a bare number of this name is, here and in every file of a profiler."""

_NAMESPACE = uuid.UUID("a3c1c4b6-5c0f-5d0e-9d0b-5f6f0d1f7c55")
_FIELDS = ("dataset", "id", "application", "input", "machine", "labels", "parameters", "metrics", "execution")
_KINDS = {str(kind): kind for kind in (Kind.COUNTER, Kind.RESPONSE, Kind.PARAMETER)}


class CutError(ReadError):
    """The file is no whole text; its writer may not be done with it."""


class Letter(Frozen):
    """One trial of a file in the inbox.

    Attributes
    ----------
    labels : texts by name, those of parameters among them
    parameters : names of labels that were set before the run
    """

    dataset: str
    id: str
    application: str
    input: str
    machine: str
    labels: Mapping[str, str]
    parameters: tuple[str, ...]
    metrics: Mapping[Metric, float]


def read_letters(name: str, raw: bytes) -> list[Letter]:
    """Return the trials of a file.

    A trial without an id gets one from the file's name, its place there and the contents, so that
    the same file stored twice counts once, and two files with the same numbers are two trials.

    Raises
    ------
    CutError
        If it is no whole JSON.
    ReadError
        If anything in it is not as described.
    """
    plain = _parse(name, raw)
    many = isinstance(plain, list)
    stem = f"{name}\x1f{sha256(raw).hexdigest()}"
    documents = plain if many else [plain]
    if not documents:
        raise ReadError(f"{name} holds no trials.")
    return [
        _letter(f"{name} trial {i + 1}" if many else name, document, str(uuid.uuid5(_NAMESPACE, f"{stem}\x1f{i}")))
        for i, document in enumerate(documents)
    ]


def _parse(name: str, raw: bytes) -> Any:
    if len(raw) > MAX_BYTES:
        raise ReadError(f"{name} has {len(raw)} bytes; a file of the inbox has at most {MAX_BYTES}. Write several.")
    try:
        plain = json.loads(raw.decode("utf-8"), object_pairs_hook=once_each)
        if b"\\u" in raw:
            json.dumps(plain, ensure_ascii=False).encode()
        return plain
    except TwiceError as key:
        raise ReadError(f"{name}: '{key}' is there twice.") from None
    except UnicodeDecodeError:
        raise CutError(f"{name} is not UTF-8 text, so it is no JSON.") from None
    except UnicodeEncodeError:
        raise ReadError(f"{name} holds half of a surrogate pair, which is no text.") from None
    except json.JSONDecodeError as error:
        raise CutError(
            f"{name} line {error.lineno} is no whole JSON ({error.msg} at column {error.colno}). "
            "Write it under another name first, and rename it when it is whole."
        ) from None
    except (RecursionError, ValueError):
        raise ReadError(f"{name} is nested too deeply, or holds a number of thousands of digits.") from None


def _letter(where: str, plain: Any, made_id: str) -> Letter:
    if not isinstance(plain, dict):
        raise ReadError(f"{where} is {_shown(plain)}, expected a trial: an object with 'dataset' and 'metrics'.")
    strange = [key for key in plain if key not in _FIELDS]
    if strange:
        raise ReadError(f"{where}: there is no field '{strange[0]}'; a trial may have: {', '.join(_FIELDS)}.")
    texts = {key: _text(where, f"'{key}'", plain.get(key, "")) for key in ("dataset", *ROLES)}
    if not texts["dataset"].strip():
        raise ReadError(f"{where}: 'dataset' is missing. Say the name of the dataset that the trial belongs to.")
    set_texts, set_numbers = _parameters(where, _part(where, plain, "parameters"))
    told = _named(where, "label", _part(where, plain, "labels"))
    labels = {name: _text(where, f"label '{name}'", value) for name, value in told.items()}
    if plain.get("execution"):
        labels.setdefault("execution", _text(where, "'execution'", plain["execution"]))
    metrics = _values(where, _part(where, plain, "metrics"))
    _refuse_twice(where, [*labels, *set_texts, *(m.name for m in (*set_numbers, *metrics))])
    if not metrics:
        raise ReadError(f"{where} has no metric with a value. Give at least one, such as 'metrics': {{'time_s': 0.1}}.")
    return Letter(
        id=_id(where, plain.get("id")) or made_id,
        labels=labels | set_texts,
        parameters=tuple(sorted(set_texts)),
        metrics=set_numbers | metrics,
        **texts,
    )


def _part(where: str, plain: dict[str, Any], key: str) -> dict[str, Any]:
    part = plain.get(key, {})
    if not isinstance(part, dict):
        raise ReadError(f"{where}: '{key}' is {_shown(part)}, expected an object with a value by name.")
    return part


def _parameters(where: str, part: dict[str, Any]) -> tuple[dict[str, str], dict[Metric, float]]:
    """Return what was set as texts, and what was set as numbers."""
    texts, numbers = {}, {}
    for name, value in _named(where, "parameter", part).items():
        if isinstance(value, str):
            texts[name] = value
        else:
            numbers[Metric(name, Kind.PARAMETER)] = _number(where, f"parameter '{name}'", value, "a number or a text")
    return texts, numbers


def _values(where: str, part: dict[str, Any]) -> dict[Metric, float]:
    """Return the metrics that have a value."""
    found = {}
    for name, given in _named(where, "metric", part).items():
        value, metric = _metric(where, name, given)
        if value is not None:
            found[metric] = _number(where, f"metric '{name}'", value, "a number or null")
    return found


@lru_cache(10_000)
def _usual(name: str) -> Metric:
    """Return what a bare number of this name is."""
    return TIME if name == TIME.name else Metric(name)


def _metric(where: str, name: str, given: Any) -> tuple[Any, Metric]:
    usual = _usual(name)
    if not isinstance(given, dict):
        return given, usual
    strange = [key for key in given if key not in ("value", "unit", "kind")]
    if strange or "value" not in given:
        wrong = f"has no field '{strange[0]}'" if strange else "has no value"
        raise ReadError(f"{where}: metric '{name}' {wrong}; it is a number, or an object of value, unit and kind.")
    kind = _text(where, f"the kind of '{name}'", given.get("kind", str(usual.kind)))
    if kind not in _KINDS:
        raise ReadError(f"{where}: metric '{name}' is of kind '{kind}', expected one of {', '.join(_KINDS)}.")
    unit = _text(where, f"the unit of '{name}'", given.get("unit", usual.unit))
    return given["value"], Metric(name, _KINDS[kind], unit)


def _number(where: str, what: str, value: Any, expected: str) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
        raise ReadError(f"{where}: {what} is {_shown(value)}, which is not finite. Leave out what was not measured.")
    raise ReadError(f"{where}: {what} is {_shown(value)}, expected {expected}. Leave out what was not measured.")


def _text(where: str, what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ReadError(f"{where}: {what} is {_shown(value)}, expected a text.")
    return _composed(value)


def _named(where: str, what: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return values by their names, composed, of which two may have become one."""
    if not all(key.strip() for key in part):
        raise ReadError(f"{where}: a {what} has no name.")
    names = [_composed(key) for key in part]
    _refuse_twice(where, names)
    return dict(zip(names, part.values(), strict=True))


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _id(where: str, value: Any) -> str:
    if value is None:
        return ""
    try:
        return str(uuid.UUID(_text(where, "'id'", value)))
    except ValueError:
        raise ReadError(f"{where}: 'id' is {_shown(value)}, expected a UUID. Leave it out to have one made.") from None


def _refuse_twice(where: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = first_twice(names)
        raise ReadError(f"{where}: '{twice}' is there twice among labels, parameters and metrics. Rename one.")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    text = text if len(text) <= 80 else f"{text[:77]}…"
    return f"'{value}'" if isinstance(value, str) and len(value) <= 80 else text


FORMAT = "inbox"
_CELLS = 5_000_000
"""Cells of one import at most; what is wider goes into another."""


def gather(letters: Sequence[Letter], day: date) -> list[Delivery]:
    """Return imports of these trials, few and dense, in the order they came; each day has one source."""
    groups: dict[tuple[str, tuple[str, ...]], list[Letter]] = {}
    for letter in letters:
        groups.setdefault((letter.dataset, _settings(letter)), []).append(letter)
    pieces = ((dataset, some) for (dataset, _), group in groups.items() for some in _pieces(group))
    return [Delivery(dataset, _import(some, day), grows=True) for dataset, some in pieces]


def _settings(letter: Letter) -> tuple[str, ...]:
    """Return the names of what was set, so that trials of one import have all been set alike."""
    return tuple(sorted([m.name for m in letter.metrics if m.kind == Kind.PARAMETER])) + tuple(letter.parameters)


def _pieces(letters: Sequence[Letter]) -> Iterator[list[Letter]]:
    """Cut where a table of all metrics would have too many cells."""
    piece: list[Letter] = []
    columns: set[Metric] = set()
    for letter in letters:
        wider = columns | letter.metrics.keys()
        if piece and len(wider) * (len(piece) + 1) > _CELLS:
            yield piece
            piece, wider = [], set(letter.metrics)
        piece.append(letter)
        columns = wider
    yield piece


def _import(letters: Sequence[Letter], day: date) -> Import:
    metrics = _metrics(letters)
    place = {metric: j for j, metric in enumerate(metrics)}
    values = np.full((len(letters), len(metrics)), np.nan)
    for row, letter in zip(values, letters, strict=True):
        row[[place[m] for m in letter.metrics]] = list(letter.metrics.values())
    labels = dict.fromkeys(name for letter in letters for name in letter.labels)
    trials = Trials(
        **{role: tuple(getattr(letter, role) for letter in letters) for role in ROLES},
        metrics=metrics,
        values=values,
        labels={name: tuple(letter.labels.get(name, "") for letter in letters) for name in labels},
        parameters=letters[0].parameters,
        ids=tuple(letter.id for letter in letters),
    )
    return Import(source=f"inbox of {day}", sha256=f"inbox {day}", format=FORMAT, trials=trials)


def _metrics(letters: Sequence[Letter]) -> tuple[Metric, ...]:
    """Return all metrics in the order they came, parameters by name, so that settings read alike."""
    found = dict.fromkeys(metric for letter in letters for metric in letter.metrics)
    return tuple(sorted(found, key=lambda m: m.name if m.kind == Kind.PARAMETER else ""))
