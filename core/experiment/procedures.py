"""What a setting fits: a recipe or a family with its treatment on trials, or a predictor from a base on kernels."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import OptionError
from core.experiment.experiment import Value
from core.models import FAMILIES
from core.option import Options, OptionSpec, specs
from core.recipes import RECIPES, Recipe
from core.recipes._treated import TREATMENT, Treated
from core.scaling.predictors.base import Predictor
from core.scaling.predictors.network import Network
from core.scaling.race import predictor_named

SEED = "seed"


@dataclass(frozen=True)
class FromBase:
    """A predictor of surfaces, and the configuration at which kernels are measured."""

    base: int
    predictor: Predictor = field(default_factory=Network)


def known_options(name: str, scaling: bool = False) -> Mapping[str, OptionSpec]:
    """Return the options that a recipe, family or predictor takes in an experiment.

    Raises
    ------
    OptionError
        If there is none of this name.
    """
    return {spec.name: spec for cls in _classes(name, scaling) for spec in specs(cls)}


def parsed(spec: OptionSpec, text: str) -> Value:
    """Return the value that a text means, checked.

    Raises
    ------
    OptionError
        If the option does not allow it.
    """
    value: Value = spec.parse(text)
    spec.check(value)
    return value


def recipe_of(name: str, values: Mapping[str, Value], seed: int) -> Recipe:
    """Return a recipe, or a family as one, with the seed if it draws and no other was chosen."""
    if name in RECIPES:
        return RECIPES[name](**_seeded(RECIPES[name], values, seed))
    own = {k: v for k, v in values.items() if k not in TREATMENT}
    family = FAMILIES[name](**_seeded(FAMILIES[name], own, seed))
    treatment: dict[str, Any] = {k: v for k, v in values.items() if k in TREATMENT}
    return Treated(family=family, **treatment)


def predictor_of(name: str, values: Mapping[str, Value], seed: int) -> Predictor:
    """Return a predictor of surfaces, with the seed if it draws and no other was chosen."""
    plain = predictor_named(name)
    return replace(plain, **_seeded(type(plain), values, seed))


def _seeded(cls: type[Options], values: Mapping[str, Value], seed: int) -> dict[str, Any]:
    draws = any(spec.name == SEED for spec in specs(cls))
    return {SEED: seed, **values} if draws else dict(values)


def _classes(name: str, scaling: bool) -> tuple[type[Options], ...]:
    if scaling:
        return (type(predictor_named(name)),)
    if name in RECIPES:
        return (RECIPES[name],)
    if name in FAMILIES:
        return (FAMILIES[name], Treated)
    raise OptionError(f"There is no recipe or family '{name}'; there are: {', '.join([*RECIPES, *FAMILIES])}.")
