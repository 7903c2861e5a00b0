"""What `plan` and `sweep` share: a design space from a file, models and plans from files."""

from pathlib import Path

from core.cli._files import model_bytes, read_bytes
from core.errors import ReadError
from core.export import read_model
from core.pipeline import FittedPipeline
from core.space.design_space import DesignSpace
from core.space.plan import Plan, read_plan
from core.space.table import read_space


def load_space(path: str) -> DesignSpace:
    """Return the design space that a TOML file describes."""
    return read_space(_text(path), Path(path).name)


def load_plan(path: str) -> Plan:
    """Return the plan that a CSV file holds."""
    return read_plan(_text(path), Path(path).name)


def load_model(path: str) -> FittedPipeline:
    """Return the model that a file holds."""
    return read_model(model_bytes(path))


def _text(path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(f"{path} is no UTF-8 text. Save it as UTF-8.") from None
