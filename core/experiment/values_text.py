"""Values of an option as people type them: `1, 2, 4`, `1 to 24`, `0.1 to 0.9 step 0.2`, `0.00001 to 0.1 log 13`."""

import re
from collections.abc import Sequence
from typing import Any

from core.errors import OptionError

FORMS = "1, 2, 4 · 1 to 24 · 0 to 1 step 0.1 · 0.00001 to 0.1 log 13"
_NUMBER = r"([-+.\deE]+)"
_RANGE = re.compile(rf"{_NUMBER}\s+to\s+{_NUMBER}(?:\s+(step|log)\s+{_NUMBER})?")


def read_values(text: str) -> Any:
    """Return what `[vary]` takes: a list, or a range with its ends.

    Several lists in one option are written with semicolons between them, such as `signed; log2, product`.

    Raises
    ------
    OptionError
        If it is empty, or a range has an end that is no number.
    """
    stripped = text.strip()
    if found := _RANGE.fullmatch(stripped):
        ends = {"from": _number(found[1]), "to": _number(found[2])}
        if found[3] == "log":
            return {**ends, "count": _number(found[4]), "scale": "log"}
        return {**ends, **({"step": _number(found[4])} if found[3] else {})}
    if ";" in stripped:
        return [[part.strip() for part in one.split(",") if part.strip()] for one in stripped.split(";")]
    values = [part.strip() for part in stripped.split(",") if part.strip()]
    if not values:
        raise OptionError(f"No values are given to vary. Write such as {FORMS}.")
    return values


def written_values(value: Any) -> str:
    """Return the text that `read_values` reads as this."""
    if isinstance(value, dict):
        tail = f" log {value['count']}" if value.get("scale") == "log" else ""
        tail = f" step {value['step']}" if "step" in value else tail
        low, high = (repr(float(value[end])).removesuffix(".0") for end in ("from", "to"))
        return f"{low} to {high}{tail}"
    if any(isinstance(one, list) for one in value):
        return "; ".join(", ".join(one) for one in value)
    return ", ".join(str(one) for one in value)


def read_sizes(text: str) -> Sequence[int] | dict[str, Any]:
    """Return numbers of configurations, or a range of them.

    Raises
    ------
    OptionError
        If one of them is no whole number.
    """
    found = read_values(text)
    if isinstance(found, dict):
        return found
    try:
        return [int(one) for one in found]
    except (TypeError, ValueError):
        raise OptionError(
            f"Numbers of configurations are such as 30, 60, 120 or 30 to 300 step 30; got '{text}'."
        ) from None


def _number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        raise OptionError(f"'{text}' is no number. Write values such as {FORMS}.") from None
    return int(number) if number.is_integer() else number
