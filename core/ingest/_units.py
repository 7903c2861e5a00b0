"""Units in headers such as `time (us)` or `Duration [ns]`, and in names such as `clock_mhz`."""

import re
from collections.abc import Sequence

from core.ingest._glossary import in_english, plain_brackets, unit_in_english
from core.ingest._vocabulary import by_name, data_of, in_order

_DATA = data_of(__package__, "units.toml")
_DIMENSION = by_name(_DATA["dimension"])
ASKED = {what: in_order(units) for what, units in _DATA["asked"].items()}
KNOWN = frozenset(_DIMENSION) | frozenset(by_name(_DATA["others"]))

_LOWERED = in_order("Hz kHz MHz GHz mJ uJ nJ pJ fJ kJ mW kW mV kB MB GB TB KiB MiB GiB TiB bytes cycles kWh")
_SUFFIXES = {unit.lower(): unit for unit in _LOWERED} | by_name(_DATA["spelt"])
_AMOUNTS = "rss|mem|vmsize|bytes|size"

_RATE = re.compile(
    r"([kKMGT]?i?(B|[Bb]ytes?|FLOPS?|flops?|Flops?|ops?|inst|cycles?|it|iter|req|images|tokens|samples|updates|imgs?|toks?|rows|queries|items|LUPS?|lups?|UPS))"
    r"/(s|sec|cycle|W)"
)
_SPEAKING = frozenset(("time", "power", "energy", "frequency", "throughput"))
_WHOLE_UNITS = {name: unit for name, unit in _SUFFIXES.items() if _DIMENSION.get(unit) in _SPEAKING or "/" in unit}
_WHOLE_UNITS |= {"joule": "J", "mlups": "MLUPS", "gups": "GUPS", "us": ""}
_PER_SECOND = re.compile(r"(?:.*[_ .])?([A-Za-z]+?)[_ .]per[_ .]?(?:s|sec|second)", re.IGNORECASE)
_PER_OTHER = re.compile(
    r".*?(?<![^\W\d_])(?!(?:throughput|rate|speed)[_ .])([^\W\d_]+)(?:[_ .][^\W\d_]+)?"
    r"[_ .](?:per|por|par|pro)[_ .]([^\W\d_]{6,}|[mun]s)",
    re.IGNORECASE,
)
"""What is counted in each of another time, in some languages: `cells per microsecond`, `requetes par minute`."""
_THROUGHPUTS = "throughput|bandwidth|tput|thpt|thrpt"
_COUNTED_RATE = re.compile(
    rf"(?:.*[_ .])?(?:{_THROUGHPUTS}|rate|speed)[_ .]([A-Za-z]+)[_ .](?:s|sec|second)", re.IGNORECASE
)
COUNTED = in_order(_DATA["counted"]["words"])
_COUNTED_OVER = re.compile(
    rf"(?:.*[_ .])?({'|'.join(COUNTED)}|(?:transfer|[a-z]+[^\W\d_isu]s)(?=\s*/))"
    r"\s*[_ ./-]\s*(?:s|secs?|second|(?<=/)seconds)",
    re.IGNORECASE,
)
"""What is counted a second, behind a slash also a plural that is not listed: `Requests/sec`, `MB_sec`.

The seconds of several are no rate: `samples_seconds`.
"""
_OVER = re.compile(
    rf"(.*\w)/(?:\w+[_ ])?(?:sec|second)s?|(?:.*[^\w])?(?!(?:{_THROUGHPUTS}|rate|speed)/)([a-z]+)/s", re.IGNORECASE
)
_MULTIPLES = {"k": "k", "kilo": "k", "thousand": "k", "million": "M", "mega": "M", "billion": "G", "giga": "G"}
_MULTIPLE = re.compile(rf"(?<!top)(?:^|[_ .])({'|'.join(_MULTIPLES)})[_ .]$")
"""What stands before a rate's word, as in `k_tokens_per_sec`; a `top_k` is none."""
_TIME_PER = re.compile(
    r"(.*[_ .])?(nsec|usec|msec|secs?|seconds|[num]?s|(?<![^_ .])[num]?j|joules?)(?:[_ .]per[_ .]|/)[a-z]+",
    re.IGNORECASE,
)
"""A time or an energy of each of what was done, such as `ns_per_op`; no rate, which ends in a time."""
_SLASH = re.compile(r"(.*\w)\s*/\s*([^/\s()\[\]]{1,12})", re.DOTALL)
_COMMA = re.compile(r"(.*\w)\s*[,;]\s+([^,;\s()\[\]]{1,12})", re.DOTALL)
_SNAKE_SUFFIX = re.compile(rf"(?!(?:.*[_ .])?ed2?p[_ .])[^\W_].*(?<!per)[_ .\-]({'|'.join(_SUFFIXES)})$", re.IGNORECASE)
"""A product of energy and delay is in neither's unit: not `edp_uJ_ms`."""
_HUMP = re.compile(r"(?:(?<=[a-z\d]{2})|(?<=^[a-z]))(?=[A-Z])")
"""Where another word begins, as in `elapsedCycles`, and none in `mW`, `kHz` and `MiB`."""
_OF_A_VALUE = re.compile(r".*[=@ ][\d.]+[A-Za-z]+")
"""What stands directly behind a value is that value's: not `FC=250MHz`."""
_THROUGHPUT = re.compile(rf"({_THROUGHPUTS})[_ .\-]?$", re.IGNORECASE)
"""What is in no seconds, but in something each, as `throughputNanos` and `throughput_ms`."""
_RATE_FIRST = re.compile(
    r"([MGT]flops)[_ .\-](?!.*(per|ratio|eff|speed|gain|pct|percent|share|frac|err))[a-z\d_ .\-]+", re.IGNORECASE
)
"""Whose rate is said behind it, as in `gflops_seq`."""
_AMID = re.compile(r"((?:.*[^\W_]{2}[_ ])?)([num]s)[_ ](\d+|(?<=^[nm]s_)[^\W\d]\w*)|seconds[ _].*", re.IGNORECASE)
"""A unit of time before what was timed, or before a size: `ms_jacobi_seq`, `infer_ms_224`."""
_LETTER_SUFFIX = re.compile(r"([\W_]*[^\W_].*)[_ .\-]([sjwvc])$", re.IGNORECASE)
_SECONDS = re.compile(
    r"(?!.*(?:rate|speed|throughput|bandwidth|req|img|tok|msg|frame|[kmg]i?b)_s$).*[^\W_]{2}(?<!s)_s", re.IGNORECASE
)
"""Ends in `_s` behind a word of two letters or more that is no plural and no rate."""
OF_TOKENS = re.compile(_DATA["of_tokens"], re.IGNORECASE)
"""What a table of language models speaks of, whose `tps` are tokens and no transactions."""
_BITS = re.compile(r"(?:.*[a-z\d_ .-])?([MGT])bps")
_WATTS = re.compile("(?:[cg]pu|board|card)_w", re.IGNORECASE)
_OF_NETWORKS = re.compile(
    r"(^|[^a-z])(rtt|jitter|(?<!pcie.)link|retrans(mits?)?|retx|ping|mtu|loss_(pct|percent|rate)|packet_?loss)([^a-z]|$)",
    re.IGNORECASE,
)
"""What a table of networks speaks of, whose `mbps` are bits and no bytes, as those that are written `Mbps`."""
_STATISTICS = (
    r"stat|avg|mean|average|median|med|sum|total|min|max|std|stddev|stdev|est|ci\d\d|p\d\d|percentile[_ .][\d.]+"
)
_BEHIND = re.compile(
    rf"(.*\S)\s*[(\[]\s*([^()\[\]\s]{{1,24}})\s*[)\]]:?(\.\d|(?:\s+[(\[]?(?:{_STATISTICS})[)\]]?)+)", re.IGNORECASE
)
_STATISTIC = re.compile(
    rf"(.+?)([_ .\-](?:{_STATISTICS})|(?-i:(?<=[a-z])(?:Avg|Average|Mean|Median|Min|Max|Total|P\d\d+)))", re.IGNORECASE
)
_COUNTED = re.compile(r"(?:.*\W)?(core|thread|node|socket|rank|task|worker|device|gpu|file|block)", re.IGNORECASE)
"""What `(s)` stands behind as the end of a plural, as in `Core(s) per socket`."""
_REMARK = re.compile(r"(?i:[a-z]{2,}(?:al|[^e]ed)|est(?:/\w+)?|(?:bf|t?f|fp|u?int)\d+)")
"""A word in brackets that is no unit, as `experimental`, `Measured` and `FP16`."""
_OF_WHAT = re.compile(r"(.*\S\s*\((?!in )[A-Za-z][\w-]*) ([^\W\d_]{2,4})\)")
"""A unit behind what was timed, as in `Latency (TTFT ms)`."""
_HEADER = re.compile(r"(.*?\S)(\s*)[(\[]\s*(?:in\s+)?([^()\[\]\s]{1,24})\s*[)\]]$", re.DOTALL)


def split_unit(header: str) -> tuple[str, str]:
    """Return (name, unit) of a header: `time (us)` is `("time", "us")`; no unit is "".

    Any single word in brackets at the end is a unit if a space stands before it; without the
    space only a known unit is, so that `f(x)` stays a name.
    """
    if not header.isascii() and (plain := plain_brackets(header)) != header:
        name, unit = split_unit(plain)
        return (name, unit) if unit else (header, "")
    behind = _BEHIND.fullmatch(header)
    if behind and (behind.group(2) in KNOWN or _is_rate(behind.group(2))):
        return f"{behind.group(1)}{behind.group(3)}", behind.group(2)
    if (told := _OF_WHAT.fullmatch(header)) and _DIMENSION.get(told[2]) in _SPEAKING and told[2] != "min":
        return f"{told[1]})", told[2]
    if not (found := _HEADER.match(header)):
        return _behind_slash(header)
    name, space, unit = found[1], found[2], unit_in_english(found[3])
    if unit == "s" and not space and _COUNTED.fullmatch(name):
        return header, ""
    if unit not in KNOWN and (own := unit_of_name(name) or split_unit(name)[1]):
        return header, own
    unit = _spelt(unit, name)
    if unit not in KNOWN and name.endswith("ycles"):
        return header, "cycles"  # of whose in brackets
    spoken = (space and not _REMARK.fullmatch(unit)) or _is_rate(unit)
    return (name, unit) if unit in KNOWN or (spoken and is_unit(unit)) else (header, "")


def _spelt(unit: str, name: str) -> str:
    """Return a unit in brackets as others write it where only its case is unknown: `TIME(S)`, `size (kb)`."""
    if unit in KNOWN:
        return _SUFFIXES.get(unit, unit) if _DIMENSION.get(unit) in ("power", "energy") else unit
    known, words = _DATA["letters"].get(unit.lower(), ("", ""))
    return known if known and re.search(words, name, re.IGNORECASE) else _SUFFIXES.get(unit.lower(), unit)


def _is_rate(unit: str) -> bool:
    return "/" in unit and dimension(unit) in ("time", "throughput")


def _behind_slash(header: str) -> tuple[str, str]:
    """Return the same of `time/ms`, `power / W` or `time, ms`; a rate such as `GB/s` is its own unit."""
    found = _SLASH.fullmatch(header) or _COMMA.fullmatch(header)
    if not found or unit_in_english(found.group(2)) not in KNOWN or _RATE.search(header) or found.group(1) in KNOWN:
        return header, ""
    name, unit = found[1], unit_in_english(found[2])
    near = unit in ("sec", "second") and f"{name}/{unit}" in header  # as in `itr/sec`, but not in `solve / sec`
    short = near or unit in ("s", "h", "K", "M", "min", "B", "J", "W", "V", "A", "C") or _COUNTED_OVER.fullmatch(header)
    return (header, "") if short and dimension("", name) != dimension(unit) else (name, unit)


def is_unit(text: str) -> bool:
    """Whether a word could be a unit: it holds a letter, %, or degree sign, and begins with no digit."""
    if text in KNOWN:
        return True
    return len(text) <= 24 and bool(re.fullmatch(r"[^\W\d_][\w/^.·²³%\-]*|[%°][\w/]*", text))


def unit_of_name(name: str) -> str:
    """Return the unit that a name's suffix states, as in `kernel_time_us` or `DurationNs`; "" if none."""
    if bits := _BITS.fullmatch(name):
        return f"{bits.group(1)}bit/s"
    leading = _RATE_FIRST.fullmatch(name)
    if whole := _WHOLE_UNITS.get((leading.group(1) if leading else name).lower()):
        return whole
    if rate := _RATE.search(name):
        return rate.group(0)
    snakes = _in_snakes(name)
    if each := _TIME_PER.fullmatch(name) or _TIME_PER.fullmatch(snakes):
        word = each.group(2).lower()
        return _SUFFIXES.get(word, "J" if word == "j" else "s")
    name = snakes
    if per := _PER_SECOND.fullmatch(name) or _COUNTED_RATE.fullmatch(name) or _COUNTED_OVER.fullmatch(name):
        many = _MULTIPLE.search(name[: per.start(1)].lower())
        prefix = _MULTIPLES[many.group(1)] if many else ""
        return prefix + _SUFFIXES.get(f"{per.group(1)}_s".lower(), f"{per.group(1)}/s")
    if over := _OVER.fullmatch(name):
        return f"{over[1] or over[2]}/s"
    if amid := _AMID.fullmatch(name):
        return (amid[2] or "s").lower()
    if found := _SNAKE_SUFFIX.fullmatch(name):
        unit = _SUFFIXES[found.group(1).lower()]
        return "" if _DIMENSION.get(unit) == "time" and _THROUGHPUT.search(name[: found.start(1)]) else unit
    if letter := _LETTER_SUFFIX.fullmatch(name):
        unit, words = _DATA["letters"][letter.group(2).lower()]
        return unit if re.search(words, letter.group(1), re.IGNORECASE) else ""
    statistic = _STATISTIC.fullmatch(name)
    return unit_of_name(statistic.group(1)) if statistic else _per_time(name)


def _in_snakes(name: str) -> str:
    """Return `elapsedCycles` as `elapsed_Cycles`."""
    return name if _OF_A_VALUE.fullmatch(name) else _HUMP.sub("_", name)


def _per_time(name: str) -> str:
    """Return the unit of a rate over a time that is spelt out, in the singular too: `cells/us`; "" of other names."""
    each = _PER_OTHER.fullmatch(name)
    spelt = (_SUFFIXES.get(f"{each.group(2).lower()}{end}", "") for end in ("", "s", "n")) if each else ()
    return next((f"{each[1]}/{unit}" for unit in spelt if each and _DIMENSION.get(unit) == "time"), "")


def units_of_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the unit that each name of a header states; `serial_s` is in seconds where others show that `_s` is that.

    They show it where one of them says so itself, as `mean_s` does, or two end alike and none says any unit; what
    holds a plural, as `ops_s` does, is a rate, as is `docs_s` beside `docs`. What `tps` counts is tokens where others
    speak of these, `mbps` are bits in a table of networks, and `gpu_w` is a power beside a temperature.
    """
    counted = {f"{name}_s": f"{name}/s" for name in names if name.endswith("s")}
    units = tuple(counted.get(name) or unit_of_name(name) for name in names)
    if any(map(OF_TOKENS.search, names)):
        units = tuple("tokens/s" if unit == "transactions/s" else unit for unit in units)
    if any(map(_OF_NETWORKS.search, names)):
        small = [name.endswith("bps") for name in names]
        units = tuple(unit.replace("B/", "bit/") if bits else unit for bits, unit in zip(small, units, strict=True))
    if "°C" in units:
        units = tuple("W" if _WATTS.fullmatch(name) else unit for name, unit in zip(names, units, strict=True))
    bare = [_SECONDS.fullmatch(name) is not None and not unit for name, unit in zip(names, units, strict=True)]
    said = any(unit == "s" and name[-2:] in ("_s", "_S") for name, unit in zip(names, units, strict=True))
    if not said and (sum(bare) < 2 or any(units)):
        return units
    return tuple("s" if own else unit for own, unit in zip(bare, units, strict=True))


def letter_fits(letter: str, name: str) -> bool:
    """Whether a name speaks of what a single letter behind numbers is a unit of, as memory of K and time of s."""
    return bool(re.search(_DATA["letters"].get(letter.lower(), ("", _AMOUNTS))[1], name, re.IGNORECASE))


def stem(name: str) -> str:
    """Return a name without its unit, which stands at its end or before the word of a statistic: what it measures."""
    if not unit_of_name(name):
        return name[:-2] if _SECONDS.fullmatch(name) else name
    if each := _TIME_PER.fullmatch(name):
        return f"{each.group(1) or ''}{'energy' if 'j' in each.group(2).lower() else 'time'}"  # a `J`, or joules
    if (amid := _AMID.fullmatch(name)) and amid[2]:
        return amid[1] + amid[3]
    if statistic := _STATISTIC.fullmatch(name):
        return stem(statistic.group(1)) + statistic.group(2)
    if "_" not in name and name != (snakes := _in_snakes(name)):
        return stem(snakes).replace("_", "")
    name = _in_snakes(name)
    return re.sub(r"[_ .\-][^_ .\-]+$", "", name)


_A_TIME = r"/([mun]?s|sec|second|min|h)$|flop(?!s?/b)|[bu]ps$|ops$"
"""How units of a rate end."""
PERCENTILE = re.compile(r"[pP]\d\d+(\.\d+)?|\d{1,3}(\.\d+)?%")
_BARE_TIMES = re.compile("|".join(in_order(_DATA["bare_times"]["forms"])))


def dimension(unit: str, name: str = "", *, number: bool = True) -> str:
    """Return what a column's values are: the unit says it, else the name's words, else they are counts.

    One of time, power, energy, frequency, size, throughput, temperature, voltage, area, share, ratio, count, text.
    """
    if not number:
        return "text"
    if unit in _DIMENSION:
        return _DIMENSION[unit]
    if unit:
        if re.match("[mun]?s/", unit):
            return "time"
        spelt = _SUFFIXES.get(unit.lower(), unit)  # `[fps]` are frames/s
        return "throughput" if re.search(_A_TIME, spelt, re.IGNORECASE) else "ratio"
    words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", in_english(name))).lower()
    if _BARE_TIMES.fullmatch(words) or PERCENTILE.fullmatch(name):
        return "time"
    return next((what for what, said in _DATA["spoken"].items() if re.search(rf"\b({said})\b", words)), "count")


_BETTER = {which: frozenset(in_order(words)) for which, words in _DATA["better"].items()}


def more_is_better(unit: str, name: str, what: str = "") -> bool:
    """Whether high values of an outcome are good, where nobody has said so: of rates, and what is but a number.

    Parameters
    ----------
    what : its dimension, where that is known better than by unit and name
    """
    what, words = what or dimension(unit, name), {*re.findall(r"[a-z]+", in_english(name).lower())}
    if what in ("share", "ratio"):
        return bool(words & _BETTER["more"])
    return what in ("throughput", "frequency") or (what == "count" and not unit and not words & _BETTER["less"])
