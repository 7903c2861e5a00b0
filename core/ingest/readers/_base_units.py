"""Units of performance tools to base units: seconds, bytes, bytes a second, hertz, joules, watts, counts."""

import re
from functools import lru_cache

_TIMES = {
    unit: size
    for size, units in (
        (1, "s sec secs second seconds"),
        (60, "min"),
        (3600, "h"),
        (-12, "ps"),
        (-3, "ms msec msecond millisecond milliseconds miliseconds"),
        (-6, "us usec usecond microsecond microseconds µs μs"),
        (-9, "ns nsec nsecond nanosecond nanoseconds"),
    )
    for unit in units.split()
}
"""Seconds as a whole number, or a negative power of ten."""
_DECIMAL = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12, "p": 15}
_BINARY = {"ki": 1, "mi": 2, "gi": 3, "ti": 4, "pi": 5}
_SMALL = {"": 0, "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "k": 3, "M": 6, "G": 9}

_BYTES = re.compile(r"([kmgtp]i?)?(?:b|bytes?)", re.IGNORECASE)
_HERTZ = re.compile(r"([kmgt])?(?:hz|hertz)", re.IGNORECASE)
_ELECTRIC = re.compile(r"([munµμkMG])?(J|W|V|A|Joules?|Watts?|Volts?)")
_RATE = re.compile(r"([KMGT])?/(?:s|sec|second)")
_BYTES_PER = re.compile(r"([KMGTP]i?)(bytes?/[A-Za-z]\w*)")
_PER_TIME = re.compile(r"(.*[^/])/(s|sec|second|msecond|usecond|nsecond|ms|us|ns)")
_ELECTRIC_BASE = {"J": "J", "W": "W", "V": "V", "A": "A", "Joule": "J", "Watt": "W", "Volt": "V"}

Scale = tuple[str, float, float]
"""Base unit, and the numbers to multiply and to divide by (one of them is 1, so that rounding is as good as can be)."""


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
    for rule in (_time, _bytes, _hertz, _electric, _rate, _per_time, _bytes_per):
        found = rule(text)
        if found is not None:
            return found
    return ("%" if text in ("percent", "pct") else text), 1.0, 1.0


def _power_of_ten(base: str, power: int) -> Scale:
    return (base, 10.0**power, 1.0) if power >= 0 else (base, 1.0, 10.0**-power)


def _time(text: str) -> Scale | None:
    size = _TIMES.get(text)
    if size is None:
        return None
    return ("s", float(size), 1.0) if size > 0 else _power_of_ten("s", size)


def _bytes(text: str) -> Scale | None:
    found = _BYTES.fullmatch(text)
    if not found or text.endswith("b"):  # a small b may be bits
        return None
    prefix = (found.group(1) or "").lower()
    if prefix in _BINARY:
        return "byte", 1024.0 ** _BINARY[prefix], 1.0
    return _power_of_ten("byte", _DECIMAL[prefix])


def _hertz(text: str) -> Scale | None:
    found = _HERTZ.fullmatch(text)
    return _power_of_ten("Hz", _DECIMAL[(found.group(1) or "").lower()]) if found else None


def _electric(text: str) -> Scale | None:
    found = _ELECTRIC.fullmatch(text)
    if not found:
        return None
    name = found.group(2)
    return _power_of_ten(_ELECTRIC_BASE[name.removesuffix("s")], _SMALL[found.group(1) or ""])


def _rate(text: str) -> Scale | None:
    found = _RATE.fullmatch(text)
    return _power_of_ten("1/s", _DECIMAL[(found.group(1) or "").lower()]) if found else None


def _per_time(text: str) -> Scale | None:
    """Return the scale of something per time: `Gbyte/second`, `cycle/nsecond`, `inst/us`."""
    found = _PER_TIME.fullmatch(text)
    if not found:
        return None
    what, times, per = found.group(1), _bytes(found.group(1)), _time(found.group(2))
    assert per is not None
    base, factor, divisor = times or (what, 1.0, 1.0)
    whole, part = factor * per[2], divisor * per[1]
    if base in ("cycle", "cycles"):
        return "Hz", whole, part
    return f"{base}/s", whole, part


def _bytes_per(text: str) -> Scale | None:
    """Return the scale of bytes per something that is no time: `Kbyte/block`."""
    found = _BYTES_PER.fullmatch(text)
    if not found:
        return None
    _, factor, divisor = _bytes(f"{found.group(1)}byte") or ("", 1.0, 1.0)
    return found.group(2), factor, divisor
