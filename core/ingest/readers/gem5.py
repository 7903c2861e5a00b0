"""Statistics files of gem5: one trial per dump of simulation statistics."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from core.errors import count
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import LogReader, lines_of
from core.trial import Kind

_BEGIN = re.compile(rb"^-{3,} Begin Simulation Statistics -{3,}", re.MULTILINE)
_LINE = re.compile(
    r"([A-Za-z_]\S{0,300})\s+(-?nan|-?inf|[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
    r"(?:\s+\d+(?:\.\d+)?%\s+\d+(?:\.\d+)?%)?\s*(?:#\s*(.*))?",
    re.IGNORECASE,
)
_UNIT = re.compile(r".*\(((?:[A-Z][A-Za-z]*|\([A-Z][A-Za-z/]*\))(?:/[A-Z(][A-Za-z/)]*)?)\)\s*")
_SCALED = re.compile(r"\((pJ|nJ|uJ|mJ|mW|uW)\)")
"""Units that descriptions say although the unit at their end is the base unit: the number is in these."""
_BASES = "Second=s Byte=byte Bit=bit Hertz=Hz Watt=W Joule=J Volt=V Tick=tick Cycle=cycle Count= Ratio= Unspecified="
_WORDS = {word: unit for word, _, unit in (text.partition("=") for text in _BASES.split())}
_TICKS = ("simTicks", "sim_ticks")
_FREQUENCY = ("simFreq", "sim_freq")
_FINAL = ("finalTick", "final_tick")
_ROLE = roles_of("gem5")


@dataclass
class Dump:
    """One section of a statistics file: values, and units where the file says them."""

    line: int
    values: dict[str, tuple[float, str]] = field(default_factory=dict)
    ended: bool = False


class Gem5Reader(LogReader):
    """Statistics are counters, simulated seconds the response; what is said of the host is left out."""

    label = "gem5 statistics"
    signs = (_BEGIN,)
    tells = (b"begin simulation statistics",)
    simulated = True

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per dump that is whole."""
        dumps, others = _dumps(lines_of(raw))
        whole = [dump for dump in dumps if dump.ended and dump.values]
        for dump in dumps:
            if dump not in whole:
                why = "a dump without statistics" if dump.ended else "a dump that does not end: the file breaks off"
                builder.skip(f"line {dump.line}", why)
        if not whole:
            raise builder.refused(
                "holds no whole dump of gem5's statistics; the simulation may have been stopped. "
                "Let it end, or have it dump its statistics."
            )
        for number, dump in enumerate(whole, 1):
            _put(builder, dump, f"dump {number}" if len(whole) > 1 else "")
        _warn_of_sums(builder, whole)
        if others:
            builder.skip("all dumps", f"{count(others, 'line')} of distributions, of the host, or of no single number")


def _dumps(lines: Iterable[tuple[int, str]]) -> tuple[list[Dump], int]:
    """Return the dumps, and how many of their lines hold no statistic to take."""
    dumps: list[Dump] = []
    others = 0
    for number, line in lines:
        if line.startswith("---"):
            if " Begin Simulation Statistics " in line:
                dumps.append(Dump(number))
            elif " End Simulation Statistics " in line and dumps:
                dumps[-1].ended = True
        elif dumps and not dumps[-1].ended and line.strip():
            found = _LINE.fullmatch(line.strip())
            if found and _ROLE(found.group(1)).name:
                dumps[-1].values[found.group(1)] = (float(found.group(2)), found.group(3) or "")
            else:
                others += 1
    return dumps, others


def _put(builder: Builder, dump: Dump, input: str) -> None:
    trial = builder.trial("", input=input, where=f"line {dump.line}", execution=input)
    for name, (value, comment) in dump.values.items():
        known = value if value - value == 0 else None
        called, unit, kind = _ROLE(name, _unit(comment))
        if called == TIME:
            builder.put(trial, TIME, _seconds(dump, known), unit, kind)
        elif name not in _FINAL:
            outcome = kind is Kind.COUNTER and unit[-1:] in ("J", "W")
            builder.put(trial, name, known, unit, Kind.RESPONSE if outcome else kind)


def _seconds(dump: Dump, written: float | None) -> float | None:
    """Return the simulated time from ticks, which are exact; seconds are written with six decimals only."""
    ticks, frequency = _first(dump, _TICKS), _first(dump, _FREQUENCY)
    exact = ticks / frequency if frequency > 0 else float("nan")
    return exact if written is None or abs(exact - written) <= 1e-6 + 1e-5 * written else written


def _unit(comment: str) -> str:
    """Return the unit that ends a description, such as "(Cycle/Count)"; "" where a number is a count or a ratio."""
    if scaled := _SCALED.search(comment):
        return scaled.group(1)
    found = _UNIT.fullmatch(comment)
    words: list[str] = re.findall(r"[A-Za-z]+", found.group(1)) if found else []
    if len(words) == 1:
        return _WORDS.get(words[0], words[0])
    if len(words) == 2:
        return f"{_WORDS.get(words[0], words[0].lower()) or '1'}/{_WORDS.get(words[1], words[1].lower()) or 'count'}"
    return ""


def _warn_of_sums(builder: Builder, dumps: list[Dump]) -> None:
    """Warn of dumps that go on counting where the one before stopped."""
    times = [(_first(dump, _TICKS), _first(dump, _FINAL)) for dump in dumps]
    for number, (before, after) in enumerate(pairwise(times), 2):
        if after[0] - before[0] == after[1] - before[1] and before[0] > 0:
            told = f"dump {number} goes on counting from dump {number - 1}, as the statistics were not reset in between"
            builder.note(f"{told}: its numbers hold both.", dumps[number - 1].line)


def _first(dump: Dump, names: tuple[str, ...]) -> float:
    return next((dump.values[name][0] for name in names if name in dump.values), float("nan"))
