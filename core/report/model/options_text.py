"""The options that a model was made with, as texts."""

from collections.abc import Mapping
from typing import Any

from core.models import FAMILIES
from core.option import specs
from core.recipes import RECIPES


def options_in_words(recipe: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a recipe, or of the family that is one, written as `--set` takes them.

    Parameters
    ----------
    recipe : its name; options of one that is not known are written too
    options : as a model file keeps them
    """
    family = options.get("family")
    own = family if isinstance(family, Mapping) else options
    known = {spec.name: spec for names in (RECIPES, FAMILIES) if recipe in names for spec in specs(names[recipe])}
    return {str(name): known[name].text(value) if name in known else _text(value) for name, value in own.items()}


def _text(value: object) -> str:
    return (", ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else str(value)
