"""The model as people write it: one formula per cluster in the metrics' own names, and what its variables are."""

from typing import ClassVar

from core.blend import BlendModel
from core.export.base import Exporter
from core.pipeline import FittedPipeline
from core.report.model.formula import formula, is_formula, notation


class Formula(Exporter):
    """Plain text in UTF-8."""

    label: ClassVar[str] = "Formula (text)"
    suffix: ClassVar[str] = ".txt"
    says: ClassVar[str] = "stepwise, formula, splines, additive and linear models, rounded to four digits, for people"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return that a family has no formula."""
        return None if is_formula(model) else no_formula(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the formulas, their variables, and how to read them."""
        return "\n".join([formula(model).text(), "", *notation(model), ""]).encode()


def no_formula(model: FittedPipeline) -> str:
    """Say why people cannot read a model."""
    blends = [m.model for m in model.clusters if isinstance(m.model, BlendModel)]
    if blends:
        return f"it is a blend of {', '.join(blends[0].names)}, which no one formula tells. Use python, c or sql"
    kinds = dict.fromkeys(m.model.formula([str(i) for i in range(len(model.features))]) for m in model.clusters)
    return f"it is a {next(iter(kinds))[:80]}, which no formula tells. Use python, c or sql"
