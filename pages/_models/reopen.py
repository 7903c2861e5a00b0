"""A saved model back on the Model page: its data, response, metrics and options as they were."""

from typing import Any

from core.errors import OptionError, RidgelineError
from core.models import FAMILIES
from core.option import Options
from core.pipeline import FittedPipeline
from core.recipes import RECIPES
from core.store import ModelCard
from pages._models.values import scores_of
from pages._ui.cached import frame
from pages._ui.choices import DATASET, METRICS, RESPONSE, WHERE
from pages._ui.forms import url_options, widget_values
from pages._ui.links import open_page


def open_in_model_page(card: ModelCard, model: FittedPipeline) -> None:
    """Go to the Model page with this model's choices in its widgets and in its URL."""
    cls = options_class(card.recipe)
    metrics = [] if _is_default_choice(card, model) else list(model.names)
    options = card.options.get("family", card.options)
    widgets: dict[str, Any] = {"recipe": card.recipe, **widget_values(cls, card.recipe, options)}
    url: dict[str, str | list[str]] = {
        DATASET: card.dataset,
        RESPONSE: card.response,
        METRICS: metrics,
        WHERE: [],
        "recipe": card.recipe,
        **url_options(cls, card.recipe, options),
    }
    if folds := scores_of(card).folds:
        widgets["folds"] = url["folds"] = folds
    open_page("pages/model.py", widgets, url)


def _is_default_choice(card: ModelCard, model: FittedPipeline) -> bool:
    try:
        return set(model.names) == set(frame(card.dataset, card.response).names)
    except RidgelineError:
        return False


def options_class(recipe: str) -> type[Options]:
    """Return the options of a recipe, or of a model family that is a recipe of its own."""
    if recipe not in RECIPES and recipe not in FAMILIES:
        raise OptionError(f"A '{recipe}' is made of several models, by the race on the Compare page: open it there.")
    return RECIPES[recipe] if recipe in RECIPES else FAMILIES[recipe]
