"""Fitting on the Model page: at once where it is cheap, as a job that is watched where it is not."""

from core.recipes import Recipe
from core.trial import Frame
from pages._model.values import FITS, Fit, fit_key, fit_work, is_dear, timed_fit
from pages._ui import jobs

_PATIENCE_S = 1.0


def fit_or_wait(frame: Frame, recipe: Recipe) -> Fit | None:
    """Return the fitted model and the seconds a fit takes; None while a job fits it, whose progress is drawn."""
    if not is_dear(frame, recipe):
        return timed_fit(frame, recipe)
    key = fit_key(frame, recipe)
    found = FITS.get(key)
    if found is not None:
        return found
    job = jobs.submit("fit", f"Fitting {recipe.name} to {len(frame):,} trials", fit_work(frame, recipe), key)
    job.wait(_PATIENCE_S)
    if not jobs.watch(job, key):
        return None
    jobs.forget(key)
    return FITS.put(key, job.result)
