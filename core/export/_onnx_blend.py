"""What the predictions of a blend's members are together, as operators of ONNX."""

import numpy as np

from core.export._onnx_graph import Graph
from core.export._onnx_nodes import DOUBLE
from core.export._program import LEAST, MOST, Blend


def write_mixture(node: Blend, g: Graph, predicted: str) -> str:
    """Return the mixture, of shape (n, 1), of predictions of shape (n, n_members), no numbers where refused."""
    log = node.log and not node.sum
    known = g.op("Not", g.op("Or", g.op("IsNaN", predicted), g.op("IsInf", predicted)))
    if log:
        known = g.op("And", known, g.op("Greater", predicted, g.constant(0.0)))
    share = g.op("Where", known, g.constant(node.weights[None, :]), g.constant(0.0))
    z = g.where(known, predicted, 1.0 if log else 0.0)
    z = g.op("Log", z) if log else z
    total = g.sum(share)  # none known: 0 / 0 is no number
    if node.sum:
        value = g.times(g.sum(g.times(share, z)), g.op("Div", g.constant(float(node.weights.sum())), total))
        return g.op("Log", g.above(value, 0.0)) if node.log else value
    if np.isfinite(node.bound):
        middle = _median(g, z, share, total)
        z = g.op("Min", g.op("Max", z, g.less(middle, node.bound)), g.add(middle, node.bound))
    return g.op("Div", g.sum(g.times(share, z)), total)


def _median(g: Graph, z: str, share: str, total: str) -> str:
    """Return the middle of the first values with half of the weight, and with more than half, at or below them."""
    mine, others = g.op("Unsqueeze", z, g.whole([2])), g.op("Unsqueeze", z, g.whole([1]))
    below = g.op("Cast", g.op("LessOrEqual", others, mine), to=DOUBLE)
    reached = g.op("ReduceSum", g.times(below, g.op("Unsqueeze", share, g.whole([1]))), g.whole([2]), keepdims=0)
    spoke = g.op("Greater", share, g.constant(0.0))
    half = g.op("GreaterOrEqual", reached, g.times(total, LEAST)), g.op("Greater", reached, g.times(total, MOST))
    values = (g.where(g.op("And", spoke, h), z, np.inf) for h in half)
    first, second = (g.op("ReduceMin", v, g.whole([1]), keepdims=1) for v in values)
    return g.times(g.add(first, second), 0.5)
