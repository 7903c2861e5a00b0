"""Values of numbers, frozen, to plain JSON and back: strict types, finite numbers, no code, bounded size and depth.

What needs no arrays takes `Frozen` from `core/frozen.py`, which is there without NumPy.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isfinite
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from core import __version__
from core.errors import ModelFileError
from core.frozen import Frozen as Frozen

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

T = TypeVar("T")

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 32

_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = np.array([(byte in b"[{") - (byte in b"]}") for byte in range(256)], dtype=np.int8)


def to_plain(value: Any) -> Any:
    """Return dicts, lists, texts and numbers that JSON can hold; arrays become nested lists."""
    return msgspec.to_builtins(value, enc_hook=_encode, str_keys=True)


class TwiceError(Exception):
    """An object of JSON has this name twice."""


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON by its pairs of names and values, of which a parser would keep the last of a name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise TwiceError(first_twice([name for name, _ in pairs]))
    return found


def first_twice(names: Sequence[str]) -> str:
    """Return the first of some names that is there more than once."""
    times = Counter(names)
    return next(name for name in names if times[name] > 1)


def fields_of(value: object, names: str) -> dict[str, Any]:
    """Return attributes as `to_plain` makes them.

    Parameters
    ----------
    names : what they are called, with blanks between; `unit=response.unit` is `value.response.unit`, called `unit`
    """
    pairs = (name.partition("=") for name in names.split())
    return {name: to_plain(attrgetter(path or name)(value)) for name, _, path in pairs}


def finite(plain: Any) -> Any:
    """Return plain values with null in place of what is no number."""
    if isinstance(plain, Mapping):
        return {name: finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    return None if isinstance(plain, float) and not isfinite(plain) else plain


def from_plain(cls: type[T], plain: Any) -> T:
    """Return the value of type `cls` that `plain` describes.

    Raises
    ------
    ModelFileError
        If a field is missing, unknown, of another type, or not finite.
    """
    try:
        value = msgspec.convert(plain, cls, dec_hook=_decode, strict=True)
    except (msgspec.ValidationError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"The model file does not fit its schema: {error}.") from None
    _refuse_unknown(plain, to_plain(value), "$")
    return value


def dumps(plain: Any) -> bytes:
    """Return canonical JSON: sorted keys, no spaces, exact floats, never NaN or infinity."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.encode()


def loads(raw: bytes) -> Any:
    """Parse JSON of at most 16 MiB and 32 levels, with finite numbers and no key twice.

    Raises
    ------
    ModelFileError
        If the bytes are anything else.
    """
    if len(raw) > MAX_BYTES:
        raise ModelFileError(f"The file has {len(raw)} bytes; a model file has at most {MAX_BYTES}.")
    if not raw.strip():
        raise ModelFileError("The file is empty. Choose the model file that was downloaded or written.")
    _refuse_depth(raw)
    try:
        plain = json.loads(raw.decode("utf-8"), object_pairs_hook=once_each, parse_constant=_constant)
    except TwiceError as twice:
        raise ModelFileError(f"The model file has the field '{str(twice)[:80]}' twice.") from None
    except UnicodeDecodeError:
        raise ModelFileError("The file is not UTF-8 text, so it is not a model file.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelFileError(f"The file is not whole JSON: {error}.") from None
    except ValueError:
        raise ModelFileError("The file holds a number too long to be one of ours.") from None
    _refuse_infinite(plain)
    return plain


def check_head(plain: Any, noun: str, format: str, version: int) -> None:
    """Raise ModelFileError unless parsed JSON is what a file of a format and of no later version begins with."""
    if not isinstance(plain, dict) or plain.get("format") != format:
        given = plain.get("format") if isinstance(plain, dict) else None
        has = f"its format is '{given[:40]}', not" if isinstance(given, str) else "it has no format"
        raise ModelFileError(f"The file is JSON, but not a {noun}: {has} '{format}'.")
    given = plain.get("version")
    if type(given) is not int or given < 1:
        raise ModelFileError("The model file has no version number.")
    if given > version:
        raise ModelFileError(
            f"The model file has version {given}, newer than the {version} that Ridgeline {__version__} reads."
        )


def shared_fields(base: type, value: object) -> dict[str, Any]:
    """Return the fields of a value that it has from a dataclass."""
    return {f.name: getattr(value, f.name) for f in fields(base)}


def array_of(plain: Any) -> FloatArray | None:
    """Return numbers as an array, NaN in place of null; None for null."""
    return None if plain is None else np.array([np.nan if v is None else v for v in plain], dtype=np.float64)


def digest(plain: Any) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(dumps(plain)).hexdigest()


def toml_quoted(text: str) -> str:
    """Return a text as TOML has it, between quotes: as JSON, but for the one sign that TOML alone escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def schema(cls: type) -> dict[str, Any]:
    """Return the JSON Schema of a type; arrays are (nested) lists of numbers."""
    return msgspec.json.schema(cls, schema_hook=_array_schema)


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):  # one with facts of its own, such as a note
        return str(value)
    raise TypeError(f"cannot write {type(value).__name__} to JSON")


def _decode(cls: Any, plain: Any) -> Any:
    dtype = np.int64 if cls == IntArray else np.float64
    if cls not in (FloatArray, IntArray):
        raise TypeError(f"cannot read {cls} from JSON")
    if not isinstance(plain, list | tuple) or not _numbers(plain, integers=dtype is np.int64):
        raise ValueError("expected a list of numbers")
    array = np.array(plain, dtype=dtype)
    array.flags.writeable = False
    return array


def _numbers(plain: Any, *, integers: bool) -> bool:
    """Whether a nested list is rectangular and holds nothing but finite numbers."""
    if not plain or not isinstance(plain[0], list | tuple):
        kinds = (int,) if integers else (int, float)
        return all(type(x) in kinds and abs(x) < (2**63 if integers else 1.8e308) for x in plain)
    width = len(plain[0])
    rows = all(isinstance(row, list | tuple) and len(row) == width for row in plain)
    return rows and all(_numbers(row, integers=integers) for row in plain)


def _array_schema(cls: Any) -> dict[str, Any]:
    kind = "integer" if cls == IntArray else "number"
    return {"type": "array", "items": {"type": [kind, "array"]}}


def _refuse_unknown(given: Any, known: Any, path: str) -> None:
    if isinstance(given, dict) and isinstance(known, dict):
        extra = sorted(given.keys() - known.keys())
        if extra:
            raise ModelFileError(f"The model file has an unknown field '{extra[0]}' at {path}.")
        for key, inner in given.items():
            if isinstance(inner, dict | list):
                _refuse_unknown(inner, known[key], f"{path}.{key}")
    elif isinstance(given, list) and isinstance(known, list | tuple):
        if dict not in set(map(type, given)):  # thousands of numbers, as a rule
            return
        for i, (a, b) in enumerate(zip(given, known, strict=True)):
            if isinstance(a, dict):
                _refuse_unknown(a, b, f"{path}[{i}]")


def _constant(text: str) -> Any:
    raise ModelFileError(f"The model file holds {text}, which is not a finite number.")


def _refuse_infinite(plain: Any) -> None:
    try:
        dumps(plain)
    except UnicodeEncodeError:
        raise ModelFileError("The model file holds half of a surrogate pair, which is no text.") from None
    except ValueError:
        raise ModelFileError("The model file holds a number too large to be finite.") from None


def _refuse_depth(raw: bytes) -> None:
    """Count brackets outside texts, so that deep nesting never reaches the parser."""
    brackets = _TEXT.sub(b"", raw).translate(None, _NO_BRACKETS)
    depth = np.cumsum(_STEP[np.frombuffer(brackets, np.uint8)], dtype=np.int32)
    if depth.max(initial=0) > MAX_DEPTH:
        raise ModelFileError(f"The file nests deeper than {MAX_DEPTH} levels; no model does.")
