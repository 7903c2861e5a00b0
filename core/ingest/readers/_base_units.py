"""Units of performance tools to base units: seconds, bytes, bytes a second, hertz, joules, watts, counts."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from core.ingest._vocabulary import by_name, data_of

Scale = tuple[str, float, float]
"""Base unit, and the numbers to multiply and to divide by (one of them is 1, so that rounding is as good as can be)."""

_SECONDS = by_name(data_of(__package__, "units.toml")["seconds"])
_TIMES: Mapping[str, Scale] = {
    unit: ("s", float(many), float(parts)) for unit, said in _SECONDS.items() for many, parts in (said.split("/"),)
}
_DECIMAL = {prefix: (1000.0**i, 1.0) for i, prefix in enumerate(("", *"kmgtp"))}
_BINARY = {f"{prefix}i": (1024.0**i, 1.0) for i, prefix in enumerate("kmgtp", 1)}
_EITHER = {prefix: (1.0, 1000.0**i) for i, letters in enumerate(("m", "uµμ", "n"), 1) for prefix in letters}
_FORMS = (
    (re.compile(r"(?i:([kmgtp]i?)?)(?:B|(?i:bytes?))"), "byte", _DECIMAL | _BINARY),  # a small b may be bits
    (re.compile(r"(?i:([kmgt])?bits?)"), "bit", _DECIMAL),
    (re.compile(r"(?i:([kmgt])?(?:hz|hertz))"), "Hz", _DECIMAL),
    (re.compile(r"([munµμkMG])?(J|W|V|A|Joules?|Watts?|Volts?)"), "", _DECIMAL | _EITHER | {"M": (1e6, 1.0)}),
    (re.compile(r"([KMGT])?/(?:s|sec|second)"), "1/s", _DECIMAL),
)
"""Prefix and unit, the base unit (else the first letter of what the unit is called), and what prefixes mean."""
_BYTES_PER = re.compile(r"([KMGTP]i?bytes?)(/[A-Za-z]\w*)")
_PER_TIME = re.compile(r"(.*[^/])/(s|sec|second|msecond|usecond|nsecond|ms|us|ns)")


def to_base(value: float, unit: str) -> tuple[float, str]:
    """Return a value in its base unit, and that unit; a unit that is not known stays as it is.

    Kilobytes are 1,000 bytes and KiB 1,024; `cycle/nsecond` and its like are hertz.
    """
    base, factor, divisor = scale_of(unit)
    return value * factor / divisor, base


@lru_cache(maxsize=1024)
def scale_of(unit: str) -> Scale:
    """Return the base unit of a unit and how to get there."""
    text = unit.strip()
    if found := _TIMES.get(text) or _prefixed(text, _FORMS):
        return found
    if per := _PER_TIME.fullmatch(text):  # `Gbyte/second`, `cycle/nsecond`, `inst/us`
        base, factor, divisor = _prefixed(per[1], _FORMS[:2]) or (per[1], 1.0, 1.0)
        _, seconds, parts = _TIMES[per[2]]
        return "Hz" if base in ("cycle", "cycles") else f"{base}/s", factor * parts, divisor * seconds
    if per := _BYTES_PER.fullmatch(text):  # something that is no time: `Kbyte/block`
        _, factor, divisor = _prefixed(per[1], _FORMS[:1]) or ("", 1.0, 1.0)
        return f"{per[1].lstrip('KMGTPi')}{per[2]}", factor, divisor
    return ("%" if text in ("percent", "pct") else text), 1.0, 1.0


def ratio(one: Scale, other: Scale) -> Fraction:
    """Return how many of another unit of the same base one unit is."""
    (_, many, parts), (_, others, pieces) = one, other
    return Fraction(many) / Fraction(parts) * Fraction(pieces) / Fraction(others)


def _prefixed(
    text: str, forms: Sequence[tuple[re.Pattern[str], str, Mapping[str, tuple[float, float]]]]
) -> Scale | None:
    for form, base, scales in forms:
        if found := form.fullmatch(text):
            prefix = found[1] or ""
            return (base or found[2][0], *(scales.get(prefix) or scales[prefix.lower()]))
    return None
