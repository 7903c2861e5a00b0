"""A model that stands for measurements over a whole design space, quick to ask of any design."""

from dataclasses import dataclass
from functools import cached_property

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.space.columns import NOTHING_FIXED, Columns, Fixed, columns_of
from core.space.design_space import BoolArray, DesignSpace
from core.space.sums import Sum, sum_of
from core.trial import Metric


@dataclass(frozen=True)
class Surrogate:
    """A model that stands for measurements over a whole design space, made quick to ask.

    Attributes
    ----------
    columns : how the model's columns follow from levels
    sums : the model as a sum of tables, None if it is none; then it is asked itself
    """

    model: FittedPipeline
    space: DesignSpace
    columns: Columns
    sums: Sum | None

    def values(self, codes: IntArray) -> FloatArray:
        """Return predictions at points, in the response's unit; NaN where the model gives none."""
        if self.sums is not None:
            return self.model.scale.inverse(self.sums.at(codes))
        return self.model.scale.inverse(self.model.predict_scaled(self.columns.rows(codes)))

    @property
    def response(self) -> Metric:
        """What is predicted."""
        return self.model.response

    def outside(self, codes: IntArray) -> BoolArray:
        """Return which points lie outside the model's domain."""
        return self.model.leaves(self.columns.rows(codes))

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The parameters that have more than one level and that the model looks at."""
        return tuple(i for i, n in enumerate(self.space.shape) if n > 1 and i in self.columns.parameters)

    @cached_property
    def idle(self) -> tuple[str, ...]:
        """The parameters with several levels of which the model is known to make nothing."""
        used = set(self.columns.parameters)
        if self.sums is not None:
            used = {i for table in self.sums.tables if table.values.any() for i in table.parameters}
        pairs = enumerate(zip(self.space.names, self.space.shape, strict=True))
        return tuple(name for i, (name, n) in pairs if n > 1 and i not in used)


def surrogate(model: FittedPipeline, space: DesignSpace, fixed: Fixed = NOTHING_FIXED) -> Surrogate:
    """Return a model over a design space.

    Parameters
    ----------
    fixed : columns that no parameter gives, such as one that tells the application

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives.
    """
    return Surrogate(model, space, columns_of(model, space, fixed), sum_of(model, space, fixed))
