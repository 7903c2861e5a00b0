"""Predictions as JSON: null for no number, rows in the order and the form of the request."""

from typing import Any

import msgspec
import numpy as np

from core.codec import FloatArray
from core.pipeline import Predictions
from core.serve.served import Served


class Said(msgspec.Struct):
    """What the model says of a row."""

    value: float | None
    low: float | None
    high: float | None
    in_domain: bool
    why: str


def predicted(served: Served, X: FloatArray, *, in_columns: bool) -> bytes:
    """Return the answer for rows of shape (n_rows, n_metrics)."""
    found = served.model.predict(X)
    response = served.model.response
    return msgspec.json.encode(
        {
            "model": served.name,
            "response": response.name,
            "unit": response.unit,
            "predictions": _columns(found) if in_columns else _rows(found),
        }
    )


def _columns(p: Predictions) -> dict[str, Any]:
    return {
        "value": _numbers(p.value),
        "low": _numbers(p.low),
        "high": _numbers(p.high),
        "in_domain": np.asarray(p.in_domain).tolist(),
        "why": p.why,
    }


def _rows(p: Predictions) -> list[Said]:
    columns = _columns(p)
    return [Said(*row) for row in zip(*columns.values(), strict=True)]


def _numbers(values: FloatArray) -> list[float]:
    """Return numbers for the encoder, which writes null for what is not finite."""
    found: list[float] = values.tolist()
    return found
