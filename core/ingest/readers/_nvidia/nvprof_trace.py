"""nvprof's traces: one row per launch or transfer, with its time, or with metrics as columns."""

import re
from collections.abc import Sequence

from core.ingest.readers._nvidia.capture import Row
from core.ingest.readers._nvidia.launch import AXES, put_sizes, shape, sizes
from core.ingest.readers._nvidia.nvprof_tables import NvprofTable
from core.ingest.readers._nvidia.nvprof_values import Putting, device_of
from core.ingest.readers._nvidia.printed import number
from core.trial import Kind

_SAID = """Start|Duration|Grid X|Grid Y|Grid Z|Block X|Block Y|Block Z|Size|SrcMemType|DstMemType|Device|Context|Stream|
Name|Kernel|Correlation_ID|Virtual Address|Src Dev|Src Ctx|Dst Dev|Dst Ctx|Throughput|Process"""
_NO_METRICS = frozenset(_SAID.replace("\n", "").split("|"))
_NAMED = "Context=context|Stream=stream|SrcMemType=source memory|DstMemType=destination memory"
_LABELS = dict(pair.split("=") for pair in f"{_NAMED}|Src Dev=source device|Dst Dev=destination device".split("|"))
_NUMBERED = re.compile(r"(.*\S) \[\d+\]")


def put_trace(putting: Putting, table: NvprofTable, launches: int) -> int:
    """Put one trial per row; return how many launches there are now.

    Parameters
    ----------
    launches : how many came before, in other tables of the file
    """
    names = _metric_names(table)
    for row in table.rows:
        launches += 1
        name = table.cell(row, "Kernel", "Name")
        numbered = None if "Correlation_ID" in table.columns else _NUMBERED.fullmatch(name)
        _put_row(putting, table, row, numbered.group(1) if numbered else name, launches, names)
    return launches


def _put_row(
    putting: Putting, table: NvprofTable, row: Row, name: str, launch: int, names: Sequence[tuple[int, str]]
) -> None:
    machine, device = device_of(table.cell(row, "Device"))
    known = _sizes(putting, table, row)
    amount = putting.amount(table.cell(row, "Size"), table.unit("Size"))
    without = "" if "Grid X" in table.columns else table.command
    input = shape(known) or (f"{amount:.0f} byte" if amount is not None else without)
    labels = {label: table.cell(row, column) for column, label in _LABELS.items()}
    trial = putting.builder.trial(
        name,
        input=input,
        machine=machine,
        where=f"line {row.line}",
        execution=f"launch {launch}",
        labels={"device": device, "command": table.command, **labels},
    )
    put_sizes(putting.builder, name, input, known)
    if amount is not None:
        putting.builder.of_input(name, input, "Size", amount, "byte")
    putting.put_time(trial, table, row, "Duration")
    putting.put(trial, "Throughput", table, row, "Throughput", Kind.RESPONSE)
    for place, metric in names:
        putting.put_text(trial, metric, row.cells[place], table.units[place] if table.units else "")


def _sizes(putting: Putting, table: NvprofTable, row: Row) -> dict[str, float]:
    found: dict[str, float] = {}
    for what in ("grid", "block"):
        cells = [table.cell(row, f"{what.capitalize()} {axis.upper()}") for axis in AXES]
        found |= sizes(what, [number(cell, putting.mark) for cell in cells])
    return found


def _metric_names(table: NvprofTable) -> list[tuple[int, str]]:
    """Return (place, name) of the metrics; of two columns with one name, a differing second says which it is."""
    found: list[tuple[int, str]] = []
    first: dict[str, int] = {}
    for place, column in enumerate(table.columns):
        if column in _NO_METRICS or not column:
            continue
        before = first.setdefault(column, place)
        if before == place:
            found.append((place, column))
        elif any(row.cells[place] != row.cells[before] for row in table.rows):
            found.append((place, f"{column} [column {place + 1}]"))
    return found
