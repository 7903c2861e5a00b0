"""Units in headers such as `time (us)` or `Duration [ns]`, and in names such as `clock_mhz`."""

import re

_KNOWN = (
    "ns", "us", "µs", "μs", "ms", "s", "min", "h", "Hz", "kHz", "MHz", "GHz",
    "J", "kJ", "mJ", "uJ", "µJ", "nJ", "W", "kW", "mW", "V", "mV", "A", "mA", "°C",
    "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bit", "bits", "byte", "bytes",
    "B/s", "kB/s", "KB/s", "MB/s", "GB/s", "TB/s", "KiB/s", "MiB/s", "GiB/s", "byte/s", "bytes/s",
    "%", "cycle", "cycles", "inst", "instructions", "inst/cycle", "nsecond", "usecond", "msecond", "second",
    "seconds", "hz", "warp", "block", "sector", "thread", "request", "register/thread", "byte/block",
    "Gbyte/second", "Gbyte", "Mbyte", "Kbyte", "cycle/second", "cycle/nsecond", "cycle/usecond",
    "sector/request", "K", "M", "1/s", "ratio",
)  # fmt: skip
KNOWN = frozenset(_KNOWN)

_SUFFIXES = {
    "ns": "ns", "us": "us", "ms": "ms", "sec": "s", "secs": "s", "seconds": "s", "nsec": "ns", "usec": "us",
    "msec": "ms", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz",
    "joules": "J", "mj": "mJ", "uj": "uJ", "kj": "kJ", "watts": "W", "watt": "W", "mw": "mW", "kw": "kW",
    "volts": "V", "mv": "mV", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB",
    "gib": "GiB", "tib": "TiB", "bytes": "bytes", "pct": "%", "percent": "%", "cycles": "cycles",
}  # fmt: skip
_LETTERS = {
    "s": ("s", "time|duration|latency|runtime|walltime|elapsed|delay|overhead"),
    "j": ("J", "energy"),
    "w": ("W", "power|tdp|wattage"),
    "v": ("V", "voltage|vdd"),
    "c": ("°C", "temperature|temp"),
}
_CAMEL = ("Ns", "Us", "Ms", "Sec", "KHz", "MHz", "GHz", "KB", "MB", "GB", "KiB", "MiB", "GiB")

_SNAKE_SUFFIX = re.compile(rf"[^\W_].*[_ .\-]({'|'.join(_SUFFIXES)})$", re.IGNORECASE)
_CAMEL_SUFFIX = re.compile(rf".*[a-z0-9]({'|'.join(_CAMEL)})$")
_LETTER_SUFFIX = re.compile(r"(.*[^\W_].*)[_ .\-]([sjwvc])$", re.IGNORECASE)
_HEADER = re.compile(r"(.*?\S)(\s*)[(\[]\s*([^()\[\]\s]{1,24})\s*[)\]]$", re.DOTALL)


def split_unit(header: str) -> tuple[str, str]:
    """Return (name, unit) of a header: `time (us)` is `("time", "us")`; no unit is "".

    Any single word in brackets at the end is a unit if a space stands before it; without the
    space only a known unit is, so that `f(x)` stays a name.
    """
    found = _HEADER.match(header)
    if not found:
        return header, ""
    name, space, unit = found.groups()
    if unit in KNOWN or (space and is_unit(unit)):
        return name, unit
    return header, ""


def is_unit(text: str) -> bool:
    """Whether a word could be a unit: it holds a letter, %, or degree sign, and begins with no digit."""
    if text in KNOWN:
        return True
    return len(text) <= 24 and bool(re.fullmatch(r"[^\W\d_][\w/^.·²³%\-]*|[%°][\w/]*", text))


def unit_of_name(name: str) -> str:
    """Return the unit that a name's suffix states, as in `kernel_time_us` or `DurationNs`; "" if none."""
    found = _SNAKE_SUFFIX.fullmatch(name) or _CAMEL_SUFFIX.fullmatch(name)
    if found:
        return _SUFFIXES[found.group(1).lower()]
    letter = _LETTER_SUFFIX.fullmatch(name)
    if letter:
        unit, words = _LETTERS[letter.group(2).lower()]
        return unit if re.search(words, letter.group(1), re.IGNORECASE) else ""
    return ""


def stem(name: str) -> str:
    """Return a name without its unit suffix: what it measures."""
    unit = unit_of_name(name)
    if not unit:
        return name
    found = _CAMEL_SUFFIX.fullmatch(name)
    if found and not _SNAKE_SUFFIX.fullmatch(name):
        return name[: found.start(1)]
    return re.sub(r"[_ .\-][^_ .\-]+$", "", name)


_DIMENSIONS = {
    "time": "ns us µs μs ms s min h nsecond usecond msecond second seconds",
    "power": "W kW mW",
    "energy": "J kJ mJ uJ µJ nJ",
    "frequency": "Hz kHz MHz GHz hz 1/s cycle/second cycle/nsecond cycle/usecond",
    "size": "B kB KB MB GB TB KiB MiB GiB TiB bit bits byte bytes Gbyte Mbyte Kbyte byte/block",
    "throughput": "B/s kB/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s byte/s bytes/s Gbyte/second",
    "temperature": "°C",
    "share": "%",
    "ratio": "ratio inst/cycle sector/request register/thread",
    "count": "cycle cycles inst instructions warp block sector thread request K M",
}
_DIMENSION = {unit: name for name, units in _DIMENSIONS.items() for unit in units.split()}
_SPOKEN = (
    ("temperature", "temp|temperature"),
    ("throughput", "throughput|bandwidth|gflops?|mflops?|tflops?|flops|iops|tps|qps|mops|gops"),
    ("power", "power|wattage|watts?"),
    ("energy", "energy|joules?"),
    ("frequency", "freq|frequency|clock|clk|hertz"),
    ("time", "time|runtime|walltime|duration|latency|elapsed|delay|seconds|makespan"),
    ("share", "percent|pct|utili[sz]ation|occupancy|efficiency|rate|share"),
    ("ratio", "ratio|speedup|ipc|cpi|factor|per"),
    ("size", "bytes|memory|footprint|mem|cache"),
)


def dimension(unit: str, name: str = "", *, number: bool = True) -> str:
    """Return what a column's values are: the unit says it, else the name's words, else they are counts.

    One of time, power, energy, frequency, size, throughput, temperature, share, ratio, count, text.
    """
    if not number:
        return "text"
    if unit in _DIMENSION:
        return _DIMENSION[unit]
    if unit:
        return "throughput" if re.search(r"/s(ec(ond)?)?$|flop", unit, re.IGNORECASE) else "ratio"
    words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)).lower()
    return next((what for what, said in _SPOKEN if re.search(rf"\b({said})\b", words)), "count")
