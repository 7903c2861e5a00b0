"""Tables that benchmark programs print: Google Benchmark's, pytest-benchmark's and PyTorch's, drawn, JMH's, Go's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from core.ingest.table.markdown import DocumentTable, titled_above

_DRAWN = r"[ \t]*[-=]{6,}(?: [^-=\n]+ [-=]{6,})?[ \t]*"
_JMH = r"[ \t]*Benchmark .*\bScore +Error +Units"
_SCORE = (
    r"[ \t]*([\w.$:]+)[ \t]+(thrpt|avgt|sample|ss)[ \t]+(\d+)[ \t]+([\d.,]+) ±[ \t]+([\d.,]+)[ \t]+([\w.]+/\w+)[ \t]*"
)
_GO = r"Benchmark(\S+?)(?:-(\d+))?[ \t]+(\d+)[ \t]+([\d.]+ \S+(?:[ \t]+[\d.]+ \S+)*)[ \t]*"
_EACH = r"[ \t]*[-=]{2,}(?:[ \t]+[-=]{2,})+[ \t]*"
_FRAME = r"[ \t]+[^\s\d][^\n]*\n0[ \t]+\S[^\n]*"
_TORCH = r"\[-+ (\S.*?) -+\]"
PRINTED = re.compile(
    rf"(?m)^(?:{_EACH}|{_FRAME}|{_DRAWN}\r?\n(?>[^|\n]*?\S {{2,}}\S)[^|\n]*\n{_DRAWN}"
    rf"|{_JMH}[ \t]*|{_SCORE}|{_GO}|{_TORCH})\r?$".encode()
)
"""What a text holds that may have such a table."""
_LINE, _SCORES, _OF_GO, _UNDERLINED, _COMPARED, _BARE_SCORE = map(
    re.compile, (_DRAWN, _JMH, _GO, _EACH, _TORCH, _SCORE)
)
_SECTION, _IN_UNIT = re.compile(r"(\d+) threads?: -+"), re.compile(r"Times are in \w+ \((\w+)\)\.")
_APART = re.compile(r" {2,}|\t+")
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?")
_RELATIVE = re.compile(r"([\d.,]+) \([\d.,>]+\)")
"""pytest-benchmark's number, and how many times the smallest it is."""
_TIME_IN = re.compile(r"(.+) \(time in (\w+)\)")
_FENCE = "```"
_ENDS = ("Mode", "Cnt", "Score", "Error", "Units")
"""JMH's columns behind its parameters."""
_NONE = "N/A"
"""What JMH writes for a parameter that a benchmark has not."""


def printed_tables(text: str) -> list[DocumentTable]:
    """Return the tables of a text that a benchmark program printed."""
    lines = text.splitlines()
    found = [*_of_go(lines), *_of_torch(lines), *_underlined(lines), *_frames(lines)]
    scored: list[DocumentTable] = []
    for at, line in enumerate(lines):
        drawn = 0 < at < len(lines) - 1 and all(map(_LINE.fullmatch, lines[at - 1 : at + 2 : 2]))
        scores = bool(_SCORES.match(line))
        if scores or (drawn and len(_apart(line)) > 1 and not _LINE.fullmatch(line)):
            names = line.split() if scores else _apart(line)
            rows = _with_numbers([*_rows(lines, at + 1 + drawn, len(names), scores=scores)])
            if len(rows) > 1:
                table = DocumentTable(at + 1, _named(names), rows, titled_above(lines[:at]), printed=True)
                (scored if scores else found).append(table)
    return [*found, *(_of_one_kind(scored) if scored else _of_scores(lines))]


def _of_one_kind(tables: Sequence[DocumentTable]) -> list[DocumentTable]:
    """Return JMH's tables with the names of all of them: a benchmark has no value of another one's parameters."""
    parameters = dict.fromkeys(name for table in tables for name in table.names[1 : -len(_ENDS)])
    names = [tables[0].names[0], *parameters, *tables[0].names[-len(_ENDS) :]]
    wide = []
    for table in tables:
        told = ((line, dict(zip(table.names, cells, strict=True))) for line, cells in table.rows)
        wide.append(replace(table, names=names, rows=tuple((i, [own.get(n, _NONE) for n in names]) for i, own in told)))
    return wide


def _of_scores(lines: Sequence[str]) -> list[DocumentTable]:
    """Return JMH's scores that stand below no names."""
    found = [(i, [*own.groups()]) for i, line in enumerate(lines, 1) if (own := _BARE_SCORE.fullmatch(line))]
    names = ["Benchmark", *_ENDS]
    return [DocumentTable(found[0][0], names, tuple(found), "", printed=True)] if len(found) > 1 else []


def _of_go(lines: Sequence[str]) -> list[DocumentTable]:
    """Return what Go's benchmarks print as a table: the name, on how many processors, and values by their units."""
    found = [(i, own) for i, line in enumerate(lines, 1) if (own := _OF_GO.fullmatch(line.rstrip()))]
    if len(found) < 2:
        return []
    said = [{unit: value for value, unit in re.findall(r"([\d.]+) (\S+)", own[4])} for _, own in found]
    units = [*dict.fromkeys(unit for own in said for unit in own)]
    values = ([told.get(unit, "") for unit in units] for told in said)
    rows = [(i, [own[1], own[2] or "1", own[3], *more]) for (i, own), more in zip(found, values, strict=True)]
    return [DocumentTable(found[0][0], ["benchmark", "procs", "iterations", *units], tuple(rows), "", printed=True)]


def _of_torch(lines: Sequence[str]) -> list[DocumentTable]:
    """Return what PyTorch's `Compare` prints, one table below the other, as one with a row for each time."""
    found: list[tuple[int, list[str]]] = []
    title, threads, names = "", "", list[str]()
    for i, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("  |")]
        if begins := _COMPARED.fullmatch(line.strip()):
            title, names = begins[1], []
        elif section := _SECTION.fullmatch(line.strip()):
            threads = section[1]
        elif unit := _IN_UNIT.fullmatch(line.strip()):
            found = [(at, [*own[:-1], own[-1] if " " in own[-1] else f"{own[-1]} {unit[1]}"]) for at, own in found]
        elif title and len(cells) > 1 and not cells[0]:
            names = cells[1:]
        elif len(cells) == len(names) + 1 > 1:
            times = zip(names, cells[1:], strict=True)
            found += [(i, [title, cells[0], threads, name, time.split()[0]]) for name, time in times if time]
    told = tuple(row for row in found if " " in row[1][-1])
    sized = all(own[3].isdecimal() for _, own in told)
    names = ["benchmark", "case", "threads", "size" if sized else "implementation", "time"]
    return [DocumentTable(told[0][0], names, told, "", printed=True)] if len(told) > 1 else []


def _underlined(lines: Sequence[str]) -> Iterator[DocumentTable]:
    """Yield the tables below lines that are drawn column by column, as tabulate and IOR do; cells may be empty."""
    for at in range(1, len(lines)):
        drawn = [*re.finditer("[-=]+", lines[at])] if _UNDERLINED.fullmatch(lines[at]) else []
        starts = [0, *(own.start() for own in drawn[1:])]
        names = _below(lines[at - 1], starts) if drawn else []
        ended = (i for i in range(at + 1, len(lines)) if not lines[i].strip() or _UNDERLINED.fullmatch(lines[i]))
        rows = [(i + 1, _below(lines[i], starts)) for i in range(at + 1, next(ended, len(lines)))] if names else []
        whole = [(i, cells) for i, cells in rows if sum(map(bool, cells)) > 1]
        if all(names) and len(whole) > 1 and any(_NUMBER.fullmatch(cell) for cell in whole[0][1]):
            yield DocumentTable(at, names, (*whole,), titled_above(lines[: at - 1]), printed=True)


def _frames(lines: Sequence[str]) -> Iterator[DocumentTable]:
    """Yield the frames that pandas printed: below names that stand to the right, rows that are numbered from 0 on."""
    for at in range(len(lines) - 2):
        width = len(lines[at + 1].split()) - 1 if lines[at][:1].isspace() else 0
        names = next((own for own in (_apart(lines[at]), lines[at].split()) if len(own) == width), [])
        if not names or any(map(_NUMBER.fullmatch, names)):
            continue
        words = enumerate(lines[i].split() for i in range(at + 1, len(lines)))
        rows = [own for i, own in takewhile(lambda row: row[1][:1] == [str(row[0])], words)]
        if len(rows) > 1 and all(len(own) == width + 1 for own in rows):
            cells = tuple((i, own[1:]) for i, own in enumerate(rows, at + 2))
            yield DocumentTable(at + 1, names, cells, titled_above(lines[:at]), printed=True)


def _below(line: str, starts: Sequence[int]) -> list[str]:
    """Return the cells of a line by where columns begin; where a word stands across, its words or what blanks part."""
    words = line.split()
    across = any(line[start - 1 : start].strip() for start in starts[1:])
    if across or len(words) == len(starts):
        return next((cells for cells in (words, _apart(line)) if len(cells) == len(starts)), [])
    return [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def _rows(lines: Sequence[str], start: int, width: int, *, scores: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each row down to a blank or drawn line; lines with other cells, of errors, are none.

    Of JMH's scores those of a single run have neither a count nor an error.
    """
    for i, line in enumerate(lines[start:], start):
        if _LINE.fullmatch(line) and _goes_on(lines, i + 1, width):
            continue
        if not line.strip() or line.startswith(_FENCE) or _LINE.fullmatch(line):
            return
        line = line.replace(" ± ", "   ")  # JMH's error has a column of its own
        cells = _apart(line)
        words = line.split()
        if scores and len(words) == width - 2:
            cells = [*words[:-2], "", words[-2], "", words[-1]]
        elif len(cells) != width:
            cells = _joined(words, width)
        if len(cells) == width:
            yield i + 1, [_RELATIVE.sub(r"\1", cell) for cell in cells]


def _goes_on(lines: Sequence[str], at: int, width: int) -> bool:
    """Whether two rows of a table stand below a line that was drawn: neither the names of another nor its sum."""
    below = [_apart(own) for own in lines[at : at + 2]]
    return [*map(len, below)] == [width] * 2 and not any(map(_LINE.fullmatch, lines[at : at + 2]))


def _with_numbers(rows: Sequence[tuple[int, list[str]]]) -> tuple[tuple[int, list[str]], ...]:
    """Return rows without sentences of as many words between them, which begin no more than one cell with a digit."""
    numbers = [sum(cell[:1].isdigit() for cell in cells[1:]) for _, cells in rows]
    return tuple(row for row, n in zip(rows, numbers, strict=True) if n > 1 or n == max(numbers))


def _apart(line: str) -> list[str]:
    return _APART.split(line.strip())


def _joined(words: Sequence[str], width: int) -> list[str]:
    """Return the words of a row, units with their numbers."""
    cells: list[str] = []
    for word in words:
        unit = cells and len(words) > width and _NUMBER.fullmatch(cells[-1]) and not _NUMBER.fullmatch(word)
        cells[-1:] = [f"{cells[-1]} {word}"] if unit else [*cells[-1:], word]
    return cells


def _named(names: Sequence[str]) -> list[str]:
    """Return names without the brackets of JMH's parameters, with the unit that pytest-benchmark says once for all."""
    unit = _TIME_IN.fullmatch(names[0])
    bare = [name.removeprefix("(").removesuffix(")") if name.startswith("(") else name for name in names]
    times = ("Min", "Max", "Mean", "StdDev", "Median", "IQR")
    return [unit[1], *(f"{name} ({unit[2]})" if name in times else name for name in bare[1:])] if unit else bare
