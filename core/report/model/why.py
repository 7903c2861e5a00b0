"""What a model says of one row, and why: what each metric adds, from the average or a row, and trials nearby."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import PredictError
from core.models.parts.shapley import ROUNDS
from core.pipeline import FittedPipeline
from core.report.model.card import UNKNOWN, ranges
from core.report.model.shares import MOST_ASKED, contributions, own_scale, plainly, sampled
from core.report.model.summary import importance
from core.trial import Metric

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS, LEAST_ROWS = 100, 20
"""Background rows, evenly taken of more; fewer where values are sampled."""
_LEAST_OWN = 10


class Why(Frozen):
    """A prediction as a sum over metrics, on the scale on which they add.

    Attributes
    ----------
    log : whether they add as logarithms, so that each is a factor of the response
    scale : what adds, in words
    base : mean over the background, on that scale
    prediction : of the row, on that scale: base + Σ contributions + held
    held : what the model takes off or puts on at the edge of its trained responses
    contributions, errors : arrays of shape (n_metrics,); standard errors are 0 where the value is exact
    row, middle : arrays of shape (n_metrics,): the row, and the background's medians
    background : which rows, in words
    """

    response: Metric
    metrics: tuple[Metric, ...]
    log: bool
    scale: str
    base: float
    prediction: float
    held: float
    contributions: FloatArray
    errors: FloatArray
    row: FloatArray
    middle: FloatArray
    background: str

    @property
    def order(self) -> list[int]:
        """The metrics that contribute, the largest first."""
        sizes = np.abs(self.contributions)
        return [int(j) for j in np.argsort(-sizes, kind="stable") if sizes[j] > 0]

    @property
    def method(self) -> str:
        """How exact it is, in a sentence."""
        if not self.errors.any():
            return "Shapley values, exact over these background rows."
        return "Shapley values, sampled by permutations; ± is a standard error."

    def unscaled(self, value: float) -> float:
        """Return a level on the scale of the contributions in the response's unit."""
        return math.exp(value) if self.log else value

    def table(self) -> "pd.DataFrame":
        """Return a row per metric that contributes, the largest first."""
        import pandas as pd

        order = self.order
        found = {
            "metric": [str(self.metrics[j]) for j in order],
            "value": self.row[order],
            "background median": self.middle[order],
            f"contribution ({self.scale})": self.contributions[order],
        }
        factors = {"factor": np.exp(self.contributions[order])} if self.log else {}
        return pd.DataFrame(found | factors | {"standard error": self.errors[order]})


def why(model: FittedPipeline, row: FloatArray, background: FloatArray | None = None, called: str = "") -> Why:
    """Return what each metric adds to the prediction of a row, against the average of background rows.

    Contributions are Shapley values of the model on its own scale, so that those of a model of logarithms are factors:
    exact for sums of terms, for trees, for few metrics, and for weighted means of such models; else sampled.

    Parameters
    ----------
    row : array of shape (n_metrics,)
    background : array of shape (n, n_metrics); the training trials that the model keeps if None
    called : what the background is, in words

    Raises
    ------
    PredictError
        If the row has no prediction, or there is no background.
    """
    said = model.predict(row[None])
    if not np.isfinite(said.value[0]):
        raise PredictError(f"There is {said.why[0] or 'no prediction'}, so there is nothing to explain.")
    rows, told = _background(model, row, background, called)
    plain = plainly(model)
    found = contributions(model, row, rows) if plain else own_scale(model, row, rows)
    if not np.isfinite([found.base, *found.contributions]).all():
        raise PredictError(
            "The model has no prediction for some mixtures of this row and the background, so that its metrics have no "
            "shares. Compare with rows that are more alike, with --background or --against."
        )
    value = float(model.predict_plain(row[None])[0]) if plain else float(model.predict_scaled(row[None])[0])
    held = value - found.base - float(found.contributions.sum())
    held = held if abs(held) > 1e-9 * max(1.0, abs(value)) else 0.0
    unit = f"ln {model.response.name}" if model.scale.log else str(model.response)
    return Why(
        model.response,
        model.metrics,
        plain and model.scale.log,
        unit if plain else f"the model's own scale, {model.scale.name}",
        found.base,
        value,
        held,
        found.contributions,
        found.errors,
        row,
        np.median(rows, axis=0),
        told,
    )


def _background(
    model: FittedPipeline, row: FloatArray, given: FloatArray | None, called: str
) -> tuple[FloatArray, str]:
    """Return background rows that the model predicts, of the row's cluster where it has enough, and what they are."""
    every = model.domain.landmarks.rows if given is None else given
    rows = every[np.isfinite(model.predict_scaled(every))] if len(every) else every
    if not len(rows):
        raise PredictError(
            "The model's file keeps no training trials to compare with, so a row has no average to differ from. Give "
            "rows with --background, or one with --against."
        )
    own = rows
    if model.partition is not None:
        cluster = model.assign(model.scores(np.vstack([row, rows])))
        own = rows[cluster[1:] == cluster[0]]
        own = own if len(own) >= min(_LEAST_OWN, len(rows)) else rows
    times = sampled(model) * 2 * ROUNDS * (len(row) + 1)
    most = max(LEAST_ROWS, MOST_ASKED // times) if times else MOST_ROWS
    kept = own[np.unique(np.linspace(0, len(own) - 1, min(most, MOST_ROWS, len(own))).round().astype(int))]
    chosen = f", chosen to cover all {model.provenance.n_trials}" * (len(every) < model.provenance.n_trials)
    what = called or f"the {len(every)} training trials that the model keeps{chosen}"
    cluster_told = ", of its cluster" if len(own) < len(rows) else ""
    drawn = f"{len(kept)} of {what}{cluster_told}" if len(kept) < len(every) else what
    return kept, drawn


def sentence(found: Why) -> str:
    """Return the prediction and its largest contributions in a sentence."""
    order: Sequence[int] = found.order[:3]
    told = [f"{found.metrics[j].name} {effect(found, float(found.contributions[j]))}" for j in order]
    ends = f"{found.unscaled(found.prediction):.4g} against {found.unscaled(found.base):.4g}"
    of = f"of {found.background}" if found.background.startswith("row ") else "on average"
    return f"{found.response.name}: {ends} {of}; most by {', '.join(told) or 'nothing'}."


def effect(found: Why, value: float) -> str:
    """Return a contribution in words: a factor, or a difference."""
    return f"× {math.exp(value):.4g}" if found.log else f"{value:+.4g}".replace("-", "−")


def shortened(found: Why, most: int) -> tuple[list[str], FloatArray]:
    """Return names and contributions of the largest metrics, the others summed up, and what the model holds back."""
    order = found.order
    names = [f"{found.metrics[j].name} = {found.row[j]:.4g}" for j in order[:most]]
    values = found.contributions[order[:most]].tolist()
    if len(order) > most:
        names.append(f"{len(order) - most} others")
        values.append(float(found.contributions[order[most:]].sum()))
    if found.held:
        names.append("held within what was trained")
        values.append(found.held)
    return names, np.array(values)


DISTANCE = "distance (standard deviations)"


class Near(Frozen):
    """A kept training trial beside a row: its distance in standard deviations, and what was measured of it."""

    trial: str
    distance: float
    response: float

    def __str__(self) -> str:
        return f"{self.trial} at {self.distance:.3g}: {self.response:.6g}"


def nearest_table(model: FittedPipeline, row: FloatArray) -> "pd.DataFrame":
    """Return the five nearest kept trials of one row, shape (n_metrics,), nearest first."""
    import pandas as pd

    kept = model.domain.landmarks
    places, distances = model.domain.nearest(row[None], 5 if np.isfinite(row).all() else 0)
    own = places[0]
    known = {"trial": [kept.labels[i] for i in own], DISTANCE: distances[0]}
    table = pd.DataFrame({**known, f"measured {model.response}": kept.responses[own]})
    metrics = {str(m): kept.rows[own, j] for j, m in enumerate(model.metrics)} if len(own) else {}
    return pd.concat([table, pd.DataFrame(metrics)], axis=1)


def nearest_trials(model: FittedPipeline, X: FloatArray, n: int) -> tuple[tuple[Near, ...], ...]:
    """Return per row its n nearest kept trials; none where a metric is missing."""
    kept = model.domain.landmarks
    places, distances = model.domain.nearest(X, n)
    rows = zip(places, distances, strict=True)
    pairs = ([(i, d) for i, d in zip(*own, strict=True) if math.isfinite(d)] for own in rows)
    return tuple(tuple(Near(kept.labels[i], float(d), float(kept.responses[i])) for i, d in own) for own in pairs)


MOST = 24
"""Metrics that are offered; the others stay where they begin."""


class Dial(Frozen):
    """A metric to be set.

    Attributes
    ----------
    number : of the metric in the model
    low, high : its trained range; None where the model's file does not say
    start : in the middle of the range, by its logarithm where that spans more than a decade
    """

    number: int
    metric: Metric
    low: float | None
    high: float | None
    start: float


def dials(model: FittedPipeline) -> tuple[Dial, ...]:
    """Return the metrics of a model that can be set, the most important first where the model tells."""
    starts = _starts(model)
    found = importance(model)
    names = [*(found.names if found else ()), *model.names]
    order = [model.names.index(name) for name in dict.fromkeys(names) if name in model.names][:MOST]
    known = ranges(model)
    return tuple(Dial(j, known[j].metric, known[j].low, known[j].high, float(starts[j])) for j in order)


def row_of(model: FittedPipeline, values: Mapping[int, float]) -> FloatArray:
    """Return a row of metrics, some set by their number, all others where they begin."""
    row = _starts(model)
    row[list(values)] = list(values.values())
    return row


def _starts(model: FittedPipeline) -> FloatArray:
    low, high = model.domain.low, model.domain.high
    known = (np.abs(low) < UNKNOWN) & (np.abs(high) < UNKNOWN)
    wide = known & (low > 0) & (high > 10 * low)
    with np.errstate(all="ignore"):
        middle = np.where(wide, np.sqrt(np.maximum(low, 0.0)) * np.sqrt(np.maximum(high, 0.0)), low / 2 + high / 2)
    digits = [float(f"{v:.4g}") for v in np.where(known, middle, 1.0).tolist()]
    return np.asarray(np.clip(np.array(digits), low, high))
