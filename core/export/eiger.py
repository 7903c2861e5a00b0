"""The original Eiger's model file: text of versions 2 to 4, which the current program reads."""

from typing import ClassVar

from core.export._eiger_exporter import EigerExporter
from core.export._eiger_write import EigerModel, text


class Eiger(EigerExporter):
    """Weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (text)"
    suffix: ClassVar[str] = ".model"

    def text(self, model: EigerModel) -> str:
        """Return the text of versions 2 to 4, which the current program reads."""
        return text(model)
