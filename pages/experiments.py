"""Experiments: sweep any option over folds and seeds, watch it, see which setting is best, and open it."""

from pages._experiments import body
from pages._ui.page import page
from pages._ui.state import choose_trials

with page("Experiments", "Many settings of a recipe on the same folds: where is the held-out error smallest?"):
    asked = choose_trials()
    if asked is not None:
        body.draw(asked)
