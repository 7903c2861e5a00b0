"""Kernels measured at the base, from a CSV: a row each, with counters and responses as columns."""

import csv
import io
from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.ingest._open import open_text
from core.ingest.base import SourceFile
from core.scaling.scaling_model import Kernel, ScalingModel

_NAMES = ("kernel", "application", "name")


def read_kernels(file: SourceFile, model: ScalingModel) -> tuple[Kernel, ...]:
    """Return the kernels of a CSV for a model.

    A kernel is called by the column `kernel` (or `application`, or `name`). Without columns of the
    model's axes each row is a kernel at the base; with them, the row at the base is where a kernel
    starts, and its other rows are further measurements.

    Raises
    ------
    ReadError
        If the file is no table, a number is none, a kernel has no row at the base or a column of
        the responses is missing.
    """
    rows = _rows(file)
    columns = list(rows[0]) if rows else []
    if not rows:
        raise ReadError(f"{file.name} has no rows. It needs one row per kernel.")
    for name in model.responses:
        if name not in columns:
            raise ReadError(f"{file.name} has no column '{name}', and a surface starts from its value at the base.")
    called = next((c for c in _NAMES if c in columns), "")
    axes = [axis.name for axis in model.axes]
    grouped: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        grouped.setdefault(row[called] if called else f"row {i + 1}", []).append(i)
    if not set(axes) <= set(columns):
        return tuple(_kernel(name, rows[own[-1]], model, file, own[-1]) for name, own in grouped.items())
    return tuple(_of_rows(name, [(i, rows[i]) for i in own], model, file) for name, own in grouped.items())


def _rows(file: SourceFile) -> list[dict[str, str]]:
    text = open_text(file).raw.decode()
    try:
        return [{k: v or "" for k, v in row.items() if k} for row in csv.DictReader(io.StringIO(text), strict=True)]
    except csv.Error as error:
        raise ReadError(f"{file.name} is not whole CSV: {error}.") from None


def _kernel(name: str, row: dict[str, str], model: ScalingModel, file: SourceFile, i: int) -> Kernel:
    where = f"{file.name} row {i + 1}"
    wanted = dict.fromkeys([*(m.name for m in model.inputs), *model.responses])
    at_base = {n: _number(row, n, where) for n in wanted if n in row}
    counts = {m.name: _number(row, m.name, where) for m in model.counters if m.name in row}
    return Kernel(name, counts, at_base, {})


def _of_rows(name: str, rows: Sequence[tuple[int, dict[str, str]]], model: ScalingModel, file: SourceFile) -> Kernel:
    measured: dict[str, FloatArray] = {n: np.full(len(model.grid), np.nan) for n in model.responses}
    start: Kernel | None = None
    for i, row in rows:
        where = f"{file.name} row {i + 1}"
        point = np.array([_number(row, axis.name, where) for axis in model.axes])
        near = np.flatnonzero(np.isclose(model.grid, point, rtol=1e-9, atol=0.0).all(axis=1))
        if not len(near):
            raise ReadError(f"{where} is at {point.tolist()}, which is no configuration of the model.")
        for n, values in measured.items():
            values[near[0]] = _number(row, n, where)
        if near[0] == model.base:
            start = _kernel(name, row, model, file, i)
    if start is None:
        base = ", ".join(f"{axis}={x:g}" for axis, x in model.base_point.items())
        raise ReadError(f"{file.name}: kernel '{name}' has no row at the model's base {base}. Measure it there.")
    return Kernel(name, start.counts, start.at_base, measured)


def _number(row: dict[str, str], column: str, where: str) -> float:
    text = row[column].strip()
    if not text:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        raise ReadError(f"{where}: '{column}' is '{text}', expected a number.") from None
    if not np.isfinite(value):
        raise ReadError(f"{where}: '{column}' is '{text}', expected a finite number.")
    return value
