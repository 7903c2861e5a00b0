"""A program evaluated on arrays of rows with NumPy; exported models of Python hold this text too.

A row that is refused is NaN.
"""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

from typing import Any

import numpy as np

from core.export._python_array_nodes import ARRAY_NODES, Array, squares_of
from core.export._python_rows import FAR, LEAST, MOST, OUT_OF_RANGE

AT_ONCE = 2048


def flags_rows(program: dict[str, Any], X: Array) -> tuple[Array, Array]:
    """Return where rows lie, as bits, and their leverage."""
    reach, leverage = program["reach"], leverage_rows(program["reach"], X)
    lowest, highest, room = (np.array(reach[k]) for k in ("low", "high", "room"))
    flags = np.where(((X < lowest - room) | (X > highest + room)).any(axis=1), OUT_OF_RANGE, 0)
    if reach["directions"]:
        flags |= np.where(np.isfinite(X).all(axis=1) & (leverage > reach["furthest"]), FAR, 0)
    return flags, leverage


def output_rows(program: dict[str, Any], X: Array) -> tuple[Array, Array]:
    """Return the output on the program's own scale, and the clusters that spoke."""
    z, cluster = scaled_rows(program, X)
    if program["relative"]:
        z = np.where(X[:, program["reference"]] > 0, z, np.nan)
    return (np.where(flags_rows(program, X)[0] == 0, z, np.nan) if program["refuse"] else z), cluster


def back_rows(program: dict[str, Any], z: Array, X: Array) -> Array:
    """Return values on the program's scale in the response's unit."""
    value = np.exp(z) if program["log"] else z
    if program["relative"]:
        value = value * X[:, program["reference"]]
    return (value if program["power"] == 1 else value ** program["power"]) * program["factor"]


def scaled_rows(program: dict[str, Any], X: Array) -> tuple[Array, Array]:
    """Return the model's output on its own scale for rows of X, and the clusters that spoke."""
    bad = ~np.isfinite(X).all(axis=1)
    if program["clamp"]:
        X = np.clip(X, program["reach"]["low"], program["reach"]["high"])
    for step in program["steps"]:
        X = _logs_of(step, X) if step["kind"] == "logs" else _affine_of(step, X)
    refused = np.isnan(X).any(axis=1) | bad
    cluster = np.zeros(len(X), dtype=int)
    if program["nearest"]:
        Z = squares_of(program["nearest"], np.nan_to_num(X))
        centres = np.array(program["nearest"]["centres"])
        cluster = np.column_stack([((Z - c) ** 2).sum(axis=1) for c in centres]).argmin(axis=1)
    value = np.full(len(X), np.nan)
    model_of = np.array(program["model_of"])[cluster]
    for i, node in enumerate(program["models"]):
        rows = np.flatnonzero((model_of == i) & ~refused)
        for part in np.array_split(rows, max(1, -(-len(rows) // AT_ONCE))):
            value[part] = _node_of(node, X[part])
    bounds = np.array(program["bounds"])[cluster]
    return np.clip(value, bounds[:, 0], bounds[:, 1]), cluster


def _logs_of(step: dict[str, Any], X: Array) -> Array:
    out = X.copy()
    for j, scale in enumerate(step["scales"]):
        if scale == "log":
            out[:, j] = np.log(np.where(X[:, j] > 0, X[:, j], np.nan))
        elif scale == "log1p":
            out[:, j] = np.log1p(np.where(X[:, j] >= 0, X[:, j], np.nan))
    return out


def _affine_of(step: dict[str, Any], X: Array) -> Array:
    if step["offset"] is not None:
        X = squares_of(step, X)
    return X if step["matrix"] is None else X @ np.array(step["matrix"])


def _node_of(node: dict[str, Any], X: Array) -> Array:
    return _blend_of(node, X) if node["kind"] == "blend" else ARRAY_NODES[node["kind"]](node, X)


def _blend_of(node: dict[str, Any], X: Array) -> Array:
    log, columns = node["log"] and not node["sum"], []
    for member, own in zip(node["members"], node["columns"]):
        seen = X[:, np.array(own, dtype=int)]
        columns.append(back_rows(member, output_rows(member, seen)[0], seen))
    given = np.column_stack(columns)
    known = np.isfinite(given) & ((given > 0) | (not log))
    share, given = np.where(known, node["weights"], 0.0), np.where(known, given, 1.0)
    total = share.sum(axis=1)
    if node["sum"]:
        value = (share * given).sum(axis=1) * (np.sum(node["weights"]) / total)
        return np.log(np.where(value > 0, value, np.nan)) if node["log"] else value
    z = np.log(given) if log else given
    if np.isfinite(node["bound"]):
        middle, bound = _median_of(z, share, total)[:, None], node["bound"]
        z = np.clip(z, middle - bound, middle + bound)
    return (share * z).sum(axis=1) / total


def _median_of(z: Array, share: Array, total: Array) -> Array:
    """Return the middle of the first values with half of the weight, and with more than half, at or below them."""
    reached = (share[:, None, :] * (z[:, None, :] <= z[:, :, None])).sum(axis=2)
    halves = (reached >= LEAST * total[:, None], reached > MOST * total[:, None])
    first, second = (np.where(half & (share > 0), z, np.inf).min(axis=1) for half in halves)
    return 0.5 * (first + second)


def leverage_rows(reach: dict[str, Any], X: Array) -> Array:
    """Return |directions @ (x - centre)|² per row."""
    if not reach["directions"]:
        return np.zeros(len(X))
    return (((X - np.array(reach["centre"])) @ np.array(reach["directions"]).T) ** 2).sum(axis=1)
