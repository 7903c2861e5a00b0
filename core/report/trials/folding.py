"""Many sentences to few: those that differ only in the file that they speak of, or in the minute, are said once."""

import re
from collections.abc import Iterable, Sequence

from core.trial import Skipped

_MINUTE = re.compile(r"(?<=\d{4}-\d{2}-\d{2}) \d{2}:\d{2}")
_END = re.compile(r"(?=:|\s|$)")


def folded(sentences: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return each sentence once, those of several files as "a.csv and 499 more: events took turns".

    Parameters
    ----------
    files : names of files, as sentences may begin with; several of one import are joined by " + "
    """
    known = {part for name in files for part in name.split(" + ")}
    groups: dict[str, dict[str, str]] = {}
    for sentence in dict.fromkeys(sentences):
        file = _file(sentence, known)
        rest = sentence[len(file) :]
        groups.setdefault(_MINUTE.sub("", rest), {})[file] = rest
    return [_told(tuple(own), _common(day, own.values())) for day, own in groups.items()]


def folded_skips(skipped: Sequence[Skipped], files: Iterable[str]) -> list[tuple[str, str]]:
    """Return (where, why), one for all places that differ only in the file; other lines stay a row each."""
    known = {part for name in files for part in name.split(" + ")}
    groups: dict[tuple[str, str], list[str]] = {}
    for skip in skipped:
        file = _file(skip.where, known)
        groups.setdefault((skip.where[len(file) :], skip.why), []).append(file)
    found = [(_told(names, rest), why) for (rest, why), names in groups.items()]
    return [(where.strip(), why) for where, why in found]


def _common(day: str, rests: Iterable[str]) -> str:
    """Return what is said of several files: to the minute where it is the same minute, else of that day."""
    different = set(rests)
    return different.pop() if len(different) == 1 else day


def _file(sentence: str, known: set[str]) -> str:
    """Return the known file that a sentence begins with, the longest one, or ""."""
    for end in reversed([found.start() for found in _END.finditer(sentence)]):
        if sentence[:end] in known:
            return sentence[:end]
    return ""


def _told(names: Sequence[str], rest: str) -> str:
    if len(names) == 1:
        return names[0] + rest
    more = f"{len(names) - 1:,} more"
    return f"{names[0]} and {more}{rest}" if rest.startswith(":") or not rest else f"{names[0]} (and {more}){rest}"
