"""Learning curves as people compare them: per application, beside another model, and over which sizes."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, fields_of, finite
from core.errors import OptionError, count
from core.report.shared.naming import row_of
from core.trial import Frame
from core.validate.learning_curve import LearningCurve

AVERAGE = "average"
_ERRORS = (
    "configurations: sizes | mean error (%): mean | 75 % within (%): p75 | 98 % within (%): p98 | "
    "largest (%): largest | refused"
)


class Learning(Frozen):
    """Learning curves of the same sizes, side by side.

    Attributes
    ----------
    recipe : what was learnt with
    curves : by application (or "all" where there is one curve)
    beside : what another model did on the same draws, by the same names; empty if there is none
    beside_name : what that other model is called
    """

    recipe: str
    curves: Mapping[str, LearningCurve]
    beside: Mapping[str, LearningCurve]
    beside_name: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Configurations learnt from."""
        return next(iter(self.curves.values())).sizes

    @property
    def average(self) -> FloatArray:
        """Mean over the applications of their mean errors, array of shape (n_sizes,)."""
        return _average(self.curves)

    @property
    def beside_average(self) -> FloatArray:
        """The same of the other model."""
        return _average(self.beside)

    def enough(self, name: str, error: float) -> int | None:
        """Return the smallest size from which on the mean error stays within `error` percent, if there is one."""
        good = self.curves[name].mean <= error
        from_here = np.logical_and.accumulate(good[::-1])[::-1]
        return int(np.array(self.sizes)[from_here][0]) if from_here.any() else None

    def table(self) -> pd.DataFrame:
        """Return a row per application and size: mean, 75th and 98th percentile and largest error in percent."""
        tables = []
        for name, curve in self.curves.items():
            beside = {f"{self.beside_name}: mean error (%)": self.beside[name].mean} if name in self.beside else {}
            tables.append(pd.DataFrame({"application": name, **row_of(curve, _ERRORS), **beside}))
        return pd.concat(tables, ignore_index=True)

    def last(self) -> pd.DataFrame:
        """Return a row per application at the largest size, the worst first."""
        table = self.table()
        found = table[table["configurations"] == max(self.sizes)].drop(columns="configurations")
        return found.sort_values("mean error (%)", ascending=False, kind="stable").reset_index(drop=True)

    def sentence(self) -> str:
        """Say how good the model gets, and whether the other one is better."""
        at = int(np.argmax(self.sizes))
        asked = count(next(iter(self.curves.values())).n_test, "unseen one")
        said = f"Learnt from {max(self.sizes)} designs, {self.recipe} predicts {asked}"
        said += f" with a mean error of {self.average[at]:.2f} %"
        said += f" on average over {len(self.curves)} applications" if len(self.curves) > 1 else ""
        if self.beside:
            said += f"; {self.beside_name} with {self.beside_average[at]:.2f} %"
        return f"{said}."

    def plain(self) -> dict[str, Any]:
        """Return the curves for JSON, errors in percent."""
        found = {"sizes": list(self.sizes), **_plain(self.curves)}
        if self.beside:
            found["beside"] = {"name": self.beside_name, **_plain(self.beside)}
        return dict(finite(found))


def _average(curves: Mapping[str, LearningCurve]) -> FloatArray:
    return np.asarray(np.mean([curve.mean for curve in curves.values()], axis=0))


def _plain(curves: Mapping[str, LearningCurve]) -> dict[str, Any]:
    told = {name: fields_of(one, "mean p75 p98 max=largest refused by_repeat") for name, one in curves.items()}
    return {"curves": told, "average": _average(curves).tolist()}


_PAPER_LARGEST, _PAPER_TEST, _STEPS = 300, 200, 10
_LEAST = 3
_FEWEST = 6
"""Fewer designs are hardly worth learning from."""


class LearningSizes(Frozen):
    """The largest number to learn from, the step up to it, how many unseen ones are predicted, and how many there are.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 7.3: 30 to 300 in steps of 30, and 200 unseen.
    """

    largest: int
    step: int
    n_test: int
    n_designs: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers to learn from, ascending; the largest is always among them."""
        return tuple(sorted({*range(self.step, self.largest, self.step), self.largest}))


def suggested_sizes(frame: Frame, least: int = _LEAST) -> LearningSizes:
    """Return the paper's sizes, or smaller ones where fewer designs were measured.

    Parameters
    ----------
    least : trials that a model can be fitted to

    Raises
    ------
    OptionError
        If next to nothing was measured.
    """
    n = len(np.unique(frame.configuration))
    first = math.ceil(least * n / len(frame))
    if n <= first:
        raise OptionError(f"A learning curve needs at least {first + 1} measured designs, got {n}. Measure more.")
    n_test = min(_PAPER_TEST, max(1, n // 3), n - first)
    largest = min(_PAPER_LARGEST, n - n_test)
    return LearningSizes(largest, max(largest // _STEPS, min(_FEWEST, largest)), n_test, n)
