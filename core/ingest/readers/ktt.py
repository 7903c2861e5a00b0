"""KTT's CSV, one row a configuration, and its JSON, configurations with the kernels that each ran."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from core.frozen import Frozen
from core.ingest.names import shown, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import OBJECT, TextReader, number, plain, without_empty_end
from core.ingest.readers._tuners import tuner
from core.trial import Kind

_TIME = re.compile(r"(?:Computation|Kernel) duration \((\w+)\)")
_SIZE = re.compile(r"(?:Global|Local) size(?: \d+)?")
_HEADER = re.compile(rb'(?m)^"?Kernel name"?[,;\t] ?(?:[^\n]{0,60}?[,;\t] ?)?"?(?:Computation|Kernel) duration \(\w+\)')
_KERNEL, _FAILURES = "Kernel name", "Error message"
_OURS = re.compile(rb'"(?:ComputationResults|KttVersion|GlobalSizeType)"\s*:')
_COSTS = re.compile(r"\w*(?:Overhead|Duration)")
_ROLE = roles_of("ktt")


class _Header(Frozen):
    """Which columns hold what.

    Attributes
    ----------
    time : the column of the time; "" in the table of configurations that failed
    """

    names: tuple[str, ...]
    time: str
    parameters: tuple[str, ...]
    measured: tuple[str, ...]


class KttCsv(TextReader):
    """Reads KTT's CSV: each row is a trial, its tuning parameters told apart from its counters by their names."""

    label = "KTT CSV"
    signs = (_HEADER,)
    tells = (b"kernel name",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per row; configurations that failed are skipped with their message."""
        rows = _rows(builder, raw.decode())
        header, numbers = None, dict[str, bool]()
        for line, cells in rows:
            if found := _header(cells):
                header, numbers = found, _numeric(found, rows)
            elif header is None:
                builder.skip(f"line {line}", "above the header of KTT")
            elif len(cells) < len(header.names):
                builder.skip(f"line {line}", f"{len(cells)} cells where the header has {len(header.names)}")
            else:
                _add(builder, header, numbers, line, dict(zip(header.names, cells, strict=False)))
        if header is None:
            raise builder.refused("has no header of KTT. Write the file again.")
        builder.note_names("taken for tuning parameters, by their place and names", header.parameters, 12, "")


def _rows(builder: Builder, raw: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their lines, without empty ones."""
    first = next((line for line in raw.splitlines() if _HEADER.match(line.encode())), "")
    separator = next((s for s in ",;\t" if s in first), ",")
    reader = csv.reader(StringIO(raw, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    rows = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise builder.refused(f"line {reader.line_num}: no valid CSV ({error}). Write the file again.") from None
    return rows


def _header(cells: Sequence[str]) -> _Header | None:
    if not cells or cells[0] != _KERNEL:
        return None
    names = without_empty_end(cells)
    time = next((name for name in names if _TIME.fullmatch(name)), "")
    if not time and _FAILURES not in names:
        return None
    sizes = [name for name in names if _SIZE.fullmatch(name)]
    begin = names.index(sizes[-1] if sizes else time or names[1]) + 1
    end = next((i for i in range(begin, len(names)) if _ROLE(names[i]).kind is not Kind.PARAMETER), len(names))
    return _Header(names, time, names[begin:end], (*sizes, *names[end:]))


def _numeric(header: _Header, rows: Sequence[tuple[int, list[str]]]) -> dict[str, bool]:
    whole = [cells for _, cells in rows if len(cells) >= len(header.names) and cells[0] != _KERNEL]
    named = (dict(zip(header.names, cells, strict=False)) for cells in whole)
    return tuner.numeric({name: row[name] for name in header.parameters} for row in named)


def _add(builder: Builder, header: _Header, numbers: dict[str, bool], line: int, row: dict[str, str]) -> None:
    where = f"line {line}"
    if _FAILURES in row:
        builder.skip(where, f"failed: {shown(row[_FAILURES] or 'no message', 200)}")
        return
    time, unit = number(row[header.time]), _TIME.fullmatch(header.time)
    if time is None or unit is None:
        builder.skip(where, f"its time is '{shown(row[header.time])}', expected a number")
        return
    trial = builder.trial(row[_KERNEL] or stem(builder.source), where=where)
    builder.put(trial, TIME, time, unit[1], Kind.RESPONSE)
    tuner.put_parameters(builder, trial, {name: row[name] for name in header.parameters}, numbers)
    for name in header.measured:
        if (value := number(row[name])) is None and row[name]:
            builder.skip(f"{where}, {shown(name)}", f"'{shown(row[name])}' is no number")
        role = _ROLE(name, tuner.counter_unit(name))
        builder.put(trial, name, value, role.unit, Kind.COUNTER if role.kind is Kind.PARAMETER else role.kind)


class KttJson(tuner.TunerReader):
    """Reads KTT's JSON: each kernel that a configuration ran is a trial."""

    label = "KTT JSON"
    signs = (OBJECT, re.compile(rb'"Metadata"\s*:\s*\{'), _OURS)
    tells = (b'"metadata"',)
    member = "Results"
    lacks = "has no 'Results' of KTT, so it holds no measurements. Run the tuning again."

    costs = "as sums over kernels or costs of tuning"

    def tuning(self, builder: Builder, document: Mapping[str, Any]) -> tuner.Tuning:
        """Return what the metadata say."""
        metadata = tuner.member(document, "Metadata")
        unit = tuner.time_unit(builder.source, plain(metadata.get("TimeUnit")))
        return tuner.Tuning(builder, document, "", "", plain(metadata.get("Device")), unit)

    def failure(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> str:
        """Return why a result does not count; "" if its status is Ok."""
        status = plain(result.get("Status"))
        return "" if status in ("Ok", "") else f"status {shown(status)}"

    def configuration(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters of a result, which are a list of pairs."""
        pairs = tuner.objects(result, "Configuration")
        return {plain(pair.get("Name")): pair.get("Value") for pair in pairs if pair.get("Name")}

    def put(self, tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> str:
        """Put down one trial per kernel."""
        tuning.left.update(dict.fromkeys(name for name in result if _COSTS.fullmatch(name)))
        kernels, settings = tuner.objects(result, "ComputationResults"), self.configuration(tuning, result)
        for place, kernel in enumerate(kernels, start=1):
            own = f"{where} kernel {place}" if len(kernels) > 1 else where
            _put(tuning, own, plain(result.get("KernelName")), settings, kernel)
        return "" if kernels else "no kernel was measured"


def _put(tuning: tuner.Tuning, where: str, owner: str, settings: Mapping[str, Any], kernel: Mapping[str, Any]) -> None:
    builder, time = tuning.builder, number(kernel.get("Duration"))
    if time is None:
        builder.skip(where, "no time was measured")
        return
    application = plain(kernel.get("KernelFunction")) or owner or stem(builder.source)
    trial = builder.trial(application, machine=tuning.machine, where=where, labels={"kernel": owner})
    builder.put(trial, TIME, time, tuning.unit, Kind.RESPONSE)
    tuner.put_parameters(builder, trial, settings, tuning.numbers)
    for name, value, own, kind in _known(kernel):
        if (known := number(value)) is not None:
            builder.put(trial, name, known, own, kind)
    if number(tuner.member(kernel, "ProfilingData").get("RemainingProfilingRuns")):
        builder.note("some counters are missing, as not all profiling runs were made.")


def _known(kernel: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, Kind]]:
    """Yield (name, value, unit, kind) of launch sizes, compilation data and counters."""
    for size in ("GlobalSize", "LocalSize"):
        for axis, value in tuner.member(kernel, size).items():
            yield f"{size} {axis}", value, "", Kind.DETERMINISTIC
    for name, value in tuner.member(kernel, "CompilationData").items():
        yield name, value, _ROLE(name).unit, Kind.DETERMINISTIC
    for counter in tuner.objects(tuner.member(kernel, "ProfilingData"), "Counters"):
        if name := plain(counter.get("Name")):
            yield name, counter.get("Value"), tuner.counter_unit(name, plain(counter.get("Type"))), Kind.COUNTER
