"""What a model says when one or two metrics move and the others stay: curves and surfaces, for any family."""

from itertools import combinations

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.pipeline import FittedPipeline
from core.trial import Metric

AVERAGED, MEDIAN = OTHERS = ("averaged over the trials", "at their median")
"""What the other metrics do while one moves."""
MOST_ROWS = 200
MOST_PREDICTIONS = 60_000
"""For all curves together, so that a forest of many metrics does not take minutes."""
FLAT = 0.01
"""Share of the steepest curve's span up to which a curve counts as flat."""
LEVELS, STEPS = 24, 25
"""Up to so many different values each is a place of a curve; otherwise so many places are made."""
SURFACE_LEVELS, SURFACE_STEPS = 12, 11


class Curve(Frozen):
    """The response over one metric.

    Attributes
    ----------
    metric : what moves, with its unit
    x : array of shape (n_places,), in its unit
    levels : whether the places are the values that were measured
    log : whether the places span decades or double
    response : array of shape (n_places,), predicted, in the response's unit; NaN where refused
    effect : array of shape (n_places,), against the average prediction: a factor where the model is of the
        logarithm, else a difference in the response's unit
    span : largest less smallest, on the model's own scale
    """

    metric: Metric
    x: FloatArray
    levels: bool
    log: bool
    response: FloatArray
    effect: FloatArray
    span: float


class Effects(Frozen):
    """The curves of a model, those that move the response most first.

    Attributes
    ----------
    response : what is predicted, with its unit
    factor : whether effects are factors
    centre : the prediction that effects are against, in the response's unit
    others : what the other metrics do
    n_rows : how many trials were averaged over
    n_trials : out of so many
    """

    response: Metric
    factor: bool
    centre: float
    others: str
    n_rows: int
    n_trials: int
    curves: tuple[Curve, ...]

    @property
    def moving(self) -> tuple[Curve, ...]:
        """The curves that are not next to flat beside the steepest one."""
        steepest = max((c.span for c in self.curves), default=0.0)
        return tuple(c for c in self.curves if c.span > FLAT * steepest)

    def table(self) -> pd.DataFrame:
        """Return a row per place of each curve."""
        return pd.concat([curve_table(c, self.response, self.factor) for c in self.curves], ignore_index=True)


class Surface(Frozen):
    """The response over two metrics.

    Attributes
    ----------
    metrics : the two
    x, y : places of the first and of the second, in their units
    response : array of shape (len(y), len(x)), predicted, in the response's unit
    alone : array of the same shape, what the two do beyond the sum of their curves: a factor or a difference
    """

    metrics: tuple[Metric, Metric]
    of: Metric
    factor: bool
    x: FloatArray
    y: FloatArray
    response: FloatArray
    alone: FloatArray

    def table(self) -> pd.DataFrame:
        """Return a row per place."""
        titles = [f"predicted {self.of}", f"interaction ({effect_unit(self.of, self.factor)})"]
        values = (*np.meshgrid(self.x, self.y), self.response, self.alone)
        pairs = zip((*map(str, self.metrics), *titles), values, strict=True)
        return pd.DataFrame({title: one.ravel() for title, one in pairs})


def effects(model: FittedPipeline, X: FloatArray, others: str = AVERAGED) -> Effects:
    """Return the curve of every metric.

    With the others averaged this is the partial dependence: for a value v of metric j, the mean over
    trials i of the prediction for trial i with x_ij = v, on the model's own scale, or that of the response
    where the model is of a ratio. Nothing else is asked of the model than to predict.

    Parameters
    ----------
    model : of any family
    X : array of shape (n_trials, n_metrics), the trials that it was trained on
    others : "averaged over the trials" (at most 200 of them) or "at their median"

    References
    ----------
    Friedman 2001, Greedy function approximation: a gradient boosting machine, section 8.2.
    """
    places = [_places(X[:, j], LEVELS, STEPS) for j in range(X.shape[1])]
    budget = MOST_PREDICTIONS // max(sum(len(p) for p in places), 1)
    rows = _rows(X, others, max(min(MOST_ROWS, budget), 20))
    centre = _mean(model.predict_plain(rows))
    curves = [_curve(model, rows, j, places[j], X[:, j], centre) for j in range(X.shape[1])]
    curves.sort(key=lambda c: -c.span)
    return Effects(
        response=model.response,
        factor=model.scale.log,
        centre=float(model.scale.plain.inverse(np.array([centre]))[0]),
        others=others,
        n_rows=len(rows),
        n_trials=len(X),
        curves=tuple(curves),
    )


def surface(model: FittedPipeline, X: FloatArray, pair: tuple[str, str], others: str = AVERAGED) -> Surface:
    """Return the response over two metrics, and what they do beyond their curves.

    Raises
    ------
    ValueError
        If the model has no metric of such a name.
    """
    i, j = (model.names.index(name) for name in pair)
    rows = _rows(X, others, MOST_ROWS // 2)
    x, y = (_places(X[:, k], SURFACE_LEVELS, SURFACE_STEPS) for k in (i, j))
    together = np.array([_moved(model, np.where(np.arange(X.shape[1]) == j, v, rows), i, x) for v in y])
    centre = _mean(model.predict_plain(rows))
    alone = together - _moved(model, rows, i, x)[None, :] - _moved(model, rows, j, y)[:, None] + centre
    factor = model.scale.log
    return Surface(
        metrics=(model.metrics[i], model.metrics[j]),
        of=model.response,
        factor=factor,
        x=x,
        y=y,
        response=model.scale.plain.inverse(together),
        alone=np.exp(alone) if factor else alone,
    )


def interactions(model: FittedPipeline) -> tuple[tuple[str, str], ...]:
    """Return the pairs of metrics that act together in a model that says so, the strongest or first chosen first."""
    found: dict[tuple[str, str], None] = {}
    for member in model.clusters:
        for a, b in member.model.surfaces():
            names = model.features[a], model.features[b]
            if set(names) <= set(model.names) and names[::-1] not in found:
                found[names] = None
    return tuple(found)


def offered_pairs(model: FittedPipeline, value: Effects) -> tuple[tuple[str, str], ...]:
    """Return the pairs that a surface may be asked for: the model's own, else those of the four strongest metrics."""
    own = interactions(model)
    if own:
        return own
    return tuple(combinations([c.metric.name for c in value.curves[:4] if c.span > 0], 2))


def curve_table(curve: Curve, response: Metric, factor: bool) -> pd.DataFrame:
    """Return a row per place of a curve."""
    table = {"metric": str(curve.metric), "value": curve.x, f"predicted {response}": curve.response}
    return pd.DataFrame({**table, f"effect ({effect_unit(response, factor)})": curve.effect})


def effect_unit(response: Metric, factor: bool) -> str:
    """Return the unit of an effect: a factor, or the response's."""
    return "factor" if factor else response.unit or response.name


def _curve(model: FittedPipeline, rows: FloatArray, j: int, x: FloatArray, values: FloatArray, centre: float) -> Curve:
    scaled = _moved(model, rows, j, x)
    known = scaled[np.isfinite(scaled)]
    difference = scaled - centre
    return Curve(
        metric=model.metrics[j],
        x=x,
        levels=len(np.unique(values)) <= LEVELS,
        log=_wide(x),
        response=model.scale.plain.inverse(scaled),
        effect=np.exp(difference) if model.scale.log else difference,
        span=float(np.ptp(known)) if len(known) else 0.0,
    )


def _moved(model: FittedPipeline, rows: FloatArray, j: int, places: FloatArray) -> FloatArray:
    """Return the mean prediction, on the model's scale, with metric j at each place; NaN where all are refused."""
    moved = np.repeat(rows[None, :, :], len(places), axis=0)
    moved[:, :, j] = places[:, None]
    scaled = model.predict_plain(moved.reshape(-1, rows.shape[1])).reshape(len(places), len(rows))
    return np.array([_mean(row) for row in scaled])


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _rows(X: FloatArray, others: str, most: int) -> FloatArray:
    """Return the rows that predictions are averaged over: a sample of the trials, or the medians alone."""
    if others == MEDIAN:
        return np.quantile(X, 0.5, axis=0, method="nearest")[None, :]
    return X if len(X) <= most else X[np.sort(np.random.default_rng(0).choice(len(X), most, replace=False))]


def _places(values: FloatArray, levels: int, steps: int) -> FloatArray:
    """Return where a curve is evaluated: at the values measured if they are few, else evenly over their range."""
    known = np.unique(values[np.isfinite(values)])
    if len(known) <= levels:
        return known
    made = np.geomspace if _wide(known) else np.linspace
    places: FloatArray = made(known[0], known[-1], steps)
    places[[0, -1]] = known[[0, -1]]
    return places


def _wide(x: FloatArray) -> bool:
    """Whether positive values span a decade, or double three times and more."""
    return bool(len(x) > 2 and x[0] > 0 and x[-1] / x[0] >= 8)
