"""Design space: describe it, plan what to measure, ask what any design would do, find the best ones."""

from pages._design_space import body
from pages._ui.page import page
from pages._ui.state import choose_dataset

with page(
    "Design space", "What any of very many designs would do, from a few that were measured: move a slider and see it."
):
    body.draw(choose_dataset())
