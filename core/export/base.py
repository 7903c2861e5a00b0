"""The contract of an exporter: what it can express, and the file it writes."""

from abc import ABC, abstractmethod
from typing import ClassVar

from core.pipeline import FittedPipeline


class Exporter(ABC):
    """Writes a trained model in one form."""

    label: ClassVar[str]
    suffix: ClassVar[str]

    @abstractmethod
    def can_express(self, model: FittedPipeline) -> str | None:
        """Return why this form cannot say what the model says, or None if it can."""

    @abstractmethod
    def write(self, model: FittedPipeline) -> bytes:
        """Return the file's bytes; the same model gives the same bytes."""
