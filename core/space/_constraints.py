"""Conditions on parameters, as text: arithmetic and comparisons alone, read by their syntax tree, never run."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

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
_LONGEST = 1000


@dataclass(frozen=True)
class Constraint:
    """A condition that a design point fulfils or not.

    Attributes
    ----------
    text : as it was written
    names : the parameters it speaks of
    """

    text: str
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, known: Sequence[str]) -> "Constraint":
        """Return the condition that a text means.

        Raises
        ------
        OptionError
            If it is no condition, or names an unknown parameter.
        """
        tree = _tree(text)
        names = tuple(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))
        names = tuple(name for name in names if name not in _FUNCTIONS)
        for name in names:
            if name not in known:
                raise OptionError(
                    f"Constraint '{text}': there is no parameter '{name}'; there are: {', '.join(known)}."
                )
        if not names:
            raise OptionError(f"Constraint '{text}' names no parameter.")
        _check(tree, text)
        return cls(text, names)

    def holds(self, values: Values, n: int) -> npt.NDArray[np.bool_]:
        """Return where the condition is fulfilled; where it cannot be computed (a division by 0) it is not.

        Parameters
        ----------
        values : by parameter, an array of shape (n,)
        """
        with np.errstate(all="ignore"):
            found = np.broadcast_to(np.asarray(_evaluate(_tree(self.text), values)), (n,))
        return found.astype(bool) if found.dtype == bool else np.nan_to_num(found.astype(np.float64)) != 0


def _tree(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise OptionError(f"A constraint has at most {_LONGEST} characters, got {len(text)}.")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(f"Constraint '{text}' cannot be read. Write such as 'block_x * block_y <= 1024'.") from None


def _check(node: ast.expr, text: str) -> None:
    """Raise OptionError unless the tree is made of what `_evaluate` knows."""
    allowed = (
        isinstance(node, (ast.Name, ast.BoolOp))
        or (isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)))
        or (isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC)
        or (isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS)
        or (isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _FUNCTIONS
            and not node.keywords
            and node.args
        )
    )
    if not allowed:
        raise OptionError(
            f"Constraint '{text}' uses what a constraint cannot: {ast.unparse(node)[:60]}. There are numbers, "
            "parameters, + - * / // % **, comparisons, and, or, not, min, max, abs and log2."
        )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not (isinstance(node, ast.Call) and child is node.func):
            _check(child, text)


def _evaluate(node: ast.expr, values: Values) -> Any:
    if isinstance(node, ast.Constant):
        value: Any = node.value
        return float(value) if type(value) in (int, float) else value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_evaluate(node.left, values), _evaluate(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return _SIGNS[type(node.op)](_evaluate(node.operand, values))
    if isinstance(node, ast.BoolOp):
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        return reduce(join, (_evaluate(part, values) for part in node.values))
    if isinstance(node, ast.Compare):
        sides = [_evaluate(side, values) for side in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides[:-1], sides[1:], strict=True)
        return reduce(np.logical_and, (_COMPARISONS[type(op)](a, b) for op, a, b in pairs))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return _FUNCTIONS[node.func.id](*(_evaluate(a, values) for a in node.args))
