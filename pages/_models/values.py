"""What the Models page computes and keeps: models read from their files, their scores, and their exports."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from core.export import EXPORTERS, read_model
from core.pipeline import FittedPipeline
from core.recipes import recipe_label
from core.report.model.card import tested_with
from core.report.shared.naming import columns_of
from core.scaling.model_file import read_scaling
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._ui.database import kept, store

_COVERED = "in 90 % interval (% of trials)"
SCORES = {"median error (%)": "median_ape", "MAPE (%)": "mape", "R²": "r2", _COVERED: "coverage_90"}
"""Titles of the columns that compare models, and the scores that they show."""


def folds_of(card: ModelCard) -> str:
    """Return the folds that a saved model was tested with; "" if it never was."""
    return str(card.scores.get("folds", ""))


def score_of(card: ModelCard, name: str) -> float | None:
    """Return a saved model's score on unseen trials, None if there is none."""
    scores = card.scores.get("scores")
    found = scores.get(name) if isinstance(scores, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def card_columns(cards: Sequence[ModelCard]) -> dict[str, list[Any]]:
    """Return what tables of saved models choose from: columns by their titles, a row per model."""
    return {
        **columns_of(cards, "name | version | response | dataset | trials: n_trials | note"),
        "recipe": [recipe_label(c.recipe) for c in cards],
        "saved": [f"{c.created:%Y-%m-%d %H:%M}" for c in cards],
        "tested with": [tested_with(folds_of(c)) for c in cards],
        **{title: [score_of(c, field) for c in cards] for title, field in SCORES.items()},
    }


def label_of(card: ModelCard) -> str:
    """Return a text that names one saved model and no other."""
    return f"{card.name} · v{card.version}"


def latest(cards: Sequence[ModelCard]) -> list[ModelCard]:
    """Return the last version of each model, in the same order."""
    last: dict[str, int] = {}
    for card in cards:
        last[card.name] = max(card.version, last.get(card.name, 0))
    return [card for card in cards if card.version == last[card.name]]


def counterpart(card: ModelCard, cards: Sequence[ModelCard]) -> ModelCard:
    """Return what a model is best compared with: another version, else one of its response, else any."""
    others = [c for c in cards if c.id != card.id]
    alike = [c for c in others if (c.response, c.dataset) == (card.response, card.dataset)]
    return ([c for c in others if c.name == card.name] or alike or others)[0]


def matching(cards: Sequence[ModelCard], text: str) -> list[ModelCard]:
    """Return the models in which every word of a text occurs, in the same order."""
    words = text.lower().split()
    return [card for card in cards if all(word in _searched(card) for word in words)]


def _searched(card: ModelCard) -> str:
    return "\n".join(
        (card.name, card.dataset, card.response, card.recipe, recipe_label(card.recipe), card.note)
    ).lower()


def _here(*of: str) -> Hashable:
    """Return the key of something made of a saved model: the file behind an id never changes."""
    return (str(store().path), *of)


@kept(_here, 16)
def saved_model(id: str) -> FittedPipeline:
    """Return a saved model."""
    return read_model(store().models.get(id))


@kept(_here, 4)
def saved_scaling(id: str) -> ScalingModel:
    """Return a saved scaling model."""
    return read_scaling(store().models.get(id))


@kept(_here, 256)
def why_not_exported(id: str, to: str) -> str:
    """Return why a form cannot say what a saved model says, "" if it can."""
    return EXPORTERS[to]().can_express(saved_model(id)) or ""


@kept(_here, 8, "Writing …")
def exported(id: str, to: str) -> bytes:
    """Return a saved model in another form."""
    return EXPORTERS[to]().write(saved_model(id))
