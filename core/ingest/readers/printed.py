"""Tables that programs print for people; what their lines and columns are is said by `printed.toml`, by reader."""

import re
from collections.abc import Iterator
from itertools import starmap
from typing import Any, NamedTuple

from core.ingest._vocabulary import data_of
from core.ingest.names import stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import LogReader, cells_of, finite, lines_of
from core.ingest.table.numbers_in_texts import in_seconds
from core.trial import Kind

_TOOLS = data_of(__package__, "printed.toml")
_KINDS = frozenset(Kind)


_HEADING = [r"#{1,6} +(.*?)[# ]*$", "heading", "", Kind.PARAMETER]
"""Above what a document shows letter for letter."""
_OWN_UNIT = re.compile(r"([+-]?[\d.,]+(?:e[+-]?\d+)?) ?([A-Za-zµ%][\w/]*)?", re.IGNORECASE)
"""A number, maybe with commas between thousands, and the unit that stands behind it."""


class _Said(NamedTuple):
    """A text, what it is called, its unit, and its kind, or what it names; and of which part of its row it is."""

    called: str
    unit: str
    kind: str
    text: str
    part: tuple[str, str, str] = ("", "", "")


class _Printed(LogReader):
    """Reads tables as the data say that have the reader's name: a row is a trial."""

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per row, with what lines above it said, or below all rows where none above does."""
        own, head, names, units = _TOOLS[builder.format], "", list[str](), list[str]()
        held: dict[str, _Said] = {}
        forms = [*own.get("said", ()), *([_HEADING] * (b"\n```" in raw))]
        unsaid = {name: _Said(name, *one) for name, *one in own.get("unsaid", ())}
        rows: list[tuple[int, str, dict[str, _Said]]] = []
        for at, line in lines_of(raw):
            if "header" in own and re.match(own["header"], line):
                head, names, units = line, _cells(own, line), []
            elif names and "units" in own and re.match(own["units"], line):
                units = _units(head.replace("#", " "), line.replace("#", " "), len(names))
            elif (found := _row(own, line)) and (names or found.re.groups):
                called, cells = [*found.re.groupindex] or names, found.groups("") or _cells(own, line)
                said = [_role(own, *cell) for cell in zip(called, cells, units or [""] * len(called), strict=False)]
                rows += [(at, line, one | held) for one in _parts(said)]
            elif rows and (said := [*_held(own.get("above", ()), line, {})]):
                rows[-1][2].update((one.called, one) for one in said)
            else:
                said = [*_held(forms, line, held)]
                forgets = any(one.kind == "application" for one in said)  # what was said of the one before
                kept = {name: one for name, one in held.items() if not forgets or name == "heading"}
                held = kept | {one.called: one for one in said}
        above = {name for *_, there in rows for name in there}
        titles = {there["heading"].text for *_, there in rows if "heading" in there}
        for *_, there in rows if len(titles) < 2 else ():
            there.pop("heading", None)  # tells no run from another
        below = unsaid | {name: one for name, one in held.items() if name not in above}
        whole = next((form for form in own.get("whole", ()) if any(re.match(form, line) for _, line, _ in rows)), "")
        for at, line, there in rows:
            if not re.match(whole, line):
                builder.leave_out(at, "what another row sums up, or says again")
            else:
                _put(builder, at, own, there | below | there)
        if "failed" in own and (n := len(re.findall(f"(?m)^{own['failed'][0]}", raw.decode()))):
            builder.note(f"{n} {own['failed'][1]}.")


def _row(own: dict[str, Any], line: str) -> re.Match[str] | None:
    """Return a line as the first of the forms that it has."""
    return next(filter(None, (re.match(form, line) for form in own["rows"])), None)


def _parts(said: list[_Said]) -> Iterator[dict[str, _Said]]:
    """Yield the cells of a row by their names, of each part of it by itself where columns are of parts."""
    for part in dict.fromkeys(one.part for one in said if any(one.part) and one.text) or [("", "", "")]:
        own = [one for one in said if not any(one.part) or (one.part == part and one.text)]
        yield {one.called: one for one in (*own, *([_Said(part[0], part[1], "parameter", part[2])] * any(part)))}


def _held(forms: list[list[str]], line: str, held: dict[str, _Said]) -> Iterator[_Said]:
    """Yield what a line says that holds for rows, beside what lines above it said."""
    for form, called, unit, kind in forms:
        if (said := re.match(form, line)) and kind == "counted":
            yield _Said(called, unit, "parameter", str(int(held[called].text) + 1 if called in held else 1))
        elif said:
            yield _Said(called or said[1], unit, kind, said[said.re.groups].strip())


def _cells(own: dict[str, Any], line: str) -> list[str]:
    """Return the cells of a line, without the marks of a comment."""
    return re.findall(own["cells"], line.replace("#", " ")) if "cells" in own else [*(cells_of(line) or ())]


def _units(head: str, line: str, n: int) -> list[str]:
    """Return the units below names: one for each, or each below the name at which it begins, or behind that."""
    found = [*re.finditer(r"\S+", line)]
    if len(found) == n:
        return [own[0] for own in found]
    starts = [own.start() for own in re.finditer(r"\S+", head)]
    ends = [*starts[1:], len(head) + len(line)]
    return [next((u[0] for u in found if a <= u.start() < b), "") for a, b in zip(starts, ends, strict=True)]


def _role(own: dict[str, Any], name: str, text: str, unit: str) -> _Said:
    """Return a cell with what the data say of columns with its name."""
    for form, called, known, kind, *part in own["columns"]:
        if found := re.fullmatch(form, name):
            of = (part[0], part[1], found[1].replace("_", "-")) if part else ("", "", "")
            return _Said(called or found[found.re.groups], known or unit, kind, text.strip(), of)
    return _Said(name, unit, own.get("others", Kind.COUNTER), text.strip())


def _put(builder: Builder, at: int, own: dict[str, Any], said: dict[str, _Said]) -> None:
    named = {one.kind: one.text for one in said.values()}
    application = named.get("application") or own.get("application", stem(builder.source))
    input = f"{own['each']} {len(builder) + 1}" if "each" in own else named.get("input", "")
    trial = builder.trial(application, input=input, machine=named.get("machine", ""), where=f"line {at}")
    for called, unit, kind, told, _ in said.values():
        text = in_seconds(told)
        number = _OWN_UNIT.fullmatch(text) if kind in _KINDS else None
        value = finite(number[1].replace(",", "")) if number else None
        if number and value is not None:
            builder.put(trial, called, value, unit or number[2] or "", Kind(kind))
        elif kind in ("label", Kind.PARAMETER):
            builder.label(trial, called, text, parameter=kind != "label")


def _reader(name: str, own: dict[str, Any]) -> type[_Printed]:
    """Return the reader of what one program prints, called as its entry in the data."""
    signs = tuple(re.compile(sign.encode(), re.MULTILINE) for sign in own["signs"])
    said = {"label": own["label"], "tells": tuple(map(str.encode, own["tells"])), "signs": signs}
    named = {"__module__": __name__, "__doc__": f"Reads what {own['label']} prints, or writes for people."}
    return type(name.title().replace("_", ""), (_Printed,), named | said)


globals().update({own.__name__: own for own in starmap(_reader, _TOOLS.items())})
