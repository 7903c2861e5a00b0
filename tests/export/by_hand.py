"""Everything a stranger needs to predict from a model file of any family: json, math, and these functions."""

import math
from itertools import combinations, pairwise


def predict(document: dict, row: list[float]) -> float:
    """Predict one row of metrics from a parsed model file."""
    return unscaled(document, row, scaled(document, row)[0])


def predict_whole(document: dict, row: list[float]) -> tuple[float, float, float, bool]:
    """Predict one row with its 90 % interval and whether it is inside the domain."""
    z, cluster = scaled(document, row)
    half, interval = 0.0, document["interval"]
    if interval:
        half = interval["half_widths"][cluster]
        if interval["by"] != "none":
            difficulty = leverage(document, row) if interval["by"] == "leverage" else z
            half *= interpolated(difficulty, interval["knots"], interval["factors"])
        half += unknown(document, row)
    value, low, high = (unscaled(document, row, z + step) for step in (0.0, -half, half))
    return value, low, high, inside(document, row)


def inside(document: dict, row: list[float]) -> bool:
    """Say whether a row lies in the range of every metric, no farther from the centre than any training trial.

    Nor may the model of its cluster be asked of features beyond its own, or be held back by much.
    """
    domain = document["domain"]
    if not between(row, domain) or not in_cluster(document, row):
        return False
    return not domain["directions"] or leverage(document, row) <= domain["furthest"] * (1 + 1e-9)


def between(row: list[float], span: dict) -> bool:
    for v, low, high in zip(row, span["low"], span["high"], strict=True):
        room = 1e-9 * (high - low)
        if not low - room <= v <= high + room:
            return False
    return True


def in_cluster(document: dict, row: list[float]) -> bool:
    value, cluster, x = unheld(document, edge_and_back(document, row)[0])
    own = document["clusters"][cluster]
    if own["bounds"]:
        low, high = own["bounds"]
        room = 0.05 * (high - low)
        if not low - room <= value <= high + room:
            return False
    return not own["span"] or between(x, own["span"])


def leverage(document: dict, row: list[float]) -> float:
    domain = document["domain"]
    away = [v - c for v, c in zip(row, domain["centre"], strict=True)]
    return math.fsum(math.fsum(d * a for d, a in zip(own, away, strict=True)) ** 2 for own in domain["directions"])


def interpolated(x: float, knots: list[float], factors: list[float]) -> float:
    if x <= knots[0]:
        return factors[0]
    for (a, p), (b, q) in pairwise(zip(knots, factors, strict=True)):
        if x <= b:
            return p + (q - p) * (x - a) / (b - a)
    return factors[-1]


def unknown(document: dict, row: list[float]) -> float:
    """Twice what the prediction changes as far inside the trained range as a row is beyond what folds have asked."""
    reach, edge, back, times = document["interval"]["reach"], [], [], [1.0]
    low, high = document["domain"]["low"], document["domain"]["high"]
    for x, a, b, *asked in zip(row, low, high, *reach, strict=True) if reach[0] else ():
        end, sign, room = min(max(x, a), b), (1 if x > b else -1), 1e-9 * (b - a)
        powers = a > 0 and x > 0
        out = abs(math.log(x / end)) if powers else abs(x - end)
        out = max(out - (asked[x > b] if powers == (a > 0) else 0.0), 0.0) if x < a - room or x > b + room else 0.0
        inside = end * math.exp(-sign * out) if powers else end - sign * out
        edge.append(end)
        back.append(min(max(inside, a), b))
        gone = abs(math.log(end / back[-1])) if powers else abs(end - back[-1])
        times.append(out / gone if out and gone else 1.0)
    if edge == back:
        return 0.0
    ends = zip(row, low, high, edge_and_back(document, row)[0], strict=True)
    stays = any(x == end and (x < a - 1e-9 * (b - a) or x > b + 1e-9 * (b - a)) for x, a, b, end in ends)
    return (2 if stays else 1) * max(times) * abs(scaled(document, edge)[0] - scaled(document, back)[0])


def scaled(document: dict, row: list[float]) -> tuple[float, int]:
    """Return what the model says on its own scale, and the cluster that says it; beyond the range as it goes on."""
    edge, back = edge_and_back(document, row)
    value, cluster = within(document, edge)
    return (value if edge == back else value + (value - within(document, back)[0])), cluster


def edge_and_back(document: dict, row: list[float]) -> tuple[list[float], list[float]]:
    """Return a row at the ends of the ranges beyond which predictions go on, and as far inside of them."""
    below, above = document["continued"] if document["extrapolation"] == "flag" else ([], [])
    edge, back = [], []
    names = [metric["name"] for metric in document["metrics"]]
    for name, x, low, high in zip(names, row, document["domain"]["low"], document["domain"]["high"], strict=True):
        end = low if x < low and name in below else high if x > high and name in above else x
        inner = end * (end / x) if low > 0 and x > 0 else 2 * end - x
        edge.append(end)
        back.append(x if end == x else min(max(inner, low), high))
    return edge, back


def within(document: dict, row: list[float]) -> tuple[float, int]:
    """Return what the model says on its own scale where it does not go on, and the cluster that says it."""
    value, cluster, _ = unheld(document, row)
    bounds = document["clusters"][cluster]["bounds"]
    return (min(max(value, bounds[0]), bounds[1]) if bounds else value), cluster


def unheld(document: dict, row: list[float]) -> tuple[float, int, list[float]]:
    """Return what the cluster's own model says, before it is held; the cluster, and the features that it saw."""
    x = row
    if document["extrapolation"] == "clamp":
        domain = document["domain"]
        x = [min(max(v, lo), hi) for v, lo, hi in zip(x, domain["low"], domain["high"], strict=True)]
    for part in document["passes"]:
        x = passed(part["name"], part["state"], x)
    cluster = 0
    if document["partition"]:
        s = document["partition"]["state"]
        z = [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
        distances = [math.fsum((v - c) ** 2 for v, c in zip(z, centre, strict=True)) for centre in s["centres"]]
        cluster = distances.index(min(distances))
    own = document["clusters"][cluster]
    return FAMILIES[own["family"]["name"]](own["family"]["state"], x), cluster, x


def unscaled(document: dict, row: list[float], value: float) -> float:
    """Return a value on the model's scale in the response's unit."""
    if document["scale"] in ("log", "log_ratio"):
        value = math.exp(value)
    if document["scale"] in ("ratio", "log_ratio"):
        value *= row[document["reference"]]
    return document["factor"] * (value if document["power"] == 1 else value ** document["power"])


def passed(name: str, s: dict, x: list[float]) -> list[float]:
    """Apply one pass to a row."""
    if name == "log":
        scales = {"raw": lambda v: v, "log": math.log, "log1p": math.log1p}
        return [scales[k](v) for k, v in zip(s["scales"], x, strict=True)]
    if name == "pairs":
        return [*x, *(a + b for a, b in combinations(x[: s["paired"]], 2))]
    if name == "whole":
        odd = [v / 2 ** sum(v % 2**k == 0 for k in range(1, 13)) for v in x]
        made = [math.prod(odd[j] for j in own) for own in s["odd"]]
        return [*x, *made, *(math.ceil(x[i] * x[j] / m) * m / (x[i] * x[j]) for i, j, m in s["filled"])]
    if name == "standardize":
        return [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
    if name == "pca":
        z = [(v - m) / d for v, m, d in zip(x, s["mean"], s["scale"], strict=True)]
        return [
            math.fsum(v * w[j] for v, w in zip(z, s["vectors"], strict=True)) / math.sqrt(s["eigenvalues"][j])
            for j in range(len(s["vectors"][0]))
        ]
    rotation = s["rotation"]  # varimax, eiger_rotation
    return [math.fsum(v * w[j] for v, w in zip(x, rotation, strict=True)) for j in range(len(rotation[0]))]


def stepwise(s: dict, x: list[float]) -> float:
    terms = [math.prod(factor(f, x) for f in term["factors"]) for term in s["chosen"]]
    return s["intercept"] + math.fsum(c * t for c, t in zip(s["coefficients"], terms, strict=True))


def factor(f: dict, x: list[float]) -> float:
    u = (x[f["variable"]] - f["low"]) / f["width"] + f["shift"]
    name, _, number = f["function"].partition(":")
    n = float(number or 1)
    if name == "eiger_power":
        return 1.0 if u == 0 else abs(u) ** n
    if name == "eiger_log":
        return 1.0 if u == 0 else math.log2(abs(u))
    if name == "signed_power":
        return math.copysign(abs(u) ** n, u)
    if name == "above":
        return max(u, 0.0)
    if name == "log2_above":
        return math.log2(max(u, 1.0))
    return {"power": lambda: u**n, "log2": lambda: math.log2(u), "asinh": lambda: math.asinh(u)}[name]()


def splines(s: dict, x: list[float]) -> float:
    parts = [s["intercept"]]
    for term in s["chosen"]:
        columns = [1.0]
        for a in term["axes"]:
            axis = s["axes"][a]
            v = x[axis["column"]]
            own = cardinal(axis["knots"], math.log2(v) if axis["log"] else v)
            columns = [c * b for c in columns for b in own]
        parts += [c * b for c, b in zip(term["coefficients"], columns, strict=True)]
    return math.fsum(parts)


def cardinal(t: list[float], v: float) -> list[float]:
    """The natural cubic splines that are 1 at one knot after the first and 0 at the others."""
    return [natural(t, [float(i == k) for i in range(len(t))], v) for k in range(1, len(t))]


def natural(t: list[float], f: list[float], v: float) -> float:
    """The natural cubic spline through (t, f), straight outside."""
    h = [b - a for a, b in pairwise(t)]
    M, last = second_derivatives(h, f), len(t) - 1
    if v < t[0]:
        return f[0] + (v - t[0]) * ((f[1] - f[0]) / h[0] - h[0] / 6 * M[1])
    if v > t[last]:
        return f[last] + (v - t[last]) * ((f[last] - f[last - 1]) / h[-1] + h[-1] / 6 * M[last - 1])
    i = max(i for i in range(last) if t[i] <= v)
    b = (v - t[i]) / h[i]
    a = 1 - b
    return a * f[i] + b * f[i + 1] + ((a**3 - a) * M[i] + (b**3 - b) * M[i + 1]) * h[i] ** 2 / 6


def second_derivatives(h: list[float], f: list[float]) -> list[float]:
    """Solve h[i-1] M[i-1] + 2 (h[i-1] + h[i]) M[i] + h[i] M[i+1] = 6 (difference of slopes), M 0 at both ends."""
    inner = range(1, len(f) - 1)
    diagonal = [2 * (h[i - 1] + h[i]) for i in inner]
    right = [6 * ((f[i + 1] - f[i]) / h[i] - (f[i] - f[i - 1]) / h[i - 1]) for i in inner]
    for k in range(1, len(right)):
        share = h[k] / diagonal[k - 1]
        diagonal[k] -= share * h[k]
        right[k] -= share * right[k - 1]
    found = [0.0] * (len(right) + 2)
    for k in reversed(range(len(right))):
        found[k + 1] = (right[k] - h[k + 1] * found[k + 2]) / diagonal[k]
    return found


def anova(s: dict, x: list[float]) -> float:
    total = []
    for weight, codes in zip(s["weights"], s["codes"], strict=True):
        k = [
            covariance(axis, shape, x[axis["column"]], axis["levels"][code])
            for axis, shape, code in zip(s["axes"], s["shapes"], codes, strict=True)
        ]
        pairs = math.fsum(k[a] * k[b] for a in range(len(k)) for b in range(a))
        total.append(weight * (10 + math.fsum(k) + s["interaction"] ** 2 * pairs))
    return s["mean"] + s["scale"] * math.fsum(total)


def covariance(axis: dict, shape: dict, v: float, w: float) -> float:
    scaled = math.log2 if axis["log"] else float
    low, high = scaled(axis["levels"][0]), scaled(axis["levels"][-1])
    p, q, *levels = [(scaled(u) - low) / (high - low) for u in (v, w, *axis["levels"])]

    def c(a: float, b: float) -> float:
        smooth = math.exp(-(((a - b) / shape["length"]) ** 2) / 2)
        return (1 - shape["rough"]) * smooth + shape["rough"] * (abs(a - b) < 1e-9)

    n = len(levels)
    from_p, from_q = math.fsum(c(p, u) for u in levels) / n, math.fsum(c(u, q) for u in levels) / n
    whole = math.fsum(c(u, t) for u in levels for t in levels) / n**2
    return shape["size"] ** 2 * (c(p, q) - from_p * from_q / whole)


def trees(s: dict, x: list[float]) -> float:
    x = [single(v) for v in x]
    found = []
    for root in s["roots"]:
        i = root
        while s["feature"][i] >= 0:
            i = s["left"][i] if x[s["feature"][i]] <= s["threshold"][i] else s["right"][i]
        found.append(s["value"][i])
    return math.fsum(found) / len(found)


def boosted(s: dict, x: list[float]) -> float:
    total = s["baseline"]
    for root in s["roots"]:
        i = root
        while s["feature"][i] >= 0:
            i = s["left"][i] if x[s["feature"][i]] <= s["threshold"][i] else s["right"][i]
        total += s["value"][i]
    return total


def ridge(s: dict, x: list[float]) -> float:
    terms = zip(s["coefficients"], s["first"], s["second"], strict=True)
    return s["intercept"] + math.fsum(c * x[i] * (1 if j < 0 else x[j]) for c, i, j in terms)


def support_vectors(s: dict, x: list[float]) -> float:
    distances = (math.fsum((a - b) ** 2 for a, b in zip(x, point, strict=True)) for point in s["points"])
    return s["level"] + math.fsum(w * math.exp(-s["gamma"] * d) for w, d in zip(s["weights"], distances, strict=True))


def roofline(s: dict, x: list[float]) -> float:
    one = [*x, 1.0]  # column -1
    roof = math.fsum(w * one[i] / one[j] for w, i, j in zip(s["weights"], s["work"], s["capacity"], strict=True))
    ratios = [math.log1p(x[i]) - math.log1p(x[j]) for i, j in zip(s["first"], s["second"], strict=True)]
    rest = boosted(s["trees"], [*(x[j] for j in s["columns"]), math.log(roof) if s["factor"] else roof, *ratios])
    return roof * math.exp(rest) if s["factor"] else roof + rest


def trended(s: dict, x: list[float]) -> float:
    slopes = zip(s["slopes"], s["columns"], strict=True)
    return math.fsum([s["level"], *(w * x[j] for w, j in slopes), trees(s["trees"], x)])


def single(v: float) -> float:
    """The number of single precision (24 bits) that is nearest."""
    mantissa, exponent = math.frexp(v)
    return math.ldexp(round(math.ldexp(mantissa, 24)), exponent - 24)


def gaussian_process(s: dict, x: list[float]) -> float:
    u = [(v - low) / span for v, low, span in zip(x, s["low"], s["span"], strict=True)]
    total = []
    for weight, point in zip(s["weights"], s["points"], strict=True):
        square = math.fsum(((a - b) / n) ** 2 for a, b, n in zip(u, point, s["lengths"], strict=True))
        r = math.sqrt(2 * s["order"] * square)
        total.append(weight * s["size"] * (1 + r + (r * r / 3 if s["order"] == 2.5 else 0)) * math.exp(-r))
    return s["mean"] + s["scale"] * math.fsum(total)


def linear(s: dict, x: list[float]) -> float:
    return math.fsum([s["intercept"], *(c * x[j] for c, j in zip(s["coefficients"], s["columns"], strict=True))])


def blend(s: dict, x: list[float]) -> float:
    """Mix what the members say, each within a bound of their weighted median, or add it up."""
    asked = zip(s["members"], s["columns"], strict=True)
    said = [predict(member, [x[j] for j in columns]) for member, columns in asked]
    if s["how"] == "sum":
        total = math.fsum(w * v for w, v in zip(s["weights"], said, strict=True))
        return math.log(total) if s["log"] else total
    z = [math.log(v) for v in said] if s["log"] else said
    middle, bound = weighted_median(z, s["weights"]), math.inf if s["bound"] is None else s["bound"]
    near = [min(max(v, middle - bound), middle + bound) for v in z]
    return math.fsum(w * v for w, v in zip(s["weights"], near, strict=True)) / math.fsum(s["weights"])


def weighted_median(z: list[float], weights: list[float]) -> float:
    """The value with half of the weight on either side, the mean of two where that is a tie."""
    ordered = sorted(zip(z, weights, strict=True))
    sums = [math.fsum(w for _, w in ordered[: i + 1]) for i in range(len(ordered))]
    half, room = sums[-1] / 2, 1e-9 * sums[-1]
    low = next(v for (v, _), reached in zip(ordered, sums, strict=True) if reached >= half - room)
    high = next(v for (v, _), reached in zip(ordered, sums, strict=True) if reached > half + room)
    return (low + high) / 2


LINEAR = ["ols", "nnls", "lasso", "nn_lasso"]
LINEAR += [f"{k}_{way}_{by}" for k in ("ols", "nnls") for way in ("forward", "backward") for by in ("aic", "bic")]
FAMILIES = {
    **dict.fromkeys(LINEAR, linear),
    "stepwise": stepwise,
    "formula": stepwise,
    "splines": splines,
    "anova": anova,
    "forest": trees,
    "extra_trees": trees,
    "gaussian_process": gaussian_process,
    "gradient_boosting": boosted,
    "ridge": ridge,
    "roofline": roofline,
    "support_vectors": support_vectors,
    "trended": trended,
    "blend": blend,
}
