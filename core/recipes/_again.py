"""The recipe that a trained model was made by, so that it can be learnt again from other trials."""

from typing import Any

from core.blend import BlendModel
from core.codec import from_plain
from core.errors import ModelFileError, OptionError
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import RECIPES
from core.recipes._treated import Treated
from core.recipes.base import Recipe
from core.recipes.eiger import FORMER


def recipe_again(model: FittedPipeline) -> Recipe:
    """Return the recipe of a model, with its options.

    Raises
    ------
    OptionError
        If it was made by none of the recipes and families here, or by options that are no more.
    """
    name, options = model.provenance.recipe, dict(model.provenance.options)
    if name == "eiger":
        options.setdefault("variant", FORMER)  # files of before there were variants
    if name not in RECIPES and any(isinstance(cluster.model, BlendModel) for cluster in model.clusters):
        raise OptionError("A blend of several models cannot be learnt anew from a few runs. Take one of its members.")
    try:
        if name in RECIPES:
            return from_plain(RECIPES[name], options)
        if name in FAMILIES:
            own: dict[str, Any] = options.pop("family", {})
            family = from_plain(FAMILIES[name], own)
            known = {"response_scale": model.scale.name, "extrapolation": model.extrapolation}
            return Treated(family=family, **{**known, **options})
    except (ModelFileError, ValueError, TypeError) as error:
        raise OptionError(f"The options of the model's recipe '{name}' are not those of today: {error}.") from None
    raise OptionError(f"The model was made by '{name}', which is none of the recipes and families here.")
