"""The original Eiger's model file: JSON of version 4."""

from typing import ClassVar

from core.export._eiger_exporter import EigerExporter
from core.export._eiger_write import EigerModel, as_json


class EigerJson(EigerExporter):
    """Weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (JSON)"
    suffix: ClassVar[str] = ".json"

    def text(self, model: EigerModel) -> str:
        """Return the JSON of version 4."""
        return as_json(model)
