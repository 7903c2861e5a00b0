"""Tables that programs print for people; what their lines and columns are is said by `printed.toml`, by reader."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from core.ingest._vocabulary import data_of
from core.ingest.names import stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import LogReader, cells_of, finite, lines_of
from core.trial import Kind

_TOOLS = data_of(__package__, "printed.toml")
_KINDS = frozenset(Kind)


class _Said(NamedTuple):
    """A text, what it is called, its unit, and its kind, or what it names."""

    called: str
    unit: str
    kind: str
    text: str


class _Printed(LogReader):
    """Reads tables as the data say that have the reader's name: a row is a trial."""

    def __init_subclass__(cls) -> None:
        """Take over what such a file is called, and what it begins with."""
        own = _TOOLS[re.sub("(?<!^)(?=[A-Z])", "_", cls.__name__).lower()]
        cls.label, cls.tells = own["label"], tuple(map(str.encode, own["tells"]))
        cls.signs = tuple(re.compile(sign.encode(), re.MULTILINE) for sign in own["signs"])

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per row, with what lines above it said, or below all rows where none above does."""
        own, head, names, units = _TOOLS[builder.format], "", list[str](), list[str]()
        held: dict[str, _Said] = {}
        unsaid = {name: _Said(name, *one) for name, *one in own.get("unsaid", ())}
        rows: list[tuple[int, str, dict[str, _Said]]] = []
        for at, line in lines_of(raw):
            if "header" in own and re.match(own["header"], line):
                head, names, units = line, _cells(own, line), []
            elif names and "units" in own and re.match(own["units"], line):
                units = _units(head.replace("#", " "), line.replace("#", " "), len(names))
            elif (found := re.match(own["row"], line)) and (names or found.re.groups):
                called, cells = [*found.re.groupindex] or names, found.groups() or _cells(own, line)
                said = [_role(own, *cell) for cell in zip(called, cells, units or [""] * len(called), strict=False)]
                rows.append((at, line, {one.called: one for one in said} | held))
            else:
                said = [*_held(own, line)]
                forgets = any(one.kind == "application" for one in said)  # what was said of the one before
                held = ({} if forgets else held) | {one.called: one for one in said}
        above = {name for *_, there in rows for name in there}
        below = unsaid | {name: one for name, one in held.items() if name not in above}
        whole = any(map(re.compile(own.get("whole", ".^")).match, (line for _, line, _ in rows)))
        for at, line, there in rows:
            if whole and not re.match(own["whole"], line):
                builder.leave_out(at, "what another row sums up, or says again")
            else:
                _put(builder, at, own, there | below | there)
        if "failed" in own and (n := len(re.findall(f"(?m)^{own['failed'][0]}", raw.decode()))):
            builder.note(f"{n} {own['failed'][1]}.")


def _held(own: dict[str, Any], line: str) -> Iterator[_Said]:
    """Yield what a line says that holds for rows."""
    for form, called, unit, kind in own.get("said", ()):
        if said := re.match(form, line):
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
    for form, called, known, kind in own["columns"]:
        if found := re.fullmatch(form, name):
            return _Said(called or found[found.re.groups], known or unit, kind, text.strip())
    return _Said(name, unit, own.get("others", Kind.COUNTER), text.strip())


def _put(builder: Builder, at: int, own: dict[str, Any], said: dict[str, _Said]) -> None:
    named = {one.kind: one.text for one in said.values()}
    application = named.get("application") or own.get("application", stem(builder.source))
    input = f"{own['each']} {len(builder) + 1}" if "each" in own else ""
    trial = builder.trial(application, input=input, machine=named.get("machine", ""), where=f"line {at}")
    for called, unit, kind, text in said.values():
        value = None if kind == "label" else finite(text)
        if kind in _KINDS and value is not None:
            builder.put(trial, called, value, unit, Kind(kind))
        elif kind in ("label", Kind.PARAMETER):
            builder.label(trial, called, text, parameter=kind != "label")


class Dmon(_Printed):
    """Reads what two of NVIDIA's monitors print: each line of a GPU is a trial, its power the response."""


class Graph500(_Printed):
    """Reads Graph500's summary: each kernel of a run is a trial, its mean time the response."""


class Hpcc(_Printed):
    """Reads the summaries of the HPC Challenge: a run is a trial, HPL's time and the rates of the others responses."""


class Hpcg(_Printed):
    """Reads HPCG's summary: a run is a trial, its rating the response."""


class Hpl(_Printed):
    """Reads HPL's output: each test is a trial, its variant and sizes are parameters."""


class Imb(_Printed):
    """Reads the output of the Intel MPI Benchmarks: each size of message is a trial of its benchmark."""


class Lammps(_Printed):
    """Reads LAMMPS's log: each run is a trial, its loop time the response."""


class MlperfLoadgen(_Printed):
    """Reads the summary of MLPerf's load generator: a run is a trial, rate and mean latency are responses."""


class Npb(_Printed):
    """Reads what the NAS Parallel Benchmarks print: a run of a benchmark is a trial."""


class Osu(_Printed):
    """Reads the output of the OSU Micro-Benchmarks: each size of message is a trial of its benchmark."""


class SpecCpu(_Printed):
    """Reads a result of SPEC CPU: each iteration of a benchmark is a trial, its run time the response."""


class Stream(_Printed):
    """Reads STREAM's output: each kernel of a run is a trial, several runs one below the other are repeats."""


class Turbostat(_Printed):
    """Reads what turbostat prints: each interval of the whole machine is a trial, powers and energies are responses."""


class Unixbench(_Printed):
    """Reads UnixBench's indexes: each test of a run is a trial, its index is better the higher."""
