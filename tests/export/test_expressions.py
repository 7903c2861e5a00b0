"""Trees of primitives, drawn at random: every language gives the numbers that NumPy gives, and so does what is read."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest

from core.basis.base import (
    NUMBERS,
    WORDS,
    Expression,
    X,
    asinh,
    largest,
    log2,
    number,
    power,
    root,
    sign,
    size,
    where_infinite,
    where_zero,
)
from core.export import _c_nodes, _onnx_nodes, _python_nodes, _sql_nodes
from core.export._lowered import build, find, run
from core.export._onnx_graph import IR, OPSET, Graph
from core.export._program import PRINTED
from core.export._python_nodes import Columns, Plain
from core.export.base import CannotRunError

AT = np.array([-3.0, -1.0, -0.25, 0.0, 0.125, 0.5, 1.0, 2.5, 7.0])
EXPONENTS = (-2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0)


def drawn(rng: np.random.Generator, depth: int) -> Expression:
    """Return a tree; roots, logarithms, powers and divisors are of what is above 0."""
    if depth == 0 or rng.uniform() < 0.1:
        return X if rng.uniform() < 0.7 else number(float(rng.choice([-2.0, -0.5, 0.25, 3.0])))
    a, b = drawn(rng, depth - 1), drawn(rng, depth - 1)
    exponent, positive = float(rng.choice(EXPONENTS)), size(a) + number(0.5)
    aboves = [positive, largest(a * a, 0.25), power(positive, exponent), positive * (size(b) + number(1.0))]
    above = aboves[int(rng.integers(len(aboves)))]
    ways = [a + b, a - b, a * b, b / above, sign(a), size(a), asinh(a), log2(above), root(above)]
    ways += [power(above, exponent), largest(a, -0.5), where_zero(a, 2.0, b), where_infinite(a, 1.0)]
    return ways[int(rng.integers(len(ways)))]


def trees() -> list[Expression]:
    rng = np.random.default_rng(0)
    found = [drawn(rng, 3) for _ in range(300)]
    return [tree for tree in found if "x" in tree.primitives and np.abs(right(tree)).max() < 1e6]


def right(tree: Expression) -> np.ndarray:
    return np.broadcast_to(tree.folded(NUMBERS, AT), AT.shape)


TREES = trees()
RIGHT = np.array([right(tree) for tree in TREES])


def test_the_trees_have_every_primitive() -> None:
    assert frozenset().union(*(tree.primitives for tree in TREES)) == PRINTED
    assert len(TREES) > 150


@pytest.mark.slow
def test_c(tmp_path: Path) -> None:
    try:
        compiler = find("c")
    except CannotRunError as error:
        pytest.skip(str(error))
    lines = ["#include <math.h>", "#include <stdio.h>", "int main(void) {", "double u;"]
    lines += [f"static const double at[] = {{{', '.join(map(str, AT))}}};"]
    for tree in TREES:
        value = tree.folded(_c_nodes._VALUES, "u")
        lines.append(f'for (int i = 0; i < {len(AT)}; i++) {{ u = at[i]; printf("%.17g\\n", {value}); }}')
    (tmp_path / "trees.c").write_text("\n".join([*lines, "return 0;", "}"]))
    build(compiler, "c", tmp_path / "trees.c", tmp_path / "trees")
    said = np.array(run([str(tmp_path / "trees")], tmp_path).split(), dtype=float)
    np.testing.assert_allclose(said.reshape(RIGHT.shape), RIGHT, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_sql() -> None:
    listed = ", ".join(tree.folded(_sql_nodes._VALUES, "u") for tree in TREES)
    rows = ", ".join(f"({v}e0)" for v in AT)
    said = duckdb.sql(f"SELECT {listed} FROM (VALUES {rows}) t(u)").fetchall()
    np.testing.assert_allclose(np.array(said, dtype=float).T, RIGHT, rtol=1e-10, atol=1e-10)


NO_NUMBER = (root(X), power(X, 1.5), power(X, -0.5), power(X, -1.5), power(X, -3.0), power(X, -2.0), log2(X))
"""Of some numbers there is none."""


def none_where_no_number(query: Callable[[str], Sequence[Sequence[float | None]]]) -> None:
    """Hold what a database says of them against NumPy: nothing where there is no finite number."""
    listed = ", ".join(tree.folded(_sql_nodes._VALUES, "u") for tree in NO_NUMBER)
    rows = ", ".join(f"({v}e0)" for v in AT)
    said = np.array(query(f"SELECT {listed} FROM (VALUES {rows}) t(u)"), dtype=float).T
    with np.errstate(all="ignore"):
        expected = np.array([tree.folded(NUMBERS, AT) for tree in NO_NUMBER])
    np.testing.assert_allclose(said, np.where(np.isfinite(expected), expected, np.nan), rtol=1e-10)


def test_sql_has_nothing_where_there_is_no_number() -> None:
    none_where_no_number(lambda text: duckdb.sql(text).fetchall())


def test_python() -> None:
    for tree, expected in zip(TREES, RIGHT, strict=True):
        plain = tree.plain()
        one = [_python_nodes.expression(plain, u, Plain) for u in AT.tolist()]
        np.testing.assert_allclose(one, expected, rtol=1e-10, atol=1e-10)
        all_at_once = _python_nodes.expression(plain, AT, Columns)
        np.testing.assert_allclose(np.broadcast_to(all_at_once, AT.shape), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_onnx() -> None:
    helper, runtime = pytest.importorskip("onnx.helper"), pytest.importorskip("onnxruntime")
    g = Graph()
    ends = [g.add(g.times("u", 0.0), tree.folded(_onnx_nodes._values(g), "u")) for tree in TREES]
    given, *out = (helper.make_tensor_value_info(name, 11, [None, 1]) for name in ("u", *ends))
    graph = helper.make_graph(g.nodes, "trees", [given], out, g.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    said = runtime.InferenceSession(made.SerializeToString()).run(None, {"u": AT[:, None]})
    np.testing.assert_allclose(np.array(said)[:, :, 0], RIGHT, rtol=1e-10, atol=1e-10)


def test_what_is_read_is_what_is_computed() -> None:
    """The text as Python reads it, with the names of its functions; where bars stand in bars nobody can read it."""
    known = {"log2": np.log2, "asinh": np.arcsinh, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign, "max": np.maximum}
    unwritten = {"where_zero", "where_infinite"}
    read = 0
    for tree, expected in zip(TREES, RIGHT, strict=True):
        text = tree.folded(WORDS, "1 + x")
        if text.count("|") > 2 or tree.primitives & unwritten:
            continue
        read += 1
        code = re.sub(r"\|(.*)\|", r"abs(\1)", text).replace("−", "-").replace("·", "*").replace("^", "**")
        said = eval(code.replace("√", "sqrt"), known | {"x": AT - 1})
        np.testing.assert_allclose(np.broadcast_to(said, AT.shape), expected, rtol=1e-3, atol=1e-3, err_msg=text)
    assert read > 60


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (root(X) / (number(2.0) * X), "√(1 + x)/(2·(1 + x))"),
        (X / (X / number(3.0)), "(1 + x)/((1 + x)/3)"),
        (number(2.0) - (X - number(-4.0)), "2 − (1 + x − (-4))"),
        (power(size(X) * X, -1.0), "(|1 + x|·(1 + x))^-1"),
    ],
)
def test_parentheses_stand_where_they_change_the_meaning(tree: Expression, text: str) -> None:
    assert tree.folded(WORDS, "1 + x") == text
