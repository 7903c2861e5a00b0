"""Views of SQL that DuckDB and PostgreSQL read alike: rows and vectors in; domain, steps, clusters; predictions out."""

from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np

from core import __version__
from core.codec import FloatArray
from core.errors import StoreError
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._names import comment, filled, identifier, sql_name, with_unit
from core.export._program import Affine, Blend, Carry, Logs, Nearest, Program, Reach, Round, Span, Step
from core.export._sql_nodes import write_node
from core.export._sql_text import INFINITE, NOTHING, Layers, log, log1p, number, scaled, total, weighted, write_mixture
from core.export.base import Answers, CannotRunError, Vector, vectors
from core.pipeline import FittedPipeline
from core.store.scratch import DUCKDB, tried_out

LARGEST = 1e100
"""Metrics beyond this are refused: PostgreSQL fails where a product is too large for a double."""
TOO_LARGE = "709.7e0"


def answers_query(program: Program, given: str) -> str:
    """Return the query of id, prediction, low, high, flags and cluster for rows in `given` (id, g0, g1, …)."""
    w = Layers("given")
    w.query("given", given)
    x = [f"x{j}" for j in range(program.n)]
    w.add({c: f"CASE WHEN abs(g{j}) <= {number(LARGEST)} THEN g{j} END" for j, c in enumerate(x)})
    _write_leverage(program.reach, w, "", x)
    w.add({"flags": _flags(program.reach, "", [f"g{j}" for j in range(program.n)])})
    cluster = (
        _write_scaled(program, w, "", x) if program.carry is None else _write_gone_on(program, program.carry, w, x)
    )
    w.add({"half": _half(program)})
    ways = {"value": "z", "lower": "z - half", "upper": "z + half"}
    w.add({name: _back(program, z, x) for name, z in ways.items()})
    w.add({"kept": f"coalesce(abs(value) < {INFINITE}, FALSE)"})
    w.add({"told": f"kept AND lower <= value AND value <= upper AND abs(lower) < {INFINITE} AND upper < {INFINITE}"})
    columns = (("kept", "value", "prediction"), ("told", "lower", "low"), ("told", "upper", "high"))
    shown = ", ".join(f"CASE WHEN {when} THEN {c} END AS {name}" for when, c, name in columns)
    flags = "flags + CASE WHEN kept THEN 0 ELSE 4 END AS flags"
    parts, cluster = ",\n".join(w.parts), f"CASE WHEN kept THEN {cluster} END AS cluster"
    return f"WITH RECURSIVE {parts}\nSELECT id, {shown}, {flags}, {cluster}\nFROM {w.last}"


def _write_gone_on(program: Program, carry: Carry, w: Layers, x: list[str]) -> str:
    """Add the columns of `_write_scaled`: at the edge of the trained range, and what changes as far inside again."""
    edges, backs = list(x), list(x)
    ends = zip(carry.low.tolist(), carry.high.tolist(), carry.below.tolist(), carry.above.tolist(), strict=True)
    for j, (low, high, below, above) in zip(carry.columns.tolist(), ends, strict=True):
        c, edge = x[j], f"edge{j}"
        sides = ((c, "<", below), (c, ">", above))
        cases = " ".join(f"WHEN {c} {sign} {number(v)} THEN {number(v)}" for c, sign, v in sides if np.isfinite(v))
        apart = f"2e0 * {edge} - {c}"
        inside = f"CASE WHEN {c} > 0 THEN {edge} * ({edge} / {c}) ELSE {apart} END" if low > 0 else apart
        held = f"LEAST(GREATEST({inside}, {number(low)}), {number(high)})"
        w.add({edge: f"CASE {cases} ELSE {c} END"})
        w.add({f"back{j}": f"CASE WHEN {edge} = {c} THEN {c} WHEN {c} IS NOT NULL THEN {held} END"})
        edges[j], backs[j] = edge, f"back{j}"
    given, y = w.last, [f"y{j}" for j in range(program.n)]
    told = (", ".join(f"{c} AS {name}" for c, name in zip(own, y, strict=True)) for own in (edges, backs))
    w.query("sides", " UNION ALL ".join(f"SELECT 2 * id + {k} AS id, {own} FROM {given}" for k, own in enumerate(told)))
    w.last = "sides"  # each row twice, so that what is long, such as trees, stands here once
    cluster = _write_scaled(program, w, "e", y)
    said = f"e.ez + (e.ez - b.ez) AS z, e.eready AND b.eready AS ready, {cluster.replace('ecluster', 'e.ecluster')}"
    both = f"{given} l JOIN {w.last} e ON e.id = 2 * l.id JOIN {w.last} b ON b.id = 2 * l.id + 1"
    w.query("gone_on", f"SELECT l.*, {said} AS cluster FROM {both}")
    w.last = "gone_on"
    return "cluster"


def _write_scaled(program: Program, w: Layers, m: str, x: list[str]) -> str:
    """Add the columns {m}ready, {m}cluster and {m}z, the output on the program's scale; return the cluster's.

    Parameters
    ----------
    m : stands before the columns of a blend's member; "" for the program of the whole
    x : the columns of the metrics, nothing where missing
    """
    answered = [f"{c} IS NOT NULL" for c in x]
    answered += [f"{x[program.reference]} > 0"] if program.relative else []
    answered += [f"{m}flags = 0"] if program.refuse else []
    seen = _write_steps(program, w, m, x)
    w.add({f"{m}ready": " AND ".join([*(f"{c} IS NOT NULL" for c in seen), *answered])})
    cluster = "0" if program.nearest is None else _write_nearest(program.nearest, w, m, seen)
    for i, node in enumerate(program.models):
        write_node(node, w, f"{m}m{i}", seen, f"{m}ready")
    raw = f"{m}raw" if program.holds else f"{m}z"
    said = f"{m}said" if program.spans else raw
    w.add({said: _chosen(program, m, cluster)})
    if program.spans:
        w.add({raw: _asked(program.spans, said, seen, cluster)})
    if program.holds:
        w.add({f"{m}z": _held(program, raw, cluster)})
    return cluster


@write_node.register
def _(node: Blend, w: Layers, m: str, x: list[str], ready: str) -> None:
    """Add the members, each as the program that it is, and what their predictions are together: z_{m}."""
    for k, (member, columns) in enumerate(zip(node.members, node.columns, strict=True)):
        own, name = [x[j] for j in columns.tolist()], f"{m}b{k}"
        if member.refuse:
            _write_leverage(member.reach, w, name, own)
            w.add({f"{name}flags": _flags(member.reach, name, own)})
        _write_scaled(member, w, name, own)
        w.add({f"{name}v": _back(member, f"{name}z", own, name)})
    write_mixture(node, w, m)


def _write_leverage(reach: Reach, w: Layers, m: str, x: list[str]) -> None:
    moved = [f"({c} - {number(v)})" for c, v in zip(x, reach.centre.tolist(), strict=True)]
    w.add({f"{m}d{k}": total(weighted(row, moved)) for k, row in enumerate(reach.directions.tolist())})
    k = range(len(reach.directions))
    w.add({f"{m}leverage": total([f"{m}d{i} * {m}d{i}" for i in k]) if k else "0e0"})


def _flags(reach: Reach, m: str, given: list[str]) -> str:
    edges = zip(given, (reach.low - reach.room).tolist(), (reach.high + reach.room).tolist(), strict=True)
    out = " OR ".join(f"{g} < {number(lo)} OR ({g} > {number(hi)} AND {g} <= {INFINITE})" for g, lo, hi in edges)
    far = f" + CASE WHEN {m}leverage > {number(reach.furthest)} THEN 2 ELSE 0 END" if len(reach.directions) else ""
    return f"CASE WHEN {out} THEN 1 ELSE 0 END{far}"


def _write_steps(program: Program, w: Layers, m: str, x: list[str]) -> list[str]:
    if program.clamp:
        edges = zip(x, program.reach.low.tolist(), program.reach.high.tolist(), strict=True)
        held = (f"LEAST(GREATEST({c}, {number(lo)}), {number(hi)})" for c, lo, hi in edges)
        names = [f"{m}h{j}" for j in range(program.n)]
        w.add(dict(zip(names, held, strict=True)))
        x = names
    for i, step in enumerate(program.steps):
        columns = _stepped(step, x)
        names = [f"{m}s{i}_{j}" for j in range(len(columns))]
        w.add(dict(zip(names, columns, strict=True)))
        x = names
    return x


def _stepped(step: Step, x: list[str]) -> list[str]:
    if isinstance(step, Logs):
        pairs = zip(x, step.scales, strict=True)
        return [c if s == "raw" else log(c) if s == "log" else log1p(c) for c, s in pairs]
    return _round(step, x) if isinstance(step, Round) else _affine(step, x)


def _round(step: Round, x: list[str]) -> list[str]:
    def odd(c: str) -> str:
        halves = (f"{c} / {number(2.0**k)}" for k in range(1, step.halvings + 1))
        return " * ".join([c, *(f"CASE WHEN floor({half}) = {half} THEN 0.5e0 ELSE 1e0 END" for half in halves)])

    made = [" * ".join(f"({odd(x[j])})" for j in own) for own in step.odd]
    for i, j, m in step.filled:
        product = f"({x[i]} * {x[j]})"
        made.append(f"CASE WHEN {product} > 0 THEN ceil({product} / {number(m)}) * {number(m)} / {product} END")
    return [*x, *made]


def _affine(step: Affine, x: list[str]) -> list[str]:
    if step.offset is not None and step.divisor is not None:
        x = [f"({c})" for c in scaled(x, step.offset, step.divisor)]
    return x if step.matrix is None else [total(weighted(column, x)) for column in step.matrix.T.tolist()]


def _write_nearest(nearest: Nearest, w: Layers, m: str, x: list[str]) -> str:
    w.add({f"{m}n{j}": c for j, c in enumerate(scaled(x, nearest.offset, nearest.divisor))})
    k = len(nearest.centres)
    for i, centre in enumerate(nearest.centres.tolist()):
        parts = [f"({m}n{j} - {number(v)}) * ({m}n{j} - {number(v)})" for j, v in enumerate(centre)]
        w.add({f"{m}c{i}": total(parts)})
    least = [f"{m}c{i} <= LEAST({', '.join(f'{m}c{j}' for j in range(i + 1, k))})" for i in range(k - 1)]
    cases = [f"WHEN {test} THEN {i}" for i, test in enumerate(least)]
    w.add({f"{m}cluster": f"CASE {' '.join(cases)} ELSE {k - 1} END"})
    return f"{m}cluster"


def _chosen(program: Program, m: str, cluster: str) -> str:
    if len(program.models) == 1:
        return f"CASE WHEN {m}ready THEN z_{m}m0 END"
    cases = " ".join(f"WHEN {k} THEN z_{m}m{i}" for k, i in enumerate(program.model_of))
    return f"CASE WHEN {m}ready THEN CASE {cluster} {cases} END END"


def _asked(spans: tuple[Span, ...], z: str, x: list[str], cluster: str) -> str:
    """Return a cluster's output, nothing where its own model is not asked of the columns or says too much."""
    cases = []
    for k, s in enumerate(spans):
        ends = zip([*x, z], [*s.low.tolist(), s.least], [*s.high.tolist(), s.most], strict=True)
        sides = ((c, sign, v) for c, *edges in ends for sign, v in zip("<>", edges, strict=True))
        tests = [f"{c} {sign} {number(v)}" for c, sign, v in sides if np.isfinite(v)]
        cases += [f"WHEN {cluster} = {k} AND ({' OR '.join(tests)}) THEN NULL"] if tests else []
    return f"CASE {' '.join(cases)} ELSE {z} END" if cases else z


def _held(program: Program, raw: str, cluster: str) -> str:
    """Return a cluster's output held within its bounds; nothing stays nothing."""
    pairs = list(enumerate(program.bounds))
    cases = [
        (f"{raw} {sign} {number(pair[side])}", number(pair[side]), f" AND {cluster} = {k}" if pairs[1:] else "")
        for k, pair in pairs
        for side, sign in enumerate("<>")
        if np.isfinite(pair[side])
    ]
    return f"CASE {' '.join(f'WHEN {test}{where} THEN {edge}' for test, edge, where in cases)} ELSE {raw} END"


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


def _back(program: Program, z: str, x: list[str], m: str = "") -> str:
    """Return the way back of a number on the model's scale, infinite where it would be too large."""
    reference = f" * {x[program.reference]}" if program.relative else ""
    power = number(program.power)
    if not program.log:
        value = f"({z}){reference}"
        if program.power != 1:
            value = f"CASE WHEN {value} >= 0 THEN power({value}, {power}) END"
        return f"CASE WHEN {m}ready AND abs({z}) <= {number(LARGEST)} THEN ({value}) * {number(program.factor)} END"
    size = f"(({z})" + (f" + ln({x[program.reference]})" if program.relative else "") + f") * {power}"
    size += f" + {number(float(np.log(program.factor)))}"
    value = f"exp({z}){reference}"
    value = f"power({value}, {power})" if program.power != 1 else value
    value = f"{value} * {number(program.factor)}" if program.factor != 1 else value
    large = f"WHEN {size} > {TOO_LARGE} OR ({z}) > {TOO_LARGE} THEN {INFINITE}"
    small = f"WHEN {size} < -700e0 OR ({z}) < -700e0 THEN 0e0"
    return f"CASE WHEN NOT {m}ready THEN NULL {large} {small} ELSE {value} END"


def script(program: Program, vectors: list[Vector], name: str) -> str:
    """Return the whole script; names of metrics stand in it as quoted identifiers."""
    n = range(program.n)
    own = ", ".join(f"g{j}" for j in n)
    theirs = ", ".join(f"CAST({sql_name(m.name)} AS double precision)" for m in program.metrics)
    given = f"SELECT id, {own} FROM {name}_vectors UNION ALL SELECT id, {theirs} FROM {name}_rows"
    columns = ["id", *(f"g{j}" for j in n), "prediction", "flags"]
    kinds = ["bigint", *["double precision"] * (program.n + 1), "int"]
    return filled(
        "views.sql",
        title=comment(program.title),
        version=__version__,
        name=name,
        response=comment(str(program.response)),
        metrics="\n".join(f"--     {with_unit(m)}" for m in program.metrics),
        columns=",\n".join(f"  {sql_name(m.name)} double precision" for m in program.metrics),
        casts=", ".join(f"CAST({c} AS {k}) AS {c}" for c, k in zip(columns, kinds, strict=True)),
        names=", ".join(columns),
        vectors=_vectors(vectors),
        answers=answers_query(program, given),
    )


def _vectors(vectors: list[Vector]) -> str:
    rows = ((*x, value, flags) for x, value, _, _, flags in vectors)
    cells = ([str(-1 - i), *map(number, values), str(flags)] for i, (*values, flags) in enumerate(rows))
    return ",\n".join(f"  ({', '.join(row)})" for row in cells)


MOST_BYTES = 8 * 1024 * 1024
"""Of a script that databases still read in a sensible time."""


class Sql(Lowered):
    """`NAME_prediction` over the rows of `NAME_rows`; trees and points are tables that are joined."""

    label: ClassVar[str] = "SQL views (DuckDB, PostgreSQL)"
    suffix: ClassVar[str] = ".sql"
    says: ClassVar[str] = "every family of up to 8 MiB of text, with intervals and domain flags"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations, or that the script would be too long."""
        if reason := super().can_express(model):
            return reason
        if len({m.name.lower() for m in model.metrics} | {"id"}) <= len(model.metrics):
            return "two of its metrics differ in capitals alone, or one is called id, and columns of a table may not"
        size = len(self.write(model))
        return None if size <= MOST_BYTES else f"the script would have {size / 2**20:.0f} MiB, more than 8 MiB"

    def write(self, model: FittedPipeline) -> bytes:
        """Return the script; its names begin with the response's."""
        return script(lower(model), vectors(model), identifier(model.response.name)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Run it in an empty DuckDB."""
        name = identifier(model.response.name)
        try:
            test, query = f"SELECT n, wrong FROM {name}_self_test", f"SELECT * FROM {name}_prediction ORDER BY id"
            tested, found = tried_out(raw.decode(), test, f"{name}_rows", X, query)
        except StoreError as error:
            raise CannotRunError(str(error)) from None
        if tested["wrong"][0]:
            raise CannotRunError(f"{tested['wrong'][0]:.0f} of {tested['n'][0]:.0f} test vectors are wrong")
        columns = (found["prediction"], found["low"], found["high"], found["flags"].astype(np.int64))
        return Answers(*columns, runner=DUCKDB)
