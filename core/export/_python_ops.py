"""What one evaluator needs of numbers one by one, and of columns of NumPy; exported models of Python hold this text."""
# exported files run on older Pythons too, whose zip knows no strict

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np


def guarded(function: Callable[..., float]) -> Callable[..., float]:
    """Return a function that gives NaN where there is no number, and infinity where it would be too large."""

    def found(*values: float) -> float:
        try:
            return function(*values)
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf

    return found


class Plain:
    """Numbers one by one, with the standard library alone."""

    exp, log, log2, sqrt = guarded(math.exp), guarded(math.log), guarded(math.log2), guarded(math.sqrt)
    log1p, asinh, power, over = guarded(math.log1p), math.asinh, guarded(math.pow), guarded(lambda a, b: a / b)
    floor = guarded(lambda a: math.floor(a))
    some = bool

    @staticmethod
    def table(values: Any) -> Any:
        """Return numbers in a form that `take` reads quickly."""
        return values

    @staticmethod
    def take(table: Any, place: int) -> Any:
        """Return the entry of a table at a place."""
        return table[place]

    @staticmethod
    def where(test: bool, then: float, otherwise: float) -> float:
        """Return one of two numbers."""
        return then if test else otherwise

    @staticmethod
    def single(v: float) -> float:
        """Round to single precision."""
        try:
            return float(struct.unpack("f", struct.pack("f", v))[0])
        except OverflowError:
            return math.copysign(math.inf, v)

    @staticmethod
    def leaf(tree: dict[str, Any], root: int, x: list[float]) -> int:
        """Return where a row ends in a tree."""
        while tree["feature"][root] >= 0:
            below = x[tree["feature"][root]] <= tree["threshold"][root]
            root = tree["left"][root] if below else tree["right"][root]
        return root


class Columns:
    """Whole columns at once, with NumPy."""

    exp, log, log2, sqrt, log1p, asinh, power, over, floor = (
        [np.exp, np.log, np.log2, np.sqrt, np.log1p, np.arcsinh, np.power, np.divide, np.floor] if np else [None] * 9
    )
    some, table, where = [np.any, np.asarray, np.where] if np else [None] * 3

    @staticmethod
    def take(table: Any, place: Any) -> Any:
        """Return the entries of a table at places, the last axis along the rows."""
        return np.moveaxis(np.asarray(table)[place], 0, -1) if np.ndim(place) else np.asarray(table)[place]

    @staticmethod
    def single(v: Any) -> Any:
        """Round to single precision."""
        return v.astype(np.float32).astype(float)

    @staticmethod
    def leaf(tree: dict[str, Any], root: int, x: list[Any]) -> Any:
        """Return where each row ends in a tree."""
        columns, rows = np.array(x), np.arange(len(x[0]))
        at = np.full(len(rows), root)
        while (tree["feature"][at] >= 0).any():
            feature = tree["feature"][at]
            below = columns[np.maximum(feature, 0), rows] <= tree["threshold"][at]
            at = np.where(feature < 0, at, np.where(below, tree["left"][at], tree["right"][at]))
        return at
