"""The contract of an exporter: what it can express, the file it writes, and how that file is put to the proof."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from core.codec import FloatArray
from core.pipeline import FittedPipeline

if TYPE_CHECKING:
    from core.export._vectors import Answers


class CannotRunError(Exception):
    """What was written cannot be run here; the message says why."""


class FailedRunError(Exception):
    """What was written was run, or compiled, and failed by itself; the message says how."""


class Exporter(ABC):
    """Writes a trained model in one form.

    Attributes
    ----------
    says : what the form can say of which models, in a sentence
    only_values : whether the form knows no interval and no domain, so that a proof compares predictions alone,
        on rows inside the trained range
    """

    label: ClassVar[str]
    suffix: ClassVar[str]
    says: ClassVar[str] = "every model"
    only_values: ClassVar[bool] = False

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return why this form cannot say what the model says, or None if it can, as one that says every model."""
        return None

    @abstractmethod
    def write(self, model: FittedPipeline) -> bytes:
        """Return the file's bytes; the same model gives the same bytes."""

    def said(self, model: FittedPipeline) -> FittedPipeline:
        """Return the model that the form says: the same, but for what `says` and `caveat` tell."""
        return model.unheld() if self.only_values else model

    def caveat(self, model: FittedPipeline) -> str:
        """Return what a user of the file has to know of it, in a sentence, or ""."""
        return ""

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> "Answers":
        """Return what the file says of rows of metrics, by running it in an empty folder.

        Raises
        ------
        CannotRunError
            If it is nothing to run, or what runs it is not here.
        FailedRunError
            If it does not compile, fails its own test, or does not answer every row.
        """
        raise CannotRunError("it is for people to read, and nothing to run")
