"""The functions of C around a program's models: domain, steps, clusters, the way back, prediction and interval."""

from core.export._c_nodes import X, write_node
from core.export._c_text import Writer, number
from core.export._program import Affine, Logs, Nearest, Program, Step

LARGEST = "1.7976931348623157e308"


def write_program(program: Program, w: Writer) -> None:
    """Write the functions `answered_`, `flags_`, `scaled_`, `back_` and `half_`, which the public ones are made of."""
    _write_finite(program, w)
    _write_flags(program, w)
    _write_scaled(program, w)
    _write_back(program, w)
    _write_half(program, w)


def value_body(program: Program, w: Writer) -> list[str]:
    """Return the body of the function that predicts a number and nothing else."""
    p = w.dialect.prefix
    refused = [f"if ({p}flags_(x)) return NAN;"] if program.refuse else []
    lines = [f"int cluster = 0, known = {p}answered_(x);", "double v;", *refused, "if (!known) return NAN;"]
    return [*lines, f"v = {p}back_({p}scaled_(x, &cluster), x);", f"return fabs(v) <= {LARGEST} ? v : NAN;"]


def predict_body(program: Program, w: Writer, result: str) -> list[str]:
    """Return the body of the function that predicts a value with its interval and flags."""
    p = w.dialect.prefix
    kept = f"{p}answered_(x)" + (" && !r.flags" if program.refuse else "")
    return [
        f"{result} r = {{NAN, NAN, NAN, 0, 0}};", "double z, half;", f"r.flags = (unsigned){p}flags_(x);",
        f"z = {kept} ? {p}scaled_(x, &r.cluster) : NAN;", f"r.value = {p}back_(z, x);",
        f"if (!(fabs(r.value) <= {LARGEST})) {{", "    r.value = NAN;", "    r.cluster = 0;", "    r.flags |= 4u;",
        "    return r;", "}", f"half = {p}half_(z, x, r.cluster);", f"r.low = {p}back_(z - half, x);",
        f"r.high = {p}back_(z + half, x);",
        f"if (!(fabs(r.low) <= {LARGEST} && fabs(r.high) <= {LARGEST} && r.low <= r.value && r.value <= r.high))",
        "    r.low = r.high = NAN;", "return r;",
    ]  # fmt: skip


def _write_flags(program: Program, w: Writer) -> None:
    reach, n = program.reach, program.n
    low, high = w.table(reach.low - reach.room), w.table(reach.high + reach.room)
    body = ["int i, found = 0;", f"for (i = 0; i < {n}; i++) found |= (x[i] < {low}[i]) | (x[i] > {high}[i]);"]
    if len(reach.directions):
        centre, directions = w.table(reach.centre), w.table(reach.directions)
        inner = ["double s = 0;", "int i, j;", f"for (j = 0; j < {len(reach.directions)}; j++) {{", "    double d = 0;"]
        inner += [f"    for (i = 0; i < {n}; i++) d += {directions}[{n} * j + i] * (x[i] - {centre}[i]);"]
        w.function("double", "leverage_", X, [*inner, "    s += d * d;", "}", "return s;"])
        p = w.dialect.prefix
        body += [f"if ({p}leverage_(x) > {number(reach.furthest)} && {p}finite_(x)) found |= 2;"]
    w.function("int", "flags_", X, [*body, "return found;"])


def _write_finite(program: Program, w: Writer) -> None:
    """Write whether all metrics are numbers; and, as `answered_`, whether the reference is one to multiply with."""
    body = ["int i, known = 1;", f"for (i = 0; i < {program.n}; i++) known &= fabs(x[i]) <= {LARGEST};"]
    finite = w.function("int", "finite_", X, [*body, "return known;"])
    reference = f" && x[{program.reference}] > 0" if program.relative else ""
    w.function("int", "answered_", X, [f"return {finite}(x){reference};"])


def _write_scaled(program: Program, w: Writer) -> None:
    names = [write_node(node, w, f"model_{i}") for i, node in enumerate(program.models)]
    body, at, width = ["int i;"], "x", program.n
    if program.clamp:
        low, high = w.table(program.reach.low), w.table(program.reach.high)
        body += [f"double held[{width}];", f"for (i = 0; i < {width}; i++)"]
        body += [f"    held[i] = x[i] < {low}[i] ? {low}[i] : x[i] > {high}[i] ? {high}[i] : x[i];"]
        at = "held"
    for i, step in enumerate(program.steps):
        lines, width = _step(step, w, at, f"s{i}", width)
        body, at = [*body, *lines], f"s{i}"
    if len(body) == 1:
        body = []
    if program.nearest is not None:
        nearest = _write_nearest(program.nearest, w)
        body.append(f"*cluster = {nearest}({at});")
    else:
        body.append("*cluster = 0;")
    if len(names) > 1:
        body += ["switch (*cluster) {"]
        body += [f"case {k}: return {names[i]}({at});" for k, i in enumerate(program.model_of) if i]
        body += [f"default: return {names[0]}({at});", "}"]
    else:
        body.append(f"return {names[0]}({at});")
    w.function("double", "scaled_", f"{X}, int *cluster", body)


def _step(step: Step, w: Writer, at: str, to: str, width: int) -> tuple[list[str], int]:
    """Return the statements that apply a step, and how many columns come out."""
    if isinstance(step, Logs):
        return _logs(step, at, to), width
    given = f"{at}[i]"
    if step.offset is not None and step.divisor is not None:
        given = f"({at}[i] - {w.table(step.offset)}[i]) / {w.table(step.divisor)}[i]"
    if step.matrix is None:
        return [f"double {to}[{width}];", f"for (i = 0; i < {width}; i++) {to}[i] = {given};"], width
    return _product(step, w, given, to, width)


def _product(step: Affine, w: Writer, given: str, to: str, width: int) -> tuple[list[str], int]:
    assert step.matrix is not None
    out, matrix = step.matrix.shape[1], w.table(step.matrix)
    lines = [f"double {to}[{out}] = {{0}};", f"for (i = 0; i < {width}; i++) {{", f"    const double v = {given};"]
    lines += ["    int j;", f"    for (j = 0; j < {out}; j++) {to}[j] += v * {matrix}[{out} * i + j];", "}"]
    return lines, out


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
    k, p = nearest.centres.shape
    offset, divisor, centres = w.table(nearest.offset), w.table(nearest.divisor), w.table(nearest.centres)
    body = ["double least = INFINITY;", "int i, k, found = 0;", f"for (k = 0; k < {k}; k++) {{", "    double s = 0;"]
    body += [f"    for (i = 0; i < {p}; i++) {{"]
    body += [f"        const double d = (x[i] - {offset}[i]) / {divisor}[i] - {centres}[{p} * k + i];"]
    body += ["        s += d * d;", "    }", "    if (s < least) { least = s; found = k; }", "}", "return found;"]
    return w.function("int", "nearest_", X, body)


def _write_back(program: Program, w: Writer) -> None:
    value = "exp(z)" if program.log else "z"
    value += f" * x[{program.reference}]" if program.relative else ""
    value = f"pow({value}, {number(program.power)})" if program.power != 1 else value
    value += f" * {number(program.factor)}" if program.factor != 1 else ""
    w.function("double", "back_", f"double z, {X}", [*([] if program.relative else ["(void)x;"]), f"return {value};"])


def _write_half(program: Program, w: Writer) -> None:
    band, unused = program.band, ["(void)z;", "(void)x;", "(void)cluster;"]
    if band is None:
        w.function("double", "half_", f"double z, {X}, int cluster", [*unused, "return NAN;"])
        return
    same = len(set(band.widths.tolist())) == 1
    width = number(float(band.widths[0])) if same else f"{w.table(band.widths)}[cluster]"
    if band.by == "none":
        body = [*unused, f"return {width};"]
    else:
        n, knots, factors = len(band.knots), w.table(band.knots), w.table(band.factors)
        given = f"{w.dialect.prefix}leverage_(x)" if band.by == "leverage" else "z"
        body = [*unused, f"const double v = {given};", "int i = 0;"]
        body += [f"if (v <= {knots}[0]) return {width} * {factors}[0];"]
        body += [f"if (v >= {knots}[{n - 1}]) return {width} * {factors}[{n - 1}];"]
        body += [f"while ({knots}[i + 1] <= v) i++;"]
        slope = f"({factors}[i + 1] - {factors}[i]) / ({knots}[i + 1] - {knots}[i])"
        body += [f"return {width} * ({slope} * (v - {knots}[i]) + {factors}[i]);"]
    w.function("double", "half_", f"double z, {X}, int cluster", body)

