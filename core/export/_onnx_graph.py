"""A graph of ONNX as it grows: constants and operators, all numbers of double precision."""

from typing import Any

import numpy as np

from core.codec import FloatArray

OPSET, IR = 18, 9
"""Old enough for every runtime of the last years."""
NAN = float("nan")


class Graph:
    """Operators in order; each method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[tuple[Any, ...], str] = {}
        self._count = 0

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one result."""
        from onnx import helper

        self._count += 1
        name = f"v{self._count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any, kind: Any = np.float64) -> str:
        """Add a constant, or return the one there is already."""
        from onnx import numpy_helper

        array = np.asarray(values, dtype=kind)
        key = (array.tobytes(), array.shape, array.dtype.str)
        if key not in self._known:
            self._known[key] = f"c{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def whole(self, values: Any) -> str:
        """Add whole numbers."""
        return self.constant(values, np.int64)

    def add(self, a: str, b: str | float) -> str:
        """Return a + b."""
        return self.op("Add", a, self._operand(b))

    def less(self, a: str, b: str | float | FloatArray) -> str:
        """Return a - b."""
        return self.op("Sub", a, self._operand(b))

    def times(self, a: str, b: str | float | FloatArray) -> str:
        """Return a · b."""
        return self.op("Mul", a, self._operand(b))

    def over(self, a: str, b: str | float | FloatArray) -> str:
        """Return a / b."""
        return self.op("Div", a, self._operand(b))

    def where(self, condition: str, a: str, otherwise: float = NAN) -> str:
        """Return a where a condition holds, else a number."""
        return self.op("Where", condition, a, self.constant(otherwise))

    def columns(self, x: str, places: Any) -> str:
        """Return some columns."""
        return self.op("Gather", x, self.whole(places), axis=1)

    def column(self, x: str, place: int) -> str:
        """Return one column, of shape (n, 1)."""
        return self.columns(x, [place])

    def sum(self, x: str, axis: int = 1) -> str:
        """Return the sum along an axis, which stays with length 1."""
        return self.op("ReduceSum", x, self.whole([axis]), keepdims=1)

    def product(self, x: str, matrix: FloatArray) -> str:
        """Return x @ matrix."""
        return self.op("MatMul", x, self.constant(matrix))

    def log1p(self, x: str) -> str:
        """Return ln(1 + x) to all digits (Kahan's way)."""
        u = self.add(x, 1.0)
        same = self.op("Equal", u, self.constant(1.0))
        safe = self.op("Where", same, self.constant(2.0), u)
        return self.op("Where", same, x, self.times(self.op("Log", safe), self.over(x, self.less(safe, 1.0))))

    def log2(self, x: str) -> str:
        """Return the logarithm of base 2."""
        return self.over(self.op("Log", x), float(np.log(2.0)))

    def above(self, x: str, bound: float, *, equal: bool = False) -> str:
        """Return x where it is above a bound (or equal to it), else NaN."""
        return self.where(self.op("GreaterOrEqual" if equal else "Greater", x, self.constant(bound)), x)

    def ones(self, x: str) -> str:
        """Return a column of ones, as long as x."""
        return self.op("Expand", self.constant([[1.0]]), self.op("Concat", self.rows(x), self.whole([1]), axis=0))

    def rows(self, x: str) -> str:
        """Return how many rows x has, array of shape (1,)."""
        return self.op("Slice", self.op("Shape", x), self.whole([0]), self.whole([1]))

    def _operand(self, value: str | float | FloatArray) -> str:
        return value if isinstance(value, str) else self.constant(value)
