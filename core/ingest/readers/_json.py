"""JSON as measurement tools write it: parsed within limits, refused in one sentence."""

import json
from typing import Any

from core.errors import ReadError

_DEEPEST = 64


def load_json(name: str, raw: bytes) -> Any:
    """Return the value of a JSON text; infinities and NaN come as floats, for the caller to judge.

    Raises
    ------
    ReadError
        If it is no JSON, nested too deeply, or says one key twice.
    """
    try:
        value = json.loads(raw, object_pairs_hook=lambda pairs: _object(name, pairs))
    except RecursionError:
        raise ReadError(f"{name} is nested too deeply to hold measurements.") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is no UTF-8 text: {error.reason} at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{name} line {error.lineno}: no valid JSON ({error.msg.lower()} at column {error.colno}). "
            "The file may be cut off; write it again."
        ) from None
    except ValueError as error:
        raise ReadError(f"{name} is no valid JSON: {error}.") from None
    if _depth_over(value, _DEEPEST):
        raise ReadError(f"{name} is nested too deeply to hold measurements.")
    return value


def number(value: Any) -> float | None:
    """Return a JSON number, or a text that is one, as a float; None for anything else, true and false too."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def text(value: Any) -> str:
    """Return a JSON scalar as people write it; a list or an object in its JSON form, None as the empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ReadError(f"{name} says '{twice[:80]}' twice in one object; it must be there once.")
    return found


def _depth_over(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [v for v in value.values() if isinstance(v, (dict, list))]
    return [v for v in value if isinstance(v, (dict, list))] if isinstance(value, list) else []
