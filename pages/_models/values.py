"""What the Models page computes and keeps: models read from their files, scores from their cards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import OptionError
from core.export import read_model
from core.pipeline import FittedPipeline
from core.report.scorecard import folds_in_words
from core.store import ModelCard
from pages._ui.database import store


@dataclass(frozen=True)
class KeptScores:
    """Scores on unseen trials as they were saved with a model; `folds` is "" if it was never tested."""

    folds: str
    scores: Mapping[str, Any]

    @property
    def folds_in_words(self) -> str:
        """What was held out, such as "one machine left out at a time"; "" if the model was never tested."""
        try:
            return folds_in_words(self.folds) if self.folds else ""
        except OptionError:
            return self.folds

    def value(self, name: str) -> float | None:
        """Return one score, None if there is none."""
        found = self.scores.get(name)
        return float(found) if isinstance(found, int | float) else None


def scores_of(card: ModelCard) -> KeptScores:
    """Return the scores of a saved model."""
    scores = card.scores.get("scores", {})
    return KeptScores(str(card.scores.get("folds", "")), scores if isinstance(scores, Mapping) else {})


def label_of(card: ModelCard) -> str:
    """Return a text that names one saved model and no other."""
    return f"{card.name} · {card.id[:6]}"


def saved_model(id: str) -> FittedPipeline:
    """Return a saved model; its id is a digest of its file."""
    return _saved_model(str(store().path), id)


@st.cache_resource(max_entries=16, ttl="1h", show_spinner=False)
def _saved_model(database: str, id: str) -> FittedPipeline:
    return read_model(store().model(id))
