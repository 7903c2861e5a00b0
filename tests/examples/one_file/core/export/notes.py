"""What a model says of itself, as plain text."""

from typing import ClassVar

from core.export.base import Exporter
from core.pipeline import FittedPipeline


class Notes(Exporter):
    """The response, its metrics, and what was noted while the model was made."""

    label: ClassVar[str] = "Notes (text)"
    suffix: ClassVar[str] = ".txt"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Refuse models with clusters."""
        return "it has several clusters" if len(model.clusters) > 1 else None

    def write(self, model: FittedPipeline) -> bytes:
        """Return a line for each."""
        return "\n".join([f"{model.response.name} from {', '.join(model.names)}", *model.notes, ""]).encode()
