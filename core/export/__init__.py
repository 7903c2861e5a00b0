"""Every exporter, one file each; and the model file, written and read back, which needs no exporter to be read.

It offers `EXPORTERS`, `read_model`, `write_model` and the proof that a file predicts as the model does. It never runs
what it reads, and refuses with a reason what a form cannot say.
"""

from hashlib import sha256

from core.codec import MAX_BYTES, loads
from core.errors import ModelFileError, RidgelineError, brief
from core.export._document import FORMAT, checked, to_pipeline
from core.export.base import Exporter, Proof
from core.pipeline import FittedPipeline
from core.registry import discover

SEVERAL = {"c": ("c", "cpp"), "eiger": ("eiger", "eiger_json", "eiger_v1"), "formula": ("formula", "latex")}
EXPORTERS = discover("core.export", Exporter, "export format", SEVERAL)

__all__ = ["EXPORTERS", "Exporter", "Proof", "model_sha256", "prove", "read_model", "write_model"]


def write_model(model: FittedPipeline) -> bytes:
    """Return the model file of a trained model: canonical JSON, the same bytes for the same model.

    Raises
    ------
    ModelFileError
        If it would be larger than a model file may be, as that of a forest of many deep trees.
    """
    from core.export.json import Json, too_large

    raw = Json().write(model)
    if len(raw) > MAX_BYTES:
        raise ModelFileError(f"This model cannot be kept: {too_large(model, len(raw))}")
    return raw


def prove(exporter: Exporter, model: FittedPipeline, n: int = 10_000) -> Proof:
    """Write a model, run what was written on n rows, and compare; or say why it was not run."""
    from core.export import _lowered

    return _lowered.prove(exporter, model, n)


def read_model(raw: bytes) -> FittedPipeline:
    """Return the trained model in a model file of Ridgeline, or of the original Eiger (text or JSON).

    Raises
    ------
    ModelFileError
        If the bytes are too large, too deep, not JSON, of another version, not finite, or if
        their parts do not fit each other. Nothing in them is ever run as code.
    """
    try:
        return _read(raw)
    except RidgelineError as error:
        raise ModelFileError(brief(str(error))) from None


def model_sha256(raw: bytes) -> str:
    """Return the SHA-256 of a model file's bytes, in hexadecimal."""
    return sha256(raw).hexdigest()


def _read(raw: bytes) -> FittedPipeline:
    if raw.strip() and raw.lstrip()[:1] not in (b"{", b"["):
        from core.export._eiger_file import is_eiger_text, read_eiger_text

        if is_eiger_text(raw):
            return checked(read_eiger_text(raw))
        raise ModelFileError("The file is no model: neither Ridgeline's JSON, nor a model file of the original Eiger.")
    plain = loads(raw)
    if isinstance(plain, dict) and plain.get("format") != FORMAT:
        from core.export._eiger_file import is_eiger_json, read_eiger_json

        if is_eiger_json(plain):
            return checked(read_eiger_json(plain))
    return to_pipeline(plain)
