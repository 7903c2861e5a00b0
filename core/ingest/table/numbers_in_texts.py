"""Numbers that stand in texts: at the end of names, as extents, in units of their own, as durations, sizes, prices."""

import ast
import json
import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from decimal import Decimal

from core.codec import IntArray
from core.ingest._units import KNOWN, dimension, letter_fits
from core.ingest.names import NO_RESULT, is_there
from core.ingest.readers._base_units import ratio, scale_of
from core.ingest.recognition.words import (
    WORDS,
    forms,
    is_counter,
    is_input,
    is_outcome,
    is_parallel,
    is_setting,
    tokens,
)
from core.ingest.table.cells import Cells
from core.ingest.table.commands import settings_of
from core.ingest.table.shape import MOST_ROWS, PLAIN_NUMBER, Shaped

_LOOKED_AT, _LONGEST = 1_000, 2_000
"""Cells that show whether a column has such texts, and characters of a dictionary."""
_ARGUMENT = re.compile(r"/(?:(\w+)[:=-])?(\d+(?:\.\d+)?)(?=/|$)")
_VARIANT = re.compile(r" %([A-Za-z_][\w.]*)=(\S+)")
_CASES = 3
"""Arguments with which one benchmark runs where another one takes none."""
_LEVELED = re.compile(r"(?<=\w) -(\d+)$")
"""How hard a program that compresses tries, as in `zstd 1.5 -19`."""
_IN_BRACKETS = re.compile(r"[^\[\]]+\[[^\[\]]+\]")
_LETTERED = re.compile(r"[_\-/ (<,]+(?:([A-Za-z]+)[=:]?(\d+)|(\d+)([A-Za-z]*))(?=[_\-/ ()<>,]|\.[A-Za-z]|$)")
"""A setting in a name, as those of `gemm_M64_N512` and `bfs-256-4t`."""
_CROSSED = re.compile(r"(?<=[_\-/ (<,])(?:\d+(?:[xX]\d+)+|(?:[A-Za-z]{1,2}\d+){2,})(?=[_\-/ ()<>,]|$)")
_BETWEEN = re.compile(r"(?<=\d)(?:[xX](?=\d)|(?=[A-Za-z]))")
_TYPES = frozenset({"fp", "bf", "tf", "int", "uint", "float"})
"""What data types are called before their bits."""
_TOKENS = re.compile(r"(?:pp|tg) ?[1-9]\d*", re.IGNORECASE)
_ENDING = re.compile(r"(.*[^\W_])[_\- ]([A-Za-z]{0,2})([1-9]\d*)(?:\.\w+|[_-](?:run|rep)\d+)?")


def take_numbers(shaped: Shaped) -> Shaped:
    """Take the numbers that stand in texts: at the end of names, in units of their own, as extents, or as `serial`."""
    named = _leave_limits(_take_threads(_take_arguments(_take_variants(_take_commands(shaped)))))
    found = _take_extents(_take_units_of_cells(_with_units_beside(named)))
    same = [*map(id, found.columns)] == [*map(id, shaped.columns)]
    return shaped if same else replace(found, written=shaped.columns)


def _take_commands(shaped: Shaped) -> Shaped:
    """Leave of commands that differ in numbers their programs, and take what differs as columns of its own.

    They have options, or stand beside the times of a user and the system.
    """
    columns, added = list(shaped.columns), dict[str, tuple[Cells, int]]()
    timed = {"user", "system"} <= {*map(str.lower, shaped.header)}
    small = len(shaped.lines) <= MOST_ROWS
    for i, name in enumerate(shaped.header):
        codes, texts = columns[i].encoded() if small and name.strip().lower() in WORDS["commands"] else ((), ())
        given = settings_of([*texts]) if timed or all(" -" in text for text in texts) else {}
        said = {n: [own[code] for code in codes] for n, own in given.items()}
        new = {n: own for n, own in said.items() if n != "program" and not _are_there(own, shaped)}
        new = {n if is_setting(n) or is_input(n) else f"options.{n}": own for n, own in new.items()}
        if new and new.keys().isdisjoint({*shaped.header}):
            columns[i] = Cells.of(said["program"])
            added |= {n: (Cells.of(own), shaped.places[i]) for n, own in new.items()}
    return _with_columns(replace(shaped, columns=tuple(columns)), added)


def _take_variants(shaped: Shaped) -> Shaped:
    """Take the settings of names such as `StreamTest %num_threads=4`, as ReFrame writes them, as columns."""
    columns, added = list(shaped.columns), dict[str, tuple[Cells, int]]()
    for i, cells in enumerate(shaped.columns):
        if not (0 < len(cells) <= MOST_ROWS and _VARIANT.search(cells[0])):
            continue
        codes, texts = cells.encoded()
        found = [dict(_VARIANT.findall(text)) for text in texts]
        if all(own.keys() == found[0].keys() for own in found) and found[0].keys().isdisjoint({*shaped.header}):
            columns[i] = Cells.coded(codes, [_VARIANT.sub("", text) for text in texts])
            new = {name: Cells.coded(codes, [own[name] for own in found]) for name in found[0]}
            added |= {name: (own, shaped.places[i]) for name, own in new.items()}
    return _with_columns(replace(shaped, columns=tuple(columns)), added)


def _take_arguments(shaped: Shaped) -> Shaped:
    """Take the numbers at the end of names such as `sort/1024` and `sort/1024/threads:8` as columns of their own."""
    columns, added = list(shaped.columns), dict[str, tuple[Cells, int]]()
    for i, name in enumerate(shaped.header):
        own = name.strip().lower()
        told = {own, *({own.removesuffix("_name")} - WORDS["machine"])} & WORDS["cases"] or "compressor" in own
        named = told and 1 < len(shaped.lines) <= MOST_ROWS
        texts = _slashed(columns[i].texts() if named else (), {*map(str.lower, shaped.header)})
        found = [_ARGUMENT.findall(text) for text in texts]
        called = Counter(tuple(key or f"argument {k + 1}" for k, (key, _) in enumerate(own)) for own in found)
        stems = Counter(_ARGUMENT.sub("", text) for text in {*texts} if _ARGUMENT.search(text))
        if max(stems.values(), default=0) >= _CASES:
            called.pop((), None)  # what runs beside these without an argument has none
        names = max(called, key=len, default=())
        several = len(called) == 1 or min(called.values(), default=0) > 1
        if names and several and all(own and own == names[: len(own)] for own in called):
            columns[i] = Cells.of([_ARGUMENT.sub("", text) for text in texts])
            numbers = ([row[k][1] if k < len(row) else "" for row in found] for k in range(len(names)))
            new = {own: texts for own, texts in zip(names, numbers, strict=True) if not _are_there(texts, shaped)}
            added |= {own: (Cells.of(texts), shaped.places[i]) for own, texts in new.items()}
        elif name.lower() in WORDS["cases"] and (parts := _crossed_endings(texts)):
            columns[i] = Cells.of([own for own, _, _ in parts])
            word, *others = dict.fromkeys(columns[i].texts())
            number = f"{name} {parts[0][1] or 'number'}" if others else word
            added[number] = (Cells.of([digits for *_, digits in parts]), shaped.places[i])
    return _with_columns(replace(shaped, columns=tuple(columns)), added)


def _are_there(texts: Sequence[str], shaped: Shaped) -> bool:
    """Whether a column holds these texts already, as `param:n` does for `test_sort[100]`."""
    return any(cells[0] == texts[0] and [*cells.texts()] == texts for cells in shaped.columns)


def _slashed(texts: Sequence[str], there: Set[str]) -> Sequence[str]:
    """Return `sort[1-2]` as `sort/1/2`, `lz4 -3` as `lz4/level:3`, `mul_M64_N512`, `mul_M64N512` as `mul/M:64/N:512`.

    Two settings at least differ, which stand in all such names in one order, and no column is called like one. Where
    several are called nothing, as in `mul_64_512` and `mul_64x512`, the names before them come again. Data types, as in
    `mul_64_512_bf16`, stay in the name where there are several kinds.
    """
    if any(map(_LEVELED.search, texts)):
        return [_LEVELED.sub(r"/level:\1", text) for text in texts]
    if all(map(_IN_BRACKETS.fullmatch, texts)):
        parts = (text.removesuffix("]").partition("[") for text in texts)
        return ["/".join([name, *cases.split("-")]) for name, _, cases in parts]
    every = dict.fromkeys(texts)  # most stand in many rows
    apart = {text: _CROSSED.sub(lambda own: _BETWEEN.sub("_", own[0]), text) for text in every}
    of_text = {text: [*_LETTERED.finditer(own)] for text, own in apart.items()}
    if len(_TYPES & {(own[1] or "").lower() for of_one in of_text.values() for own in of_one}) > 1:
        of_text = {t: [own for own in found if (own[1] or "").lower() not in _TYPES] for t, found in of_text.items()}
    found = [of_text[text] for text in texts]
    n = min(map(len, found), default=0)
    settings = [[(own[1] or own[4] or "", own[2] or own[3]) for own in of_one[len(of_one) - n :]] for of_one in found]
    called = {tuple(key.lower() for key, _ in of_one) for of_one in settings}
    varied = sum(len({*numbers}) > 1 for numbers in zip(*settings, strict=True))
    if len(called) > 1 or varied < 2:
        return texts
    keys = [*filter(None, next(iter(called)))]
    if len({*keys} - there) < len(keys):
        return texts
    names = [_without(apart[text], of_one[len(of_one) - n :]) for text, of_one in zip(texts, found, strict=True)]
    if n - len(keys) > 1 and 2 * len({*names}) > len(names):
        return texts
    said = ("".join(f"/{key}:{number}".replace("/:", "/") for key, number in of_one) for of_one in settings)
    return [name + own for name, own in zip(names, said, strict=True)]


def _without(text: str, parts: Sequence[re.Match[str]]) -> str:
    """Return a text without some of its parts, and brackets that stood around them alone."""
    for part in reversed(parts):
        text = text[: part.start()] + text[part.end() :]
    return text.strip(" ," if re.search(r"[(<]\s*\w", text) else " ,()<>")


def _crossed_endings(texts: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return (name, letter, number) of each of `crc_64`, `crc_512`, `copy_64` …, if all have the same three or more.

    The letters before a number, as in `mul_N512.exe` and `read_QD4_run1`, are the same in all; or there are none. One
    name alone is that of a setting, as in `threads_1`, `threads_2` ….
    Or of each of `pp512`, `tg128` …, as tests of language models are called by the tokens that they take or make.
    """
    if texts and all(map(_TOKENS.fullmatch, texts)):
        return [(text[:2], "", text[2:].strip()) for text in texts]
    parts = [(own[1], own[2], own[3]) for text in texts if (own := _ENDING.fullmatch(text))]
    names, letters, numbers = (set(own) for own in (zip(*parts, strict=True) if parts else [()] * 3))
    crossed = len(parts) == len(texts) and len(letters) == 1 and len(set(parts)) == len(names) * len(numbers)
    return parts if crossed and len(numbers) > 2 and (len(names) > 1 or all(map(is_setting, names))) else []


def _with_columns(shaped: Shaped, added: dict[str, tuple[Cells, int]]) -> Shaped:
    """Return the same with further columns, (cells, which of the file) by name, but for names that there are."""
    new = {name: own for name, own in added.items() if name not in shaped.header}
    return replace(
        shaped,
        header=(*shaped.header, *new),
        columns=(*shaped.columns, *(cells for cells, _ in new.values())),
        places=(*shaped.places, *(place for _, place in new.values())),
        units=(*shaped.units, *[""] * len(new)),
    )


_EXTENT = r"[1-9]\d{0,9}"
_EXTENTS = re.compile(
    rf"{_EXTENT}(?:\s?[x×X*]\s?{_EXTENT})+|[\[(]+{_EXTENT}(?:[\[\]() ]*[,;x×X* ][\[\]() ]*{_EXTENT})+[\])]+"
)
_BITS = re.compile("[01]{2,32}")
_KEYED = re.compile(r"(?:^|[,;_ x])\s*([A-Za-z]\w*?)\s*[=:]\s*(\d{1,10})(?=$|[,;_ x])")


_PADDED = re.compile(r"0\d+")
_OF_KIND = re.compile(r"(?P<n>\d+) (?P<kind>[A-Za-z]{4,}?)(?:(?<=s)es|s)?")
"""How many of what: `2 threads` above `2 processes`, `1 thread`."""
_UNITS, _VALUES, _BYTES = {"unit", "units"}, ("value", "point", "estimate"), {"byte": "B", "bytes": "B", "Bytes": "B"}
_LIMIT = re.compile(r"[<>≤≥]=? ?\d+(?:\.\d+)? ?[A-Za-zµμ]{0,3}")
_SET_TO = re.compile(r"(?P<kind>[A-Za-z]\w*)=(?P<n>\d+)")
"""Which of several settings was set, and to what: `depth=10` above `width=10`."""


def _take_threads(shaped: Shaped) -> Shaped:
    """Take `serial` among numbers of threads of which none is 1 as 1, `01`, `02` … as numbers.

    Of `2 threads` and `2 processes` below each other the kind is a column of its own, and so is that of `depth=10`.
    """
    columns, told, added = list(shaped.columns), [*shaped.warnings], dict[str, tuple[Cells, int]]()
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        form = _OF_KIND if is_parallel(name) else _SET_TO
        of = [form.fullmatch(text) for text in cells.slice(0, _LOOKED_AT).texts()]
        if len({own["kind"] for own in of if own}) > 1 and all(of) and len(of) == len(cells):
            columns[i] = Cells.of([own["n"] for own in of if own])
            added[f"{name} kind"] = Cells.of([own["kind"] for own in of if own]), shaped.places[i]
            continue
        first = cells.slice(0, _LOOKED_AT).texts() if is_parallel(name.strip()) else ()
        if not any(text.lower() in WORDS["serial"] or _PADDED.fullmatch(text) for text in first):
            continue
        codes, texts = cells.encoded()
        words = [text for text in texts if text.lower() in WORDS["serial"]]
        numbers = [text for text in texts if text.isdecimal()]
        if not numbers or len(words) + len(numbers) < len(texts):
            continue
        columns[i] = Cells.coded(codes, ["1" if text in words else str(int(text)) for text in texts])
        if words:
            told.append(f"{name.strip()}: '{words[0]}' is taken as 1.")
    return _with_columns(replace(shaped, columns=tuple(columns), warnings=tuple(told)), added)


def _leave_limits(shaped: Shaped) -> Shaped:
    """Take cells such as `>60s` among numbers as missing: a limit was passed, and how far is not known."""
    columns, told = list(shaped.columns), list(shaped.warnings)
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        there = [*filter(is_there, dict.fromkeys(cells.slice(0, _LOOKED_AT).texts()))]
        limits = [text for text in there if _LIMIT.fullmatch(text)]
        if limits and len(limits) < len(there) and all(PLAIN_NUMBER.fullmatch(t) for t in there if t not in limits):
            codes, texts = cells.encoded()
            columns[i] = Cells.coded(codes, ["" if _LIMIT.fullmatch(text) else text for text in texts])
            told.append(f"{name.strip()}: '{limits[0]}' says a limit and no number: it is taken as missing.")
    return replace(shaped, columns=tuple(columns), warnings=tuple(told))


def _with_units_beside(shaped: Shaped) -> Shaped:
    """Write the units of `size_unit` behind the numbers of `size`, `size_value` or `size.point`, which they belong to.

    Units of several things, as those of times and powers below each other, stay where they are.
    """
    columns, called = list(shaped.columns), {tuple(tokens(name)): i for i, name in enumerate(shaped.header)}
    for name, beside in called.items() if 0 < len(shaped.lines) <= MOST_ROWS else ():
        *what, _ = name or ("",)
        asked = [(*what,), *((*what, word) for word in _VALUES if what)] if {*name[-1:]} & _UNITS else []
        of = next((called[own] for own in asked if own in called), -1)
        if of < 0 or shaped.units[of]:
            continue
        numbers, units = columns[of].texts(), [_BYTES.get(text, text) for text in columns[beside].texts()]
        alike = len({scale_of(unit)[0].lstrip("kKMGTP") for unit in {*units} - {""}}) == 1
        if alike and {*units} <= {"", *KNOWN} and all(not text or PLAIN_NUMBER.fullmatch(text) for text in numbers):
            columns[of] = Cells.of([t and f"{t} {u}".strip() for t, u in zip(numbers, units, strict=True)])
            columns[beside] = Cells.of([""] * len(units))
    return replace(shaped, columns=tuple(columns))


def _take_extents(shaped: Shaped) -> Shaped:
    """Add the numbers of texts such as `1920x1080`, `(16, 16, 1)`, `m=64,n=128` and `0101` as columns beside them."""
    added: dict[str, tuple[Cells, int]] = {}
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        if 0 < len(cells) <= MOST_ROWS and (found := _extents(name.strip(), cells)):
            codes, numbers = found
            added |= {own: (Cells.coded(codes, texts), shaped.places[i]) for own, texts in numbers.items()}
    return _with_columns(shaped, added)


def _extents(name: str, cells: Cells) -> tuple[IntArray, dict[str, list[str]]] | None:
    """Return which of a column's texts each row has, and by what they are called the numbers of these, if all have."""
    first = [*filter(is_there, cells.slice(0, _LOOKED_AT).texts())]
    if not (all(map(_BITS.fullmatch, first)) or all(map(_extents_of, first))):
        return None
    codes, texts = cells.encoded()
    if _are_bits(texts):
        varied = [k for k, bits in enumerate(zip(*texts, strict=True)) if len({*bits}) > 1]
        return codes, {f"{name} {k + 1}": [text[k] for text in texts] for k in varied}
    found = [_extents_of(text) if is_there(text) else [] for text in texts]
    called = {tuple(key for key, _ in own) for own, text in zip(found, texts, strict=True) if is_there(text)}
    if len(called) != 1:
        return None
    names = called.pop()
    return codes, {f"{name} {key or k + 1}": [own[k][1] if own else "" for own in found] for k, key in enumerate(names)}


def _are_bits(texts: Sequence[str]) -> bool:
    """Whether texts are switches one behind the other, as `0101`: equally long, and some begin with 0 as no number."""
    alike = len({*map(len, texts)}) == 1 and all(map(_BITS.fullmatch, texts))
    return alike and len(texts) > 2 and any(text.startswith("0") for text in texts)


def _extents_of(text: str) -> list[tuple[str, str]]:
    """Return the numbers of a text as (what each is called or "", digits), or the settings of a dictionary."""
    if text.startswith("{"):
        return _settings_of(text)
    if _EXTENTS.fullmatch(text.strip()):
        return [("", digits) for digits in re.findall(r"\d+", text)]
    keyed = _KEYED.findall(text)
    whole = keyed and not _KEYED.sub("", text).strip()
    return [(key, digits) for key, digits in keyed] if whole and (len(keyed) > 1 or "=" in text) else []


def _settings_of(text: str) -> list[tuple[str, str]]:
    """Return the names and values of a flat dictionary as Python or JSON writes it; none of anything else."""
    for read in (ast.literal_eval, json.loads):
        try:
            found = read(text) if len(text) <= _LONGEST else {}
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        flat = isinstance(found, dict) and all(isinstance(v, str | int | float | None) for v in found.values())
        return [(str(key), "" if value is None else str(value)) for key, value in found.items()] if flat else []
    return []


_NUM = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_COUNTED = re.compile(r"[A-Za-z]{3,}(?:/[A-Za-z]+)?")
_WITH_UNIT = re.compile(rf"({_NUM})( ?)([^\d\s.,;+-]\S{{0,15}})")
_SPREAD = re.compile(rf"({_NUM})\s*(?:±|\+/-|\+-)\s*{_NUM}\s*%?")
"""A mean and how far it spreads, before a unit or none."""
_ALONE = re.compile(rf"(?:[\[\] ]*\[)?{_NUM}[\[\] ]*")
"""A number alone in brackets, among empty ones or not."""
_TIMES = re.compile(rf"({_NUM})\s*[x×]")
_GROUPED = re.compile(r"[+-]?\d{1,3}([_'’]\d{3})+(\.\d*)?")
_BLANKS = re.compile(r"[+-]?\d{1,3}(\s\d{3})+(\.\d*)?")
_DOUBLE = re.compile(r"(\d\.\d*|\.\d+)[dD]([+-]\d{1,3})$")
_THOUSANDS, _COMMA = re.compile(r"^\d{1,3}(?:,\d{3})+\.\d"), re.compile(r"(?<!\d),|,(?!\d{3}(?!\d))|\..*,")
"""Commas between thousands before a point, and any other comma."""
_WHOLE_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![eE][+-]?\d) ?[A-Za-z]")
_POINT = re.compile(r"\d\.(?:\d{1,2}|\d{4,})(?!\d)")
"""Commas before a unit, which are between thousands where another column shows a decimal point."""
_REMARK = re.compile(r"(?<=[\w%]) ?\((?:[^\w()]{0,4}\d|[A-Za-z]\w* )[^()]*\)$|(?<=[A-Za-z%]) ?\([A-Za-z]\w*\)$")
"""A number told otherwise behind one, as in `98.97s (1.65 min)`, or words on it, as in `452.8 (of 64 prompts)`."""
_POWER = re.compile(r"(\d{1,15})(?: ?(?:\^|\*\*) ?(\d{1,2}))?(?: = \d+)?")
_MULTIPLE = re.compile(r"(\d+(?:\.\d+)?) ?(?:([kKMGT])(i?B?)|B?)(/s)?")
_PREFIXED = re.compile(rf"({_NUM}) ?([kKMGTP])([A-Za-z][A-Za-z/]{{2,9}}) ?")
_MEMORY = re.compile("size|bytes|block|buffer|chunk|page|mem|message|msg|stride|cache|file|rss", re.IGNORECASE)
_SECONDS = {"s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": Decimal("1e-9")}
_SECONDS |= {"µs": _SECONDS["us"], "μs": _SECONDS["us"]}
_LONGER = {"d": 86_400, "h": 3600, "min": 60, "m": 60}
"""In seconds."""
_EACH = _SECONDS | {own: Decimal(n) for own, n in _LONGER.items()}
_PARTS = re.compile(r"(?:\d+d ?)?(?:\d+h ?)?(?:\d+m(?:in)? ?)?(?:\d+(?:\.\d+)?s)?|\d+(?:\.\d+)? ?(?:min|h)")
"""A duration as `0m6.384s`, `1h 05m` and `6.48min`."""
_PART = re.compile(r"([\d.]+) ?(min|[dhms])")
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}
_DAYS = re.compile("-| days?,? ")
_CLOCK = re.compile(rf"(?:[0-9]+(?:{_DAYS.pattern}))?(?:[0-9]+:[0-5]?[0-9]:[0-5]?[0-9]|[0-9]+:[0-5][0-9])(?:\.[0-9]+)?")
_DELTA = re.compile(r"0:|\d+ days?")
"""How a difference of times is printed, which no time of day begins with."""
_LASTS = forms("lasts")
"""What tells a duration from a time of day."""


def _take_units_of_cells(shaped: Shaped) -> Shaped:
    """Take cells such as `143.20 W`, `1.2ms ± 0.1`, `1.5x`, `64K` and `1-02:03:04` as numbers in one unit."""
    columns, units, warnings = list(shaped.columns), list(shaped.units), list(shaped.warnings)
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        if 0 < len(cells) <= MOST_ROWS and _may_be_decorated(cells):
            codes, texts = cells.encoded()
            there = _but_failures([text for text in texts if is_there(text)])
            some = (c.slice(0, _LOOKED_AT).texts() for c in (columns if any("," in text for text in there) else ()))
            plain = _undecorated(there, pointed=any(_POINT.search(text) for own in some for text in own))
            of_day = _of_day(shaped.header[max(i - 1, 0)], name, there)
            ways = [way for way in _WAYS if way is not _as_clocks or not of_day]
            said = units[i] if units[i] in KNOWN or "/" in units[i] else ""  # `Elapsed (GPU)` says what was timed
            found = next(filter(None, (way(name, plain, said) for way in ways)), (plain, units[i]))
            if (*found[0],) != (*there,):
                new = dict(zip(there, found[0], strict=True))
                columns[i], units[i] = Cells.coded(codes, [new.get(text, text) for text in texts]), found[1]
                if any(map(_SPREAD.match, there)):
                    warnings.append(f"{name.strip()}: the spread behind ± is left out.")
    return replace(shaped, columns=tuple(columns), units=tuple(units), warnings=tuple(warnings))


def _may_be_decorated(cells: Cells) -> bool:
    """Whether all first cells begin as numbers, and some are more than that."""
    some = _but_failures([*filter(is_there, dict.fromkeys(cells.slice(0, _LOOKED_AT).texts()))])
    return all(map(_BEGINS.match, some)) and not all(map(PLAIN_NUMBER.fullmatch, some))


def _but_failures(texts: list[str]) -> list[str]:
    """Return texts without the few words that stand for a result: `OOM`, or any among means or speed-ups."""
    words = [text for text in texts if text.isalpha()]
    known = all(word.lower() in NO_RESULT for word in words)
    few = known or any(_SPREAD.match(text) or _TIMES.fullmatch(text) for text in texts)
    return [text for text in texts if text not in words] if few and 4 * len(words) < len(texts) else texts


_BEGINS = re.compile(r"[\[\] ]*[$€£]?[+-]?\.?\d")


def _undecorated(texts: list[str], *, pointed: bool) -> list[str]:
    """Return numbers without brackets, a spread, a sign of multiplication, or marks between thousands; else as is.

    Parameters
    ----------
    pointed : whether some column has a decimal point
    """
    if texts and all(map(_ALONE.fullmatch, texts)):
        return [text.strip("[] ") for text in texts]
    bare = [_REMARK.sub("", text) for text in texts]
    texts = bare if all(_WITH_UNIT.fullmatch(t.replace(",", "")) or PLAIN_NUMBER.fullmatch(t) for t in bare) else texts
    thousands = any(map(_THOUSANDS.search, texts)) or (pointed and any(map(_WHOLE_THOUSANDS.match, texts)))
    if thousands and not any(map(_COMMA.search, texts)):
        texts = [text.replace(",", "") for text in texts]
    if any(map(_SPREAD.match, texts)):
        texts = [_SPREAD.sub(r"\1", text) for text in texts]
    if len(texts) > 1 and all(map(_TIMES.fullmatch, texts)):
        return [_TIMES.sub(r"\1", text) for text in texts]
    grouped = [*map(_GROUPED.fullmatch, texts)]
    plain = all(own or PLAIN_NUMBER.fullmatch(t) for own, t in zip(grouped, texts, strict=True))
    if not plain or sum(map(bool, grouped)) < 2:
        return texts
    return [re.sub("[_'’]", "", text) for text in texts]


def _in_one_unit(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return the numbers and their unit; a single letter behind a number is one where the name speaks of it.

    Of things that are counted, as in `1 core` and `8 cores`, there is no unit.
    """
    parts = [_WITH_UNIT.fullmatch(text) for text in texts]
    own = parts[0][3] if parts and parts[0] else ""
    rate = "/" in own and dimension(own) == "throughput"
    if own not in KNOWN and not unit and not rate and _COUNTED.fullmatch(own):
        things = [part[1] for part in parts if part and part[2] and part[3].rstrip("s") == own.rstrip("s")]
        return (things, "") if len(things) == len(texts) else None
    alone = len(own) == 1 and own.isalpha() and not (parts[0] and parts[0][2])
    if not (rate or own in KNOWN) or unit not in ("", own) or (alone and not letter_fits(own, name)):
        return None
    numbers = [part[1] for part in parts if part and part[3] == own]
    return (numbers, own) if len(numbers) == len(texts) else None


def _in_units_of_time(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return times each with its own unit, digit for digit: `2m41s` and `6.48min` in seconds, others in the least.

    A unit of the column goes before.
    """
    parts = [_durations(text) for text in texts]
    units = {own for part in parts for _, own in part}
    if unit not in ("", *_SECONDS) or not all(parts) or units <= {"d", "m"}:
        return None
    least = unit or ("s" if units & {*_LONGER} else min(units, key=_SECONDS.__getitem__))
    return [f"{_total(part) / _SECONDS[least]:f}" for part in parts], least


def in_seconds(text: str) -> str:
    """Return a duration of several units, as Go writes `2m0.5s`, in one; any other text as it is."""
    parts = _durations(text)
    return f"{_total(parts):f}s" if len(parts) > 1 else text


def _total(parts: Sequence[tuple[str, str]]) -> Decimal:
    return sum((Decimal(n) * _EACH[own] for n, own in parts), Decimal(0))


def _durations(text: str) -> list[tuple[str, str]]:
    """Return the parts of a duration as (digits, unit); none of any other text."""
    if (one := _WITH_UNIT.fullmatch(text)) and one[3] in _SECONDS:
        return [(one[1], one[3])]
    return _PART.findall(text) if _PARTS.fullmatch(text) else []


def _in_multiples(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return sizes such as `64K`, `1M` and `512` as numbers: of 1024 where they speak of memory, else of 1000.

    Rates as `1.2 GB/s` and `800 MB/s` are of 1000, and those in GiB/s of 1024. So is `22.7k` in a unit such as req/s.
    """
    parts = [part for text in texts if (part := _MULTIPLE.fullmatch(text))]
    each_second = {part[4] or "" for part in parts}
    few = len(parts) < len(texts) or sum(bool(part[2]) for part in parts) < 2
    counted = dimension(unit) == "throughput" and not any(part[3] or part[4] for part in parts)
    if (unit not in ("", "B") and not counted) or few or len(each_second) > 1:
        return None
    rate = each_second.pop()
    in_bytes = unit == "B" or any("B" in part[0] for part in parts)
    binary = any("i" in (part[3] or "") for part in parts) if rate else in_bytes or _MEMORY.search(name)
    powers = (" KMGT".index((part[2] or " ").upper()) for part in parts)
    values = [Decimal(part[1]) * (1024 if binary else 1000) ** power for part, power in zip(parts, powers, strict=True)]
    return [f"{value:f}" for value in values], unit if counted else f"{'B' * in_bytes}{rate}"


def _in_one_base(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return numbers such as `800 MHz` and `1.2 GHz` in the least of their units."""
    parts = [part for text in texts if (part := _WITH_UNIT.fullmatch(text))]
    scales = {part[3]: scale_of(part[3]) for part in parts}
    alike = len(scales) > 1 == len({base for base, *_ in scales.values()})
    if unit or len(parts) < len(texts) or not (alike and {*scales} <= KNOWN):
        return None
    least = min(scales, key=lambda own: ratio(scales[own], scales[parts[0][3]]))
    factors = {own: ratio(scale, scales[least]) for own, scale in scales.items()}
    whole = all(factor.denominator == 1 for factor in factors.values())
    return ([f"{Decimal(part[1]) * int(factors[part[3]]):f}" for part in parts], least) if whole else None


def _in_prefixes(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return rates such as `641.2 GFlops` and `1.6 TFLOPS` as numbers in the least of their units."""
    parts = [part for text in texts if (part := _PREFIXED.fullmatch(text))]
    if unit or len(parts) < len(texts) or len({part[3].lower() for part in parts}) != 1:
        return None
    powers = ["KMGTP".index(part[2].upper()) for part in parts]
    least = parts[powers.index(min(powers))]
    own = least[2] + least[3]
    scaled = zip(parts, powers, strict=True)
    numbers = [f"{Decimal(part[1]) * 1000 ** (power - min(powers)):f}" for part, power in scaled]
    return (numbers, own) if dimension(own) == "throughput" else None


def _as_powers(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return sizes such as `10^3`, `2**9` and `2^10 = 1024`, and plain ones beside them, as numbers."""
    parts = [part for text in texts if (part := _POWER.fullmatch(text))]
    if len(parts) < len(texts) or sum(bool(part[2]) for part in parts) < 2:
        return None
    return [str(int(part[1]) ** int(part[2] or 1)) for part in parts], unit


def _in_currency(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return prices such as `$0.096` as numbers."""
    money = _CURRENCIES.get(texts[0][:1], "") if texts else ""
    alike = money and unit in ("", money) and all(text[0] == texts[0][0] for text in texts)
    return ([text[1:] for text in texts], money) if alike else None


def _as_clocks(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return seconds, if all cells are as `1-02:03:04.5` or `0 days 00:01:02`, and the name one of time."""
    lasts = _LASTS.search(name) or (is_outcome(name, unit) and all(map(_DELTA.match, texts)))
    if unit not in ("", "s") or not lasts or not texts or not all(map(_CLOCK.fullmatch, texts)):
        return None
    return [*map(_seconds, texts)], "s"


def _of_day(before: str, name: str, texts: list[str]) -> bool:
    """Whether times that rise are those of a date before them, as in `System Date` and `System Time`."""
    words = before.lower().split()
    return words[-1:] == ["date"] and [*words[:-1], "time"] == name.lower().split() and texts == sorted(texts)


def _seconds(text: str) -> str:
    """Return seconds as a text, with the fraction's own digits."""
    *days, clock = _DAYS.split(text)
    clock, _, fraction = clock.partition(".")
    whole = sum(int(part) * 60**power for power, part in enumerate(reversed(clock.split(":"))))
    return f"{whole + 86_400 * sum(map(int, days))}{fraction and '.' + fraction}"


def _in_fortran(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return numbers of double precision as Fortran prints them, `6.3D-01`."""
    plain = [_DOUBLE.sub(r"\1e\2", text) for text in texts]
    return (plain, unit) if plain != texts and all(map(PLAIN_NUMBER.fullmatch, plain)) else None


def _in_groups(name: str, texts: list[str], unit: str) -> tuple[list[str], str] | None:
    """Return what was measured with a blank between thousands, as `1 015`."""
    if not any(map(_BLANKS.fullmatch, texts)) or not (is_outcome(name, unit) or is_counter(name)):
        return None
    plain = [re.sub(r"\s", "", text) if _BLANKS.fullmatch(text) else text for text in texts]
    return (plain, unit) if all(map(PLAIN_NUMBER.fullmatch, plain)) else None


_WAYS = (
    _in_fortran,
    _in_groups,
    _as_powers,
    _in_one_unit,
    _in_units_of_time,
    _as_clocks,
    _in_multiples,
    _in_one_base,
    _in_prefixes,
    _in_currency,
)
"""How cells that are more than numbers become such, in the order in which they are tried."""
