"""Headers in other scripts: their words in English, by which they are then known, and their units."""

import re
from unicodedata import normalize

from core.ingest._vocabulary import by_name, data_of

_DATA = data_of(__package__, "glossary.toml")
_WORDS, _UNITS = by_name(_DATA["words"]), by_name(_DATA["units"])
_KNOWN = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)), re.IGNORECASE)


def in_english(name: str) -> str:
    """Return a name with the words of other scripts in English: `平均延迟` is `mean latency`."""
    if name.isascii():
        return name
    return _KNOWN.sub(lambda found: f" {_WORDS[found[0].lower()]} ", normalize("NFC", name))


def plain_brackets(header: str) -> str:
    """Return a header with brackets and commas as ASCII has them, where it has some of Chinese."""
    return header.translate({0xFF08: "(", 0xFF09: ")", 0xFF0C: ", ", 0x3010: "[", 0x3011: "]"})


def unit_in_english(unit: str) -> str:
    """Return a unit as Ridgeline writes it: `毫秒` and `мс` are `ms`."""
    return _UNITS.get(unit, unit)
