"""The entries that suit a frame: every family, with the treatments worth choosing from."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from core.models import FAMILIES
from core.models.base import STANDARDISE, Family
from core.option import specs
from core.pipeline import FLAG
from core.race.entry import Entry
from core.recipes import RECIPES
from core.recipes._nested import MOST_FOLDS
from core.recipes._treated import AS_THEY_ARE, Treated
from core.recipes.base import Recipe
from core.scale import LOG, LOG_RATIO, RATIO, RAW
from core.trial import Frame

RELATIVE = "relative"
TREES = 100
"""Of the forests that race: more gave the same error at several times the time."""
TREE_FAMILIES = ("extra_trees", "forest", "gradient_boosting")
KINDS = MappingProxyType(
    {
        "extra_trees": "forest",
        "forest": "forest",
        "gradient_boosting": "boosting",
        "roofline": "boosting",
        "ridge": "shrinkage",
        "lasso": "shrinkage",
    }
)
"""Entries that are much alike, so that a blend has the best of each kind; others by what they begin with."""
SMOOTH = ("anova", "gaussian_process", "splines")
"""Families whose time grows fast with the number of columns: beyond `MOST_COLUMNS` they get components."""
MOST_COLUMNS = 12
EXPLAINED = 0.95
MOST_TRIALS = MappingProxyType({"gaussian_process": 1500, "anova": 600, "support_vectors": 4000})
"""Beyond which a family takes too long to be raced."""
QUICKER: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "extra_trees": {"trees": TREES, "max_features": 0.33},
        "forest": {"trees": TREES, "max_features": 0.33},
        "gaussian_process": {"search_trials": 300},
        "support_vectors": {"cost": 1.0},
    }
)
"""Options with which a family takes a fraction of its time and is as good, or is steadier far from its trials."""
NON_NEGATIVE = ("nnls", "nn_lasso")
DEAR = (*TREE_FAMILIES, "anova", "gaussian_process", "roofline")
"""Families that choose on fewer inner folds."""
DEAR_INNER = 4
PENALTIES = (0.1, 0.3)
PRODUCTS_PENALTY = 0.005
MOST_PRODUCTS = 100
"""Metrics up to which ridge also tries their products."""


def entries_for(frame: Frame) -> tuple[Entry, ...]:
    """Return an entry for every family that can work with so many trials and metrics, and for Eiger's procedure."""
    families = [_entry(name, frame) for name in FAMILIES if _suits(name, frame)]
    return (*families, _eiger(frame))


def _suits(name: str, frame: Frame) -> bool:
    """Whether a family can be raced in a reasonable time, and has something to work with."""
    if name == "roofline" and frame.y.min() <= 0:
        return False
    return len(frame) <= MOST_TRIALS.get(name, len(frame))


def entry_of(name: str, frame: Frame) -> Entry:
    """Return the entry of a family or of Eiger by its name."""
    return _eiger(frame) if name == "eiger" else _entry(FAMILIES.name_of(FAMILIES.find(name)), frame)


def scales_for(frame: Frame) -> tuple[str, ...]:
    """Return the scales worth trying on a frame, the likeliest first: ratios where there is a reference."""
    if frame.y.min() <= 0:
        return (RAW,)
    reference = frame.reference_values
    relative = reference is not None and bool(reference.min() > 0)
    return (LOG_RATIO, RATIO) if relative else (LOG, RAW)


def _entry(name: str, frame: Frame) -> Entry:
    family = _made(FAMILIES[name], name)
    if name in SMOOTH:
        treatments = _smooth(family, frame)
    elif name in (*TREE_FAMILIES, "support_vectors"):
        treatments = _trees(family, frame)
    elif name == "roofline":
        scales = (RAW, RATIO) if RATIO in scales_for(frame) else (RAW,)
        treatments = {s: Treated(family=family, response_scale=s, extrapolation=FLAG) for s in scales}
    elif name == "ridge":
        treatments = _ridge(family, frame)
    elif getattr(family, "preparation", STANDARDISE) == AS_THEY_ARE:
        treatments = _as_they_are(family, frame)
    else:
        treatments = _linear(family, frame)
    inner = DEAR_INNER if name in DEAR else MOST_FOLDS
    return Entry(name, family.label or name, treatments, inner, name.startswith(NON_NEGATIVE), _kind(name))


def _kind(name: str) -> str:
    if name.startswith(NON_NEGATIVE):
        return "non-negative"
    return "ols" if name.startswith("ols") else KINDS.get(name, name)


def _made(cls: type[Family], name: str) -> Family:
    return cls(**QUICKER.get(name, {}))


def _trees(family: Family, frame: Frame) -> dict[str, Recipe]:
    """With a reference its ratios, else logarithms: splits see no scale of the metrics, but leaves are means."""
    own = [s for s in scales_for(frame) if s != RAW] or [RAW]
    return {scale: Treated(family=family, response_scale=scale) for scale in own}


def _smooth(family: Family, frame: Frame) -> dict[str, Recipe]:
    explained = EXPLAINED if len(frame.metrics) > MOST_COLUMNS else None
    scale = scales_for(frame)[0]
    return {scale: Treated(family=family, response_scale=scale, explained=explained)}


def _linear(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Logarithms of the response, and relative weights where it is modelled as it is or as a ratio."""
    scales = scales_for(frame)
    found: dict[str, Recipe] = {s: Treated(family=family, response_scale=s) for s in scales if s in (LOG_RATIO, LOG)}
    weighted = _weighted(family)
    for scale in (s for s in scales if s in (RATIO, RAW)):
        if weighted is not None and frame.y.min() > 0:
            found[f"{scale}, relative weights"] = Treated(family=weighted, response_scale=scale)
        elif scale == RAW:
            found[scale] = Treated(family=family, response_scale=scale)
    return found


def _ridge(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Several penalties, as the best of folds at random is far too small for applications left out."""
    found: dict[str, Recipe] = {}
    for penalty in PENALTIES:
        own = replace(family, penalty=penalty)  # type: ignore[call-arg]
        found |= {f"{name}, penalty {penalty:g}": recipe for name, recipe in _linear(own, frame).items()}
    if len(frame.metrics) <= MOST_PRODUCTS and frame.y.min() > 0 and not frame.reference:
        own = replace(family, penalty=PRODUCTS_PENALTY, degree=2, weights=RELATIVE)  # type: ignore[call-arg]
        recipe = Treated(family=own, response_scale=RAW, metric_scale="raw")
        found[f"raw, products, relative weights, penalty {PRODUCTS_PENALTY:g}"] = recipe
    return found


def _as_they_are(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Non-negative sums of the metrics themselves: of the response as it is, or of its ratio."""
    weighted = _weighted(family)
    found: dict[str, Recipe] = {}
    scales = (RAW, RATIO) if RATIO in scales_for(frame) else (RAW,)
    for scale in scales:
        if weighted is not None and frame.y.min() > 0:
            found[f"{scale}, relative weights"] = Treated(family=weighted, response_scale=scale)
        else:
            found[scale] = Treated(family=family, response_scale=scale)
    return found


def _weighted(family: Family) -> Family | None:
    """Return the family with relative weights, None if it has no such option."""
    known = {spec.name: spec for spec in specs(type(family))}
    if "weights" not in known or RELATIVE not in known["weights"].choices:
        return None
    return replace(family, weights=RELATIVE)  # type: ignore[call-arg]


def _eiger(frame: Frame) -> Entry:
    scales = [s for s in scales_for(frame) if s in (LOG_RATIO, LOG)] or [RAW]
    recipe = RECIPES["eiger"]
    treatments: Mapping[str, Recipe] = {scale: recipe.parse({"response_scale": scale}) for scale in scales}
    return Entry("eiger", "Eiger", treatments)
