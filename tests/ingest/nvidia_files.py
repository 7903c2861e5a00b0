"""Made-up files of NVIDIA's profilers, and what their readers' tests share."""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from core.errors import ReadError
from core.ingest import READERS, SourceFile
from core.trial import Import

LONG_2020 = (
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Kernel Time",
    "Context",
    "Stream",
    "Section Name",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
)
LONG = (
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Section Name",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
)
RULES = (*LONG, "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup")
KERNEL = "void blur<float, 3>(const float *, float *, int)"


def quoted(*cells: object) -> str:
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells)


def launch(
    metrics: Sequence[tuple[str, str, str, str]],
    number: int = 0,
    kernel: str = KERNEL,
    grid: str = "(64, 2, 1)",
    process: int = 4242,
) -> list[str]:
    """Rows of details: (section, metric, unit, value) each."""
    head = (number, process, "blur.exe", "127.0.0.1", kernel, 1, 7, "(128, 1, 1)", grid, 0, "8.6")
    return [quoted(*head, *metric) for metric in metrics]


def long_file(*rows: str, header: Sequence[str] = LONG) -> str:
    return "\n".join([quoted(*header), *rows]) + "\n"


def wide_file(
    metrics: Sequence[tuple[str, str]], *launches: Sequence[str], kernel: str = KERNEL, units: bool = True
) -> str:
    """A raw page: (metric, unit) each, and per launch the texts below them."""
    names = LONG[:11]
    rows = [quoted(*names, *(name for name, _ in metrics))]
    if units:
        rows.append(quoted(*("",) * len(names), *(unit for _, unit in metrics)))
    head = (4242, "blur.exe", "127.0.0.1", kernel, 1, 7, "(128, 1, 1)", "(64, 2, 1)", 0, "8.6")
    rows += [quoted(i, *head, *texts) for i, texts in enumerate(launches)]
    return "\n".join(rows) + "\n"


def readers_of(raw: bytes) -> list[str]:
    """The readers, but for plain tables, that say a file is theirs."""
    return [name for name, cls in READERS.items() if name != "csv" and cls().sniff(raw)]


def read(text: str | bytes, name: str) -> Import:
    raw = text.encode() if isinstance(text, str) else text
    return READERS[name]().read(SourceFile("run7.csv", raw))


def value(imported: Import, metric: str, trial: int = 0) -> float:
    names = [m.name for m in imported.trials.metrics]
    return float(imported.trials.values[trial, names.index(metric)])


def unit(imported: Import, metric: str) -> str:
    return next(m.unit for m in imported.trials.metrics if m.name == metric)


def names(imported: Import) -> set[str]:
    return {m.name for m in imported.trials.metrics}


def facts(imported: Import) -> dict[str, float]:
    """The deterministic metrics of the first application and input."""
    assert imported.inputs is not None
    row = imported.inputs.values[0]
    return {m.name: float(v) for m, v in zip(imported.inputs.metrics, row, strict=True) if not np.isnan(v)}


def said(imported: Import) -> str:
    return "\n".join([*imported.warnings, *(f"{s.where}: {s.why}" for s in imported.skipped)])


def cells(imported: Import) -> dict[tuple[str, ...], float]:
    """Every value by application, input, execution, repeat and metric."""
    trials, found = imported.trials, {}
    for i in range(len(trials)):
        execution = trials.execution[i] if trials.execution else ""
        key = (trials.application[i], trials.input[i], trials.machine[i], execution)
        again = sum((k[:4], k[5]) == (key, "trial") for k in found)
        for j, metric in enumerate(trials.metrics):
            if not np.isnan(trials.values[i, j]):
                found[(*key, str(again), metric.name)] = float(trials.values[i, j])
        found[(*key, str(again), "trial")] = 0.0
    return found


def damaged(text: str, seed: int, n: int) -> Iterator[tuple[bytes, range]]:
    """Yield cut and flipped copies of a file, with the bytes that may differ."""
    raw, dice = text.encode(), random.Random(seed)
    for _ in range(n):
        at = dice.randrange(1, len(raw))
        yield raw[:at], range(at, len(raw) + 1)
        flipped = bytearray(raw)
        flipped[at] ^= 1 << dice.randrange(8)
        yield bytes(flipped), range(at, at + 1)


def lines_at(text: str, touched: range) -> set[int]:
    """Numbers of the lines that hold some bytes; a line end belongs to both of its lines."""
    raw = text.encode()
    first = raw.count(b"\n", 0, touched.start) + 1
    last = raw.count(b"\n", 0, min(touched.stop, len(raw))) + 1
    return set(range(first, last + 1))


def check_damaged(text: str, reader: str, value_of_line: dict[int, set[tuple[str, ...]]], seed: int, n: int) -> None:
    """Damage gives a refusal, or an import in which untouched rows have the values that they had."""
    whole = cells(read(text, reader))
    imports = 0
    for raw, touched in damaged(text, seed, n):
        try:
            found = cells(read(raw, reader))
        except ReadError as error:
            assert "\n" not in str(error)
            assert str(error).startswith("run7.csv")
            continue
        imports += 1
        hurt = {key for line in lines_at(text, touched) for key in value_of_line.get(line, set())}
        for key, number in found.items():
            if key in whole and key not in hurt:
                assert number == whole[key], (raw, key)
    assert imports > n // 4, "the damage must leave something to compare"
