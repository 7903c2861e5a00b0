"""What toplev of pmu-tools writes as CSV: where a processor's pipeline slots went, a node or metric on each row."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import fsum

from core.ingest._lookup import by_key
from core.ingest.names import listed, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import LogReader, cells_of, finite, lines_of, number
from core.trial import Kind

_HEADER = re.compile(
    r"(?:Timestamp\W)?(?:CPUs\W)?Area(\W)(?:Value\1Unit|Node\1.*?)\1Description\1Sample\1Stddev\1Multiplex\b.*"
)
_PROCESSOR = re.compile(r'(?m)^"?# \d\S* on (.*?)(?: \[[^\]]*\])?"?\r?$')
_NO_CPU = frozenset(("Timestamp", "Area", "Node", "Description", "Sample", "Stddev", "Multiplex"))
_SUMMARY = "SUMMARY"
_ROLE = roles_of("toplev")
_MOST = 12
Row = dict[str, str]
"""Cells by their column's name."""


class Toplev(LogReader):
    """Reads a run's nodes and metrics, which are means over the CPUs that were not idle; its time is the response."""

    label = "pmu-tools toplev (CSV)"
    signs = (re.compile(rb"(?m)^" + _HEADER.pattern.encode()),)
    tells = (b"multiplex",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per run; the file does not say what ran, so its name does."""
        machine = next(iter(_PROCESSOR.findall(raw.decode())), "")
        runs: list[tuple[int, list[Row]]] = []
        names: tuple[str, ...] = ()
        separator = ","
        for at, line in lines_of(raw):
            if head := _HEADER.fullmatch(line):
                names, separator = cells_of(line, head[1]) or (), head[1]
                runs.append((at, []))
            elif runs and not line.lstrip('"').startswith("#"):
                cells = cells_of(line, separator) or ()
                if len(cells) == len(names) - 1 and "CPUs" in names:  # of all CPUs
                    cells = (*cells[: names.index("CPUs")], "", *cells[names.index("CPUs") :])
                if len(cells) == len(names):
                    runs[-1][1].extend(_single(dict(zip(names, cells, strict=True))))
                else:
                    builder.leave_out(at, f"no row of {len(names)} cells")
        for at, rows in runs:
            if any(number(row["Value"]) is not None for row in rows):
                _put(builder, machine, at, rows)
            else:
                builder.skip(f"line {at}", "a table without numbers; the file may be cut off")


def _single(row: Row) -> Iterator[Row]:
    """Yield a row for each CPU where each has a column, as `--columns` has it; else the row."""
    if "Node" not in row:
        yield row
        return
    for cpu in row:
        if cpu not in _NO_CPU:
            yield {**row, "Area": row["Node"], "CPUs": cpu, "Value": row[cpu]}


def _put(builder: Builder, machine: str, at: int, rows: list[Row]) -> None:
    """Put down a run, of which toplev's own summary stands for the intervals where there is one."""
    stamps = {row.get("Timestamp", "") for row in rows} - {"", _SUMMARY}
    rows = [row for row in rows if row.get("Timestamp") == _SUMMARY] or rows
    rows = [row for row in rows if not row.get("Idle")] or rows
    cpus = [*dict.fromkeys(row["CPUs"] for row in rows if row.get("CPUs"))]
    if len(cpus) > 1:
        builder.note(f"numbers are means over {listed(cpus, _MOST, '')}.")
    if len({row.get("Timestamp") for row in rows}) > 1:
        builder.note(
            f"numbers are means over {len(stamps)} intervals, by how long each was: there is no summary of them."
        )
    trial = builder.trial(stem(builder.source), machine=machine, where=f"line {at}")
    ends = sorted((value, stamp) for stamp in stamps if (value := _finite(stamp)) is not None)
    took = {stamp: end - before for (before, _), (end, stamp) in pairwise([(0.0, ""), *ends])}
    elapsed = ends[-1][0] if ends else None
    for name, own in by_key((row["Area"], row) for row in rows).items():
        means = [(x, took.get(r.get("Timestamp", ""), 1.0)) for r in own if (x := _finite(r["Value"])) is not None]
        unit, what = own[0].get("Unit", "").rstrip(" <?"), name.rpartition(".")[2]
        if what == "Time" and unit in ("", "Seconds"):
            elapsed = elapsed or max((x for x, _ in means), default=None)
        elif means:
            _, unit, kind = _ROLE(what, "" if unit.endswith("Metric") else unit)  # of a metric it says no more
            builder.put(trial, name, fsum(x * t for x, t in means) / fsum(t for _, t in means), unit, kind)
            builder.label(trial, f"counted share of {name}", _share(own))
    builder.put(trial, TIME, elapsed, "s", Kind.RESPONSE)
    if elapsed is None:
        builder.tell("does not say how long the run took. Add `--nodes +Time`, or predict the IPC.")


def _share(rows: Iterable[Row]) -> str:
    """Return the least share of the time in which events were counted, "" for all of it."""
    least = min((share for row in rows if (share := _finite(row["Multiplex"])) is not None), default=100.0)
    return f"{least:.2f} %" if 0 < least < 100 else ""


def _finite(text: str) -> float | None:
    return finite(text.strip().rstrip("%"))
