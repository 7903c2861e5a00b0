"""The entries that suit a frame: every family, with the treatments worth choosing from."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.codec import to_plain
from core.models import FAMILIES
from core.models.base import STANDARDISE, Family
from core.option import specs
from core.pipeline import FLAG
from core.race.entry import Entry
from core.race.result import STOCK
from core.recipes import RECIPES
from core.recipes._nested import MOST_FOLDS
from core.recipes._treated import AS_THEY_ARE, Treated
from core.recipes.base import Recipe
from core.scale import LOG, LOG_RATIO, RATIO, RAW
from core.trial import Frame

RELATIVE = "relative"
POSITIVE = "positive"
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
"""Families whose time grows fast with the number of columns: with fewer than `LEAST_PER_COLUMN` trials for each
column they get components."""
LEAST_PER_COLUMN = 3
EXPLAINED = 0.95
THIRD = 0.33
"""Of the metrics, at each split of a tree."""
MOST_TRIALS = MappingProxyType({"anova": 2000, "support_vectors": 4000})
"""Beyond which a family takes too long to be raced."""
QUICKER: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "extra_trees": {"trees": TREES},
        "forest": {"trees": TREES},
        "gaussian_process": {"order": "3/2", "search_trials": 200, "evaluations": 30},
    }
)
"""Options with which a family takes a fraction of its time and is as good, or is steadier far from its trials."""
COST = MappingProxyType(
    {"eiger": 2, "gradient_boosting": 3, "forest": 4, "roofline": 5, "gaussian_process": 6, "anova": 7}
)
"""How long families take, by rank; those that are not here are quick."""
NON_NEGATIVE = ("nnls", "nn_lasso")
DEAR = (*TREE_FAMILIES, "anova", "gaussian_process", "roofline")
"""Families that choose on fewer inner folds."""
DEAR_INNER = 4
PENALTIES = (0.1, 0.3)
COSTS = (1.0, 3.0)
PRODUCTS_PENALTIES = (0.03, 0.5)
RAW_PRODUCTS_PENALTY = 0.005
MOST_PRODUCTS = 100
"""Metrics up to which ridge also tries their products."""


def entries_for(frame: Frame) -> tuple[Entry, ...]:
    """Return an entry for every family that can work with so many trials and metrics, and for Eiger's procedure."""
    families = [_entry(name, frame) for name in FAMILIES if _suits(name, frame)]
    return quick_first((*families, _eiger(frame)))


def quick_first(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entry that the others are held against, then the others in the order of how long they take."""
    return tuple(sorted(entries, key=lambda e: (e.name != STOCK, COST.get(e.name, 0), e.name)))


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
    elif name in TREE_FAMILIES:
        treatments = _trees(family, frame)
    elif name == "support_vectors":
        treatments = _support_vectors(family, frame)
    elif name == "roofline":
        scales = (RAW, RATIO) if RATIO in scales_for(frame) else (RAW,)
        treatments = {s: _held(family=family, response_scale=s, extrapolation=FLAG) for s in scales}
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


def _with(family: Family, **changes: Any) -> Family:
    """Return a family with some options changed."""
    return type(family)(**{**to_plain(family), **changes})


def _held(**options: Any) -> Treated:
    """Return a treatment whose predictions are held within the range of the trained responses."""
    return Treated(hold=True, **options)


def _trees(family: Family, frame: Frame) -> dict[str, Recipe]:
    """All metrics or a third of them at each split; leaves are means of logarithms, of the ratio with a reference."""
    scale = scales_for(frame)[0]
    found: dict[str, Recipe] = {scale: _held(family=family, response_scale=scale, metric_scale="raw")}
    if len(frame.metrics) >= 3 and "max_features" in {spec.name for spec in specs(type(family))}:
        own = _with(family, max_features=THIRD)
        name = f"{scale}, a third of the metrics"
        found[name] = _held(family=own, response_scale=scale, metric_scale="raw")
    return found


def _smooth(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Logarithms of all positive metrics; components where columns are too many for the trials."""
    explained = EXPLAINED if len(frame) < LEAST_PER_COLUMN * len(frame.metrics) else None
    scale = scales_for(frame)[0]
    recipe = _held(family=family, response_scale=scale, metric_scale=POSITIVE, explained=explained)
    return {scale: recipe}


def _support_vectors(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Two costs: a smaller one is steadier far from the trials."""
    scale = scales_for(frame)[0]
    found: dict[str, Recipe] = {}
    for cost in COSTS:
        own = _with(family, cost=cost)
        recipe = _held(family=own, response_scale=scale, metric_scale=POSITIVE)
        found[f"{scale}, cost {cost:g}"] = recipe
    return found


def _linear(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Logarithms of response and metrics, and relative weights where it is modelled as it is or as a ratio."""
    found: dict[str, Recipe] = {}
    weighted = _weighted(family)
    for scale in scales_for(frame):
        if scale in (LOG_RATIO, LOG):
            found[scale] = _held(family=family, response_scale=scale, metric_scale=POSITIVE)
        elif weighted is not None and frame.y.min() > 0:
            found[f"{scale}, relative weights"] = _held(family=weighted, response_scale=scale)
        elif scale == RAW:
            found[scale] = _held(family=family, response_scale=scale)
    return found


def _ridge(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Several penalties, as the best of folds at random is far too small for applications left out."""
    found = {f"{name}, penalty {PENALTIES[0]:g}": recipe for name, recipe in _linear(family, frame).items()}
    scale = scales_for(frame)[0]
    if scale not in (LOG_RATIO, LOG):
        return found
    own = _with(family, penalty=PENALTIES[1])
    found[f"{scale}, penalty {PENALTIES[1]:g}"] = _held(family=own, response_scale=scale, metric_scale=POSITIVE)
    if len(frame.metrics) > MOST_PRODUCTS:
        return found
    for penalty in PRODUCTS_PENALTIES:
        own = _with(family, penalty=penalty, degree=2)
        name = f"{scale}, products, penalty {penalty:g}"
        found[name] = _held(family=own, response_scale=scale, metric_scale=POSITIVE)
    if not frame.reference:
        own = _with(family, penalty=RAW_PRODUCTS_PENALTY, degree=2, weights=RELATIVE)
        name = f"raw, products, relative weights, penalty {RAW_PRODUCTS_PENALTY:g}"
        found[name] = _held(family=own, response_scale=RAW, metric_scale="raw")
    return found


def _as_they_are(family: Family, frame: Frame) -> dict[str, Recipe]:
    """Non-negative sums of the metrics themselves: of the response as it is, or of its ratio."""
    weighted = _weighted(family)
    found: dict[str, Recipe] = {}
    scales = (RAW, RATIO) if RATIO in scales_for(frame) else (RAW,)
    for scale in scales:
        if weighted is not None and frame.y.min() > 0:
            found[f"{scale}, relative weights"] = _held(family=weighted, response_scale=scale)
        else:
            found[scale] = _held(family=family, response_scale=scale)
    return found


def _weighted(family: Family) -> Family | None:
    """Return the family with relative weights, None if it has no such option."""
    known = {spec.name: spec for spec in specs(type(family))}
    if "weights" not in known or RELATIVE not in known["weights"].choices:
        return None
    return _with(family, weights=RELATIVE)


def _eiger(frame: Frame) -> Entry:
    scales = [s for s in scales_for(frame) if s in (LOG_RATIO, LOG)] or [RAW]
    recipe = RECIPES["eiger"]
    treatments: Mapping[str, Recipe] = {scale: recipe.parse({"response_scale": scale}) for scale in scales}
    return Entry("eiger", "Eiger", treatments)
