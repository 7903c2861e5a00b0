"""The model file's shape: a trained model as named parts with plain state, never code."""

from typing import Any

import numpy as np

from core.blend import Blended, BlendModel
from core.codec import FloatArray, Frozen, check_head, from_plain, shared_fields, to_plain
from core.errors import ModelFileError, holder
from core.models import FAMILIES
from core.models.base import Model
from core.part import Part, loaded, part_of
from core.passes import PASSES
from core.passes.base import FittedPartition, FittedPass
from core.pipeline import EXTRAPOLATION, ClusterModel, FittedPipeline, Provenance
from core.registry import Registry
from core.scale import SCALES, ResponseScale
from core.trial import Metric, Unset
from core.validate.domain import Domain, Range
from core.validate.intervals import DIFFICULTIES, NONE, Interval

FORMAT = "ridgeline-model"
VERSION = 4
LONGEST_NAME = 4096
"""Of a metric, as reasons and tables show it."""
_need = holder("The model file does not hold together:")


class Cluster(Frozen):
    """One cluster's model; what its predictions are held within, and the features it learnt from (since version 4)."""

    family: Part
    n_trials: int
    note: str
    bounds: tuple[float, float] | None = None
    span: Range | None = None


class Document(Frozen):
    """A model file.

    Attributes
    ----------
    format, version : "ridgeline-model" and the number of this shape
    metrics : what prediction takes, in order, with units
    scale : what the models' output is: "raw", "log", or "ratio" or "log_ratio" to the reference
    passes : applied one after another to a row of metrics
    partition : chooses the cluster by smallest squared distance; null with one cluster
    clusters : one model per cluster; `features` names what they take
    domain : smallest and largest trained value per metric; since version 3 also the leverage, the largest
        trained one, and some training trials
    interval : half widths on the model's scale, null if never validated; one half width before version 3
    reference : number of the metric that the response is divided by, null if none (since version 2)
    factor, power : the response is factor · (what the models and the scale give)^power (since version 2)
    unset : settings that runs with some texts do not have, and what they are taken as there
    continued : metrics below and above whose trained range predictions go on as inside
    """

    format: str
    version: int
    response: Metric
    scale: str
    extrapolation: str
    metrics: tuple[Metric, ...]
    passes: tuple[Part, ...]
    features: tuple[str, ...]
    loadings: FloatArray
    partition: Part | None
    clusters: tuple[Cluster, ...]
    domain: Domain
    interval: Interval | None
    validation: dict[str, Any]
    notes: tuple[str, ...]
    provenance: Provenance
    reference: int | None = None
    factor: float = 1.0
    power: float = 1.0
    unset: tuple[Unset, ...] = ()
    continued: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


BLEND = "blend"


class BlendState(Blended, kw_only=True):
    """What a blend is made of; `members` are model files, each as this file itself would be."""

    members: tuple[dict[str, Any], ...]


_SAME = (
    "response extrapolation metrics features loadings domain interval validation notes provenance reference unset "
    "continued"
)
"""What a document has as the trained model has it."""


def from_pipeline(model: FittedPipeline) -> Document:
    """Return the document of a trained model."""
    return Document(
        format=FORMAT,
        version=VERSION,
        scale=model.scale.name,
        passes=tuple(_part(p, PASSES) for p in model.passes),
        partition=None if model.partition is None else _part(model.partition, PASSES),
        clusters=tuple(Cluster(_part(c.model, FAMILIES), c.n_trials, c.note, c.bounds, c.span) for c in model.clusters),
        factor=model.scale.factor,
        power=model.scale.power,
        **{name: getattr(model, name) for name in _SAME.split()},
    )


def to_pipeline(plain: Any) -> FittedPipeline:
    """Return the trained model of a parsed model file, after every check.

    Raises
    ------
    ModelFileError
        If the file is of another kind or version, or its parts do not fit each other.
    """
    check_head(plain, "Ridgeline model", FORMAT, VERSION)
    document = from_plain(Document, _of_today(plain))
    model = FittedPipeline(
        scale=ResponseScale(document.scale, document.factor, document.power),
        passes=tuple(loaded(p, PASSES, FittedPass) for p in document.passes),
        partition=None if document.partition is None else loaded(document.partition, PASSES, FittedPartition),
        clusters=tuple(_cluster(c) for c in document.clusters),
        **{name: getattr(document, name) for name in _SAME.split()},
    )
    return checked(model)


def _part(value: object, registry: Registry[Any]) -> Part:
    if isinstance(value, BlendModel):
        members = tuple(to_plain(from_pipeline(member)) for member in value.members)
        return Part(BLEND, to_plain(BlendState(**shared_fields(Blended, value), members=members)))
    return part_of(value, registry)


def _load_blend(state: BlendState) -> BlendModel:
    members = tuple(to_pipeline(member) for member in state.members)
    if any(isinstance(c.model, BlendModel) for member in members for c in member.clusters):
        raise ModelFileError("The model file has a blend in a blend, which no model is.")
    return BlendModel(**shared_fields(Blended, state), members=members)


def _cluster(c: Cluster) -> ClusterModel:
    blended, part = c.family.name == BLEND, c.family
    model = _load_blend(from_plain(BlendState, part.state)) if blended else loaded(part, FAMILIES, Model)
    return ClusterModel(model, c.n_trials, c.note, c.bounds, c.span)


def _of_today(plain: dict[str, Any]) -> dict[str, Any]:
    """Return a parsed file of an older version in the shape of today; what it lacks has a default in the types."""
    interval, clusters = plain.get("interval"), plain.get("clusters")
    if plain["version"] < 4 and isinstance(clusters, list):
        plain = {**plain, "clusters": [_without(c, "bounds", "span") if isinstance(c, dict) else c for c in clusters]}
    if plain["version"] >= 3 or not isinstance(interval, dict) or not isinstance(clusters, list):
        return plain
    known = _without(interval, "half_width")
    widths = {"half_widths": [interval["half_width"]] * len(clusters)} if "half_width" in interval else {}
    return {**plain, "interval": {**known, **widths, "by": NONE, "knots": [], "factors": []}}


def _without(plain: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name not in names}


def checked(model: FittedPipeline) -> FittedPipeline:
    """Hold the parts against each other: names, shapes, signs, and a trial run at the domain's edges."""
    n = len(model.metrics)
    _need(n > 0 and len(set(model.names)) == n, "its metrics are none or named twice")
    _need(max(len(name) for name in (*model.names, model.response.name)) <= LONGEST_NAME, "its names are too long")
    _need(model.scale.name in SCALES, f"its scale is none of {', '.join(SCALES)}")
    _need(model.reference is None or 0 <= model.reference < n, "its reference is no metric of it")
    _need(model.scale.factor > 0 and model.scale.power > 0, "its factor or power is not positive")
    _need(not model.scale.relative or model.reference is not None, "its scale needs a reference")
    _need(model.extrapolation in EXTRAPOLATION, "its extrapolation policy is unknown")
    _need(all(one.is_among(model.names) for one in model.unset), "a setting it may lack is none of it")
    _need(
        {name for side in model.continued for name in side} <= set(model.names),
        "what it goes on with is no metric of it",
    )
    _check_domain(model.domain, n)
    _need(len(model.clusters) > 0, "it has no model")
    if model.interval is not None:
        _check_interval(model.interval, len(model.clusters))
    width = n
    for fitted in model.passes:
        width = fitted.check(width)
    _need(width == len(model.features), "its features do not fit its passes")
    k = 1 if model.partition is None else model.partition.check(width)
    _need(k == len(model.clusters), "its clusters do not fit its partition")
    for cluster in model.clusters:
        cluster.model.check(width)
        span, bounds = cluster.span, cluster.bounds
        _need(bounds is None or bounds[0] <= bounds[1], "a cluster's bounds end before they start")
        _need(span is None or span.low.shape == (width,) == span.high.shape, "a cluster's range does not fit")
    _try_out(model)
    return model


def _check_domain(domain: Domain, n: int) -> None:
    _need(domain.low.shape == (n,) == domain.high.shape, "its domain does not fit its metrics")
    _need(bool((domain.low <= domain.high).all()), "its domain ends before it starts")
    if len(domain.directions):
        _need(domain.directions.shape[1:] == (n,) == domain.centre.shape, "its leverage does not fit its metrics")
    _need(domain.furthest >= 0, "its largest leverage is negative")
    kept = domain.landmarks
    whole = kept.responses.shape == (len(kept),) and (not len(kept) or kept.rows.shape == (len(kept), n))
    _need(whole, "its landmarks do not fit its metrics")
    spread = domain.marginals
    shape = (n, spread.edges.shape[-1]) if spread.n_trials else (0,)
    _need(spread.edges.shape[: len(shape)] == shape == spread.shares.shape[: len(shape)], "its deciles do not fit")
    _need(bool((np.diff(spread.edges) >= 0).all()), "its deciles are in disorder")


def _check_interval(interval: Interval, n_clusters: int) -> None:
    _need(interval.half_widths.shape == (n_clusters,), "its interval does not fit its clusters")
    _need(bool((interval.half_widths >= 0).all()), "its interval is negative")
    _need(interval.by in DIFFICULTIES, f"the difficulty of its interval is none of {', '.join(DIFFICULTIES)}")
    knots, factors, spreads = interval.knots, interval.factors, interval.spreads
    _need(spreads.weights.ndim == 1 and spreads.weights.shape == spreads.least.shape, "its interval has loose weights")
    _need(bool((spreads.least > 0).all()) and spreads.flat >= 0, "its interval's spreads are not positive")
    _need(knots.ndim == 1 and knots.shape == factors.shape, "its interval has knots without factors")
    _need((interval.by == NONE) == (not len(knots)), "its interval's difficulty does not fit its knots")
    _need(bool((np.diff(knots) > 0).all() and (factors > 0).all()), "its interval's knots or factors are in disorder")


def _try_out(model: FittedPipeline) -> None:
    edges = np.vstack([model.domain.low, model.domain.high, np.zeros(len(model.metrics))])
    try:
        with np.errstate(all="ignore"):
            model.predict(edges)
    except Exception as error:
        raise ModelFileError(f"The model file's parts do not fit each other: {error}.") from None
