"""What a model says of one design: prediction, curves through it, a surface, and the difference to a baseline."""

from functools import cached_property

import numpy as np
import pandas as pd

from core.codec import BoolArray, FloatArray, Frozen
from core.report.space.design_points import Point
from core.space.design_space import DesignSpace, Level, Parameter, short
from core.space.plan import shown
from core.space.sensitivity import LEAST, Sensitivity
from core.space.sums import Surrogate
from core.trial import Metric


class Answer(Frozen):
    """What a model says of one design.

    Attributes
    ----------
    value, low, high : in the response's unit; NaN where there is no prediction or no interval
    why : why it is extrapolating or gives no prediction; "" where all is well
    forbidden : the constraints that the design does not fulfil
    """

    point: Point
    levels: tuple[Level, ...]
    value: float
    low: float
    high: float
    why: str
    forbidden: tuple[str, ...]


class Curve(Frozen):
    """A model over the levels of one parameter, all others as in the design.

    Attributes
    ----------
    values : array of shape (n_levels,), in the response's unit, NaN where there is no prediction
    outside : at which levels the design lies outside the model's domain
    allowed : which levels fulfil the constraints together with the others
    at : number of the design's level
    low, high : arrays like `values`, the ends of the 90 % interval
    pinned : the same curve through the baseline, None without one
    pinned_at : number of the baseline's level, -1 without one
    """

    parameter: Parameter
    values: FloatArray
    outside: BoolArray
    allowed: BoolArray
    at: int
    low: FloatArray
    high: FloatArray
    pinned: FloatArray | None = None
    pinned_at: int = -1

    @property
    def log(self) -> bool:
        """Whether the levels are shown by their logarithm."""
        return log_axis(self.parameter)


class Difference(Frozen):
    """A design against a baseline: absolute in the response's unit, and relative in percent."""

    absolute: float
    percent: float
    changed: tuple[str, ...]


class WhatIf(Frozen):
    """A design, the curves through it, and the baseline beside it."""

    response: Metric
    answer: Answer
    curves: tuple[Curve, ...]
    pinned: Answer | None
    difference: Difference | None

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest value of any curve, and of the interval."""
        return self.ends_of(*self.curves)

    def ends_of(self, *curves: Curve) -> tuple[float, float]:
        """Smallest and largest value of some curves, and of the interval."""
        parts = [v for c in curves for v in (c.values, c.low, c.high, c.pinned) if v is not None]
        return ends_among(*parts, np.array([self.answer.value, self.answer.low, self.answer.high]))

    def table(self) -> pd.DataFrame:
        """Return a row per parameter and level."""
        return pd.concat([_curve_rows(curve, self.response) for curve in self.curves], ignore_index=True)


class Surface(Frozen):
    """A model over two parameters, all others as in the design.

    Attributes
    ----------
    values : array of shape (n_levels of second, n_levels of first); NaN where there is no
        prediction, or a constraint forbids the design
    at : numbers of the design's levels of both
    pinned_at : of the baseline's, None without one
    said : whether the response is "predicted" or "measured"
    outside : array like `values`, which lie outside the model's domain; None where it is not known
    """

    response: Metric
    first: Parameter
    second: Parameter
    values: FloatArray
    at: tuple[int, int]
    pinned_at: tuple[int, int] | None
    n_forbidden: int
    said: str = "predicted"
    outside: BoolArray | None = None

    @property
    def n_outside(self) -> int:
        """How many combinations with a prediction lie outside the model's domain."""
        return 0 if self.outside is None else int((self.outside & np.isfinite(self.values)).sum())

    def table(self) -> pd.DataFrame:
        """Return a row per combination."""
        n, m = self.values.shape
        return pd.DataFrame(
            {
                str(self.first): [short(v) for v in self.first.levels] * n,
                str(self.second): [short(v) for v in self.second.levels for _ in range(m)],
                f"{self.said} {self.response}": self.values.ravel(),
            }
        )


def ends_among(*parts: FloatArray) -> tuple[float, float]:
    """Return the smallest and largest of all values that are known; 0 and 1 where none is."""
    values = np.concatenate(parts)
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


def what_if(of: Surrogate, point: Point, pinned: Point | None = None) -> WhatIf:
    """Return what a model says of a design and around it."""
    answer = _answer(of, point)
    base = None if pinned is None else _answer(of, pinned)
    curves = _curves(of, point, pinned)
    return WhatIf(of.response, answer, curves, base, None if base is None else _difference(of.space, answer, base))


def surface(of: Surrogate, point: Point, first: int, second: int, pinned: Point | None = None) -> Surface:
    """Return a model over two parameters, by their numbers."""
    a, b = of.space.parameters[first], of.space.parameters[second]
    codes = of.space.around(np.array(point), (second, first))
    allowed = of.space.allowed(codes)
    values = np.where(allowed, of.values(codes), np.nan).reshape(len(b.levels), len(a.levels))
    pin = None if pinned is None else (pinned[first], pinned[second])
    outside = of.outside(codes).reshape(values.shape)
    at = (point[first], point[second])
    return Surface(of.response, a, b, values, at, pin, int((~allowed).sum()), outside=outside)


def matters(of: Surrogate, shares: Sensitivity | None) -> tuple[tuple[str, ...], tuple[str, str]]:
    """Return the parameters with an effect by their total Sobol' index, and the two of them that interact most.

    As they come while nobody knows the indices.

    Without an effect are those of which the model makes nothing, and those with a total index below 0.1 %.
    """
    names = [of.space.names[i] for i in of.moving]
    total = {} if shares is None else {name: share.value for name, share in shares.total.items()}
    order = sorted(
        (n for n in names if n not in of.idle and total.get(n, 1.0) >= LEAST), key=lambda n: -total.get(n, 1)
    )
    pairs = [] if shares is None else [pair for pair in shares.interactions if set(pair) <= set(names)]
    first = (*order, *(name for name in names if name not in order), *names)
    return tuple(order), pairs[0] if pairs else (first[0], first[1])


def log_axis(parameter: Parameter) -> bool:
    """Whether a parameter's levels are shown by their logarithm: positive, spanning a factor of 8, not even."""
    if parameter.categorical or len(parameter.levels) < 3:
        return False
    levels = parameter.numbers
    steps = np.diff(levels)
    return bool(levels[0] > 0 and levels[-1] / levels[0] >= 8 and steps.max() > 1.5 * steps.min())


def _answer(of: Surrogate, point: Point) -> Answer:
    codes = np.array([point], dtype=np.int64)
    said = of.model.predict(of.columns.rows(codes))
    forbidden = tuple(
        c.text for c in of.space.constraints if not DesignSpace(of.space.parameters, (c,)).allowed(codes)[0]
    )
    value, low, high = (float(v[0]) for v in (said.value, said.low, said.high))
    return Answer(point, of.space.texts(codes)[0], value, low, high, said.why[0], forbidden)


def _curves(of: Surrogate, point: Point, pinned: Point | None) -> tuple[Curve, ...]:
    """Return every curve, all of their points asked at once."""
    centres = [point] if pinned is None else [point, pinned]
    codes = np.vstack([of.space.around(np.array(centre), (i,)) for centre in centres for i in of.moving])
    values, allowed, outside = of.values(codes), of.space.allowed(codes), of.outside(codes)
    n = len(codes) // len(centres)
    said = of.model.predict(of.columns.rows(codes[:n]))
    found, start = [], 0
    for i in of.moving:
        part = slice(start, start + of.space.shape[i])
        beside = None if pinned is None else values[n:][part]
        place = -1 if pinned is None else pinned[i]
        sides = (said.low[part], said.high[part])
        told = (values[part], outside[part], allowed[part], point[i])
        found.append(Curve(of.space.parameters[i], *told, *sides, beside, place))
        start = part.stop
    return tuple(found)


def _difference(space: DesignSpace, answer: Answer, base: Answer) -> Difference:
    absolute = answer.value - base.value
    percent = 100 * absolute / abs(base.value) if base.value else float("nan")
    pairs = zip(space.parameters, base.levels, answer.levels, strict=True)
    changed = tuple(f"{p.name} {shown(a)} → {shown(b)}" for p, a, b in pairs if a != b)
    return Difference(absolute, percent, changed)


def _curve_rows(curve: Curve, response: Metric) -> pd.DataFrame:
    n = len(curve.values)
    rows = {
        "parameter": [curve.parameter.name] * n,
        "unit": [curve.parameter.unit] * n,
        "level": [shown(level) for level in curve.parameter.levels],
        f"predicted {response}": curve.values,
        "in trained range": ~curve.outside,
        "allowed": curve.allowed,
        "chosen": np.arange(n) == curve.at,
    }
    if curve.pinned is not None:
        rows |= {f"baseline {response}": curve.pinned, "baseline's": np.arange(n) == curve.pinned_at}
    return pd.DataFrame(rows)
