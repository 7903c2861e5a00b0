"""How many models were saved of each recipe."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from core.store.cards import ModelCard
from pages._ui.drawn import count, literal

TITLE, PLACE = "Recipes", 5


def draw(cards: Sequence[ModelCard]) -> None:
    """Draw a number for each recipe."""
    for recipe, n in Counter(card.recipe for card in cards).items():
        st.metric(literal(recipe), count(n, "model"))
