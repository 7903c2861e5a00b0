"""Passes, partition and models, learnt together: one fitted value that predicts and is plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import FitError, NothingToLearnError, PredictError, first_few
from core.models.base import Family, Model
from core.models.parts.along import reach
from core.passes.base import Features, FittedPartition, FittedPass, Partition, Pass
from core.passes.scales import check_size
from core.progress import Progress, part, silent
from core.scale import ResponseScale, RowScale, check_response, choose_scale
from core.threads import HELD
from core.trial import Frame, Metric, Unset
from core.validate.domain import Domain, Range, learn_domain, learn_range
from core.validate.folds import AUTO, asks_for_new, groups_of
from core.validate.intervals import LEARNT, LEVERAGE, Interval

assert HELD  # linear algebra runs on one thread from here on

EXTRAPOLATION = ("flag", "clamp", "refuse")
FLAG, CLAMP, REFUSE = EXTRAPOLATION
TESTED = 2.0
"""How many times further than any group that was held out lay beyond the others predictions may run on."""
UNKNOWN, GONE_ON = 2.0, 1.0
"""How often an interval is widened by what the prediction changes as far inside the trained range as a row is out:
where predictions stay as at the edge, and where they go on by as much themselves."""
BARELY = 0.05
"""Share of the trained span of the response by which a prediction may be held back without being flagged."""


class Predictions(Frozen):
    """What a model says of some rows.

    Attributes
    ----------
    value, low, high : arrays of shape (n,), in the response's unit; NaN where refused, and for
        low and high also where the model has no interval
    in_domain : array of bool, whether every metric is inside its trained range, all of them together no farther
        from the trained centre than any training trial, and the model of the row's cluster neither outside what
        it learnt from nor held back by its bounds
    why : per row, why there is no prediction or why it is outside; "" if all is well
    cluster : array of shape (n,), the cluster whose model spoke
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    in_domain: Any
    why: tuple[str, ...]
    cluster: IntArray


class ClusterModel(Frozen):
    """The model of one cluster.

    Attributes
    ----------
    model : used for rows of this cluster
    n_trials : training trials in the cluster
    note : why the model of all trials stands in, or "" if the cluster has its own
    bounds : smallest and largest prediction on the model's scale, beyond which it is held; None lets it run on
    span : range of the features that the model learnt from, beyond which a row is outside; None if not told
    """

    model: Model
    n_trials: int
    note: str = ""
    bounds: tuple[float, float] | None = None
    span: Range | None = None

    def held(self, value: FloatArray) -> FloatArray:
        """Return predictions on the model's scale, held within the bounds."""
        return value if self.bounds is None else np.clip(value, *self.bounds)

    def far_held(self, value: FloatArray) -> BoolArray:
        """Return which predictions, not yet held, the bounds hold back by so much that it is flagged."""
        if self.bounds is None:
            return np.zeros(len(value), dtype=bool)
        room = BARELY * (self.bounds[1] - self.bounds[0])
        return np.abs(value - self.held(value)) > room

    def leaves(self, scores: FloatArray, value: FloatArray) -> BoolArray:
        """Return which rows of features, with their predictions not yet held, this model should not be asked of."""
        held = self.far_held(value)
        return held if self.span is None else held | self.span.beyond(scores).any(axis=1)

    def outside(self, scores: FloatArray, value: FloatArray, names: Sequence[str], called: str) -> dict[int, str]:
        """Return, per row that `leaves`, why."""
        said = {} if self.span is None else self.span.outside(scores, names)
        reasons = {row: f"{called}: {why}" for row, why in said.items()}
        for row in np.flatnonzero(self.far_held(value)).tolist():
            edge = "largest" if value[row] > self.held(value)[row] else "smallest"
            reasons.setdefault(row, f"the prediction is held at the {edge} trained response")
        return reasons


class Provenance(Frozen):
    """Where a fitted value comes from: enough to make it again.

    Attributes
    ----------
    trials_sha256 : of the training frame
    options : of the recipe, as plain values
    """

    recipe: str
    options: Mapping[str, Any]
    seed: int
    version: str
    trials_sha256: str
    n_trials: int
    dataset: str = ""


class FittedPipeline(Frozen, kw_only=True):
    """A trained model, from metrics to response.

    Attributes
    ----------
    metrics : the columns that `predict` takes, in order
    scale : the scale that the models work on
    extrapolation : what happens outside the trained range: "flag", "clamp" or "refuse"
    features : names of the columns that reach the models
    loadings : array of shape (n_metrics, n_features), correlations; empty without components
    clusters : one per cluster, in the partition's order; one alone without a partition
    reference : number of the metric that relative scales divide by; None if there is none
    unset : settings that some runs do not have, and what they are taken as there
    continued : names of the metrics below and above whose trained range predictions go on as they do inside: beyond it
        z is z(edge) + (z(edge) - z(back)), `back` being as far inside; where `extrapolation` is "flag"
    """

    metrics: tuple[Metric, ...]
    response: Metric
    scale: ResponseScale
    extrapolation: str = FLAG
    passes: tuple[FittedPass, ...] = ()
    features: tuple[str, ...]
    loadings: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    partition: FittedPartition | None = None
    clusters: tuple[ClusterModel, ...]
    domain: Domain
    notes: tuple[str, ...]
    provenance: Provenance
    interval: Interval | None = None
    validation: Mapping[str, Any] = field(default_factory=dict)
    reference: int | None = None
    unset: tuple[Unset, ...] = ()
    continued: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def __repr__(self) -> str:
        made = self.provenance
        return (
            f"FittedPipeline({made.recipe}: {self.response} from {len(self.metrics)} metrics, {made.n_trials:,} trials)"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics' names, in column order."""
        return tuple(m.name for m in self.metrics)

    def rows(self, frame: Frame) -> FloatArray:
        """Return the columns that the model takes, from a frame that has them all."""
        return frame.select(self.names).X

    def with_unset(self, X: FloatArray) -> FloatArray:
        """Return rows of metrics in which settings that such runs do not have are what they were in training."""
        if not self.unset:
            return X
        filled, place = X.copy(), {name: j for j, name in enumerate(self.names)}
        for one in self.unset:
            own = (X[:, [place[name] for name in one.told]] == 1).any(axis=1)
            filled[own & ~(np.abs(X[:, place[one.metric]]) > 0), place[one.metric]] = one.value
        return filled

    def scale_of(self, X: FloatArray) -> RowScale:
        """Return the scale of rows of metrics, with their reference if it needs one."""
        return self.scale.of(None if self.reference is None else X[:, self.reference])

    def forward(self, y: FloatArray, X: FloatArray) -> FloatArray:
        """Return responses of shape (n,) on the model's scale, for rows of metrics."""
        return self.scale_of(X).forward(y)

    def inverse(self, z: FloatArray, X: FloatArray) -> FloatArray:
        """Return values on the model's scale in the response's unit, for rows of metrics."""
        return self.scale_of(X).inverse(z)

    def scores(self, X: FloatArray) -> FloatArray:
        """Map metrics of shape (n, n_metrics) to the features that the models see."""
        columns = self._held(X)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
            for fitted in self.passes:
                columns = fitted.apply(columns)
        return columns

    def _held(self, X: FloatArray) -> FloatArray:
        """Return metrics as the passes get them."""
        return np.clip(X, self.domain.low, self.domain.high) if self.extrapolation == CLAMP else X

    def assign(self, scores: FloatArray) -> IntArray:
        """Return each row's cluster; all 0 without a partition."""
        if self.partition is None:
            return np.zeros(len(scores), dtype=np.int64)
        return self.partition.assign(np.nan_to_num(scores, nan=0.0))

    @property
    def carries(self) -> bool:
        """Whether predictions go on beyond the trained range of some metric as they do inside."""
        return self.extrapolation == FLAG and any(self.continued)

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Below and above what predictions go on, arrays of shape (n_metrics,); infinite where they do not."""
        below, above = (np.array([name in names for name in self.names], dtype=bool) for names in self.continued)
        return np.where(below, self.domain.low, -np.inf), np.where(above, self.domain.high, np.inf)

    def edge(self, X: FloatArray) -> FloatArray:
        """Return rows of metrics at the ends beyond which predictions go on."""
        return np.clip(X, *self.ends) if self.carries else X

    def _gone_on(self, scaled: FloatArray, X: FloatArray, edge: FloatArray) -> FloatArray:
        """Return predictions on the model's scale from those at the edge, for the rows of metrics that they are of."""
        if edge is not X and len(rows := np.flatnonzero((edge != X).any(axis=1))):
            back = self.domain.mirrored(X[rows], edge[rows])
            scaled[rows] += scaled[rows] - self._scaled_and_beyond(back)[0]
        return scaled

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused with a reason
    def predict_scaled(self, X: FloatArray) -> FloatArray:
        """Return predictions of shape (n,) on the model's scale, NaN where refused."""
        return self.scaled_and_beyond(X)[0]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused with a reason
    def scaled_and_beyond(self, X: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return `predict_scaled`, and which rows their cluster's own model should not be asked of."""
        self._check_width(X)
        edge = self.edge(X)
        value, beyond = self._scaled_and_beyond(edge)
        return self._gone_on(value, X, edge), beyond

    def _scaled_and_beyond(self, X: FloatArray) -> tuple[FloatArray, BoolArray]:
        scores = self.scores(X)
        value, beyond = np.full(len(X), np.nan), np.zeros(len(X), dtype=bool)
        for member, rows, own in self._members(scores, self.assign(scores)):
            said = member.model.predict(own)
            value[rows], beyond[rows] = member.held(said), member.leaves(own, said)
        if self.extrapolation == REFUSE:
            value[beyond | self.domain.leaves(X)] = np.nan
        poles = ~np.isfinite(scores).all(axis=1)  # trees would make a number of them
        value[poles | ~np.isfinite(X).all(axis=1) | self._without_reference(X)] = np.nan
        return value, beyond

    @property
    def confined(self) -> bool:
        """Whether a cluster's model has a range or bounds of its own: not the domain alone says what is outside."""
        return any(own.span is not None or own.bounds is not None for own in self.clusters)

    def leaves(self, X: FloatArray) -> BoolArray:
        """Return which rows of metrics are outside: of the domain, or of what their cluster's own model learnt from."""
        found = self.domain.leaves(X)
        return found | self.scaled_and_beyond(X)[1] if self.confined else found

    def predict_plain(self, X: FloatArray) -> FloatArray:
        """Return predictions of shape (n,), in the response's unit or its logarithm, NaN where refused.

        That is the model's own scale, less the reference of relative ones.
        """
        scaled = self.predict_scaled(X)
        return scaled if self.scale == self.scale.plain else self.scale.plain.forward(self.inverse(scaled, X))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused with a reason
    def predict(self, X: FloatArray) -> Predictions:
        """Predict rows of metrics, with interval, domain flag and reasons.

        Parameters
        ----------
        X : array of shape (n, n_metrics), columns as in `metrics`, in their units

        Raises
        ------
        PredictError
            If X has another number of columns, or what is no number.
        """
        try:
            X = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise PredictError("A model predicts rows of numbers, a column per metric; got something else.") from None
        self._check_width(X)
        edge = self.edge(X)
        scores = self.scores(edge)
        cluster = self.assign(scores)
        scaled, outside, refused = self._said(edge, scores, cluster)
        scaled = self._gone_on(scaled, X, edge)
        outside |= self.domain.outside(X, self.names)
        if self.extrapolation == CLAMP or self.carries:
            how = "as at the edge" if self.extrapolation == CLAMP else "to go on as inside"
            moved = np.flatnonzero(self.domain.beyond(X).any(axis=1) if edge is X else (edge != X).any(axis=1))
            outside |= {i: f"{outside[i]}; predicted {how}" for i in moved.tolist() if i in outside}
        if self.extrapolation == REFUSE:
            refused = outside | refused
        scale = self.scale_of(X)
        value = scale.inverse(scaled)
        for i in np.flatnonzero(~np.isfinite(value)).tolist():
            refused.setdefault(i, "it would be too large to be a number")
        value[list(refused)] = np.nan
        scaled[list(refused)] = np.nan
        half = self.half_widths(X, scaled, cluster)
        inside = np.ones(len(X), dtype=bool)
        inside[[*outside, *refused]] = False
        why = [""] * len(X)
        for i, sentence in (outside | {i: f"no prediction: {said}" for i, said in refused.items()}).items():
            why[i] = sentence
        low, high = _around(value, scale.inverse(scaled - half), scale.inverse(scaled + half))
        return Predictions(value, low, high, inside, tuple(why), cluster)

    def half_widths(self, X: FloatArray, scaled: FloatArray, cluster: IntArray | None = None) -> FloatArray:
        """Return the half widths of the intervals of rows on the model's scale, NaN without an interval.

        Parameters
        ----------
        X : array of shape (n, n_metrics)
        scaled : array of shape (n,), what `predict_scaled` says of them
        cluster : of each row, if it is known already
        """
        if self.interval is None:
            return np.full(len(X), np.nan)
        if cluster is None:
            cluster = self.assign(self.scores(X)) if self.partition else np.zeros(len(X), dtype=np.int64)
        difficulty = scaled
        if self.interval.by == LEARNT:
            difficulty = self.interval.spreads.difficulty(self.doubts(X))
        elif self.interval.by == LEVERAGE:
            difficulty = self.domain.leverage(X)
        return self.interval.half(cluster, difficulty) + self._unknown(X, self.interval.reach)

    def _unknown(self, X: FloatArray, reach: FloatArray) -> FloatArray:
        """Return how far predictions may be off because rows are farther out than folds have asked, shape (n,)."""
        found = np.zeros(len(X))
        if reach.shape[1] and len((beyond := self.domain.reflected(X, reach)).rows):
            change = self.predict_scaled(beyond.edge) - self.predict_scaled(beyond.back)
            own = X[beyond.rows]
            stays = (self.domain.beyond(own) & (self.edge(own) == own)).any(axis=1)
            found[beyond.rows] = np.where(stays, UNKNOWN, GONE_ON) * beyond.times * np.abs(change)
        return found

    def doubts(self, X: FloatArray) -> FloatArray:
        """Return what tells how unsure each row of metrics is, shape (n, k); k is 0 where nothing does."""
        return self.clusters[0].model.doubts(self.scores(X)) if len(self.clusters) == 1 else np.empty((len(X), 0))

    def rescaled(self, factor: float, power: float = 1.0, note: str = "") -> "FittedPipeline":
        """Return the model of factor · prediction^power, without an interval: this one's was of another response."""
        scale = replace(self.scale, factor=self.scale.factor**power * factor, power=self.scale.power * power)
        notes = (*self.notes, note) if note else self.notes
        return replace(self, scale=scale, interval=None, validation={}, notes=notes)

    def unheld(self) -> "FittedPipeline":
        """Return the same model with predictions that run on beyond the trained responses."""
        return replace(self, clusters=tuple(replace(own, bounds=None) for own in self.clusters))

    def with_room(self, room: float) -> "FittedPipeline":
        """Return the same model with predictions that run on so far beyond what they were held within."""
        bounds = [own.bounds and (own.bounds[0] - room, own.bounds[1] + room) for own in self.clusters]
        members = zip(self.clusters, bounds, strict=True)
        return replace(self, clusters=tuple(replace(own, bounds=within) for own, within in members))

    def alone(self) -> "FittedPipeline":
        """Return the model as programs say it, with an interval for which nothing is asked beside the prediction."""
        return replace(self, interval=self.interval.alone()) if self.interval else self

    def _check_width(self, X: FloatArray) -> None:
        if X.ndim != 2 or X.shape[1] != len(self.metrics):
            raise PredictError(f"The model needs {len(self.metrics)} metrics, got an array of shape {X.shape}.")

    def _without_reference(self, X: FloatArray) -> Any:
        """Return the rows, as array of bool, whose reference is nothing to multiply with."""
        if self.reference is None or not self.scale.relative:
            return np.zeros(len(X), dtype=bool)
        return ~(X[:, self.reference] > 0)

    def _members(self, scores: FloatArray, cluster: IntArray) -> Iterator[tuple[ClusterModel, IntArray, FloatArray]]:
        """Yield the clusters that have any of the rows, with the places of theirs, and these."""
        for i, member in enumerate(self.clusters):
            rows = np.flatnonzero(cluster == i)
            if len(rows):
                yield member, rows, scores[rows]

    def _said(
        self, X: FloatArray, scores: FloatArray, cluster: IntArray
    ) -> tuple[FloatArray, dict[int, str], dict[int, str]]:
        """Return predictions on the model's scale, and why rows leave their cluster's own model or are refused."""
        value, outside, refused = np.full(len(scores), np.nan), dict[int, str](), dict[int, str]()
        for member, rows, own in self._members(scores, cluster):
            said = member.model.predict(own)
            value[rows] = member.held(said)
            beyond = member.outside(own, said, self.features, f"cluster {cluster[rows[0]] + 1}")
            outside |= {int(rows[row]): why for row, why in beyond.items()}
            refused |= {int(rows[row]): why for row, why in member.model.refuse(own, self.features).items()}
        odd = np.flatnonzero(~np.isfinite(scores).all(axis=1))  # what a pass refuses it makes no number of
        for fitted, columns in reversed(self._with_inputs(X[odd])):
            refused |= {int(odd[i]): why for i, why in fitted.refuse(columns).items()}
        for i in np.flatnonzero(self._without_reference(X)).tolist():
            name = self.names[self.reference or 0]
            refused[i] = f"the reference '{name}' is {X[i, self.reference]:.6g} and must be above 0"
        for i in np.flatnonzero(~np.isfinite(X).all(axis=1)).tolist():
            refused[i] = f"metric '{self.names[int(np.flatnonzero(~np.isfinite(X[i]))[0])]}' is missing"
        return value, outside, refused

    def _with_inputs(self, X: FloatArray) -> list[tuple[FittedPass, FloatArray]]:
        """Return each pass with what it gets."""
        pairs, columns = [], self._held(X)
        for fitted in self.passes:
            pairs.append((fitted, columns))
            columns = fitted.apply(columns)
        return pairs


def _around(value: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals, NaN where one is no number, or they do not hold the value."""
    known = np.isfinite(low) & np.isfinite(high) & (low <= value) & (value <= high)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


class Prepared(Frozen):
    """A frame on its way to the models: everything learnt before them.

    Attributes
    ----------
    frame : with the metrics that are used
    cluster : array of shape (n_trials,), each trial's cluster, 0 to n_clusters - 1
    z : array of shape (n_trials,), the response on the models' scale
    passing : whether models are asked at once and not kept, so that no trials need be shown beside them
    """

    frame: Frame
    notes: tuple[str, ...]
    scale: ResponseScale
    passes: tuple[FittedPass, ...]
    features: Features
    partition: FittedPartition | None
    cluster: IntArray
    n_clusters: int
    z: FloatArray
    passing: bool = False

    @cached_property
    def domain(self) -> Domain:
        """Where the trials have been; learnt when a model needs it."""
        return learn_domain(self.frame.X, () if self.passing else self.frame.what_ran, self.frame.y)


class Pipeline(Frozen):
    """What to learn, in order; fitting it to a frame gives a `FittedPipeline`.

    Attributes
    ----------
    partition : clusters of trials that each get a model of their own, or None
    response_scale : one of `core.scale.CHOICES`
    least_cluster_trials : a cluster with fewer trials uses the model of all trials
    keep_constant : whether metrics that never vary stay (only the original Eiger does that)
    response_range : share of the trained span of the response, on the models' scale, by which predictions may
        leave it; beyond they are held there. None lets them run on
    groups : what trials are held out together by where the family chooses by that; see `groups_of`
    may_run_on : whether metrics and predictions are not held at all where every model says that it runs on, unless
        a new application or machine is asked for: what these do beyond all others is not guessed at
    """

    passes: tuple[Pass, ...]
    family: Family
    partition: Partition | None = None
    response_scale: str = "auto"
    extrapolation: str = FLAG
    least_cluster_trials: int = 10
    keep_constant: bool = False
    response_range: float | None = None
    groups: str = AUTO
    may_run_on: bool = False

    def fit(self, frame: Frame, provenance: Provenance, progress: Progress = silent) -> FittedPipeline:
        """Learn everything from the trials of a frame: `prepare`, then `complete`.

        Raises
        ------
        FitError
            If there are too few trials, nothing varies, or the family cannot be fitted.
        """
        return self.complete(self.prepare(frame, part(progress, 0.0, 0.3)), provenance, part(progress, 0.3, 1.0))

    @property
    def preparation(self) -> str:
        """What `prepare` depends on besides the frame, as a text: pipelines that share it can share its value."""
        return repr((self.passes, self.partition, self.response_scale, self.keep_constant, self.family.least_trials))

    def prepare(self, frame: Frame, progress: Progress = silent) -> Prepared:
        """Learn what comes before the models: scale, passes, clusters."""
        _check_trials(frame, self.family.least_trials)
        scale = choose_scale(self.response_scale, frame.y, frame.reference_values)
        needed = frame.reference if scale.relative else ""
        used, notes = (frame, ()) if self.keep_constant else _without_constants(frame, needed)
        features = Features(names=used.names, X=used.X, metrics=used.names)
        fitted: list[FittedPass] = []
        for i, step in enumerate(self.passes):
            progress(i / len(self.passes), f"{type(step).__name__} on {len(frame):,} trials")
            learnt = step.fit(features)
            features = learnt.features(features)
            fitted.append(learnt)
            notes = (*notes, *step.notes(learnt))
        partition = self.partition.fit(features) if self.partition else None
        if self.partition and partition:
            notes = (*notes, *self.partition.notes(partition))
        return Prepared(
            frame=used,
            notes=(*frame.notes, *notes),
            scale=scale,
            passes=tuple(fitted),
            features=features,
            partition=partition,
            cluster=partition.assign(features.X) if partition else np.zeros(len(frame), dtype=np.int64),
            n_clusters=partition.apply(features.X[:1]).shape[1] if partition else 1,
            z=scale.of(used.reference_values).forward(used.y),
        )

    def complete(self, prepared: Prepared, provenance: Provenance, progress: Progress = silent) -> FittedPipeline:
        """Fit the models to what was prepared."""
        used = prepared.frame
        fitted = FittedPipeline(
            metrics=used.metrics,
            response=used.response,
            scale=prepared.scale,
            extrapolation=self.extrapolation,
            passes=prepared.passes,
            features=prepared.features.names,
            loadings=prepared.features.loadings,
            partition=prepared.partition,
            clusters=self._fit_clusters(prepared, progress),
            domain=prepared.domain,
            notes=(*prepared.notes, *self.family.notes(len(prepared.features.names))),
            provenance=provenance,
            reference=used.names.index(used.reference) if used.reference else None,
            unset=used.unset,
        )
        if not all(own.model.runs_on() for own in fitted.clusters):
            return fitted
        return replace(fitted.with_room(self.room(prepared)), extrapolation=FLAG)

    def room(self, prepared: Prepared) -> float:
        """Return how far beyond the trained responses predictions may run on, on the models' scale."""
        return TESTED * reach(prepared.z, groups_of(prepared.frame, self.groups))

    def settled(self, prepared: Prepared, progress: Progress = silent) -> "tuple[Pipeline, float]":
        """Return the pipeline with what its family leaves open chosen by groups held out, and their mean error."""
        family, groups = self._told(prepared)
        own, error = family.settled(prepared.features.X, prepared.z, groups, progress)
        return replace(self, family=own), error

    def _told(self, prepared: Prepared) -> tuple[Family, IntArray]:
        """Return the family as it is for these columns, and which trials are held out together where it asks."""
        same = prepared.features.names == prepared.frame.names
        family = self.family.told(prepared.frame.metrics) if same else self.family
        family = family.freed if self.may_run_on and not asks_for_new(prepared.frame, self.groups) else family
        every = np.arange(len(prepared.z))
        return family, groups_of(prepared.frame, self.groups) if family.grouped else every

    def _fit_clusters(self, prepared: Prepared, progress: Progress) -> tuple[ClusterModel, ...]:
        X, z = prepared.features.X, prepared.z
        family, groups = self._told(prepared)
        if prepared.n_clusters == 1:
            return (ClusterModel(family.fit_groups(X, z, groups, progress), len(z), bounds=self._bounds(z)),)
        alone = family.held_out(X, z, groups)
        everyone: Model | None = None
        members = []
        for i in range(prepared.n_clusters):
            rows = np.flatnonzero(prepared.cluster == i)
            progress(i / prepared.n_clusters, f"cluster {i + 1} of {prepared.n_clusters}: {len(rows):,} trials")
            said = None if alone is None else alone[rows]
            model, note = self._fit_cluster(family, X[rows], z[rows], groups[rows], said)
            own = rows if model is not None else np.arange(len(z))
            if model is None:
                everyone = everyone or family.fit_groups(X, z, groups)
                model = everyone
            span = None if self.response_range is None else learn_range(X[own])
            members.append(ClusterModel(model, len(rows), note, self._bounds(z[own]), span))
        return tuple(members)

    def _bounds(self, z: FloatArray) -> tuple[float, float] | None:
        """Return what predictions are held within, from the responses that a model learnt from."""
        if self.response_range is None:
            return None
        low, high = float(z.min()), float(z.max())
        room = self.response_range * (high - low)
        return low - room, high + room

    def _fit_cluster(
        self, family: Family, X: FloatArray, z: FloatArray, groups: IntArray, alone: FloatArray | None
    ) -> tuple[Model | None, str]:
        """Return a cluster's own model, or None and why the model of all trials stands in.

        Parameters
        ----------
        alone : what the model of all trials says of groups that it has not seen, NaN where that is not known
        """
        least = max(self.least_cluster_trials, family.least_trials)
        if len(z) < least:
            return None, f"{len(z)} trials are fewer than {least}: the model of all trials is used"
        try:
            own = None if alone is None else family.held_out(X, z, groups)
            if own is not None and alone is not None and not _mean_error(own, z) < _mean_error(alone, z):
                return None, "the model of all trials is used, as it predicts groups that were held out better"
            return family.fit_groups(X, z, groups), ""
        except FitError as error:
            return None, f"the model of all trials is used, because: {error}"


def _mean_error(said: FloatArray, z: FloatArray) -> float:
    """Return the mean absolute error over the trials that something is said of; infinite where there is none."""
    known = np.isfinite(said)
    return float(np.abs(said[known] - z[known]).mean()) if known.any() else np.inf


def _check_trials(frame: Frame, least: int) -> None:
    if len(frame) < least:
        raise FitError(f"A model needs at least {least} trials, got {len(frame)}. Import more trials.")
    if not len(frame.metrics):
        raise FitError("A model needs at least one metric to predict from, got none. Choose metrics.")
    check_response(frame.y, frame.response.name)
    check_size(frame.X, frame.names)
    if np.ptp(frame.y) == 0:
        raise NothingToLearnError(
            f"The response '{frame.response.name}' is {frame.y[0]:g} in every trial: there is nothing to predict."
        )


def _without_constants(frame: Frame, needed: str = "") -> tuple[Frame, tuple[str, ...]]:
    """Leave out metrics that do not vary beyond rounding, but never the one needed, and say which."""
    domain = learn_range(frame.X)
    size = np.maximum(np.abs(domain.low), np.abs(domain.high))
    varies = domain.high - domain.low > 1e-12 * size
    if not varies.any():
        raise NothingToLearnError("Every chosen metric is constant over these trials: there is nothing to learn from.")
    varies |= np.array([name == needed for name in frame.names])
    if varies.all():
        return frame, ()
    gone = [n for n, v in zip(frame.names, varies, strict=True) if not v]
    kept = [n for n, v in zip(frame.names, varies, strict=True) if v]
    return frame.select(kept), (f"left out because constant over the training trials: {first_few(gone, 8)}",)
