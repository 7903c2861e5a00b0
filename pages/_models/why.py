"""Why the model says what it says of one row: a waterfall from the average trial to it."""

from core.codec import FloatArray
from core.pipeline import FittedPipeline
from core.report.figures.effects import waterfall
from core.report.model.why import why
from pages._ui.choices import toggle
from pages._ui.pictures import show
from pages._ui.work import computed, key_of


def draw_why(model: FittedPipeline, row: FloatArray, key: str) -> None:
    """Draw what each metric adds to the prediction of a row, once somebody asks.

    Parameters
    ----------
    key : what the model is known by
    """
    help = "Shapley values of the metrics, from the average of training trials to this row."
    if not toggle("Why this prediction", "by_hand_why", help):
        return
    found = computed("why", "Taking the prediction apart", key_of(key, row.tobytes()), lambda _: why(model, row))
    if found is not None:
        show(waterfall(found), "why_waterfall")
