"""What the views of the Models page that others lead to are called, and the ways to them."""

from functools import partial

from pages._ui.page import turn_to

SAVED_VIEW, COMPARE_VIEW = "Saved models", "Compare two"
PREDICT_VIEW, UPLOAD_VIEW = "Predict from a file", "Upload a model"
KEY, MODEL, SOURCE, FIRST, SECOND = "models_view", "model", "predict_with", "first_model", "second_model"

show_view = partial(turn_to, KEY)
"""Run the page again with a view, and models in its widgets."""


def choose_model(label: str) -> None:
    """Run the page again with this model in detail."""
    show_view(SAVED_VIEW, **{MODEL: label})
