"""A saved model back on the Model page: its data, response, metrics and options as they were."""

from core.errors import RidgelineError
from core.pipeline import FittedPipeline
from core.store.cards import ModelCard
from pages._models.values import scores_of
from pages._ui.cached import frame
from pages._ui.choices import DATASET, METRICS, RESPONSE, WHERE
from pages._ui.links import open_model_page


def open_in_model_page(card: ModelCard, model: FittedPipeline) -> None:
    """Go to the Model page with this model's choices in its widgets and in its URL."""
    metrics = [] if _is_default_choice(card, model) else list(model.names)
    trials: dict[str, str | list[str]] = {DATASET: card.dataset, RESPONSE: card.response, METRICS: metrics, WHERE: []}
    options = {**card.options, **card.options.get("family", {})}
    open_model_page(trials, card.recipe, options, scores_of(card).folds)


def _is_default_choice(card: ModelCard, model: FittedPipeline) -> bool:
    try:
        return set(model.names) == set(frame(card.dataset, card.response).names)
    except RidgelineError:
        return False
