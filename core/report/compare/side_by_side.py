"""Models of a race side by side: each one's error on every held-out workload, what stands out, options and scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.race.chosen import workload_names
from core.report.compare.race_table import COMBINED, Line, behind
from core.report.shared.scorecard import percent
from core.trial import Frame
from core.validate.scores import Paired
from core.validate.scores import errors as absolute_errors

_GOOD, _LEAST = 20.0, 1.0
"""Percent that a good prediction is off by, and below which errors count as the same."""


@dataclass(frozen=True)
class SideBySide:
    """Models on the same held-out workloads, of which the hardest comes first.

    Attributes
    ----------
    lines : the models; all others are compared to the first
    workloads : their names
    errors : array of shape (n_models, n_workloads), absolute, in `unit`; NaN where there is no prediction
    behind : per model how far its error is above the first one's; None where that cannot be told
    unit : of errors: "%", or the response's own where some of its values are not positive
    """

    lines: tuple[Line, ...]
    workloads: tuple[str, ...]
    errors: FloatArray
    behind: tuple[Paired | None, ...]
    unit: str = "%"

    def standing_out(self) -> str:
        """Say how many workloads every model predicts well, which none does, and where the models differ most."""
        worst, best = self.errors.max(axis=0), self.errors.min(axis=0)
        good = int((worst <= _GOOD).sum())
        said = (
            [f"Every model is within {_GOOD:.0f} % on {good:,} of {len(worst):,} workloads"] if self.unit == "%" else []
        )
        if np.isfinite(best).any():
            hard = int(np.nanargmax(best))
            said.append(f"the hardest is {self.workloads[hard]}, off by {self._told(best[hard])} at best")
        apart = np.maximum(worst, _LEAST) / np.maximum(best, _LEAST)
        if len(self.lines) > 1 and np.isfinite(apart).any():
            at = int(np.nanargmax(apart))
            near, far = (int(i) for i in self.errors[:, at].argsort()[[0, -1]])
            ends = [f"{self._told(self.errors[i, at])} under {self.lines[i].label}" for i in (near, far)]
            said.append(f"the models differ most on {self.workloads[at]}, off by {' and '.join(ends)}")
        text = "; ".join(said)
        return f"{text[:1].upper()}{text[1:]}."

    def _told(self, error: float) -> str:
        return percent(error) if self.unit == "%" else f"{error:.3g} {self.unit}".strip()

    def table(self) -> pd.DataFrame:
        """Return a row per workload with each model's error, the hardest first."""
        columns = {f"{line.label} ({self.unit})": self.errors[i] for i, line in enumerate(self.lines)}
        return pd.DataFrame({"workload": self.workloads, **columns})

    def differences(self) -> pd.DataFrame:
        """Return a row per further model: its error less the first one's, with the ends of its 95 % interval."""
        known = [(line.label, p) for line, p in zip(self.lines, self.behind, strict=True) if p is not None]
        names = ("difference", "low", "high", "p")
        return pd.DataFrame({"model": [m for m, _ in known], **{n: [getattr(p, n) for _, p in known] for n in names}})


def side_by_side(frame: Frame, lines: Sequence[Line]) -> SideBySide:
    """Return models side by side, workloads in the order of the models' median error.

    Parameters
    ----------
    lines : of what could be run, on the same folds, at least one
    """
    validations = [line.validation for line in lines if line.validation is not None]
    rows = np.flatnonzero(validations[0].fold_of_row >= 0)
    found = np.array([absolute_errors(frame.y, one.predicted)[rows] for one in validations])
    known = np.where(np.isfinite(found), found, np.inf)
    order = np.argsort(-np.median(known, axis=0), kind="stable")
    told = tuple(behind(frame, line, lines[0]) for line in lines)
    unit = "%" if frame.y.min() > 0 else frame.response.unit
    return SideBySide(tuple(lines), workload_names(frame, rows[order]), found[:, order], told, unit)


OPTIONS_AND_SCORES: MappingProxyType[str, Callable[[Line], float | str | None]] = MappingProxyType(
    {
        "kind": lambda line: line.kind,
        "scale": lambda line: "several" if line.kind == COMBINED else line.treatment.split(",")[0].replace("_", " "),
        "features": lambda line: line.n_chosen,
        "training (s)": lambda line: line.fit_seconds,
        "MAPE (%)": lambda line: line.mape,
        "median error (%)": lambda line: None if line.scores is None else line.scores.median_ape,
        "worst fold (%)": lambda line: float(np.nanmax(line.folds)) if np.isfinite(line.folds).any() else None,
        "within 20 % (%)": lambda line: None if line.scores is None else line.scores.inliers_20,
    }
)
"""What is told of each model on an axis of its own."""


def options_table(lines: Sequence[Line]) -> pd.DataFrame:
    """Return a row per model with its options and scores."""
    columns = {title: [value(line) for line in lines] for title, value in OPTIONS_AND_SCORES.items()}
    return pd.DataFrame({"model": [line.label for line in lines], **columns})
