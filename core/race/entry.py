"""Entries of the race: every family that suits a frame, with the treatments that it may choose from."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import OptionError
from core.frozen import Frozen
from core.models import FAMILIES
from core.models.base import RAW as AS_THEY_ARE
from core.models.base import Family
from core.models.gradient_boosting import MANY_SMALL
from core.models.ridge import MOST_PRODUCTS
from core.option import specs
from core.pipeline import FLAG
from core.race.result import STOCK
from core.recipes import RECIPES, Treated
from core.recipes.base import PRODUCTS, WHOLE, Recipe
from core.recipes.parts.nested import MOST_FOLDS
from core.recipes.parts.quick import MOST_COLUMNS, MOST_PAIRED, designed
from core.registry import unknown
from core.scale import LOG, LOG_RATIO, RATIO, RAW, logarithm_of
from core.trial import Frame


class Entry(Frozen):
    """A family and what may be done to the trials before it; which of these is chosen anew in each training part.

    Attributes
    ----------
    name : the family's or recipe's name, as in the JSON
    label : for people
    treatments : recipes by what they are called, such as `log_ratio` or `ratio, relative weights`
    inner : most inner folds to choose on; fewer for families that take long
    non_negative : whether it is a sum that no metric can make smaller
    kind : entries of one kind are much alike; its own if empty
    slowness : rank of how long it takes, as of `Family`
    """

    name: str
    label: str
    treatments: Mapping[str, Recipe]
    inner: int = MOST_FOLDS
    non_negative: bool = False
    kind: str = ""
    slowness: int = 0

    def __post_init__(self) -> None:
        if not self.treatments:
            raise OptionError(f"The entry '{self.name}' has no treatment.")


RELATIVE = "relative"
EIGER, EIGER_COST = "eiger", 2
LEAST_PER_COLUMN, EXPLAINED = 3, 0.95
"""Trials per column below which a family whose time grows with the columns gets components, and what these explain."""
USUAL = "usual options"
"""The one treatment of a recipe that has none to choose from."""
DEAR_INNER = 4
"""Inner folds on which families choose that take long."""
PAIRED = ("gaussian_process", "gradient_boosting")
"""Families that are tried on products of pairs of metrics too, where these are few."""
ROUNDED = ("anova", "gaussian_process", "trended")
"""Families that are tried on how round whole numbers are, where sizes of a design are such."""
BOOSTED, BOOSTED_PRODUCTS = "gradient_boosting", "boosted_products"
"""The second is many small trees that split on products of pairs, beside those that split on the metrics: as in `auto`,
where metrics are so few, both say something."""
RAW_PRODUCTS = "raw, products, relative weights, penalty 0.005"
"""A treatment of ridge regression alone, of responses that are sums of products."""


def entries_for(frame: Frame) -> tuple[Entry, ...]:
    """Return an entry for every family that has something to work with, and for Eiger's procedure."""
    positive = frame.y.min() > 0
    families = [_entry(name, frame) for name in FAMILIES if positive or name != "roofline"]
    products = [_boosted_products(frame)] if len(frame.metrics) <= MOST_COLUMNS else []
    return quick_first((*families, *products, _eiger(frame)))


def quick_first(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entry that the others are held against, then the others in the order of how long they take."""
    return tuple(sorted(entries, key=lambda e: (e.name != STOCK, e.slowness, e.name)))


def entry_of(name: str, frame: Frame) -> Entry:
    """Return the entry of a family or a recipe by its name; a recipe decides itself what is done to the trials."""
    if name == EIGER:
        return _eiger(frame)
    if name == BOOSTED_PRODUCTS:
        return _boosted_products(frame)
    if name in RECIPES:
        recipe = RECIPES[name]
        return Entry(name, recipe.label, {USUAL: recipe()}, DEAR_INNER, slowness=EIGER_COST)
    if name not in FAMILIES:
        raise OptionError(unknown("recipe or family", name, [*RECIPES, *FAMILIES]))
    return _entry(FAMILIES.name_of(FAMILIES[name]), frame)


def scales_for(frame: Frame) -> tuple[str, ...]:
    """Return the scales worth trying on a frame, the likeliest first: ratios where there is a reference."""
    log = logarithm_of(frame.y, frame.reference_values)
    return {LOG_RATIO: (LOG_RATIO, RATIO), LOG: (LOG, RAW), RAW: (RAW,)}[log]


def _entry(name: str, frame: Frame) -> Entry:
    cls = FAMILIES[name]
    if cls.preparation == AS_THEY_ARE:
        treatments = _as_they_are(cls, frame)
    else:
        treatments = _linear(cls, frame) if cls.linear else _on_one_scale(cls, frame)
    if name in PAIRED and len(frame.metrics) <= MOST_PAIRED:
        treatments[f"{scales_for(frame)[0]}, products"] = _on_products(cls(**cls.raced), frame)
    if name in ROUNDED and designed(frame):
        treatments[f"{scales_for(frame)[0]}, whole"] = _on_products(cls(**cls.raced), frame, WHOLE)
    if name == "ridge" and scales_for(frame) == (LOG, RAW) and len(frame.metrics) <= MOST_PRODUCTS:
        own = cls(**{"penalty": 0.005, "degree": 2, "weights": RELATIVE})
        treatments[RAW_PRODUCTS] = _held(family=own, response_scale=RAW, metric_scale="raw")
    inner = DEAR_INNER if cls.slowness else MOST_FOLDS
    return Entry(name, cls.label or name, treatments, inner, cls.non_negative, cls.kind or name, cls.slowness)


def _held(**options: Any) -> Recipe:
    """Return a treatment whose predictions are held within the range of the trained responses."""
    return Treated(hold=True, **options)


def _variants(cls: type[Family], frame: Frame) -> dict[str, Family]:
    """Return the family as it is raced, and the variants that suit a frame, by what is added to a treatment's name."""
    p = len(frame.metrics)
    suits = {"max_features": p >= 3, "degree": p <= MOST_PRODUCTS, "leaves": p <= MOST_COLUMNS}
    able = {name: more for name, more in cls.variants.items() if all(suits.get(option, True) for option in more)}
    return {name and f", {name}": cls(**{**cls.raced, **more}) for name, more in able.items()}


def _on_one_scale(cls: type[Family], frame: Frame) -> dict[str, Recipe]:
    """The likeliest scale; components where columns are too many for the trials, of families that suffer from it."""
    many = cls.few_columns and len(frame) < LEAST_PER_COLUMN * len(frame.metrics)
    scale, explained = scales_for(frame)[0], EXPLAINED if many else None
    return {
        f"{scale}{name}": _held(family=family, response_scale=scale, metric_scale=cls.raced_on, explained=explained)
        for name, family in _variants(cls, frame).items()
    }


def _linear(cls: type[Family], frame: Frame) -> dict[str, Recipe]:
    """Logarithms of response and metrics, and relative weights where it is modelled as it is or as a ratio."""
    found: dict[str, Recipe] = {}
    variants = _variants(cls, frame)
    for scale in scales_for(frame):
        if scale in (LOG_RATIO, LOG):
            own = {"response_scale": scale, "metric_scale": "positive"}
            found |= {f"{scale}{name}": _held(family=family, **own) for name, family in variants.items()}
        else:
            found |= _plain(cls, frame, scale, next(iter(variants)))
    return found


def _as_they_are(cls: type[Family], frame: Frame) -> dict[str, Recipe]:
    """Sums of the metrics themselves: of the response as it is, or of its ratio."""
    found: dict[str, Recipe] = {}
    for scale in (RAW, RATIO) if RATIO in scales_for(frame) else (RAW,):
        found |= _plain(cls, frame, scale)
    return found


def _plain(cls: type[Family], frame: Frame, scale: str, name: str = "") -> Mapping[str, Recipe]:
    """Return a treatment on a scale that is no logarithm, with relative weights where the family has such an option.

    Without, a linear family is not worth a try on the ratio.
    """
    known = {spec.name: spec for spec in specs(cls)}
    if "weights" in known and RELATIVE in known["weights"].choices and frame.y.min() > 0:
        family = cls(**{**cls.raced, "weights": RELATIVE})
        return {f"{scale}, relative weights{name}": _held(family=family, response_scale=scale)}
    if scale != RAW and cls.preparation != AS_THEY_ARE:
        return {}
    policy = {} if cls.non_negative or cls.preparation != AS_THEY_ARE else {"extrapolation": FLAG}
    return {f"{scale}{name}": _held(family=cls(**cls.raced), response_scale=scale, **policy)}


def _boosted_products(frame: Frame) -> Entry:
    cls, scale = FAMILIES[BOOSTED], scales_for(frame)[0]
    family = cls(**{**cls.raced, **MANY_SMALL})
    treatments = {scale: _on_products(family, frame)}
    if designed(frame):
        treatments[f"{scale}, whole"] = _on_products(family, frame, WHOLE)
    return Entry(BOOSTED_PRODUCTS, f"{cls.label} on products", treatments, DEAR_INNER, slowness=cls.slowness)


def _on_products(family: Family, frame: Frame, metric_scale: str = PRODUCTS) -> Recipe:
    return _held(family=family, response_scale=scales_for(frame)[0], metric_scale=metric_scale)


def _eiger(frame: Frame) -> Entry:
    scales = [s for s in scales_for(frame) if s in (LOG_RATIO, LOG)] or [RAW]
    treatments: Mapping[str, Recipe] = {s: RECIPES[EIGER].parse({"response_scale": s}) for s in scales}
    return Entry(EIGER, "Eiger", treatments, DEAR_INNER, slowness=EIGER_COST)
