"""Formulas and conditions as text: arithmetic and comparisons alone, read by their syntax tree, never run."""

import ast
import math
import operator
import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial, reduce
from keyword import iskeyword
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from core.codec import BoolArray, FloatArray, Frozen
from core.errors import OptionError

Values = Mapping[str, Any]

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SIGNS: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: np.logical_not}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda *v: reduce(np.minimum, v),
    "max": lambda *v: reduce(np.maximum, v),
    "abs": np.abs,
    "log2": np.log2,
}
_OF_ONE = ("abs", "log2")
"""Functions of one argument: NumPy would write into a second."""
_LONGEST, _DEEPEST = 1000, 150
"""Characters of a formula, and how deep its parts stand in each other: more than Python's own calls go down."""
_MOST_PARTS = 2000
"""Names, numbers and signs of a formula with what is defined spelt out, which else can double with each definition."""


class Formula(Frozen):
    """A number that follows from named ones.

    Attributes
    ----------
    text : as it was written
    names : what it speaks of: parameters, or what models predict
    """

    text: str
    names: tuple[str, ...]
    noun: ClassVar[str] = "Formula"

    @classmethod
    def parse(cls, text: str, known: Sequence[str]) -> Self:
        """Return what a text means.

        Raises
        ------
        OptionError
            If it cannot be read, or names what is not known.
        """
        tree = _tree(text, cls.noun)
        names = tuple(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))
        names = tuple(name for name in names if name not in _FUNCTIONS)
        for name in names:
            if name not in known:
                raise OptionError(
                    f"{cls.noun} '{text}': there is no parameter '{name}'; there are: {', '.join(known)}."
                )
        if not names:
            raise OptionError(f"{cls.noun} '{text}' names no parameter.")
        _meaning(tree, text, cls.noun)
        return cls(text, names)

    def of(self, values: Values, n: int) -> FloatArray:
        """Return the number at n points, NaN where it cannot be computed.

        Parameters
        ----------
        values : by name, an array of shape (n,)
        """
        found = self._found(values, n).astype(np.float64)
        return np.where(np.isfinite(found), found, np.nan)

    def _found(self, values: Values, n: int) -> npt.NDArray[Any]:
        with np.errstate(all="ignore"):
            return np.broadcast_to(
                np.asarray(_meaning(_tree(self.text, self.noun), self.text, self.noun)(values)), (n,)
            )


class Constraint(Formula):
    """A condition that a design point fulfils or not."""

    noun: ClassVar[str] = "Constraint"

    def holds(self, values: Values, n: int) -> BoolArray:
        """Return where the condition is fulfilled; where it cannot be computed (a division by 0) it is not.

        Parameters
        ----------
        values : by parameter, an array of shape (n,)
        """
        found = self._found(values, n)
        return found.astype(bool) if found.dtype == bool else np.nan_to_num(found.astype(np.float64)) != 0


def nameable(name: str) -> bool:
    """Whether a formula can speak of a name: not of one with a blank or a sign, such as `corpus MB`."""
    return name.isidentifier() and not iskeyword(name) and name not in _FUNCTIONS


def as_float(value: float) -> float:
    """Return a number as a float, infinite if it is a whole one beyond all of these."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class _Defined(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)


_DEFINITION = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?![=])(.*)", re.DOTALL)


def spelt_out(texts: Sequence[str], taken: Container[str] = ()) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the formulas that texts such as "area = 3.1*l2 + 40*cores <= 600" define, and the conditions in them.

    What was defined before may be named after; in what is returned it is spelt out. A text that only defines
    is no condition.

    Parameters
    ----------
    taken : what is known already, and cannot be defined

    Raises
    ------
    OptionError
        If one cannot be read, or defines what is taken.
    """
    known: dict[str, ast.expr] = {}
    conditions = []
    for text in texts:
        match = _DEFINITION.fullmatch(text)
        if match and match[1] in taken:
            raise OptionError(
                f"'{match[1]}' is a parameter or response, and cannot be defined. "
                f"Write '{match[1]} == {match[2].strip()}' for a limit."
            )
        tree = _substituted(match[2] if match else text, Constraint.noun, known)
        if match:
            known[match[1]] = tree.left if isinstance(tree, ast.Compare) else tree
        if not match or isinstance(tree, ast.Compare):
            conditions.append(ast.unparse(tree))
    return {name: ast.unparse(tree) for name, tree in known.items()}, tuple(conditions)


def number_spelt_out(text: str, defined: Mapping[str, str]) -> str:
    """Return a formula of a number with what `spelt_out` found defined in the place of its names.

    Raises
    ------
    OptionError
        If it cannot be read, or is a comparison.
    """
    known = {name: _tree(formula, Formula.noun) for name, formula in defined.items()}
    tree = _substituted(text, Formula.noun, known)
    if isinstance(tree, ast.Compare):
        raise OptionError(f"'{text}' is a comparison, where a number is asked for. Give it as a limit.")
    return ast.unparse(tree)


def _tree(text: str, noun: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise OptionError(f"A {noun.lower()} has at most {_LONGEST} characters, got {len(text)}.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(f"{noun} '{text}' cannot be read. Write such as 'block_x * block_y <= 1024'.") from None
    _check_size(tree, text, noun)
    return tree


def _substituted(text: str, noun: str, known: Mapping[str, ast.expr]) -> ast.expr:
    """Return the tree of a text with trees in the place of names; they are shared, so that it costs no more to make."""
    tree: ast.expr = _Defined(known).visit(_tree(text, noun))
    _check_size(tree, text, noun)
    return tree


def _check_size(tree: ast.expr, text: str, noun: str) -> None:
    level: list[ast.AST] = [tree]
    size = 0
    for _ in range(_DEEPEST):
        size += len(level)
        if size > _MOST_PARTS:
            raise OptionError(
                f"{noun} '{text[:60]} …' has more than {_MOST_PARTS:,} parts, with what it names spelt out."
            )
        level = [part for node in level for part in ast.iter_child_nodes(node)]
    if level:
        raise OptionError(f"{noun} '{text[:60]} …' has parts that stand in each other more than {_DEEPEST} deep.")


def _meaning(node: ast.AST, text: str, noun: str, compared: bool = False) -> Callable[[Values], Any]:
    """Return what gives a tree's value; raise OptionError if it has a part that is not of the grammar.

    Parameters
    ----------
    compared : whether it is a side of == or !=, where alone a text may stand
    """

    def of(*parts: ast.AST, compared: bool = False) -> list[Callable[[Values], Any]]:
        return [_meaning(part, text, noun, compared) for part in parts]

    match node:
        case ast.Constant(value=int() | float() as value):
            fixed = value if isinstance(value, bool) else as_float(value)
            return lambda values: fixed
        case ast.Constant(value=str() as value) if compared:
            return lambda values: value
        case ast.Name(id=name) if name not in _FUNCTIONS:
            return lambda values: values[name] if compared else _number(values[name], text, noun)
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC:
            return _applied(_ARITHMETIC[type(op)], of(node.left, node.right))
        case ast.UnaryOp(op=op) if type(op) in _SIGNS:
            return _applied(_SIGNS[type(op)], of(node.operand))
        case ast.BoolOp(op=op):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return _applied(lambda *sides: reduce(join, sides), of(*node.values))
        case ast.Compare(ops=ops) if all(type(op) in _COMPARISONS for op in ops):
            signs = [_COMPARISONS[type(op)] for op in ops]
            equal = all(isinstance(op, ast.Eq | ast.NotEq) for op in ops)
            return _applied(partial(_compared, signs), of(node.left, *node.comparators, compared=equal))
        case ast.Call(func=ast.Name(id=name), args=[_, *more], keywords=[]) if name in _FUNCTIONS and not (
            more and name in _OF_ONE
        ):
            return _applied(_FUNCTIONS[name], of(*node.args))
    raise OptionError(
        f"{noun} '{text}' uses what a {noun.lower()} cannot: {ast.unparse(node)[:60]}. There are numbers, "
        "parameters, + - * / // % **, comparisons, and, or, not, min, max, abs and log2."
    )


def _number(value: Any, text: str, noun: str) -> Any:
    """Return values that are to be computed with; raise OptionError if they are texts."""
    if np.asarray(value).dtype.kind in "USO":
        raise OptionError(f"{noun} '{text}' computes with a text; compare texts by == or !=.")
    return value


def _applied(function: Callable[..., Any], parts: Sequence[Callable[[Values], Any]]) -> Callable[[Values], Any]:
    return lambda values: function(*(part(values) for part in parts))


def _compared(signs: Sequence[Callable[[Any, Any], Any]], *sides: Any) -> Any:
    return reduce(np.logical_and, (sign(a, b) for sign, a, b in zip(signs, sides[:-1], sides[1:], strict=True)))
