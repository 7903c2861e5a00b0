"""The model file: JSON that Ridgeline reads back; how large it becomes, and what to do where it is too large.

What stands in it is `_document.py`'s; files of older versions are read for ever (`tests/export/golden` has some).
"""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from core.codec import MAX_BYTES, FloatArray, dumps, loads, schema, to_plain
from core.export._document import BLEND, BlendState, Document, from_pipeline, to_pipeline
from core.export.base import Answers, Exporter, answers
from core.models import FAMILIES
from core.models.base import Model
from core.passes import PASSES
from core.passes.base import FittedPass
from core.pipeline import FittedPipeline
from core.registry import companion

_NUMBER = 26
"""Most bytes that a number takes, its comma included."""
_OTHER = 300
"""More than any other value takes, its name included."""


def most_bytes(model: FittedPipeline) -> int:
    """Return a bound on the model file's size, without writing it."""
    return 100_000 + _most(model)


def too_large(model: FittedPipeline, size: int) -> str:
    """Say that a model file would be too large, why, and what makes it smaller."""
    said = f"its file would have {size / 2**20:.1f} MiB, and a model file has at most {MAX_BYTES // 2**20} MiB"
    grown = [m.model.trees_and_nodes for m in model.clusters]
    trees, nodes = sum(n for n, _ in grown), sum(n for _, n in grown)
    if not trees:
        return f"{said}. Choose fewer metrics, or fewer trials."
    fitting = int(0.95 * trees * MAX_BYTES / size)
    said = f"{said}: {trees:,} trees have {nodes:,} nodes"
    leaf = "a larger min_leaf (least trials per leaf), which makes smaller trees"
    return f"{said}. Use at most {fitting:,} trees, or {leaf}." if fitting else f"{said}. Use {leaf}, and fewer trees."


def _most(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return _NUMBER * value.size + 8 * (len(value) if value.ndim > 1 else 1)
    if isinstance(value, str):
        return 6 * len(value) + _OTHER
    if isinstance(value, dict):
        return sum(_most(k) + _most(v) for k, v in value.items())
    if isinstance(value, list | tuple):
        return sum(_most(inner) for inner in value) + 8
    return _OTHER + sum(_most(getattr(value, f.name)) for f in fields(value)) if is_dataclass(value) else _OTHER


class Json(Exporter):
    """The model file that Ridgeline reads back."""

    label: ClassVar[str] = "Ridgeline model (JSON)"
    suffix: ClassVar[str] = ".json"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Every model can be written, but files above 16 MiB are read by nobody."""
        if most_bytes(model) <= MAX_BYTES:
            return None
        size = len(self.write(model))
        return too_large(model, size) if size > MAX_BYTES else None

    def write(self, model: FittedPipeline) -> bytes:
        """Return canonical JSON."""
        return dumps(to_plain(from_pipeline(model)))

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Read the file back and predict with what was read."""
        return replace(answers(to_pipeline(loads(raw)), X), runner="read back")


def model_schema() -> dict[str, Any]:
    """Return the schema; `state` of each part has a definition named after the part."""
    whole = schema(Document)
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "Ridgeline model file"
    for registry, base in ((PASSES, FittedPass), (FAMILIES, Model)):
        for name, cls in registry.items():
            inner = schema(companion(cls, base))
            whole["$defs"].update(inner.get("$defs", {}))
            whole["$defs"][f"state of {name}"] = {"$ref": inner["$ref"]}
    blend = schema(BlendState)
    blend["$defs"]["BlendState"]["properties"]["members"]["items"] = {"$ref": "#/$defs/Document"}
    whole["$defs"].update(blend["$defs"])
    whole["$defs"][f"state of {BLEND}"] = {"$ref": blend["$ref"]}
    return whole


def schema_text() -> str:
    """Return the schema as the file `model.schema.json` beside this module holds it."""
    return json.dumps(model_schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("model.schema.json").write_text(schema_text(), encoding="utf-8")
