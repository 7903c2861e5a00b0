"""What the predictions of a blend's members are together, as layers of SQL."""

import numpy as np

from core.export._program import LEAST, MOST, Blend
from core.export._sql_text import INFINITE, Layers, number, total


def write_mixture(node: Blend, w: Layers, m: str) -> None:
    """Add the column z_{m}, over the members' predictions {m}b0v, {m}b1v, … (nothing or infinite where refused)."""
    members = range(len(node.members))
    given, v = [f"{m}b{k}v" for k in members], [f"{m}v{k}" for k in members]
    log = node.log and not node.sum
    known = [f"abs({c}) < {INFINITE}{f' AND {c} > 0' if log else ''}" for c in given]
    value = [f"ln({c})" if log else c for c in given]
    weights = node.weights.tolist()
    w.add({f"{m}w{k}": f"CASE WHEN {known[k]} THEN {number(weights[k])} ELSE 0e0 END" for k in members})
    w.add({v[k]: f"CASE WHEN {m}w{k} > 0 THEN {value[k]} ELSE 0e0 END" for k in members})
    share = total([f"{m}w{k}" for k in members])
    w.add({f"{m}total": f"NULLIF({share}, 0e0)"})
    if node.sum:
        whole = number(float(node.weights.sum()))
        w.add({f"{m}sum": f"({total([f'{m}w{k} * {v[k]}' for k in members])}) * ({whole} / {m}total)"})
        w.add({f"z_{m}": f"CASE WHEN {m}sum > 0 THEN ln({m}sum) END" if node.log else f"{m}sum"})
        return
    if np.isfinite(node.bound):
        _write_median(w, m, v)
        low, high = f"{m}middle - {number(node.bound)}", f"{m}middle + {number(node.bound)}"
        v = [f"LEAST(GREATEST({c}, {low}), {high})" for c in v]
    w.add({f"z_{m}": f"({total([f'{m}w{k} * {c}' for k, c in enumerate(v)])}) / {m}total"})


def _write_median(w: Layers, m: str, v: list[str]) -> None:
    """Add the middle of the first values with half of the weight, and with more than half, at or below them."""
    members = range(len(v))
    below = [total([f"CASE WHEN {v[j]} <= {v[k]} THEN {m}w{j} ELSE 0e0 END" for j in members]) for k in members]
    w.add({f"{m}r{k}": text for k, text in enumerate(below)})

    def first(reached: str) -> str:
        tests = (f"{m}w{k} > 0 AND {m}r{k} {reached} * {m}total" for k in members)
        cases = (f"CASE WHEN {test} THEN {c} ELSE {INFINITE} END" for test, c in zip(tests, v, strict=True))
        return f"LEAST({', '.join(cases)})"

    halves = first(f">= {number(LEAST)}"), first(f"> {number(MOST)}")
    w.add({f"{m}middle": f"0.5e0 * ({halves[0]} + {halves[1]})"})
