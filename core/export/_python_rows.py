"""A program evaluated row by row with the standard library alone; exported models of Python hold this text."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import math
from collections.abc import Sequence
from typing import Any

from core.export._python_row_nodes import NODES, Refused, leverage_row, squared

OUT_OF_RANGE, FAR, REFUSED = 1, 2, 4
"""Bits of flags: a metric outside its trained range; too far from the training trials together; no prediction."""
LEAST, MOST = 0.5 - 1e-9, 0.5 + 1e-9
"""Shares of a blend's weight between which it counts as half."""


def output_row(program: dict[str, Any], x: Sequence[float]) -> tuple[float, int]:
    """Return the output on the program's own scale and the cluster that spoke; raise Refused where there is none."""
    if not all(map(math.isfinite, x)):
        raise Refused("a metric is missing")
    if program["relative"] and not x[program["reference"]] > 0:
        raise Refused("the reference is not above 0")
    if program["refuse"] and flags_row(program, x):
        raise Refused("outside the trained domain")
    return scaled_row(program, x)


def flags_row(program: dict[str, Any], x: Sequence[float]) -> int:
    """Return where a row of metrics lies, as bits."""
    reach, found = program["reach"], 0
    bounds = zip(x, reach["low"], reach["high"], reach["room"])
    if any(v < lo - room or v > hi + room for v, lo, hi, room in bounds):
        found |= OUT_OF_RANGE
    if reach["directions"] and all(map(math.isfinite, x)) and leverage_row(reach, x) > reach["furthest"]:
        found |= FAR
    return found


def scaled_row(program: dict[str, Any], x: Sequence[float]) -> tuple[float, int]:
    """Return the model's output on its own scale, and the cluster that spoke."""
    if program["clamp"]:
        reach = program["reach"]
        x = [min(max(v, lo), hi) for v, lo, hi in zip(x, reach["low"], reach["high"])]
    for step in program["steps"]:
        x = _logs(step, x) if step["kind"] == "logs" else _affine(step, x)
    cluster = _nearest(program["nearest"], x) if program["nearest"] else 0
    node = program["models"][program["model_of"][cluster]]
    value = _blend(node, x) if node["kind"] == "blend" else NODES[node["kind"]](node, x)
    low, high = program["bounds"][cluster]
    return (low if value < low else high if value > high else value), cluster


def _logs(step: dict[str, Any], x: Sequence[float]) -> list[float]:
    return [v if s == "raw" else _log(v) if s == "log" else _log1p(v) for s, v in zip(step["scales"], x)]


def _log(v: float) -> float:
    if not v > 0:
        raise Refused("a logarithm of a number that is not positive")
    return math.log(v)


def _log1p(v: float) -> float:
    if not v >= 0:
        raise Refused("a logarithm of a negative number")
    return math.log1p(v)


def _affine(step: dict[str, Any], x: Sequence[float]) -> list[float]:
    if step["offset"] is not None:
        x = [(v - m) / d for v, m, d in zip(x, step["offset"], step["divisor"])]
    if step["matrix"] is None:
        return list(x)
    return [math.fsum(v * row[j] for v, row in zip(x, step["matrix"])) for j in range(len(step["matrix"][0]))]


def _nearest(nearest: dict[str, Any], x: Sequence[float]) -> int:
    z = squared(nearest, x)
    distances = [math.fsum((a - b) ** 2 for a, b in zip(z, centre)) for centre in nearest["centres"]]
    return distances.index(min(distances))


def back(program: dict[str, Any], z: float, x: Sequence[float]) -> float:
    """Return a value on the model's scale in the response's unit."""
    try:
        value = math.exp(z) if program["log"] else z
        if program["relative"]:
            value *= x[program["reference"]]
        if program["power"] != 1:
            value = value ** program["power"] if value >= 0 else math.nan
        return float(value * program["factor"])
    except OverflowError:
        return math.inf


def value_row(program: dict[str, Any], x: Sequence[float]) -> float:
    """Return the prediction of a blend's member, NaN where it refuses."""
    try:
        return back(program, output_row(program, x)[0], x)
    except (Refused, OverflowError):
        return math.nan


def _blend(node: dict[str, Any], x: Sequence[float]) -> float:
    log = node["log"] and not node["sum"]
    given = [value_row(m, [x[j] for j in columns]) for m, columns in zip(node["members"], node["columns"])]
    known = [(v, w) for v, w in zip(given, node["weights"]) if math.isfinite(v) and (v > 0 or not log)]
    if not known:
        raise Refused("no member has a prediction")
    total = math.fsum(w for _, w in known)
    if node["sum"]:
        value = math.fsum(v * w for v, w in known) * (math.fsum(node["weights"]) / total)
        return _log(value) if node["log"] else value
    mixed = [(math.log(v) if log else v, w) for v, w in known]
    if math.isfinite(node["bound"]):
        middle, bound = _median(mixed, total), node["bound"]
        mixed = [(min(max(z, middle - bound), middle + bound), w) for z, w in mixed]
    return math.fsum(z * w for z, w in mixed) / total


def _median(mixed: Sequence[tuple[float, float]], total: float) -> float:
    """Return the middle of the first values with half of the weight, and with more than half, at or below them."""
    reached = [(z, math.fsum(w for other, w in mixed if other <= z)) for z, _ in mixed]
    first = min(z for z, weight in reached if weight >= LEAST * total)
    return 0.5 * (first + min(z for z, weight in reached if weight > MOST * total))
