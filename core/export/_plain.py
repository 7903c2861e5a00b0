"""A program as plain values, each operation with its kind: what a text can hold and any language reads."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from core.basis import Expression
from core.export._program import Program
from core.export._vectors import Vectors


def plain_program(program: Program) -> dict[str, Any]:
    """Return what evaluating needs as dicts, lists and numbers; operations have a `kind`."""
    left_out = {"metrics", "response", "title"}
    return {f.name: _plain(getattr(program, f.name)) for f in fields(program) if f.name not in left_out}


def plain_vectors(vectors: Vectors) -> list[tuple[Any, ...]]:
    """Return per row its metrics, value, low, high, flags."""
    a = vectors.answers
    columns = (vectors.X, a.value, a.low, a.high, a.flags)
    return list(zip(*(c.tolist() for c in columns), strict=True))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Program):
        return plain_program(value)
    if isinstance(value, Expression):
        return value.plain()
    if is_dataclass(value):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"kind": type(value).__name__.lower(), **named}
    return value
