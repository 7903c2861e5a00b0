"""Held-out predictions of one setting, a panel per application or machine left out (Eiger, figures 5 and 6)."""

from collections.abc import Mapping

import numpy as np

from core.experiment.grid import Fit, Grid
from core.experiment.result import Result
from core.experiment.trials import TrialsSubject
from core.report.experiment.results import Point
from core.report.shared.outcome import Outcome, Said, measured_outcome
from core.scale import choose_scale

MOST_PANELS = 60


def panels(grid: Grid, results: Mapping[str, Result], point: Point) -> dict[str, Outcome]:
    """Return the held-out predictions of a point by what was left out; empty where none were kept.

    Of several seeds the first is shown.
    """
    found: dict[str, Outcome] = {}
    for fit in grid.fits:
        if not _is_of(grid, fit, point) or fit.split.name in found:
            continue
        result = results.get(fit.key)
        if result is not None and result.predicted is not None:
            found[fit.split.name] = _outcome(grid, fit, result)
    return found


def _is_of(grid: Grid, fit: Fit, point: Point) -> bool:
    same = grid.settings[fit.setting] is point.setting and fit.split.folds == point.folds
    return same and grid.subjects[fit.subject].name == point.subject


def _outcome(grid: Grid, fit: Fit, result: Result) -> Outcome:
    subject = grid.subjects[fit.subject]
    assert isinstance(subject, TrialsSubject)
    assert result.predicted is not None
    assert result.held is not None
    frame = subject.frame
    _, rows = subject.sides(fit.split)
    nothing, log = np.full(len(rows), np.nan), choose_scale("auto", frame.y).log
    said, residuals = Said(result.predicted, nothing, nothing), frame.y[rows] - result.predicted
    return measured_outcome(frame, rows, fit.split.folds, log, said, residuals, result.held)
