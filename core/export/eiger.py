"""Model files of the original Eiger: text of versions 2 to 4, which its program reads today, of version 1, and JSON."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, loads
from core.errors import ModelFileError
from core.export._eiger_file import EigerModel, as_json, is_eiger_text, read_eiger_json, read_eiger_text, text, text_1
from core.export._eiger_sum import ONE, eiger_model
from core.export._lower import CannotSayError
from core.export.base import Answers, Exporter, FailedRunError
from core.pipeline import CLAMP, FittedPipeline


class EigerExporter(Exporter):
    """A file that the original program, and simulators that read its models, evaluate."""

    says: ClassVar[str] = (
        "sums of powers, products and logarithms of metrics on the raw response scale (stepwise, linear, ridge), "
        "with standardisation, components and clusters; predictions alone"
    )
    only_values: ClassVar[bool] = True

    form: ClassVar["staticmethod[[EigerModel], str]"]
    """Writes the file's text; raises CannotSayError where this version of the format has no place for something."""

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what the format cannot say."""
        try:
            self.form(eiger_model(model))
        except CannotSayError as error:
            return str(error)
        return None

    def write(self, model: FittedPipeline) -> bytes:
        """Return the file's bytes."""
        return self.form(eiger_model(model)).encode()

    def caveat(self, model: FittedPipeline) -> str:
        """Say what the file does not hold, and what it asks for besides the metrics."""
        said = ["it has no interval and no trained range"]
        if model.extrapolation == CLAMP:
            said.append("outside the range, where this model holds metrics at its edge, it runs on")
        if any(own.bounds for own in model.clusters):
            said.append("predictions that this model holds within the trained responses run on")
        if ONE in eiger_model(model).names:
            said.append(f"it takes one more metric, {ONE}, which must be given as 1, as the format has no centre")
        return "; ".join(said)

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Read the file back, and evaluate it by the rule of its consumers."""
        try:
            back = read_eiger_text(raw) if is_eiger_text(raw) else read_eiger_json(loads(raw))
        except ModelFileError as error:
            raise FailedRunError(str(error)) from None
        whole = np.column_stack([X, np.ones(len(X))]) if back.names[-1] == ONE else X
        found = back.predict(whole)
        return Answers(found.value, found.low, found.high, np.zeros(len(X), dtype=np.int64), "read back")


class Eiger(EigerExporter):
    """Text of versions 2 to 4, which the current program reads: weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (text)"
    suffix: ClassVar[str] = ".model"
    form = staticmethod(text)


class EigerJson(EigerExporter):
    """JSON of version 4: weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (JSON)"
    suffix: ClassVar[str] = ".json"
    form = staticmethod(as_json)


class EigerV1(EigerExporter):
    """Text of version 1, of 2012: weights and functions of rotated metrics."""

    label: ClassVar[str] = "Eiger model (text, version 1)"
    suffix: ClassVar[str] = ".model"
    form = staticmethod(text_1)
