"""The exported C header of a spline model of 20 terms against code written by hand for that one model, both at -O2.

Twice: the value alone, and the whole prediction (value, interval, domain flags with leverage). By hand there are
several ways to write either, all of them checked to give the same answers; the quickest is what counts.

Run by hand: python tests/bench/bench_c_export.py
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from core.export import EXPORTERS
from core.export._lower_models import lower_model
from core.export._lowered import find, relative_difference
from core.export._program import Surfaces
from core.export.base import answers, rows
from core.export.c import C
from core.pipeline import FittedPipeline
from core.space.design_space import DesignSpace
from core.space.table import read_space
from core.validate.domain import learn_domain
from core.validate.intervals import Interval
from core.workspace import ROOT
from tests.bench.record import Line, record
from tests.space.made import pipeline, spline_model

TERMS = [(i,) for i in range(10)] + [(5, 0), (3, 0), (7, 0), (8, 0), (5, 3), (1, 4), (2, 8), (6, 7), (9, 5), (1, 0)]
TRAINED, ROWS, TIMES, REPETITIONS = 300, 4096, 300, 3
LOOP = """
#include <stdio.h>
#include <time.h>
static double X[{rows}][{n}];
static double value_of(const double *x) {{ {value} }}
static {result} whole_of(const double *x) {{ return {predict}; }}
int main(int many, char **ignored)
{{
    double least = 1e9, sum = 0;
    int t, i;
    (void)ignored;
    if (fread(X, sizeof X, 1, stdin) != 1) return 1;
    for (i = 0; many > 1 && i < {rows}; i++) {{
        const {result} p = whole_of(X[i]);
        const double out[5] = {{value_of(X[i]), p.value, p.low, p.high, (double)p.flags}};
        fwrite(out, sizeof out, 1, stdout);
    }}
    for (t = 0; many < 2 && t < {times}; t++) {{
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < {rows}; i++) {each}
        clock_gettime(CLOCK_MONOTONIC, &b);
        double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / {rows};
        if (ns < least) least = ns;
    }}
    if (many < 2) printf("%.3f %.17g\\n", least, sum / {times});
    return 0;
}}
"""
VALUE = "sum += value_of(X[i]);"
WHOLE = "{{ const {result} p = whole_of(X[i]); sum += p.value + 1e-30 * (p.low + p.high + (double)p.flags); }}"
"""Uses every part of a prediction, which the compiler would else leave out."""
RESULT = "typedef struct { double value, low, high; unsigned flags; } by_hand_prediction;\n"


def table(values: np.ndarray) -> str:
    return "{" + ",".join(map(repr, np.asarray(values).ravel().tolist())) + "}"


def locate(a: int, axis) -> list[str]:
    """What any hand would write: the piece by comparing, then the place in it."""
    x = f"x[{axis.column}]"
    v = f"log2({x})" if axis.log else x
    breaks = " + ".join(f"(v{a} >= {t!r})" for t in axis.breaks.tolist())
    return [
        f"static const double o{a}[] = {table(axis.origin)}, r{a}[] = {table(axis.inverse)};",
        f"double v{a} = {v}; int i{a} = {breaks}; double b{a} = (v{a} - o{a}[i{a}]) * r{a}[i{a}];",
    ]


def by_columns(node: Surfaces) -> str:
    """The basis of each axis once, then every term as a sum over products of its columns."""
    lines = [line for a, axis in enumerate(node.axes) for line in locate(a, axis)]
    for a, axis in enumerate(node.axes):
        k = axis.powers.shape[1]
        lines.append(f"static const double p{a}[][{k}][4] = {table(axis.powers)};")
        columns = ", ".join(
            f"p{a}[i{a}][{j}][0] + b{a} * (p{a}[i{a}][{j}][1] + b{a} * (p{a}[i{a}][{j}][2] + b{a} * p{a}[i{a}][{j}][3]))"
            for j in range(k)
        )
        lines.append(f"const double f{a}[{k}] = {{{columns}}};")
    lines.append(f"double s = {node.constant!r};")
    for axes, c in node.terms:
        if len(axes) == 1:
            lines.append("s += " + " + ".join(f"{v!r} * f{axes[0]}[{i}]" for i, v in enumerate(c.tolist())) + ";")
        else:
            a, b = axes
            rows = (" + ".join(f"{v!r} * f{b}[{j}]" for j, v in enumerate(row)) for row in c.tolist())
            lines.append("s += " + " + ".join(f"f{a}[{i}] * ({row})" for i, row in enumerate(rows)) + ";")
    return function(lines)


def by_cells(node: Surfaces) -> str:
    """Every term as one table of polynomials, by Horner's rule."""
    lines = [line for a, axis in enumerate(node.axes) for line in locate(a, axis)]
    lines.append(f"double s = {node.constant!r};")
    for i, (axes, c) in enumerate(node.terms):
        powers = [node.axes[a].powers for a in axes]
        if len(axes) == 1:
            lines.append(f"static const double c{i}[][4] = {table(np.einsum('ikp,k->ip', powers[0], c))};")
            lines.append(f"s += {horner(axes[0], [f'c{i}[i{axes[0]}][{k}]' for k in range(4)])};")
        else:
            a, b = axes
            cells = np.einsum("ikp,jlq,kl->ijpq", *powers, c)
            lines.append(f"static const double c{i}[][{cells.shape[1]}][4][4] = {table(cells)};")
            rows = [horner(b, [f"c{i}[i{a}][i{b}][{k}][{m}]" for m in range(4)]) for k in range(4)]
            lines.append(f"s += {horner(a, rows)};")
    return function(lines)


def horner(a: int, c: list[str]) -> str:
    return f"({c[0]} + b{a} * ({c[1]} + b{a} * ({c[2]} + b{a} * {c[3]})))"


def function(lines: list[str]) -> str:
    return "#include <math.h>\nstatic double by_hand(const double *x)\n{\n" + "\n".join(lines) + "\nreturn exp(s);\n}\n"


def by_rows(D: np.ndarray) -> list[str]:
    """Leverage as it is written down: a scalar product per direction."""
    return ["double d, away = 0;", *(f"d = {products(row, range(len(row)))}; away += d * d;" for row in D.tolist())]


def by_triangle(D: np.ndarray) -> list[str]:
    """Leverage after Gram and Schmidt: half of the products are gone."""
    R = np.linalg.qr(D, mode="r").tolist()
    return [
        "double d, away = 0;",
        *(f"d = {products(row, range(j, len(row)))}; away += d * d;" for j, row in enumerate(R)),
    ]


def by_form(D: np.ndarray) -> list[str]:
    """Leverage as a quadratic form, each pair of metrics once."""
    A = D.T @ D
    double = (2 * A - np.diag(np.diag(A))).tolist()
    return [
        "double away = "
        + " + ".join(f"m{i} * ({products(row, range(i, len(row)))})" for i, row in enumerate(double))
        + ";"
    ]


def products(row: list[float], columns: Iterable[int]) -> str:
    return " + ".join(f"({row[i]!r}) * m{i}" for i in columns)


def interval_of(interval: Interval) -> list[str]:
    """The ends by one exponential less, where the width is a constant by none."""
    width = float(interval.half_widths[0])
    if interval.by == "none":
        return [f"p.low = p.value * {float(np.exp(-width))!r}; p.high = p.value * {float(np.exp(width))!r};"]
    points = list(zip(interval.knots.tolist(), (width * interval.factors).tolist(), strict=True))
    lines = [f"if (away <= {points[0][0]!r}) h = {points[0][1]!r};"]
    lines += [
        f"else if (away < {k1!r}) h = {(f1 - f0) / (k1 - k0)!r} * (away - {k0!r}) + {f0!r};"
        for (k0, f0), (k1, f1) in pairwise(points)
    ]
    return [
        "double h;",
        *lines,
        f"else h = {points[-1][1]!r};",
        "h = exp(h); p.low = p.value / h; p.high = p.value * h;",
    ]


def whole(model: FittedPipeline, value: str, leverage: list[str], *, log: bool) -> str:
    """What a careful hand writes around the value: a row inside every bound needs no other look."""
    d, n = model.domain, range(len(model.metrics))
    low, high = (d.low - 1e-9 * (d.high - d.low)).tolist(), (d.high + 1e-9 * (d.high - d.low)).tolist()
    inside = " & ".join(f"(x[{i}] >= {low[i]!r}) & (x[{i}] <= {high[i]!r})" for i in n)
    numbers = " && ".join(f"isfinite(x[{i}])" for i in n)
    positive = " && ".join(f"x[{i}] > 0" for i in n) if log else "1"
    beyond = " || ".join(f"x[{i}] < {low[i]!r} || x[{i}] > {high[i]!r}" for i in n)
    moved = ", ".join(f"m{i} = x[{i}] - {c!r}" for i, c in enumerate(d.centre.tolist()))
    lines = [
        "by_hand_prediction p = {NAN, NAN, NAN, 0};",
        "int known = 1, finite = 1;",
        f"if (!({inside})) {{ finite = {numbers}; known = finite && {positive}; p.flags = {beyond}; }}",
        f"const double {moved};",
        *leverage,
        f"if (away > {d.furthest * (1 + 1e-9)!r} && finite) p.flags |= 2;",
        "const double v = known ? by_hand(x) : NAN;",
        "if (!(fabs(v) < INFINITY)) { p.flags |= 4; return p; }",
        "p.value = v;",
        *interval_of(model.interval),
        "if (!(p.high < INFINITY)) p.low = p.high = NAN;",
        "return p;",
    ]
    body = "\n".join(f"    {line}" for line in lines)
    return f"{value}{RESULT}static by_hand_prediction whole(const double *x)\n{{\n{body}\n}}\n"


class Timed:
    """A source of C with its two functions, compiled once per question."""

    def __init__(self, source: str, value: str, predict: str, result: str) -> None:
        self.source, self.value, self.predict, self.result = source, value, predict, result

    def build(self, folder: Path, compiler: str, each: str, n: int) -> Path:
        text = LOOP.format(
            rows=ROWS,
            n=n,
            times=TIMES,
            each=each.format(result=self.result),
            value=f"return {self.value};",
            predict=self.predict,
            result=self.result,
        )
        binary = folder / f"b{len(list(folder.iterdir()))}"
        binary.with_suffix(".c").write_text(self.source + text)
        subprocess.run(
            [compiler, "-O2", "-std=gnu99", "-w", f"{binary}.c", "-o", str(binary), "-lm"], check=True, timeout=120
        )
        return binary


def run(binary: Path, X: np.ndarray, *arguments: str) -> bytes:
    return subprocess.run(
        [str(binary), *arguments], input=X.tobytes(), capture_output=True, check=True, timeout=120
    ).stdout


def checked(binary: Path, model: FittedPipeline, X: np.ndarray, *, values: bool) -> None:
    """Hold what a program says of rows against the model; by hand, the value alone knows of no refusal."""
    right = answers(model.alone(), X)
    own, value, low, high, flags = np.frombuffer(run(binary, X, "answers")).reshape(-1, 5).T
    pairs = [(value, right.value), (low, right.low), (high, right.high), *([(own, right.value)] if values else [])]
    assert max(relative_difference(a, b) for a, b in pairs) < 1e-12
    assert np.array_equal(flags, right.flags)


def main() -> None:
    space = read_space((Path(ROOT) / "data" / "spaces" / "stargazer_table2.toml").read_text())
    for log in (True, False):
        for by in ("none", "leverage"):
            compare(space, log=log, by=by)


def made(space: DesignSpace, X: np.ndarray, *, log: bool, by: str) -> FittedPipeline:
    """A model with all that a trained one has, of as many trials as its paper measures."""
    model = pipeline(space, spline_model(space, TERMS, log=log))
    knots = (
        (np.empty(0), np.empty(0))
        if by == "none"
        else (np.array([4.0, 8.0, 11.0, 15.0]), np.array([0.8, 0.95, 1.1, 1.4]))
    )
    interval = Interval(np.array([0.1]), by, *knots, 0.9, TRAINED, "made")
    return replace(model, domain=learn_domain(X[:TRAINED]), interval=interval)


def compare(space: DesignSpace, *, log: bool, by: str) -> None:
    X = np.ascontiguousarray(
        space.numbers(space.codes(np.random.default_rng(0).integers(space.n_combinations, size=ROWS)))
    )
    model = made(space, X, log=log, by=by)
    node = lower_model(model.clusters[0].model)
    assert isinstance(node, Surfaces)
    values = [by_columns(node), by_cells(node)]
    forms = [form(model.domain.directions) for form in (by_rows, by_triangle, by_form)]
    hands = [
        Timed(whole(model, v, form, log=log), "by_hand(x)", "whole(x)", "by_hand_prediction")
        for v in values
        for form in forms
    ]
    name = C().name(model)
    own = Timed(EXPORTERS["c"]().write(model).decode(), f"{name}_value(x)", f"{name}_predict(x)", f"{name}_prediction")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for compiler in dict.fromkeys([find("c"), *(["clang"] if shutil.which("clang") else [])]):
            value, predict = (
                [one.build(folder, compiler, each, X.shape[1]) for one in [*hands, own]] for each in (VALUE, WHOLE)
            )
            for binary in predict:
                checked(binary, model, X, values=True)
                checked(binary, model, rows(model, ROWS), values=binary == predict[-1])
            told = [[quickest(binaries, X) for _ in range(REPETITIONS)] for binaries in (value[:: len(forms)], predict)]
            for what, times in zip(("value", "prediction"), told, strict=True):
                hand, own_ns = (statistics.median(column) / 1e9 for column in zip(*times, strict=True))
                scale = "logarithms" if log else "as they are"
                work = f"C header, {what} of {len(TERMS)} terms, {scale}, interval by {by}, {Path(compiler).name}"
                record(Line(work, own_ns, "s by the clock", "the best of several by hand", hand, 1.15))


def quickest(binaries: list[Path], X: np.ndarray) -> tuple[float, float]:
    """Return nanoseconds a row of the best by hand, and of the header, which is last."""
    found = [min(float(run(binary, X).split()[0]) for _ in range(2)) for binary in binaries]
    return min(found[:-1]), found[-1]


if __name__ == "__main__":
    main()
