"""Ridgeline's own model file: JSON that needs nothing but `json` and `math` to predict from."""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.codec import MAX_BYTES, FloatArray, dumps, loads, to_plain
from core.export._document import from_pipeline, to_pipeline
from core.export._size import most_bytes, too_large
from core.export._vectors import Answers, answers
from core.export.base import Exporter
from core.pipeline import FittedPipeline


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
