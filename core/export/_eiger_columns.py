"""Columns of the original Eiger's rotation, and the columns that reach a model's terms as sums of metrics."""

from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray
from core.export._lower import CannotSayError
from core.export._program import Affine, Logs, Program


@dataclass
class Columns:
    """Columns of the rotation as they are found to be needed, each a sum of metrics (and of 1)."""

    width: int
    one: bool
    rows: list[FloatArray] = field(default_factory=list)

    def place(self, weights: FloatArray, offset: float) -> int:
        """Return the number of the column Σ weight · metric + offset."""
        if offset and not self.one:
            raise NeedsOneError
        full = np.concatenate([weights, [offset]])
        for i, row in enumerate(self.rows):
            if np.array_equal(row, full):
                return i
        self.rows.append(full)
        return len(self.rows) - 1

    def constant(self) -> int:
        """Return the number of the column that is always 1."""
        if not self.one:
            raise NeedsOneError
        return self.place(np.zeros(self.width), 1.0)


class NeedsOneError(Exception):
    """The model needs a metric that is always 1."""


@dataclass(frozen=True)
class Feature:
    """A column that reaches the models: offset + Σ weight · metric + Σ log · log2(metric + shift)."""

    weights: FloatArray
    offset: float
    logs: FloatArray
    ones: FloatArray

    @property
    def affine(self) -> bool:
        """Whether no logarithm is in it."""
        return not self.logs.any()


def features_of(program: Program) -> list[Feature]:
    """Return the columns that reach the models, as sums."""
    zero = np.zeros(program.n)
    found = [Feature(unit, 0.0, zero, zero) for unit in np.eye(program.n)]
    for step in program.steps:
        if isinstance(step, Logs):
            found = [_logged(f, s) for f, s in zip(found, step.scales, strict=True)]
        else:
            found = _mixed(found, step)
    return found


def _logged(feature: Feature, scale: str) -> Feature:
    """Return ln of a column; the format's logarithm is of base 2."""
    if scale == "raw":
        return feature
    if not feature.affine or np.count_nonzero(feature.weights) != 1 or feature.offset:
        raise CannotSayError("it takes logarithms of sums, and the format rotates before it takes logarithms")
    zero, place = np.zeros_like(feature.weights), feature.weights * np.log(2.0)
    return Feature(zero, 0.0, place, (feature.weights != 0) * float(scale == "log1p"))


def _mixed(features: list[Feature], step: Affine) -> list[Feature]:
    scaled = features
    if step.offset is not None and step.divisor is not None:
        given = zip(features, step.offset, step.divisor, strict=True)
        scaled = [Feature(f.weights / d, (f.offset - m) / d, f.logs / d, f.ones) for f, m, d in given]
    if step.matrix is None:
        return scaled
    W, o = np.array([f.weights for f in scaled]), np.array([f.offset for f in scaled])
    L, ones = np.array([f.logs for f in scaled]), np.sum([f.ones for f in scaled], axis=0)
    return [Feature(W.T @ v, float(o @ v), L.T @ v, ones) for v in step.matrix.T]
