"""Lower a trained model to its program: passes, partition, clusters, scale, domain and interval."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from core.blend import SUM, BlendModel
from core.export._lower_models import lowered
from core.export._program import (
    PRINTED,
    Affine,
    Band,
    Blend,
    Carry,
    Logs,
    Nearest,
    Node,
    Program,
    Reach,
    Round,
    Span,
    Step,
    Terms,
)
from core.models.base import Model
from core.passes.base import FittedPass
from core.passes.kmeans import FittedKMeans
from core.passes.pca import FittedPCA
from core.passes.products import HALVINGS, FittedPairs, FittedWhole
from core.passes.rotations import FittedEigerRotation, FittedVarimax
from core.passes.scales import FittedLog, FittedStandardize
from core.pipeline import BARELY, CLAMP, REFUSE, ClusterModel, FittedPipeline
from core.validate.domain import ROOM, Domain
from core.validate.intervals import Interval


class CannotSayError(Exception):
    """A part of the model has no form here; the message is the reason that users read."""


def lower(model: FittedPipeline) -> Program:
    """Return the program of a trained model.

    Raises
    ------
    CannotSayError
        If a pass, a partition or a family has no plain operations yet, or its numbers grow beyond all bounds.
    """
    models, model_of = _models(model)
    return Program(
        metrics=model.metrics,
        response=model.response,
        clamp=model.extrapolation == CLAMP,
        refuse=model.extrapolation == REFUSE,
        reach=_reach(model.domain),
        steps=_merged([_step(p) for p in model.passes]),
        nearest=_nearest(model),
        models=models,
        model_of=model_of,
        bounds=tuple(c.bounds or (-np.inf, np.inf) for c in model.clusters),
        spans=_spans(model),
        **{name: getattr(model.scale, name) for name in ("log", "relative", "factor", "power")},
        reference=-1 if model.reference is None else model.reference,
        band=_band(model.interval),
        carry=_carry(model),
        title=f"{model.response} by {model.provenance.recipe}",
    )


def reason_against(model: FittedPipeline) -> str | None:
    """Return why a model has no program, or None if it has."""
    try:
        lower(model)
    except CannotSayError as error:
        return str(error)
    return None


def _models(model: FittedPipeline) -> tuple[tuple[Node, ...], tuple[int, ...]]:
    """Return the different models of the clusters, and per cluster the number of its own."""
    different = {id(member.model): member.model for member in model.clusters}
    places = {own: place for place, own in enumerate(different)}
    return tuple(map(_node, different.values())), tuple(places[id(member.model)] for member in model.clusters)


def _node(model: Model) -> Node:
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            node = _blend(model) if isinstance(model, BlendModel) else lowered(model)
    except FloatingPointError:
        raise CannotSayError("its numbers are too far apart to be multiplied out") from None
    if node is None:
        raise CannotSayError(f"a {type(model).__name__.removesuffix('Model')} has no plain formula here")
    if isinstance(node, Terms):
        for function in (f for term in node.terms for f in term):
            for primitive in sorted(function.expression.primitives - PRINTED):
                raise CannotSayError(f"the basis function {function.name} needs {primitive}, which is not written here")
    return node


def _blend(model: BlendModel) -> Blend:
    """Lower every member; a reason against one names it."""
    members = []
    for name, member in zip(model.names, model.members, strict=True):
        try:
            members.append(lower(member))
        except CannotSayError as error:
            raise CannotSayError(f"its member '{name}' cannot be said: {error}") from None
    bound = float("inf") if model.bound is None else model.bound
    return Blend(tuple(members), model.columns, model.weights, model.how == SUM, bound, model.log)


_STEPS: Mapping[type, Callable[[Any], Step]] = {
    FittedLog: lambda p: Logs(p.scales),
    FittedStandardize: lambda p: Affine(p.mean, p.scale),
    FittedPCA: lambda p: Affine(p.mean, p.scale, p.vectors / np.sqrt(p.eigenvalues[: p.n_components])),
    FittedPairs: lambda p: Affine(matrix=p.matrix),
    FittedWhole: lambda p: Round(p.odd, p.filled, HALVINGS),
    FittedVarimax: lambda p: Affine(matrix=p.rotation),
    FittedEigerRotation: lambda p: Affine(matrix=p.rotation),
}


def _step(fitted: FittedPass) -> Step:
    if type(fitted) not in _STEPS:
        raise CannotSayError(f"the pass {type(fitted).__name__.removeprefix('Fitted')} has no plain formula here")
    return _STEPS[type(fitted)](fitted)


def _merged(steps: list[Step]) -> tuple[Step, ...]:
    """Multiply matrices that follow each other, and leave out scales that change nothing."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if isinstance(step, Logs) and set(step.scales) <= {"raw"}:
            continue
        if isinstance(step, Affine) and step.offset is None and step.divisor is None and isinstance(last, Affine):
            matrix = step.matrix if last.matrix is None or step.matrix is None else last.matrix @ step.matrix
            found[-1] = Affine(last.offset, last.divisor, matrix)
        else:
            found.append(step)
    return tuple(found)


def _nearest(model: FittedPipeline) -> Nearest | None:
    if model.partition is None or len(model.clusters) == 1:
        return None
    if not isinstance(model.partition, FittedKMeans):
        raise CannotSayError(f"the partition {type(model.partition).__name__} has no plain formula here")
    return Nearest(model.partition.mean, model.partition.scale, model.partition.centres)


def _spans(model: FittedPipeline) -> tuple[Span, ...] | None:
    """Return what each cluster's model is asked of, if the whole refuses what is outside of that."""
    if model.extrapolation != REFUSE or not model.confined:
        return None
    return tuple(_span(member, len(model.features)) for member in model.clusters)


def _span(member: ClusterModel, width: int) -> Span:
    low, high = np.full(width, -np.inf), np.full(width, np.inf)
    if member.span is not None:
        room = ROOM * (member.span.high - member.span.low)
        low, high = member.span.low - room, member.span.high + room
    least, most = member.bounds or (-np.inf, np.inf)
    barely = BARELY * (most - least) if member.bounds else 0.0
    return Span(low, high, least - barely, most + barely)


def _carry(model: FittedPipeline) -> Carry | None:
    if not model.carries:
        return None
    below, above = model.ends
    own = np.flatnonzero(np.isfinite(below) | np.isfinite(above))
    return Carry(own, *(part[own] for part in (model.domain.low, model.domain.high, below, above)))


def _reach(domain: Domain) -> Reach:
    n = len(domain.low)
    room = ROOM * (domain.high - domain.low)
    if not domain.knows_leverage:
        return Reach(domain.low, domain.high, room, np.zeros(n), np.zeros((0, n)), 0.0)
    return Reach(domain.low, domain.high, room, domain.centre, domain.directions, domain.furthest * (1 + ROOM))


def _band(interval: Interval | None) -> Band | None:
    if interval is None:
        return None
    own = interval.alone()
    return Band(own.half_widths, own.by, own.knots, own.factors, own.nominal)
