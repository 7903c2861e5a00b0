"""Compare: every family on the same honest folds, for trials as they are or from a host machine to a target."""

from pages._compare import body
from pages._ui.page import page
from pages._ui.state import choose_dataset, choose_metrics, choose_repeats, choose_response, choose_where

with page(
    "Compare",
    "Let every kind of model predict what it has not seen, and see which is best, by how much, and where each fails. "
    "With a host and a target machine, what was counted on the one predicts the other.",
):
    dataset = choose_dataset()
    if dataset is not None:
        response = choose_response(dataset)
        body.draw(dataset, response, choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset))
