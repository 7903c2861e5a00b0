"""The model's formula for a paper: LaTeX, one line per cluster and per variable."""

from typing import ClassVar

from core.export._latex import MOST_METRICS, latex_text
from core.export.base import Exporter
from core.export.formula import no_formula
from core.pipeline import FittedPipeline
from core.report.model.formula import is_formula


class Latex(Exporter):
    """An align environment of amsmath, to be put into a document."""

    label: ClassVar[str] = "Formula (LaTeX)"
    suffix: ClassVar[str] = ".tex"
    says: ClassVar[str] = "stepwise, formula, splines, additive and linear models, rounded to four digits, for a paper"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return that a family has no formula."""
        if len(model.metrics) > MOST_METRICS:
            return f"it takes {len(model.metrics)} metrics, more than the {MOST_METRICS} that are written"
        return None if is_formula(model) else no_formula(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the environment, ASCII but for the metrics' own letters."""
        return latex_text(model).encode()
