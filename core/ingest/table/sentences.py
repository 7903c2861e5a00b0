"""Logs that tell in sentences: `Running bfs with size 256 on 4 threads took 0.8 ms`, again and again."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, dimension
from core.ingest._vocabulary import vocabulary
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, STAMP, are_all, is_outcome, key

_LEAST, _LONGEST, _WHOLE, _NEARLY = 4, 500, 0.25, 0.8
"""Lines that say the same, characters of one, and which share of all lines they are, and nearly all."""
_FIRST = 200
"""Lines that show what a text is."""
_MOST_TEXTS = 0.5
"""Texts that vary are fewer than so many for each line: others, such as times of day, are left out."""
_NUM = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(_NUM)
_PART = re.compile(rf"\d+(?:[:x/-]\d\w*(?:[.,]\d+)?)+|{_NUM}(?![\w.])|[^\W\d][\w/+-]*(?:\.\w+)*|\d[\w.]*|[^\s\w=:]")
_SMALL = vocabulary("a an and at by for from in is it of on over per running ran run the to took using via was with")
"""Words that name nothing beside them."""
_MEASURED = ("time", "power", "energy", "throughput", "frequency", "size", "temperature", "share")
_COLUMNS = APPLICATION | INPUT | frozenset(MACHINE)
"""What a text is called as a column would be."""
Said = tuple[int, str, str]


def told_in(text: str) -> Iterator[Said]:
    """Yield (line, name, value) of the lines that most often say the same in two words or more, but for what varies.

    A small word or a unit tells a sentence from a row of names and numbers.
    """
    said_in = ((i, own) for i, own in enumerate(text.splitlines(), 1) if own.strip() and len(own) < _LONGEST)
    lines = [(i, _PART.findall(own)) for i, own in said_in]
    alike = by_key((tuple(map(_is_number, parts)), (i, parts)) for i, parts in lines if any(map(_is_number, parts)))
    most = max(alike.values(), key=len, default=[])
    columns = [*zip(*(parts for _, parts in most), strict=True)]
    said = dict(_named(columns, len(most)))
    words = [own[0] for own in columns if own[0][:2].isalpha() and len(own[0]) > 1 and len({*own}) == 1]
    spoken = any(word.lower() in _SMALL for word in words) or any(" " in texts[0] for texts in said.values())
    if spoken and len(words) > 1 < len(said) and len(most) >= max(_LEAST, _WHOLE * len(lines)):
        yield from ((line, name, texts[k]) for k, (line, _) in enumerate(most) for name, texts in said.items())


def _is_number(part: str) -> bool:
    return _NUMBER.fullmatch(part) is not None


def _named(columns: Sequence[tuple[str, ...]], n: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the numbers of a sentence, with their units, and the texts that vary, each with what it is called."""
    names: Counter[str] = Counter()
    beside = ["", *(own[0] if len({*own}) == 1 else "" for own in columns), ""]
    for before, own, after in zip(beside, columns, beside[2:], strict=False):
        if _is_number(own[0]):
            unit = after if after in KNOWN and dimension(after) in _MEASURED else ""
            name = _of_number(_word(before), "" if unit else _word(after), unit)
            texts = tuple(f"{text} {unit}".strip() for text in own)
        elif 1 < len({*own}) <= _MOST_TEXTS * n and not are_all(STAMP, own):
            name, texts = _of_text(before, own[0]), own
        else:
            continue
        names[name] += 1
        yield name if names[name] == 1 else f"{name} {names[name]}", texts


def begins_with_sentences(lines: Sequence[str]) -> bool:
    """Whether nearly all lines, the first among them, say the same: none is a header."""
    said = [*islice(filter(str.strip, lines), _FIRST)]
    if not said or not any(map(_is_number, _PART.findall(said[0]))):
        return False
    told = {line for line, _, _ in told_in("\n".join(said))}
    return 1 in told and len(told) > _NEARLY * len(said)


def _word(text: str) -> str:
    """Return a word that may name what stands beside it; "" for others."""
    return text if text[:1].isalpha() and text.lower() not in _SMALL else ""


def _of_text(before: str, text: str) -> str:
    """Return what a text is called: by the word before it, where a column would be called so, or it is a size."""
    if text[:1].isdigit():
        return _word(before) or "size"
    word = key(_word(before))
    return word if word in _COLUMNS else "benchmark"


def _of_number(before: str, after: str, unit: str) -> str:
    """Return what a number is called: by its outcome, by what is counted behind it, or by the word before it."""
    if unit:
        return before if is_outcome(before) else dimension(unit)
    return after or before or "number"
