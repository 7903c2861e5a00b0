"""A program over columns of metrics, each a number or an array; exported models of Python hold this text."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import math
from typing import Any

from core.export._python_nodes import NODES, Node, Number, is_number, squares_of

OUT_OF_RANGE, FAR, REFUSED = 1, 2, 4
"""Bits of flags: a metric outside its trained range; too far from the training trials together; no prediction."""
LEAST, MOST = 0.5 - 1e-9, 0.5 + 1e-9
"""Shares of a blend's weight between which it counts as half."""


def all_numbers(x: list[Number]) -> Any:
    """Return whether every column is there and finite."""
    known: Any = True
    for v in x:
        known = known & is_number(v)
    return known


def flagged(program: Node, x: list[Number], o: Any) -> tuple[Any, Number]:
    """Return where a row lies, as bits, and its leverage."""
    reach, out = program["reach"], False
    for v, lo, hi, room in zip(x, reach["low"], reach["high"], reach["room"]):
        out = out | (v < lo - room) | (v > hi + room)
    moved = [v - c for v, c in zip(x, reach["centre"])]
    scores = [sum(a * b for a, b in zip(row, moved)) for row in reach["directions"]]
    leverage = sum((s * s for s in scores), 0.0 * x[0])
    far = all_numbers(x) & (leverage > reach["furthest"]) & bool(scores)
    return o.where(out, OUT_OF_RANGE, 0) + o.where(far, FAR, 0), leverage


def output(program: Node, x: list[Number], o: Any) -> tuple[Number, Any]:
    """Return the output on the program's own scale, NaN where refused, and the cluster that spoke."""
    z, cluster = gone_on(program, x, o) if program["carry"] else scaled(program, x, o)
    if program["relative"]:
        z = o.where(x[program["reference"]] > 0, z, math.nan)
    return (o.where(flagged(program, x, o)[0] == 0, z, math.nan) if program["refuse"] else z), cluster


def gone_on(program: Node, x: list[Number], o: Any) -> tuple[Number, Any]:
    """Return the output at the edge of the trained range and as much more as it changes as far inside; the cluster."""
    carry, edge, back = program["carry"], list(x), list(x)
    ends = zip(carry["low"], carry["high"], carry["below"], carry["above"])
    for j, (low, high, below, above) in zip(carry["columns"], ends):
        edge[j] = held(x[j], below, above, o)
        powers = (x[j] > 0) & (low > 0)
        inside = o.where(powers, edge[j] * (edge[j] / o.where(powers, x[j], 1.0)), 2 * edge[j] - x[j])
        back[j] = o.where(edge[j] == x[j], x[j], held(inside, low, high, o))
    z, cluster = scaled(program, edge, o)
    return z + (z - scaled(program, back, o)[0]), cluster


def scaled(program: Node, x: list[Number], o: Any) -> tuple[Number, Any]:
    """Return the output of the row's own model, held within its bounds, and the cluster."""
    known, reach = all_numbers(x), program["reach"]
    if program["clamp"]:
        x = [held(v, lo, hi, o) for v, lo, hi in zip(x, reach["low"], reach["high"])]
    for step in program["steps"]:
        x = STEPS[step["kind"]](step, x, o)
    known = known & all_numbers(x)
    cluster = nearest(program["nearest"], x, o) if program["nearest"] else o.where(known, 0, 0)
    model, z = o.take(program["model_of"], cluster), math.nan
    for i, node in enumerate(program["models"]):
        if o.some((model == i) & known):
            own = blend(node, x, o) if node["kind"] == "blend" else NODES[node["kind"]](node, x, o)
            z = o.where((model == i) & known, own, z)
    if program["spans"]:
        z = asked(program["spans"], [*x, z], z, cluster, o)
    low, high = (o.take([pair[side] for pair in program["bounds"]], cluster) for side in (0, 1))
    return held(o.where(known, z, math.nan), low, high, o), cluster


def held(v: Number, low: Number, high: Number, o: Any) -> Number:
    """Return a value within two ends."""
    return o.where(v < low, low, o.where(v > high, high, v))


def asked(spans: list[Node], seen: list[Number], z: Number, cluster: Any, o: Any) -> Number:
    """Return the output, NaN where the cluster's own model is not asked of the columns or says too much."""
    ends = zip(zip(*([*s["low"], s["least"]] for s in spans)), zip(*([*s["high"], s["most"]] for s in spans)))
    for v, (low, high) in zip(seen, ends):
        z = o.where((v < o.take(low, cluster)) | (v > o.take(high, cluster)), math.nan, z)
    return z


def logs(step: Node, x: list[Number], o: Any) -> list[Number]:
    """Return each column on its scale, NaN where it has no logarithm."""
    scales = {
        "raw": lambda v: v,
        "log": lambda v: o.log(o.where(v > 0, v, math.nan)),
        "log1p": lambda v: o.log1p(o.where(v >= 0, v, math.nan)),
    }
    return [scales[scale](v) for scale, v in zip(step["scales"], x)]


def rounded(step: Node, x: list[Number], o: Any) -> list[Number]:
    """Return the columns, products of odd parts, and products filled up to a multiple, over themselves."""
    odd = list(x)
    for j in {j for own in step["odd"] for j in own}:
        for k in range(1, step["halvings"] + 1):
            odd[j] = odd[j] * o.where(o.floor(x[j] / 2**k) == x[j] / 2**k, 0.5, 1.0)
    found = list(x)
    for own in step["odd"]:
        product = odd[own[0]]
        for j in own[1:]:
            product = product * odd[j]
        found.append(product)
    products = [(x[i] * x[j], m) for i, j, m in step["filled"]]
    return found + [o.over(o.floor(-p / m) * -m, p) for p, m in products]


def affine(step: Node, x: list[Number], o: Any) -> list[Number]:
    """Return ((x - offset) / divisor) @ matrix."""
    moved = x if step["offset"] is None else squares_of(step, x)
    if step["matrix"] is None:
        return moved
    return [sum(v * m for v, m in zip(moved, column)) for column in zip(*step["matrix"])]


STEPS = {"logs": logs, "round": rounded, "affine": affine}


def nearest(node: Node, x: list[Number], o: Any) -> Any:
    """Return the number of the nearest centre, the first of several."""
    z = squares_of(node, x)
    first, *others = [sum((a - b) * (a - b) for a, b in zip(z, centre)) for centre in node["centres"]]
    place = o.where(first == first, 0, 0)
    for k, distance in enumerate(others, 1):
        place, first = o.where(distance < first, k, place), o.where(distance < first, distance, first)
    return place


def back(program: Node, z: Number, x: list[Number], o: Any) -> Number:
    """Return a value on the program's scale in the response's unit."""
    value = o.exp(z) if program["log"] else z
    value = value * x[program["reference"]] if program["relative"] else value
    return (value if program["power"] == 1 else o.power(value, program["power"])) * program["factor"]


def blend(node: Node, x: list[Number], o: Any) -> Number:
    """Return the weighted mean of the members that answer, about their weighted median, or their scaled sum."""
    log, given = node["log"] and not node["sum"], []
    for member, columns in zip(node["members"], node["columns"]):
        own = [x[j] for j in columns]
        given.append(back(member, output(member, own, o)[0], own, o))
    known = [is_number(v) & ((v > 0) | (not log)) for v in given]
    share = [o.where(k, w, 0.0) for k, w in zip(known, node["weights"])]
    z = [o.where(k, o.log(o.where(k, v, 1.0)) if log else v, 0.0) for k, v in zip(known, given)]
    total = sum(share)
    if node["sum"]:
        value = sum(s * v for s, v in zip(share, z)) * o.over(sum(node["weights"]), total)
        return o.log(o.where(value > 0, value, math.nan)) if node["log"] else value
    if node["bound"] < math.inf:
        middle = median(z, share, total, o)
        z = [held(v, middle - node["bound"], middle + node["bound"], o) for v in z]
    return o.over(sum(s * v for s, v in zip(share, z)), total)


def median(z: list[Number], share: list[Number], total: Number, o: Any) -> Number:
    """Return the middle of the first values with half of the weight, and with more than half, at or below them."""
    first = second = math.inf
    for v, own in zip(z, share):
        reached = sum(o.where(other <= v, s, 0.0) for other, s in zip(z, share))
        first = o.where((own > 0) & (reached >= LEAST * total) & (v < first), v, first)
        second = o.where((own > 0) & (reached > MOST * total) & (v < second), v, second)
    return 0.5 * (first + second)


def half_width(program: Node, z: Number, leverage: Number, cluster: Any, o: Any) -> Number:
    """Return half of the interval's width on the model's scale."""
    band = program["band"]
    if band is None:
        return math.nan
    half = o.take(band["widths"], cluster)
    return half if band["by"] == "none" else half * between(leverage if band["by"] == "leverage" else z, band, o)


def between(v: Number, band: Node, o: Any) -> Number:
    """Return the piecewise linear function through knots and factors, constant beyond its ends."""
    knots, factors = band["knots"], band["factors"]
    found = factors[-1]
    for k0, k1, f0, f1 in reversed(list(zip(knots, knots[1:], factors, factors[1:]))):
        found = o.where(v < k1, f0 + (f1 - f0) / (k1 - k0) * (v - k0), found)
    return o.where(v <= knots[0], factors[0], found)


def predicted(program: Node, x: list[Number], o: Any) -> tuple[Any, ...]:
    """Return value, low and high, NaN where refused or not known, flags and cluster."""
    flags, leverage = flagged(program, x, o)
    z, cluster = output(program, x, o)
    value = back(program, z, x, o)
    half, kept = half_width(program, z, leverage, cluster, o), is_number(value)
    low, high = back(program, z - half, x, o), back(program, z + half, x, o)
    told = kept & is_number(low) & is_number(high) & (low <= value) & (value <= high)
    ends = (o.where(told, end, math.nan) for end in (low, high))
    return o.where(kept, value, math.nan), *ends, flags + o.where(kept, 0, REFUSED), o.where(kept, cluster, 0)
