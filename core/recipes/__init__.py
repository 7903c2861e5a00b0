"""Every recipe, one file each, and every model family as a recipe of its own."""

from collections.abc import Mapping

from core.errors import OptionError
from core.models import FAMILIES
from core.recipes._train import Trained, clusters_of, train, validate, with_validation
from core.recipes._treated import Treated
from core.recipes.base import Recipe
from core.registry import discover, nearest

RECIPES = discover("core.recipes", Recipe, "recipe")

__all__ = [
    "RECIPES",
    "Recipe",
    "Trained",
    "Treated",
    "clusters_of",
    "make_recipe",
    "train",
    "validate",
    "with_validation",
]


def make_recipe(name: str, settings: Mapping[str, str] | None = None) -> Recipe:
    """Return the recipe, or the family as a recipe, with options given as texts.

    Raises
    ------
    OptionError
        If there is no such recipe, family or option, or a value is not allowed.
    """
    texts = dict(settings or {})
    if name in RECIPES:
        return RECIPES[name].parse(texts)
    if name in FAMILIES:
        return Treated(family=FAMILIES[name].parse(texts))
    known = [*RECIPES, *FAMILIES]
    raise OptionError(
        f"There is no recipe or family '{name}'; there are: {', '.join(known)}.{nearest(name, known)}"
    )
