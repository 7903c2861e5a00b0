"""A group beside what was trained: values never trained on, nearest trials, and what one more run of it would do."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.grouped import all_but
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn
from core.recipes import Recipe
from core.report.model.miss_parts import ABSOLUTE, FACTOR, RELATIVE, errors_of
from core.report.shared.naming import quantity
from core.report.shared.svg import thinned
from core.trial import Frame, Kind, Metric
from core.validate.domain import ROOM
from core.validate.folds import Fold, shuffled_configurations

Texts = npt.NDArray[np.str_]
ABOVE, BELOW, BETWEEN, CONSTANT = "above", "below", "between", "constant"
GAP = 0.1
"""Share of its trained range by which a value inside must be away from every trained one."""
MOST_PERMUTED = 200
_DECADE = 10.0


class Untrained(Frozen):
    """A metric of a group that has values where nothing was trained.

    Attributes
    ----------
    where : "above" or "below" the trained range, "between" trained values, or "constant": training had one value
    value : median of the group's values there, in the metric's unit
    low, high : trained values around it; the ends of the range where it is outside
    share : of the group's trials that lie there, 0 to 1
    far : mean distance of these to the nearest trained value, in trained ranges; infinite where it never varied
    weight : how far the model moves when the metric is dealt out anew among trained trials, in standard deviations of
        its predictions
    """

    metric: Metric
    where: str
    value: float
    low: float
    high: float
    share: float
    far: float
    weight: float

    @property
    def rank(self) -> float:
        """How far out the whole group is, times how much the model depends on it."""
        return self.share * self.far * self.weight if self.weight else 0.0


class Axes(Frozen):
    """Metrics as they are compared: in logarithms where trials span more than a decade, each with its weight.

    Attributes
    ----------
    log : array of bool, shape (n_metrics,)
    spread : array of shape (n_metrics,), standard deviations of the trained values on these axes; 1 where constant
    weights : array of shape (n_metrics,), as `Untrained.weight`
    """

    log: BoolArray
    spread: FloatArray
    weights: FloatArray

    def on(self, X: FloatArray) -> FloatArray:
        """Return values on their axes."""
        return np.where(self.log, np.log(np.where(self.log, X, 1.0)), X)

    def places(self, X: FloatArray) -> FloatArray:
        """Return points whose distance is the root mean square over metrics, weighted, in standard deviations."""
        total = float((self.weights**2).sum())
        shares = self.weights**2 / total if total > 0 else np.full(len(self.weights), 1 / max(len(self.weights), 1))
        return np.asarray(self.on(X) / self.spread * np.sqrt(shares))


def axes_of(model: FittedPipeline, trained: FloatArray, asked: FloatArray) -> Axes:
    """Return the axes on which rows are held against trained ones, both of shape (n, n_metrics)."""
    low = np.minimum(trained.min(axis=0), asked.min(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        log = (low > 0) & (trained.max(axis=0) / np.where(low > 0, low, 1.0) > _DECADE)
    bare = Axes(log, np.ones(len(log)), np.ones(len(log)))
    spread = bare.on(trained).std(axis=0)
    spread = np.where(spread > 1e-12 * np.abs(bare.on(trained)).max(axis=0), spread, 1.0)
    return Axes(log, spread, movement(model, trained))


def movement(model: FittedPipeline, trained: FloatArray) -> FloatArray:
    """Return how far predictions move when each metric is dealt out anew, in standard deviations of predictions.

    References
    ----------
    Fisher, Rudin, Dominici 2019, All models are wrong, but many are useful (model reliance), of the prediction.
    """
    rows = trained[np.unique(np.linspace(0, len(trained) - 1, min(len(trained), MOST_PERMUTED)).round().astype(int))]
    said, rng = model.predict_scaled(rows), np.random.default_rng(0)
    spread, found = float(np.nanstd(said)), np.zeros(rows.shape[1])
    for j in np.flatnonzero(np.ptp(rows, axis=0) > 0) if spread > 0 else ():
        mixed = rows.copy()
        mixed[:, j] = rows[rng.permutation(len(rows)), j]
        moved = np.abs(model.predict_scaled(mixed) - said)
        found[j] = moved[np.isfinite(moved)].mean() / spread if np.isfinite(moved).any() else 0.0
    return found


def untrained(model: FittedPipeline, axes: Axes, trained: FloatArray, group: FloatArray) -> tuple[Untrained, ...]:
    """Return the metrics with values where nothing was trained: the farthest and weightiest first.

    Parameters
    ----------
    trained, group : arrays of shape (n, n_metrics)
    """
    t, g = axes.on(trained), axes.on(group)
    found = []
    for j, metric in enumerate(model.metrics):
        known = np.unique(t[:, j])
        where, far = _place(g[:, j], known)
        for one in sorted(set(where.tolist()) - {""}):
            rows = where == one
            values = group[rows, j]
            value = float(np.median(values))
            low, high = _around(value, np.unique(trained[:, j]), one)
            share, distance = float(rows.mean()), float(far[rows].mean())
            found.append(Untrained(metric, one, value, low, high, share, distance, float(axes.weights[j])))
    return tuple(sorted(found, key=lambda u: (-u.rank, -u.weight, -u.share, u.metric.name, u.where)))


def _place(values: FloatArray, known: FloatArray) -> tuple[Texts, FloatArray]:
    """Return where values lie beside sorted trained ones, "" for among them, and how far off, in trained ranges."""
    low, high = float(known[0]), float(known[-1])
    room = ROOM * max(high - low, abs(high), abs(low))
    after = np.clip(np.searchsorted(known, values), 1, max(len(known) - 1, 1))
    nearest = np.minimum(np.abs(values - known[after - 1]), np.abs(values - known[np.minimum(after, len(known) - 1)]))
    outside = (values < low - room) | (values > high + room)
    if high - low <= room:
        return np.where(outside, CONSTANT, ""), np.where(outside, np.inf, 0.0)
    far = nearest / (high - low)
    where = np.where(values > high + room, ABOVE, np.where(values < low - room, BELOW, BETWEEN))
    return np.where(outside | (far > GAP), where, ""), far


def _around(value: float, known: FloatArray, where: str) -> tuple[float, float]:
    """Return the trained values on both sides of one between them, else the ends of the range."""
    if where != BETWEEN:
        return float(known[0]), float(known[-1])
    after = int(np.clip(np.searchsorted(known, value), 1, len(known) - 1))
    return float(known[after - 1]), float(known[after])


MOST_ASKED, MOST_TRAINED = 200, 5000
"""Trials of a group, and trained ones, evenly chosen of more, whose distances are taken."""


class Held(Frozen):
    """A model that has not seen a fold, and the rows of the group in it.

    Attributes
    ----------
    asked : the group's rows of the frame
    texts : array of shape (n_trials,), the groups' names
    """

    recipe: Recipe
    model: FittedPipeline
    frame: Frame
    fold: Fold
    asked: IntArray
    texts: Texts

    @property
    def measure(self) -> str:
        """How errors are measured: as factors, shares of the response, or in its unit."""
        return FACTOR if self.model.scale.log else RELATIVE if self.frame.y.min() > 0 else ABSOLUTE

    @cached_property
    def rows(self) -> FloatArray:
        """All trials' metrics, as the model takes them."""
        return self.model.rows(self.frame)

    @cached_property
    def trained(self) -> IntArray:
        """The rows of the frame that the model learnt from."""
        return all_but(len(self.frame), self.fold.test)

    @cached_property
    def axes(self) -> Axes:
        """How rows are compared."""
        return axes_of(self.model, self.rows[self.trained], self.rows[self.asked])

    def errors(self, model: FittedPipeline, rows: IntArray) -> FloatArray:
        """Return the errors of a model on rows of the frame, with signs."""
        y = self.frame.y[rows]
        return errors_of(y, model.predict(model.rows(self.frame.take(rows))).value, self.measure)


class FurtherRun(Frozen):
    """A configuration of the group that was trained on too.

    Attributes
    ----------
    n_rest : the group's other trials that are predicted with and without it
    before, after : their mean error without it, and with it
    """

    name: str
    n_rest: int
    before: float
    after: float


def evenly(rows: IntArray, most: int) -> IntArray:
    """Return at most so many of some rows, evenly chosen."""
    return rows[thinned(len(rows), most)]


def further_runs(held: Held, most: int, seed: int, progress: Progress) -> tuple[FurtherRun, ...]:
    """Return what the group's other configurations lose of their error once one of it was trained on."""
    frame, own = held.frame, held.frame.configuration[held.asked]
    chosen = _chosen(held, most, seed) if len(np.unique(own)) > 1 else []
    found = []
    for i, (share, configuration) in enumerate(in_turn(progress, chosen), 1):
        share(0.0, f"run {i} of {len(chosen)} of {held.texts[held.asked[0]]}")
        taken = held.asked[own == configuration]
        rest = held.asked[own != configuration]
        train = all_but(len(frame), np.setdiff1d(held.fold.test, taken))
        model = held.recipe.fit(frame.take(train), share)
        before, after = (np.abs(held.errors(one, rest)) for one in (held.model, model))
        both = np.isfinite(before) & np.isfinite(after)
        if both.any():
            means = float(before[both].mean()), float(after[both].mean())
            found.append(FurtherRun(_called(held, taken), int(both.sum()), *means))
    return tuple(found)


def _called(held: Held, taken: IntArray) -> str:
    """Return what ran in some trials of the group, and what was set where another configuration is called alike."""
    frame, first, own = held.frame, int(taken[0]), held.asked
    name = frame.what_ran[first]
    alike = np.array([frame.what_ran[i] == name for i in own.tolist()])
    if (frame.configuration[own[alike]] == frame.configuration[first]).all():
        return name or frame.ids[first]
    varied = np.flatnonzero(np.ptp(frame.X[own[alike]], axis=0) > 0)
    settings = [(frame.metrics[j], float(frame.X[first, j])) for j in varied.tolist()]
    said = [f"{metric.name} {quantity(value, metric)}" for metric, value in settings if metric.kind is Kind.PARAMETER]
    return " · ".join(filter(None, (name, *(said or [frame.ids[first]]))))


def _chosen(held: Held, most: int, seed: int) -> list[int]:
    """Return configurations of the group: its medoid, then others in an order by the seed."""
    some = evenly(held.asked, MOST_TRAINED)
    places = held.axes.places(held.rows[some])
    medoid = int(np.argmin(np.round(cdist(places, places).sum(axis=1), 9)))
    first = int(held.frame.configuration[some[medoid]])
    drawn = shuffled_configurations(held.frame.take(held.asked), seed).tolist()
    return [first, *(one for one in drawn if one != first)][:most]
