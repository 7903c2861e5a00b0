"""What Sniper says of each core of one run, as names and values of the whole: counts summed, shares in the mean."""

import re
from collections.abc import Sequence
from statistics import mean

from core.ingest.table.dialect import as_float

BY_CORES = re.compile(r"\s{9,}\|(?: Core \d+ +\|)* Core \d+ *\n")
"""The first line of such a file."""
_LASTS = re.compile("cycles|(?:idle )?time", re.IGNORECASE)
"""What passes for all cores at once: the longest counts."""


def cores_of(text: str) -> dict[str, str]:
    """Return the values of a run by name, each behind the heading that it stands under; none of any other text."""
    header = BY_CORES.match(text)
    found: dict[str, str] = {}
    heading = ""
    for line in text[header.end() if header else len(text) :].splitlines():
        name, *cells = (cell.strip() for cell in line.split("|"))
        if texts := [*filter(None, cells)]:
            found[f"{heading} {name}".strip()] = _of_all(name, texts)
        else:
            heading = name
    return found


def _of_all(name: str, texts: Sequence[str]) -> str:
    """Return what the cores' values come to; the first of values that are no numbers."""
    whole = [int(text) for text in texts if text.isdecimal()]
    if len(whole) == len(texts):
        return str(max(whole) if _LASTS.match(name) else sum(whole))
    bare = [text.removesuffix("%") for text in texts]
    numbers = [number for text in bare if (number := as_float(text)) is not None]
    return f"{mean(numbers):.6g}{'%' * (bare[0] != texts[0])}" if len(numbers) == len(texts) else texts[0]
