"""Tukey's fences: repeats too many interquartile ranges outside the quartiles do not count."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.curate._outliers import OutlierRule, Verdict
from core.grouped import Groups
from core.option import option


@dataclass(frozen=True)
class Iqr(OutlierRule):
    """Exclude y below Q1 - k · IQR or above Q3 + k · IQR, within its configuration.

    Quartiles are R's type 7, as `quantile()` gives them. Where the quartiles are alike nothing is
    excluded.

    References
    ----------
    Tukey 1977, Exploratory Data Analysis, section 2C: inner fences at k = 1.5, outer at k = 3.
    """

    label: ClassVar[str] = "Interquartile range"

    k: float = option(
        1.5,
        low=0.0,
        high=1e6,
        label="Fences (IQR)",
        help="How many interquartile ranges outside the quartiles a repeat may be; 3 is Tukey's outer fence",
    )

    def test(self, groups: Groups) -> Verdict:
        """Compare values with the fences of their group."""
        low, high = groups.quantile(0.25), groups.quantile(0.75)
        iqr = high - low
        width, y = iqr[groups.of], groups.values
        outside = (y < (low - self.k * iqr)[groups.of]) | (y > (high + self.k * iqr)[groups.of])
        beyond = np.maximum(low[groups.of] - y, y - high[groups.of])
        far = np.divide(beyond, width, out=np.zeros(len(y)), where=width > 0)
        return Verdict(outside & (width > 0), iqr == 0, far)

    def words(self, far: float) -> str:
        """Say how far a value is outside."""
        return f"{far:.3g} interquartile ranges outside the quartiles (at most {self.k:g})"
