"""The queries around a program's models: rows and vectors in, domain, steps, clusters, and the way back."""

from itertools import pairwise

import numpy as np

from core.export._program import Affine, Logs, Nearest, Program
from core.export._sql_nodes import write_node
from core.export._sql_text import INFINITE, NOTHING, Layers, log, log1p, number, total, weighted

LARGEST = 1e100
"""Metrics beyond this are refused: PostgreSQL fails where a product is too large for a double."""
TOO_LARGE = "709.7e0"


def answers_query(program: Program, given: str) -> str:
    """Return the query of id, prediction, low, high, flags and cluster for rows in `given` (id, g0, g1, …)."""
    w, n = Layers("given"), range(program.n)
    w.query("given", given)
    w.add({f"x{j}": f"CASE WHEN abs(g{j}) <= {number(LARGEST)} THEN g{j} END" for j in n})
    _write_flags(program, w)
    x = _write_steps(program, w)
    ready = " AND ".join([*(f"{c} IS NOT NULL" for c in x), *_answered(program)])
    w.add({"ready": ready, "cluster": "0"} if program.nearest is None else {"ready": ready})
    if program.nearest is not None:
        _write_nearest(program.nearest, w, x)
    for i, node in enumerate(program.models):
        write_node(node, w, f"m{i}", x)
    w.add({"z": _chosen(program)})
    w.add({"half": _half(program)})
    w.add({"value": _back(program, "z"), "lower": _back(program, "z - half"), "upper": _back(program, "z + half")})
    w.add({"kept": f"coalesce(abs(value) < {INFINITE}, FALSE)"})
    w.add({"told": f"kept AND lower <= value AND value <= upper AND abs(lower) < {INFINITE} AND upper < {INFINITE}"})
    columns = (("kept", "value", "prediction"), ("told", "lower", "low"), ("told", "upper", "high"))
    shown = ", ".join(f"CASE WHEN {when} THEN {c} END AS {name}" for when, c, name in columns)
    flags = "flags + CASE WHEN kept THEN 0 ELSE 4 END AS flags"
    parts, cluster = ",\n".join(w.parts), "CASE WHEN kept THEN cluster END AS cluster"
    return f"WITH RECURSIVE {parts}\nSELECT id, {shown}, {flags}, {cluster}\nFROM {w.last}"


def _answered(program: Program) -> list[str]:
    found = [f"x{j} IS NOT NULL" for j in range(program.n)]
    found += [f"x{program.reference} > 0"] if program.relative else []
    return [*found, "flags = 0"] if program.refuse else found


def _write_flags(program: Program, w: Layers) -> None:
    reach = program.reach
    edges = zip(range(program.n), (reach.low - reach.room).tolist(), (reach.high + reach.room).tolist(), strict=True)
    out = " OR ".join(f"g{j} < {number(lo)} OR (g{j} > {number(hi)} AND g{j} <= {INFINITE})" for j, lo, hi in edges)
    x = [f"(x{j} - {number(c)})" for j, c in enumerate(reach.centre.tolist())]
    w.add({f"d{k}": total(weighted(row, x)) for k, row in enumerate(reach.directions.tolist())})
    k = range(len(reach.directions))
    w.add({"leverage": total([f"d{i} * d{i}" for i in k]) if k else "0e0"})
    far = f" + CASE WHEN leverage > {number(reach.furthest)} THEN 2 ELSE 0 END" if k else ""
    w.add({"flags": f"CASE WHEN {out} THEN 1 ELSE 0 END{far}"})


def _write_steps(program: Program, w: Layers) -> list[str]:
    x = [f"x{j}" for j in range(program.n)]
    if program.clamp:
        edges = zip(x, program.reach.low.tolist(), program.reach.high.tolist(), strict=True)
        w.add({f"h{j}": f"LEAST(GREATEST({c}, {number(lo)}), {number(hi)})" for j, (c, lo, hi) in enumerate(edges)})
        x = [f"h{j}" for j in range(program.n)]
    for i, step in enumerate(program.steps):
        columns = _logs(step, x) if isinstance(step, Logs) else _affine(step, x)
        names = [f"s{i}_{j}" for j in range(len(columns))]
        w.add(dict(zip(names, columns, strict=True)))
        x = names
    return x


def _logs(step: Logs, x: list[str]) -> list[str]:
    return [c if s == "raw" else log(c) if s == "log" else log1p(c) for c, s in zip(x, step.scales, strict=True)]


def _affine(step: Affine, x: list[str]) -> list[str]:
    if step.offset is not None and step.divisor is not None:
        given = zip(x, step.offset.tolist(), step.divisor.tolist(), strict=True)
        x = [f"(({c} - {number(o)}) / {number(d)})" for c, o, d in given]
    return x if step.matrix is None else [total(weighted(column, x)) for column in step.matrix.T.tolist()]


def _write_nearest(nearest: Nearest, w: Layers, x: list[str]) -> None:
    given = list(zip(x, nearest.offset.tolist(), nearest.divisor.tolist(), strict=True))
    w.add({f"n{j}": f"({c} - {number(o)}) / {number(d)}" for j, (c, o, d) in enumerate(given)})
    k = len(nearest.centres)
    for i, centre in enumerate(nearest.centres.tolist()):
        parts = [f"(n{j} - {number(v)}) * (n{j} - {number(v)})" for j, v in enumerate(centre)]
        w.add({f"c{i}": total(parts)})
    cases = [f"WHEN c{i} <= LEAST({', '.join(f'c{j}' for j in range(i + 1, k))}) THEN {i}" for i in range(k - 1)]
    w.add({"cluster": f"CASE {' '.join(cases)} ELSE {k - 1} END"})


def _chosen(program: Program) -> str:
    if len(program.models) == 1:
        return "CASE WHEN ready THEN z_m0 END"
    cases = " ".join(f"WHEN {k} THEN z_m{i}" for k, i in enumerate(program.model_of))
    return f"CASE WHEN ready THEN CASE cluster {cases} END END"


def _half(program: Program) -> str:
    band = program.band
    if band is None:
        return NOTHING
    cases = " ".join(f"WHEN {k} THEN {number(v)}" for k, v in enumerate(band.widths.tolist()))
    width = f"CASE cluster {cases} END" if len(band.widths) > 1 else number(float(band.widths[0]))
    if band.by == "none":
        return width
    v = "leverage" if band.by == "leverage" else "z"
    points = list(zip(band.knots.tolist(), band.factors.tolist(), strict=True))
    cases = f"WHEN {v} <= {number(points[0][0])} THEN {number(points[0][1])}"
    for (k0, f0), (k1, f1) in pairwise(points):
        slope = (f1 - f0) / (k1 - k0)
        cases += f" WHEN {v} < {number(k1)} THEN {number(slope)} * ({v} - {number(k0)}) + {number(f0)}"
    return f"{width} * CASE {cases} ELSE {number(points[-1][1])} END"


def _back(program: Program, z: str) -> str:
    """Return the way back of a number on the model's scale, infinite where it would be too large."""
    reference = f" * x{program.reference}" if program.relative else ""
    power = number(program.power)
    if not program.log:
        value = f"({z}){reference}"
        if program.power != 1:
            value = f"CASE WHEN {value} >= 0 THEN power({value}, {power}) END"
        return f"CASE WHEN ready AND abs({z}) <= {number(LARGEST)} THEN ({value}) * {number(program.factor)} END"
    size = f"(({z})" + (f" + ln(x{program.reference})" if program.relative else "") + f") * {power}"
    size += f" + {number(float(np.log(program.factor)))}"
    value = f"exp({z}){reference}"
    value = f"power({value}, {power})" if program.power != 1 else value
    value = f"{value} * {number(program.factor)}" if program.factor != 1 else value
    large = f"WHEN {size} > {TOO_LARGE} OR ({z}) > {TOO_LARGE} THEN {INFINITE}"
    small = f"WHEN {size} < -700e0 OR ({z}) < -700e0 THEN 0e0"
    return f"CASE WHEN NOT ready THEN NULL {large} {small} ELSE {value} END"
