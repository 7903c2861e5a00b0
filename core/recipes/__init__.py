"""Every recipe, one file each, and every model family as a recipe of its own.

It offers `RECIPES`, `make_recipe`, `train` and `validate`. A recipe composes passes, clusters and families; it holds
options and no state, and never reads files or the database.
"""

from collections.abc import Mapping

from core.errors import OptionError
from core.models import FAMILIES
from core.recipes._train import Trained as Trained
from core.recipes._train import clusters_of as clusters_of
from core.recipes._train import mean_model as mean_model
from core.recipes._train import train as train
from core.recipes._train import validate as validate
from core.recipes._train import with_validation as with_validation
from core.recipes.base import Recipe as Recipe
from core.recipes.base import Treated as Treated
from core.registry import discover, unknown

RECIPES = discover("core.recipes", Recipe, "recipe")


def recipe_label(name: str) -> str:
    """Return what people call a recipe or family; what is neither, such as a blend, by its own name."""
    known = RECIPES if name in RECIPES else FAMILIES
    return known[name].label if name in known else name


def make_recipe(name: str, settings: Mapping[str, str] | None = None, seed: int | None = None) -> Recipe:
    """Return the recipe, or the family as a recipe, with options given as texts.

    Parameters
    ----------
    seed : of its random draws, if it has any and the options name none

    Raises
    ------
    OptionError
        If there is no such recipe, family or option, or a value is not allowed.
    """
    texts = dict(settings or {})
    for kind in (RECIPES, FAMILIES):
        if seed is not None and name in kind and hasattr(kind[name], "seed"):
            texts = {"seed": str(seed), **texts}
    if name in RECIPES:
        return RECIPES[name].parse(texts)
    if name in FAMILIES:
        return Treated(family=FAMILIES[name].parse(texts))
    raise OptionError(unknown("recipe or family", name, [*RECIPES, *FAMILIES]))
