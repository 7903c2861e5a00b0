"""The functions of C around a program's models: domain, steps, clusters, the way back, prediction and interval."""

import math
from dataclasses import replace

import numpy as np

from core.export._c_nodes import X, write_node
from core.export._c_text import LARGEST, Writer, number, write_reach
from core.export._program import LEAST, MOST, Blend, Logs, Nearest, Program, Round, Span, Step

FURTHEST_LOG = 300.0
"""An interval's end further than this from its value, as a logarithm, is no factor of it: that may be infinite."""


def write_program(program: Program, w: Writer, *, member: bool = False) -> None:
    """Write `where_`, `answered_`, `scaled_`, `back_`, `half_`, what they need, and `value`.

    Parameters
    ----------
    member : of a blend, of which its value is all that is asked
    """
    _write_finite(program, w)
    if program.refuse or not member:
        write_reach(program.reach, w)
    _write_scaled(program, w)
    _write_back(program, w)
    if not member:
        _write_half(program, w)
    w.function("double", "value", X, _value_body(program, w))


@write_node.register
def _(node: Blend, w: Writer, name: str) -> str:
    """Write the members, each with its name in front, and the mixture; return its function's name."""
    body = [f"double v[{len(node.members)}];"]
    for k, (member, columns) in enumerate(zip(node.members, node.columns, strict=True)):
        prefix = f"{w.dialect.prefix}{name}_{k}_"
        write_program(member, Writer(replace(w.dialect, prefix=prefix), w.lines), member=True)
        own = ", ".join(f"x[{j}]" for j in columns.tolist())
        body += w.piece("member", n=len(columns), own=own, k=k, member=prefix)
    mixed = w.function("double", f"{name}_mixed", "double *v", _mixed(node, w))
    return w.function("double", name, X, [*body, f"return {mixed}(v);"])


def _mixed(node: Blend, w: Writer) -> list[str]:
    """Return the statements that mix the members' values.

    No member counts as more or less than a bound about the weighted median, which is the middle of the first values
    with half of the weight, and with more than half of it, at or below them.
    """
    n, weights = len(node.members), w.table(node.weights)
    value, counted, positive, bounded = "v[i]", "v[i]", "", []
    ending = ["return s / total;"]
    if node.sum:
        whole = number(float(node.weights.sum()))
        ending = [f"s *= {whole} / total;", "return s > 0 ? log(s) : NAN;" if node.log else "return s;"]
    elif node.log:
        value, positive = "log(v[i])", " && v[i] > 0"
    if np.isfinite(node.bound) and not node.sum:
        counted = "(v[i] < low ? low : v[i] > high ? high : v[i])"
        bounded = w.piece("median", n=n, bound=node.bound, least=LEAST, most=MOST)
    told = {"positive": positive, "value": value, "counted": counted}
    return w.piece("mixed", n=n, weights=weights, bounded=bounded, whole=ending, **told)


def _value_body(program: Program, w: Writer) -> list[str]:
    """Return the body of the function that predicts a number and nothing else."""
    p = w.dialect.prefix
    lines = ["int cluster = 0;", "double v;"]
    if program.refuse:
        lines += ["double away;", "int finite;", f"if ({p}where_(x, &away, &finite)) return NAN;"]
    lines += [f"if (!{p}answered_(x)) return NAN;", f"v = {p}back_({p}scaled_(x, &cluster), x);"]
    return [*lines, f"return fabs(v) <= {LARGEST} ? v : NAN;"]


def predict_body(program: Program, w: Writer, result: str) -> list[str]:
    """Return the body of the function that predicts a value with its interval and flags."""
    kept = "finite" + (f" && x[{program.reference}] > 0" if program.relative else "")
    kept += " && !r.flags" if program.refuse else ""
    return w.piece("predict", result=result, kept=kept, ends=_ends(program, w.dialect.prefix))


def _ends(program: Program, p: str) -> list[str]:
    """Return the statements that give the interval's ends.

    What a logarithm is undone for is the value times and over one factor, a constant where the width is one:
    an exponential costs as much as many terms of a model.
    """
    band = program.band
    if band is None:
        return []
    widest = float(np.abs(band.widths).max() * band.factors.max(initial=1.0) * abs(program.power))
    if not program.log or not widest < FURTHEST_LOG:
        return [
            f"away = {p}half_(z, away, r.cluster);",
            f"r.low = {p}back_(z - away, x);",
            f"r.high = {p}back_(z + away, x);",
        ]
    if band.by == "none" and len(set(band.widths.tolist())) == 1:
        apart = float(band.widths[0]) * program.power
        return [f"r.low = r.value * {number(math.exp(-apart))};", f"r.high = r.value * {number(math.exp(apart))};"]
    power = f" * {number(program.power)}" if program.power != 1 else ""
    return [f"away = exp({p}half_(z, away, r.cluster){power});", "r.low = r.value / away;", "r.high = r.value * away;"]


def _write_finite(program: Program, w: Writer) -> None:
    """Write whether all metrics are numbers; and, as `answered_`, whether the reference is one to multiply with."""
    finite = w.function("int", "finite_", X, w.piece("finite", n=program.n))
    reference = f" && x[{program.reference}] > 0" if program.relative else ""
    w.function("int", "answered_", X, [f"return {finite}(x){reference};"])


def _write_scaled(program: Program, w: Writer) -> None:
    names = [write_node(node, w, f"model_{i}") for i, node in enumerate(program.models)]
    body, at, width = ["int i;"], "x", program.n
    if program.clamp:
        body, at = body + w.piece("clamped", n=width, low=program.reach.low, high=program.reach.high), "held"
    for i, step in enumerate(program.steps):
        lines, width = _step(step, w, at, f"s{i}", width)
        body, at = [*body, *lines], f"s{i}"
    if len(body) == 1 and program.spans is None:
        body = []
    if program.nearest is not None:
        body.append(f"*cluster = {_write_nearest(program.nearest, w)}({at});")
    else:
        body.append("*cluster = 0;")
    body += ["double z;", *_asked(program.spans, w, at, width)]
    if len(names) > 1:
        body += ["switch (*cluster) {"]
        body += [f"case {k}: z = {names[i]}({at}); break;" for k, i in enumerate(program.model_of) if i]
        body += [f"default: z = {names[0]}({at});", "}"]
    else:
        body.append(f"z = {names[0]}({at});")
    named = "scaled_" if program.carry is None else "inside_"
    inside = w.function("double", named, f"{X}, int *cluster", [*body, *_held(program, w), "return z;"])
    if program.carry is not None:
        ends = {name: getattr(program.carry, name) for name in ("columns", "low", "high", "below", "above")}
        on = w.piece("gone_on", inside=inside, n=program.n, m=len(program.carry.columns), **ends)
        w.function("double", "scaled_", f"{X}, int *cluster", on)


def _asked(spans: tuple[Span, ...] | None, w: Writer, at: str, width: int) -> list[str]:
    """Return the statements that refuse columns that the cluster's own model is not asked of."""
    if spans is None:
        return []
    low, high = (w.table(np.concatenate(edges)) for edges in ([s.low for s in spans], [s.high for s in spans]))
    place = f"{width} * *cluster + i"
    return [f"for (i = 0; i < {width}; i++) if ({at}[i] < {low}[{place}] || {at}[i] > {high}[{place}]) return NAN;"]


def _held(program: Program, w: Writer) -> list[str]:
    """Return the statements that hold a cluster's output within its bounds."""
    if not program.holds:
        return []
    refused = []
    if program.spans is not None:
        least, most = (
            w.table(np.array(edges)) for edges in zip(*((s.least, s.most) for s in program.spans), strict=True)
        )
        refused = [f"if (z < {least}[*cluster] || z > {most}[*cluster]) return NAN;"]
    if len(program.bounds) == 1:
        low, high = map(number, program.bounds[0])
    else:
        low, high = (w.table(np.array(edges)) + "[*cluster]" for edges in zip(*program.bounds, strict=True))
    return [*refused, f"if (z < {low}) z = {low};", f"if (z > {high}) z = {high};"]


def _step(step: Step, w: Writer, at: str, to: str, width: int) -> tuple[list[str], int]:
    """Return the statements that apply a step, and how many columns come out."""
    if isinstance(step, Logs):
        return _logs(step, at, to), width
    if isinstance(step, Round):
        return _round(step, w, at, to, width)
    given = f"{at}[i]"
    if step.offset is not None and step.divisor is not None:
        given = f"({at}[i] - {w.table(step.offset)}[i]) / {w.table(step.divisor)}[i]"
    if step.matrix is None:
        return [f"double {to}[{width}];", f"for (i = 0; i < {width}; i++) {to}[i] = {given};"], width
    out = step.matrix.shape[1]
    return w.piece("product", to=to, out=out, width=width, given=given, matrix=step.matrix), out


def _round(step: Round, w: Writer, at: str, to: str, width: int) -> tuple[list[str], int]:
    out = width + len(step.odd) + len(step.filled)
    made = [" * ".join(f"{to}_odd[{j}]" for j in own) for own in step.odd]
    for i, j, m in step.filled:
        product = f"({at}[{i}] * {at}[{j}])"
        made.append(f"ceil({product} / {m}) * {m} / {product}")
    lines = w.piece("rounded", to=to, out=out, width=width, at=at, halvings=step.halvings)
    return [*lines, *(f"{to}[{width + i}] = {one};" for i, one in enumerate(made))], out


def _logs(step: Logs, at: str, to: str) -> list[str]:
    lines = [f"double {to}[{len(step.scales)}];"]
    for i, scale in enumerate(step.scales):
        x = f"{at}[{i}]"
        if scale == "raw":
            lines.append(f"{to}[{i}] = {x};")
        else:
            bound = ">" if scale == "log" else ">="
            lines += [f"if (!({x} {bound} 0)) return NAN;", f"{to}[{i}] = {scale}({x});"]
    return lines


def _write_nearest(nearest: Nearest, w: Writer) -> str:
    k, n = nearest.centres.shape
    tables = {"offset": nearest.offset, "divisor": nearest.divisor, "centres": nearest.centres}
    return w.function("int", "nearest_", X, w.piece("nearest", k=k, n=n, **tables))


def _write_back(program: Program, w: Writer) -> None:
    value = "exp(z)" if program.log else "z"
    value += f" * x[{program.reference}]" if program.relative else ""
    value = f"pow({value}, {number(program.power)})" if program.power != 1 else value
    value += f" * {number(program.factor)}" if program.factor != 1 else ""
    w.function("double", "back_", f"double z, {X}", [*([] if program.relative else ["(void)x;"]), f"return {value};"])


def _write_half(program: Program, w: Writer) -> None:
    """Write half of the interval's width on the model's scale."""
    band, given = program.band, "double z, double away, int cluster"
    unused = ["(void)z;", "(void)away;", "(void)cluster;"]
    if band is None:
        return
    same = len(set(band.widths.tolist())) == 1
    width = number(float(band.widths[0])) if same else f"{w.table(band.widths)}[cluster]"
    if band.by == "none":
        w.function("double", "half_", given, [*unused, f"return {width};"])
        return
    v, ends = "away" if band.by == "leverage" else "z", {"knots": band.knots, "factors": band.factors}
    w.function("double", "half_", given, w.piece("half", v=v, width=width, last=len(band.knots) - 1, **ends))
