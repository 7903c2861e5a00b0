"""The original Eiger's model file: text of version 1, of 2012."""

from typing import ClassVar

from core.export._eiger_exporter import EigerExporter
from core.export._eiger_write import EigerModel, text_1


class EigerV1(EigerExporter):
    """Weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (text, version 1)"
    suffix: ClassVar[str] = ".model"

    def text(self, model: EigerModel) -> str:
        """Return the text of version 1, of 2012."""
        return text_1(model)
