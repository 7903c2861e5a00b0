"""What a model keeps of its validation: scores, by group and by fold too, and a sample of predictions of the unseen."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields
from typing import Any, TypeVar, get_type_hints

import numpy as np

from core.codec import FloatArray, Frozen, finite, from_plain, to_plain
from core.errors import ModelFileError
from core.trial import ROLES, Frame
from core.validate.crossval import Validation
from core.validate.scores import Scores, score

MOST_POINTS = 500
"""Predictions that are kept, chosen by their hash."""
MOST_FAR = 2000
"""Held-out trials of which it is kept how far they lay from their prediction."""
MOST_GROUPS = 60
"""Groups, folds and names of each role that are kept."""
DIGITS = 6
"""Of numbers to draw and to compare; a model file is no archive of trials."""

LARGEST = 1e140
"""Of numbers that are believed; larger ones have no square."""

T = TypeVar("T")


class GroupScores(Frozen):
    """Scores of the trials of one group or fold."""

    name: str
    scores: Scores


class Points(Frozen):
    """Measured and predicted responses of trials that were held out, arrays of shape (n_points,)."""

    observed: FloatArray
    predicted: FloatArray


class Names(Frozen):
    """The different values of a role among the training trials: how many, and the first of them."""

    n: int
    names: tuple[str, ...]


class Record(Frozen):
    """What is known of a model's validation, as far as its file says.

    Attributes
    ----------
    folds : as users write them, "" if the model was never tested
    scores : over all trials that were held out
    training : over the trials that it learnt from
    constant : of the median of each fold's training trials on the same held-out trials; None in earlier files
    groups : by held-out application, machine or other value, or by application under random folds
    by_fold : by fold, where folds are random
    trained_on : by role, its different values among the training trials
    far : ascending: how far held-out trials lay above their prediction, in half widths of their
        intervals on the model's scale; empty in files that earlier versions wrote
    """

    folds: str = ""
    seed: int = 0
    scores: Scores | None = None
    training: Scores | None = None
    constant: Scores | None = None
    groups: tuple[GroupScores, ...] = ()
    by_fold: tuple[GroupScores, ...] = ()
    points: Points | None = None
    trained_on: Mapping[str, Names] = field(default_factory=dict)
    far: tuple[float, ...] = ()


def far_above(y: FloatArray, value: FloatArray, low: FloatArray, high: FloatArray, *, log: bool) -> FloatArray:
    """Return how far responses lie above predictions, in half widths on the model's scale; NaN where not known.

    Parameters
    ----------
    y, value, low, high : arrays of shape (n,): responses, predictions and the ends of their intervals
    log : whether the model's scale is a logarithm
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y, value, low, high = (np.log(part) if log else part for part in (y, value, low, high))
        found: FloatArray = (y - value) / ((high - low) / 2)
    return np.where(np.isfinite(found), found, np.nan)


def made_record(
    validation: Validation, seed: int, frame: Frame, training: Scores | None, *, log: bool = False
) -> dict[str, Any]:
    """Return the record of a validation as plain values.

    Parameters
    ----------
    frame : that was validated, and that the model learnt from
    training : scores of the model on the frame's trials
    log : whether the model's scale is a logarithm
    """
    plain: dict[str, Any] = {"folds": validation.folds, "seed": seed, "scores": asdict(validation.scores)}
    more = {
        "training": training,
        "constant": _constant(validation, frame.y),
        "groups": [GroupScores(name, s) for name, s in list(validation.groups.items())[:MOST_GROUPS]],
        "by_fold": _by_fold(validation, frame),
        "points": _points(frame.y, validation.predicted),
        "far": _far(far_above(frame.y, validation.predicted, validation.low, validation.high, log=log)),
        "trained_on": {role: _names(frame.labels[role]) for role in ROLES if any(frame.labels[role])},
    }
    told = plain | {name: _short(to_plain(value)) for name, value in more.items()}
    written: dict[str, Any] = finite(told)  # an error beyond 1e154 has no square, and no file holds infinity
    return written


def recorded(plain: Mapping[str, Any]) -> Record:
    """Return the record that a model holds; parts that are not there, or not as they should be, are empty."""
    empty = Record()
    parts = {name: _part(kind, plain.get(name), getattr(empty, name)) for name, kind in get_type_hints(Record).items()}
    parts |= {name: _believed(parts[name]) for name in ("scores", "training", "constant")}
    parts |= {name: _believed_groups(parts[name]) for name in ("groups", "by_fold")}
    points = parts["points"] if parts["points"] is not None and _can_be_drawn(parts["points"]) else None
    return Record(**parts | {"points": points, "far": _believed_far(parts["far"])})


def _constant(validation: Validation, y: FloatArray) -> Scores:
    """Return how far the median of the others is from each held-out trial: what a model has to beat."""
    said = np.full(len(y), np.nan)
    for fold in np.unique(validation.fold_of_row[validation.fold_of_row >= 0]):
        held = validation.fold_of_row == fold
        said[held] = np.median(y[~held])
    return score(y, said)


def _by_fold(validation: Validation, frame: Frame) -> list[GroupScores]:
    if set(validation.fold_names) == set(validation.groups) or len(validation.fold_names) > MOST_GROUPS:
        return []
    return list(map(GroupScores, validation.fold_names, validation.by_fold(frame.y)))


def _points(observed: FloatArray, predicted: FloatArray) -> Points | None:
    """Return at most 500 pairs, those whose hash is smallest, so that their order says nothing; ascending."""
    pairs = np.column_stack([observed, predicted])[np.isfinite(predicted)]
    if not len(pairs):
        return None
    pairs = pairs[_few([pair.tobytes() for pair in pairs], MOST_POINTS)]
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return Points(pairs[:, 0], pairs[:, 1])


def _far(far: FloatArray) -> FloatArray:
    """Return the known ones ascending; of more than are kept those whose hash is smallest."""
    known = np.sort(far[np.isfinite(far)])
    return known[sorted(_few([one.tobytes() + str(i).encode() for i, one in enumerate(known)], MOST_FAR))]


def _few(each: Sequence[bytes], most: int) -> list[int]:
    """Return the places of at most so many: of more those whose hash is smallest, in its order."""
    places = list(range(len(each)))
    if len(each) <= most:
        return places
    return sorted(places, key=lambda i: hashlib.sha256(each[i]).digest())[:most]


def _names(texts: tuple[str, ...]) -> Names:
    different = sorted(set(texts))
    return Names(len(different), tuple(different[:MOST_GROUPS]))


def _short(plain: Any) -> Any:
    """Return plain values with fractions rounded to a few digits."""
    if isinstance(plain, float):
        return float(f"{plain:.{DIGITS}g}")
    if isinstance(plain, dict):
        return {key: _short(value) for key, value in plain.items()}
    return [_short(value) for value in plain] if isinstance(plain, list | tuple) else plain


def _believed(scores: Scores | None) -> Scores | None:
    """Return scores unless a file holds numbers that no score can have."""
    numbers = (getattr(scores, f.name) for f in fields(Scores)) if scores is not None else ()
    return scores if all(v is None or abs(v) < LARGEST for v in numbers) else None


def _believed_far(far: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sorted(far)) if len(far) <= MOST_FAR and all(abs(v) < LARGEST for v in far) else ()


def _believed_groups(groups: tuple[GroupScores, ...]) -> tuple[GroupScores, ...]:
    return tuple(group for group in groups[:MOST_GROUPS] if _believed(group.scores) is not None)


def _can_be_drawn(points: Points) -> bool:
    """Whether the numbers are pairs, and of sizes that can be multiplied and divided."""
    a, b = points.observed, points.predicted
    if not 0 < len(a) <= MOST_POINTS or a.ndim != 1 or a.shape != b.shape:
        return False
    sizes = np.abs(np.concatenate([a, b]))
    return bool((sizes[sizes > 0] > 1 / LARGEST).all() and (sizes < LARGEST).all())


def _part(cls: Any, plain: Any, otherwise: T) -> T:
    try:
        found: T = from_plain(cls, plain)
    except ModelFileError:
        return otherwise
    return found
