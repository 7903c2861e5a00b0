"""Compare: every family on the same honest folds, for trials as they are or from a host machine to a target."""

from pages._compare import body, machines
from pages._ui.page import page
from pages._ui.state import choose_trials

with page("Compare", "Every kind of model on the same held-out trials: which is best, by how much, where it fails."):
    asked = choose_trials()
    if asked is not None:
        body.draw(asked)
        machines.draw(asked)
