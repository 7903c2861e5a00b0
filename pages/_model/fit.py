"""Fitting on the Model page: at once where it is cheap, as a job that is watched where it is not."""

from core.recipes import Recipe
from core.trial import Frame
from pages._model.values import FITS, Fit, fit_key, fit_work, is_dear, timed_fit
from pages._ui.work import computed

_PATIENCE_S = 1.0


def fit_or_wait(frame: Frame, recipe: Recipe) -> Fit | None:
    """Return the fitted model and the seconds a fit takes; None while a job fits it, whose progress is drawn."""
    if not is_dear(frame, recipe):
        return timed_fit(frame, recipe)
    title = f"Fitting {recipe.name} to {len(frame):,} trials"
    return computed("fit", title, fit_key(frame, recipe), fit_work(frame, recipe), _PATIENCE_S, FITS)
