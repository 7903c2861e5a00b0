"""Models that are served, and the answers that they give."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import msgspec
import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import OptionError
from core.export import model_sha256, read_model
from core.pipeline import FittedPipeline, Predictions

QUICK_S = 0.002
"""What takes at most so long is computed at once: to hand it to another thread would take as long."""

_TRIED_ROWS = (64, 8, 1)
_STRUCT_NAME = re.compile(r'[^"\\\x00-\x1f]+')


class Served(Frozen):
    """A model under a name.

    Attributes
    ----------
    sha256 : of its file
    rows, columns : decoders of requests, which take what `openapi` describes and nothing else
    quick_rows : so many rows are predicted within `QUICK_S`
    """

    name: str
    model: FittedPipeline
    sha256: str
    quick_rows: int
    rows: Any = field(repr=False, compare=False)
    columns: Any = field(repr=False, compare=False)

    @property
    def n_metrics(self) -> int:
        """How many metrics a row has."""
        return len(self.model.metrics)


def serve_models(files: Mapping[str, bytes]) -> dict[str, Served]:
    """Return the models in some files.

    Parameters
    ----------
    files : the contents of model files, by the names to serve them under

    Raises
    ------
    ModelFileError
        If a file is no model.
    OptionError
        If a name cannot be part of an address.
    """
    return {name: _served(name, raw) for name, raw in files.items()}


def _served(name: str, raw: bytes) -> Served:
    if not name or "/" in name or name in (".", ".."):
        raise OptionError(f"A model cannot be served under the name '{name}'. Give it one: NAME=FILE.")
    model = read_model(raw)
    return Served(name, model, model_sha256(raw), _quick_rows(model), *_decoders(model))


def _decoders(model: FittedPipeline) -> tuple[Any, Any]:
    """Return decoders of {"rows": [{metric: number}]} and {"columns": {metric: [number]}}."""
    row = _record("Row", float | None, model.names)
    column = _record("Columns", list[float | None], model.names)
    several: Any = list
    rows = msgspec.defstruct("Rows", [("rows", several[row])], forbid_unknown_fields=True)
    columns = msgspec.defstruct("InColumns", [("columns", column)], forbid_unknown_fields=True)
    return msgspec.json.Decoder(rows), msgspec.json.Decoder(columns)


def _record(title: str, kind: Any, names: Sequence[str]) -> Any:
    """Return what holds one value per metric: a struct, or a dictionary where a name is none that structs take."""
    if any(not _STRUCT_NAME.fullmatch(name) for name in names):
        return dict[str, kind]
    renamed = {f"m{i}": name for i, name in enumerate(names)}
    return msgspec.defstruct(title, [(key, kind) for key in renamed], rename=renamed, forbid_unknown_fields=True)


def _quick_rows(model: FittedPipeline) -> int:
    """Return the largest of some numbers of rows that are predicted within `QUICK_S`; 0 if none is."""
    middle = np.nan_to_num((model.domain.low + model.domain.high) / 2)
    return next((n for n in _TRIED_ROWS if _seconds(model, np.tile(middle, (n, 1))) <= QUICK_S), 0)


def _seconds(model: FittedPipeline, X: FloatArray) -> float:
    """Return the shortest of three times."""
    found = []
    for _ in range(3):
        begun = time.perf_counter()
        model.predict(X)
        found.append(time.perf_counter() - begun)
    return min(found)


class Said(msgspec.Struct):
    """What the model says of a row."""

    value: float | None
    low: float | None
    high: float | None
    in_domain: bool
    why: str


def predicted(served: Served, X: FloatArray, *, in_columns: bool) -> bytes:
    """Return the answer for rows of shape (n_rows, n_metrics)."""
    columns, response = _columns(served.model.predict(served.model.with_unset(X))), served.model.response
    predictions = columns if in_columns else [Said(*row) for row in zip(*columns.values(), strict=True)]
    told = {"model": served.name, "response": response.name, "unit": response.unit, "predictions": predictions}
    return msgspec.json.encode(told)


def _columns(p: Predictions) -> dict[str, Any]:
    """Return columns for the encoder, which writes null for what is not finite."""
    arrays = {"value": p.value, "low": p.low, "high": p.high, "in_domain": np.asarray(p.in_domain)}
    return {**{name: array.tolist() for name, array in arrays.items()}, "why": p.why}
