"""A model of ONNX in double precision, for whatever runs such models; needs the package onnx to write."""

import importlib.util
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from core import __version__
from core.codec import FloatArray
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._onnx_graph import IR, OPSET, Graph
from core.export._onnx_nodes import DOUBLE, INT64, count, write_node
from core.export._program import LEAST, MOST, Band, Blend, Logs, Program, Round, Span, Step
from core.export.base import Answers, CannotRunError, FailedRunError, Vector, vectors
from core.pipeline import FittedPipeline


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


INPUT = "metrics"
OUTPUTS = ("prediction", "low", "high", "flags", "cluster")


def onnx_model(program: Program, vectors: list[Vector]) -> bytes:
    """Return the model; names of metrics and the test vectors are among its properties, as JSON."""
    from onnx import helper

    g = Graph()
    for name, result in zip(OUTPUTS, _write(program, g), strict=True):
        g.nodes.append(helper.make_node("Squeeze", [result, g.whole([1])], [name]))
    kinds = (DOUBLE, DOUBLE, DOUBLE, INT64, INT64)
    outputs = [helper.make_tensor_value_info(n, k, ["rows"]) for n, k in zip(OUTPUTS, kinds, strict=True)]
    given = [helper.make_tensor_value_info(INPUT, DOUBLE, ["rows", program.n])]
    graph = helper.make_graph(g.nodes, "ridgeline", given, outputs, g.constants)
    about = {"producer_name": "Ridgeline", "producer_version": __version__, "doc_string": program.title}
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR, **about)
    helper.set_model_props(model, _properties(program, vectors))
    raw: bytes = model.SerializeToString(deterministic=True)
    return raw


def _properties(program: Program, vectors: list[Vector]) -> dict[str, str]:
    return {
        "metrics": json.dumps([[m.name, m.unit] for m in program.metrics]),
        "response": json.dumps([program.response.name, program.response.unit]),
        "flags": "0, or the sum of 1 a metric is outside its trained range, 2 too far from the trials, 4 no prediction",
        "test_vectors": json.dumps(vectors),
    }


def _write(program: Program, g: Graph) -> tuple[str, ...]:
    given = INPUT
    finite = _finite(g, given)
    flags, leverage = _flags(program, g, given, finite)
    z, cluster = _gone_on(program, g, given, _answered(program, g, given, finite, flags))
    value = _back(program, g, z, given)
    kept = g.op("Not", _odd(g, value))
    half = _half(program.band, g, z, leverage, cluster)
    low, high = (_back(program, g, g.op(way, z, half), given) for way in ("Sub", "Add"))
    odd = g.op("Or", _odd(g, low), _odd(g, high))
    around = g.op("And", g.op("LessOrEqual", low, value), g.op("LessOrEqual", value, high))
    told = g.op("And", g.op("And", kept, around), g.op("Not", odd))
    refused = g.op("Where", kept, g.whole(0), g.whole(4))
    numbers = (g.where(kept, value), g.where(told, low), g.where(told, high))
    return (*numbers, g.op("Add", flags, refused), g.op("Where", kept, cluster, g.whole(0)))


def _member(program: Program, g: Graph, given: str) -> str:
    """Return the prediction of a blend's member over its own columns, no number where it refuses."""
    finite = _finite(g, given)
    flags = _flags(program, g, given, finite)[0] if program.refuse else ""
    z, _ = _scaled(program, g, given, _answered(program, g, given, finite, flags))
    return _back(program, g, z, given)


def _finite(g: Graph, x: str) -> str:
    return g.op("Less", g.sum(g.op("Cast", _odd(g, x), to=INT64)), g.whole(1))


def _answered(program: Program, g: Graph, x: str, finite: str, flags: str) -> str:
    """Return the rows that are not refused before the model sees them."""
    kept = finite
    if program.relative:
        kept = g.op("And", kept, g.op("Greater", g.column(x, program.reference), g.constant(0.0)))
    return g.op("And", kept, g.op("Less", flags, g.whole(1))) if program.refuse else kept


def _odd(g: Graph, x: str) -> str:
    return g.op("Or", g.op("IsNaN", x), g.op("IsInf", x))


def _flags(program: Program, g: Graph, x: str, finite: str) -> tuple[str, str]:
    reach = program.reach
    low, high = g.constant((reach.low - reach.room)[None, :]), g.constant((reach.high + reach.room)[None, :])
    outside = g.op("Cast", g.op("Or", g.op("Less", x, low), g.op("Greater", x, high)), to=INT64)
    flags = g.op("Min", g.sum(outside), g.whole(1))
    if not len(reach.directions):
        return flags, flags
    moved = g.product(g.less(x, reach.centre[None, :]), reach.directions.T)
    leverage = g.sum(g.times(moved, moved))
    far = g.op("And", finite, g.op("Greater", leverage, g.constant(reach.furthest)))
    return g.op("Add", flags, g.op("Where", far, g.whole(2), g.whole(0))), leverage


def _gone_on(program: Program, g: Graph, x: str, kept: str) -> tuple[str, str]:
    """Return `_scaled` at the edge of the trained range and what changes as far inside again, and the cluster."""
    if (carry := program.carry) is None:
        return _scaled(program, g, x, kept)
    below, above = np.full((1, program.n), -np.inf), np.full((1, program.n), np.inf)
    below[0, carry.columns], above[0, carry.columns] = carry.below, carry.above
    edge = g.op("Min", g.op("Max", x, g.constant(below)), g.constant(above))
    low, high = g.constant(program.reach.low[None, :]), g.constant(program.reach.high[None, :])
    powers = g.op("And", g.op("Greater", low, g.constant(0.0)), g.op("Greater", x, g.constant(0.0)))
    inside = g.times(edge, g.over(edge, g.where(powers, x, 1.0)))
    back = g.op("Where", powers, inside, g.less(g.add(edge, edge), x))
    back = g.op("Where", g.op("Equal", x, edge), x, g.op("Min", g.op("Max", back, low), high))
    z, cluster = _scaled(program, g, edge, kept)
    return g.add(z, g.less(z, _scaled(program, g, back, kept)[0])), cluster


def _scaled(program: Program, g: Graph, x: str, kept: str) -> tuple[str, str]:
    """Return the output on the model's scale, NaN where refused, and the cluster."""
    if program.clamp:
        low, high = g.constant(program.reach.low[None, :]), g.constant(program.reach.high[None, :])
        x = g.op("Min", g.op("Max", x, low), high)
    for step in program.steps:
        x = _step(step, g, x)
    kept = g.op("And", kept, g.op("Not", g.op("IsNaN", g.sum(x))))
    x = g.where(kept, x, 1.0)
    outputs = [write_node(node, g, x) for node in program.models]
    cluster = g.op("Where", kept, g.whole(0), g.whole(0))
    if program.nearest is not None:
        cluster = _nearest(program, g, x)
    z = outputs[0]
    if len(outputs) > 1:
        own = g.op("Gather", g.whole(program.model_of), cluster)
        z = g.op("GatherElements", g.op("Concat", *outputs, axis=1), own, axis=1)
    if program.spans is not None:
        z = _asked(program.spans, g, x, z, cluster)
    if program.holds:
        edges = np.array(program.bounds)
        low, high = (g.op("Gather", g.constant(edges[:, side]), cluster) for side in (0, 1))
        z = g.op("Where", g.op("Less", z, low), low, z)
        z = g.op("Where", g.op("Greater", z, high), high, z)
    return g.where(kept, z), cluster


def _asked(spans: tuple[Span, ...], g: Graph, x: str, z: str, cluster: str) -> str:
    """Return the output, no number where the cluster's own model is not asked of the columns or says too much."""
    seen = g.op("Concat", x, z, axis=1)
    ends = [np.array([[*s.low, s.least] for s in spans]), np.array([[*s.high, s.most] for s in spans])]
    flat = g.op("Squeeze", cluster, g.whole([1]))
    low, high = (g.op("Gather", g.constant(edges), flat, axis=0) for edges in ends)
    outside = g.op("Cast", g.op("Or", g.op("Less", seen, low), g.op("Greater", seen, high)), to=INT64)
    return g.where(g.op("Less", g.sum(outside), g.whole(1)), z)


@write_node.register
def _(node: Blend, g: Graph, x: str) -> str:
    members = zip(node.members, node.columns, strict=True)
    return write_mixture(node, g, g.op("Concat", *(_member(p, g, g.columns(x, own)) for p, own in members), axis=1))


def _step(step: Step, g: Graph, x: str) -> str:
    if isinstance(step, Logs):
        return g.op("Concat", *(_log(g, g.column(x, j), scale) for j, scale in enumerate(step.scales)), axis=1)
    if isinstance(step, Round):
        return _round(step, g, x)
    if step.offset is None or step.divisor is None:
        return x if step.matrix is None else g.product(x, step.matrix)
    moved = g.less(x, step.offset[None, :])
    if step.matrix is None:
        return g.over(moved, step.divisor[None, :])
    return g.product(moved, step.matrix / step.divisor[:, None])  # a factor beside MatMul may be fused in float32


def _round(step: Round, g: Graph, x: str) -> str:
    odd = x
    for k in range(1, step.halvings + 1):
        half = g.times(x, 0.5**k)
        whole = g.op("Equal", g.op("Floor", half), half)
        odd = g.times(odd, g.op("Where", whole, g.constant(0.5), g.constant(1.0)))
    made = [g.op("ReduceProd", g.columns(odd, own), g.whole([1]), keepdims=1) for own in step.odd]
    for i, j, m in step.filled:
        product = g.times(g.column(x, i), g.column(x, j))
        made.append(g.over(g.times(g.op("Ceil", g.over(product, float(m))), float(m)), product))
    return g.op("Concat", x, *made, axis=1) if made else x


def _log(g: Graph, x: str, scale: str) -> str:
    if scale == "raw":
        return x
    return g.op("Log", g.above(x, 0.0)) if scale == "log" else g.log1p(g.above(x, 0.0, equal=True))


def _nearest(program: Program, g: Graph, x: str) -> str:
    assert program.nearest is not None
    nearest = program.nearest
    z = g.over(g.less(x, nearest.offset[None, :]), nearest.divisor[None, :])
    moved = [g.less(z, centre[None, :]) for centre in nearest.centres]
    return g.op("ArgMin", g.op("Concat", *(g.sum(g.times(d, d)) for d in moved), axis=1), axis=1, keepdims=1)


def _back(program: Program, g: Graph, z: str, x: str) -> str:
    value = g.op("Exp", z) if program.log else z
    value = g.times(value, g.column(x, program.reference)) if program.relative else value
    value = g.op("Pow", value, g.constant(program.power)) if program.power != 1 else value
    return g.times(value, program.factor) if program.factor != 1 else value


def _half(band: Band | None, g: Graph, z: str, leverage: str, cluster: str) -> str:
    if band is None:
        return g.constant(np.nan)
    width: Any = g.op("Gather", g.constant(band.widths), cluster)
    if band.by == "none":
        return str(width)
    v = leverage if band.by == "leverage" else z
    slope = np.concatenate([[0.0], np.diff(band.factors) / np.diff(band.knots), [0.0]])
    start, level = np.concatenate([band.knots[:1], band.knots]), np.concatenate([band.factors[:1], band.factors])
    piece = count(g, v, band.knots)
    place, at, tilt = (g.op("Gather", g.constant(t), piece) for t in (start, level, slope))
    return g.times(width, g.add(at, g.times(tilt, g.less(v, place))))


LARGEST = 1 << 30
"""Bytes; a file of the format has at most 2 GiB."""


class Onnx(Lowered):
    """Input `metrics` of shape (rows, n); outputs prediction, low, high, flags, cluster of shape (rows,)."""

    label: ClassVar[str] = "ONNX"
    suffix: ClassVar[str] = ".onnx"
    says: ClassVar[str] = "every family, with intervals and domain flags; needs the package onnx"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations, or that the package is not here."""
        if importlib.util.find_spec("onnx") is None:
            return "the package onnx is not installed. Install ridgeline[onnx]"
        return super().can_express(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the model's bytes."""
        return onnx_model(lower(model), vectors(model))

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Run it with onnxruntime, after the checker and its own test vectors."""
        if importlib.util.find_spec("onnxruntime") is None:
            raise CannotRunError("the package onnxruntime is not installed")
        import onnx
        import onnxruntime

        whole = onnx.load_from_string(raw)
        onnx.checker.check_model(whole, full_check=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
            _self_test(session, whole)
            found = _answers(session, X)
        except onnxruntime.capi.onnxruntime_pybind11_state.OrtException as error:
            raise FailedRunError(f"onnxruntime says {str(error).splitlines()[0]}") from None
        value, low, high, flags = found
        return Answers(value, low, high, flags, f"onnxruntime {onnxruntime.__version__}")


def _self_test(session: Any, whole: Any) -> None:
    """Raise FailedRunError unless the vectors that the model holds have their flags."""
    told = json.loads({p.key: p.value for p in whole.metadata_props}["test_vectors"])
    flags = _answers(session, np.array([row[0] for row in told], dtype=np.float64))[3]
    if flags.tolist() != [row[4] for row in told]:
        raise FailedRunError("its own test vectors have other flags")


def _answers(session: Any, X: FloatArray) -> list[Any]:
    """Return prediction, low, high and flags."""
    return list(session.run(list(OUTPUTS[:4]), {INPUT: np.ascontiguousarray(X, dtype=np.float64)}))
