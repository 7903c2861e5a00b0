"""The exported C header of a spline model of 20 terms against code written by hand for that one model, both at -O2.

Run by hand: python tests/bench/bench_c_export.py
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from core.export import EXPORTERS
from core.export._compile import find
from core.export._lower_models import lower_model
from core.export._program import Surfaces
from core.export.c import prefix_of
from core.space._toml import read_space
from core.space.design_space import DesignSpace
from core.validate.domain import learn_domain
from core.workspace import ROOT
from tests.space.made import pipeline, spline_model

TERMS = [(i,) for i in range(10)] + [(5, 0), (3, 0), (7, 0), (8, 0), (5, 3), (1, 4), (2, 8), (6, 7), (9, 5), (1, 0)]
ROWS, TIMES = 4096, 300
LOOP = """
#include <stdio.h>
#include <time.h>
static double X[{rows}][{n}];
int main(void)
{{
    double least = 1e9, sum = 0;
    int t, i;
    if (fread(X, sizeof X, 1, stdin) != 1) return 1;
    for (t = 0; t < {times}; t++) {{
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < {rows}; i++) sum += {call};
        clock_gettime(CLOCK_MONOTONIC, &b);
        double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / {rows};
        if (ns < least) least = ns;
    }}
    printf("%.3f %.17g\\n", least, sum / {times});
    return 0;
}}
"""
WHOLE = """
static double whole(const double *x)
{{
    const {name}_prediction p = {name}_predict(x);
    return p.value + 1e-30 * (p.low + p.high + (double)p.flags);
}}
"""
"""Uses every part of a prediction, which the compiler would else leave out."""


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


def nanoseconds(source: str, call: str, X: np.ndarray, folder: Path, compiler: str) -> tuple[float, float]:
    (folder / "b.c").write_text(source + LOOP.format(rows=ROWS, n=X.shape[1], times=TIMES, call=call))
    command = [compiler, "-O2", "-std=gnu99", "-w", str(folder / "b.c"), "-o", str(folder / "b"), "-lm"]
    subprocess.run(command, check=True, timeout=120)
    runs = [subprocess.run([str(folder / "b")], input=X.tobytes(), capture_output=True, check=True, timeout=120) for _ in range(3)]
    pairs = [tuple(map(float, run.stdout.split())) for run in runs]
    return min(ns for ns, _ in pairs), pairs[0][1]


def main() -> None:
    space = read_space((Path(ROOT) / "data" / "spaces" / "stargazer_table2.toml").read_text())
    for log in (True, False):
        compare(space, log=log)


def compare(space: DesignSpace, *, log: bool) -> None:
    model = pipeline(space, spline_model(space, TERMS, log=log))
    X = np.ascontiguousarray(space.numbers(space.codes(np.random.default_rng(0).integers(space.n_combinations, size=ROWS))))
    model = replace(model, domain=learn_domain(X))  # with leverage, as trained models have it
    node = lower_model(model.clusters[0].model)
    assert isinstance(node, Surfaces)
    header, name = EXPORTERS["c"]().write(model).decode(), prefix_of(model)
    wanted = {
        "by hand, columns of each axis": (by_columns(node), "by_hand(X[i])"),
        "by hand, a table per term": (by_cells(node), "by_hand(X[i])"),
        "exported: value": (header, f"{name}_value(X[i])"),
        "exported: predict (interval, flags, leverage)": (header + WHOLE.format(name=name), "whole(X[i])"),
    }
    with tempfile.TemporaryDirectory() as folder:
        for compiler in dict.fromkeys([find("c"), "clang"]):
            print(f"{compiler} -O2, {len(TERMS)} terms of {space.numbers(space.codes(np.array([0]))).shape[1]} parameters{', logarithms of them' if log else ''}; scale {model.scale.name}")
            found = {k: nanoseconds(*v, X, Path(folder), compiler) for k, v in wanted.items()}
            best = min(ns for k, (ns, _) in found.items() if k.startswith("by hand"))
            for k, (ns, total) in found.items():
                print(f"  {k:45s} {ns:7.1f} ns   {ns / best:.2f} of the best by hand   (sum {total:.15g})")


if __name__ == "__main__":
    main()
