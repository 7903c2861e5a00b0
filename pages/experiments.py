"""Experiments: sweep any option over folds and seeds, watch it, see which setting is best, and open it."""

from pages._experiments import body
from pages._ui.page import page
from pages._ui.state import choose_dataset, choose_metrics, choose_repeats, choose_response, choose_where

with page(
    "Experiments",
    "Try many settings of a recipe on the same folds: where the error on unseen trials is smallest, and where the "
    "model only learns its own trials by heart. Each fit is kept, so nothing is ever done twice.",
):
    dataset = choose_dataset()
    if dataset is not None:
        response = choose_response(dataset)
        body.draw(dataset, response, choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset))
