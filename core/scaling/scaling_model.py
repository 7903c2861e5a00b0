"""A trained scaling model: from counters and responses at one configuration to surfaces over all of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, fields_of
from core.errors import PredictError
from core.pipeline import Provenance
from core.scaling.interpolate import Mixture, mixture
from core.scaling.lesson import FeatureMap
from core.scaling.predictors.base import Asked, Learnt
from core.scaling.predictors.typical import nearest
from core.trial import Metric, point_text
from core.validate.domain import Range


class Judged(Frozen):
    """How well one response's surfaces are predicted.

    Attributes
    ----------
    half_width : array of shape (n_configurations,), of the 90 % interval, in logs
    folds : the folds that the interval comes from
    mape, mean_surface_mape : mean errors there, in percent
    coverage_90 : percent of held-out cells inside their interval; None if single folds leave no residuals for one
    """

    response: Metric
    half_width: FloatArray
    folds: str
    mape: float
    mean_surface_mape: float
    coverage_90: float | None


class Answer(Judged):
    """How one response scales: the predictor, and what it learnt: log surfaces relative to the base."""

    predictor: str
    learnt: Learnt


class Kernel(Frozen):
    """A kernel measured at the base.

    Attributes
    ----------
    counts : by counter; those that are missing are taken as the typical kernel's, and flagged
    at_base : by response, its value at the base, in the response's unit
    measured : further measurements: by response, array of shape (n_configurations,), NaN where there is none
    """

    name: str
    counts: Mapping[str, float]
    at_base: Mapping[str, float]
    measured: Mapping[str, FloatArray]


class Surface(Frozen):
    """What is said of one response of one kernel, over all configurations.

    Attributes
    ----------
    value, low, high : arrays of shape (n_configurations,), in the response's unit
    """

    response: Metric
    value: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, place: Mixture) -> tuple[float, float, float]:
        """Return value, low and high at a point between configurations, or at the edge of these, low and high wider."""
        logs = np.log(np.vstack([self.value, self.low, self.high]))
        found = np.exp(place.of(logs) + place.unknown(logs[0]) * np.array([0.0, -1.0, 1.0]))
        return float(found[0]), float(found[1]), float(found[2])


class Predicted(Frozen):
    """What a model says of one kernel.

    Attributes
    ----------
    surfaces : by response name
    in_domain : whether every counter is inside the range of the training kernels
    why : what is outside or missing; "" if nothing is
    nearest : names of the training kernels with the most similar counters, and their distances
        (1 is the typical distance of a training kernel to its nearest)
    """

    name: str
    surfaces: Mapping[str, Surface]
    in_domain: bool
    why: str
    nearest: tuple[tuple[str, float], ...]


class Setting(Frozen):
    """What a scaling model knows of machines and kernels.

    Attributes
    ----------
    axes, grid : the machine's parameters, and the configurations: array of shape (n_configurations, n_axes)
    base : the configuration at which a kernel is to be measured
    counters : what it is to be measured with
    inputs : responses whose value at the base helps to recognise a kernel
    kernels : names of the training kernels
    points : array of shape (n_kernels, n_plain), their features
    typical_distance : median distance of a training kernel to its nearest
    domain : range of counters and inputs over the training kernels
    """

    axes: tuple[Metric, ...]
    grid: FloatArray
    base: int
    counters: tuple[Metric, ...]
    inputs: tuple[Metric, ...]
    features: FeatureMap
    kernels: tuple[str, ...]
    points: FloatArray
    typical_distance: float
    domain: Range
    notes: tuple[str, ...]
    provenance: Provenance


class ScalingModel(Setting):
    """Predicts how kernels scale."""

    answers: tuple[Answer, ...]

    @property
    def responses(self) -> tuple[str, ...]:
        """What it predicts."""
        return tuple(a.response.name for a in self.answers)

    @property
    def base_point(self) -> dict[str, float]:
        """The base configuration, by axis."""
        return self.point(self.base)

    def point(self, configuration: int) -> dict[str, float]:
        """Return a configuration of the grid, by axis."""
        return dict(zip((axis.name for axis in self.axes), self.grid[configuration].tolist(), strict=True))

    @property
    def wants(self) -> tuple[int, ...]:
        """Configurations besides the base at which a kernel has to be measured, best first."""
        return tuple(dict.fromkeys(j for answer in self.answers for j in answer.learnt.wants()))

    def place(self, point: Mapping[str, float]) -> Mixture:
        """Return how a configuration, measured or not, is made of measured ones."""
        names = tuple(axis.name for axis in self.axes)
        for name in names:
            if name not in point:
                raise PredictError(f"A target needs a value for each axis, and '{name}' is missing.")
        return mixture(self.grid, names, np.array([float(point[name]) for name in names]))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused with a reason
    def predict(self, kernel: Kernel, n_nearest: int = 5) -> Predicted:
        """Predict one kernel over all configurations.

        Raises
        ------
        PredictError
            If a response at the base is missing, or a further measurement that the model needs, or what the model
            says is no finite number.
        """
        counts, at_base, missing = self._row(kernel)
        features = self.features.apply(counts, at_base)
        surfaces = {a.response.name: self._surface(a, kernel, features) for a in self.answers}
        outside = self.domain.outside(np.hstack([counts, at_base]), self._columns)
        gone = f"no value of {', '.join(missing[:4])}" + (f" and {len(missing) - 4} more" if missing[4:] else "")
        why = "; ".join(part for part in (outside.get(0, ""), gone if missing else "") if part)
        near, distance = nearest(self.points, features[:, : self.points.shape[1]], n_nearest)
        known = tuple(
            (self.kernels[k], float(d) / self.typical_distance) for k, d in zip(near[0], distance[0], strict=True)
        )
        return Predicted(kernel.name, surfaces, not why, why, known)

    @property
    def _columns(self) -> tuple[str, ...]:
        return tuple(m.name for m in (*self.counters, *self.inputs))

    def _row(self, kernel: Kernel) -> tuple[FloatArray, FloatArray, list[str]]:
        counts = np.array([[float(kernel.counts.get(m.name, np.nan)) for m in self.counters]]).reshape(1, -1)
        at_base = np.array([[_positive(kernel, m.name) for m in self.inputs]]).reshape(1, -1)
        row = np.hstack([counts, at_base])[0]
        missing = [name for name, x in zip(self._columns, row, strict=True) if not np.isfinite(x)]
        return counts, at_base, missing

    def _surface(self, answer: Answer, kernel: Kernel, features: FloatArray) -> Surface:
        name = answer.response.name
        start = _positive(kernel, name)
        if not np.isfinite(start):
            raise PredictError(
                f"Kernel {kernel.name or '(unnamed)'} has no '{name}' at the base, and a surface starts there. "
                "Measure it, or leave that response out."
            )
        measured = np.full((1, len(self.grid)), np.nan)
        if name in kernel.measured:
            measured[0] = np.log(kernel.measured[name] / start)
        measured[0, self.base] = 0.0
        self._need_measured(answer, measured, kernel.name)
        asked = Asked(features, measured)
        log = np.where(np.isfinite(measured), measured, answer.learnt.surfaces(asked))[0]
        half = np.where(np.isfinite(measured[0]), 0.0, answer.half_width)
        value = start * np.exp(log)
        low, high = value * np.exp(-half), value * np.exp(half)
        lost = ~np.isfinite(value + low + high)
        if lost.any():
            raise PredictError(
                f"What the model says of '{name}' of {kernel.name or 'the kernel'} is no finite number at "
                f"{int(lost.sum())} of {len(lost)} configurations. Its counters are far from what the model learnt."
            )
        return Surface(answer.response, value, low, high)

    def _need_measured(self, answer: Answer, measured: FloatArray, name: str) -> None:
        for j in answer.learnt.wants():
            if not np.isfinite(measured[0, j]):
                point = point_text({a.name: x for a, x in zip(self.axes, self.grid[j].tolist(), strict=True)})
                raise PredictError(
                    f"This model asks for '{answer.response.name}' of {name or 'the kernel'} at {point} besides the "
                    "base. Measure it there, or use a model that needs one run."
                )


def _positive(kernel: Kernel, name: str) -> float:
    value = float(kernel.at_base.get(name, np.nan))
    if value <= 0:
        raise PredictError(f"'{name}' of {kernel.name or 'the kernel'} is {value:g}; it has to be positive.")
    return value


def plain_answer(answer: Answer) -> dict[str, Any]:
    """Return an answer's scores for `--json`."""
    return fields_of(
        answer, "response=response.name unit=response.unit predictor folds mape mean_surface_mape coverage_90"
    )
