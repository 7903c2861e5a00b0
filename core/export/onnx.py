"""A model of ONNX in double precision, for whatever runs such models; needs the package onnx to write."""

import importlib.util
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from core.codec import FloatArray
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._onnx_model import INPUT, OUTPUTS, onnx_model
from core.export.base import Answers, CannotRunError, FailedRunError, vectors
from core.pipeline import FittedPipeline

LARGEST = 1 << 30
"""Bytes; a file of the format has at most 2 GiB."""


class Onnx(Lowered):
    """Input `metrics` of shape (rows, n); outputs prediction, low, high, flags, cluster of shape (rows,)."""

    label: ClassVar[str] = "ONNX"
    suffix: ClassVar[str] = ".onnx"
    says: ClassVar[str] = "every family, with intervals and domain flags; needs the package onnx"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations, or that the package is not here."""
        if importlib.util.find_spec("onnx") is None:
            return "the package onnx is not installed. Install ridgeline[onnx]"
        return super().can_express(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the model's bytes."""
        return onnx_model(lower(model), vectors(model))

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Run it with onnxruntime, after the checker and its own test vectors."""
        if importlib.util.find_spec("onnxruntime") is None:
            raise CannotRunError("the package onnxruntime is not installed")
        import onnx
        import onnxruntime

        whole = onnx.load_from_string(raw)
        onnx.checker.check_model(whole, full_check=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
            _self_test(session, whole)
            found = _answers(session, X)
        except onnxruntime.capi.onnxruntime_pybind11_state.OrtException as error:
            raise FailedRunError(f"onnxruntime says {str(error).splitlines()[0]}") from None
        value, low, high, flags = found
        return Answers(value, low, high, flags, f"onnxruntime {onnxruntime.__version__}")


def _self_test(session: Any, whole: Any) -> None:
    """Raise FailedRunError unless the vectors that the model holds have their flags."""
    told = json.loads({p.key: p.value for p in whole.metadata_props}["test_vectors"])
    flags = _answers(session, np.array([row[0] for row in told], dtype=np.float64))[3]
    if flags.tolist() != [row[4] for row in told]:
        raise FailedRunError("its own test vectors have other flags")


def _answers(session: Any, X: FloatArray) -> list[Any]:
    """Return prediction, low, high and flags."""
    return list(session.run(list(OUTPUTS[:4]), {INPUT: np.ascontiguousarray(X, dtype=np.float64)}))
