"""Models: what was kept, what two of them have in common, predictions from them, and files of models from elsewhere."""

from pages._models.view import KEY
from pages._ui.database import store
from pages._ui.page import draw_open, page, views_of

with page(
    "Models", "Models that you saved: look at them, compare them, take them away, or predict the rows of a file."
):
    draw_open(views_of("models"), KEY, store().models.all())
