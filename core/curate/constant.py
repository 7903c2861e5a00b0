"""Constant metrics: what does not vary explains nothing, and is hidden."""

import numpy as np

from core.codec import FloatArray
from core.curate.base import Judgement, Rule
from core.errors import count
from core.option import option
from core.trial import Measured


class Constant(Rule):
    """Hide metrics with one value in all trials, or nearly so; looks at no response."""

    label = "Constant metrics"
    of_response = False

    share: float = option(1.0, low=0.5, high=1.0, label="Share of the most frequent value").says(
        "A metric is hidden if at least this share of its values are the same; 1 hides constant metrics only"
    )
    near: float = option(1e-9, low=0.0, high=1.0, label="Relative spread").says(
        "A metric whose values differ by no more than this share of the largest is constant but for rounding"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Hide by the values of the trials that count."""
        there = self.counted(measured)
        if there.sum() < 2:
            return Judgement(notes=("fewer than two trials count, so that no metric can be seen to vary",))
        columns = zip(measured.metrics, measured.values[there].T, strict=True)
        return Judgement(hidden={m.name: why for m, x in columns if not m.kind.outcome and (why := self._why(x))})

    def _why(self, column: FloatArray) -> str:
        """Return why a column of values is as good as constant; "" if it is not."""
        x = column[~np.isnan(column)]
        if not len(x):
            return "has no value in any trial that counts"
        missing = f"; {count(len(column) - len(x), 'trial')} without it" if len(x) < len(column) else ""
        low, high = float(x.min()), float(x.max())
        if low == high:
            return f"is {low:g} in all {len(x):,} trials that have it{missing}"
        if high - low <= self.near * max(abs(low), abs(high)):
            return f"is {high:g} in all {len(x):,} trials that have it, but for rounding{missing}"
        return self._frequent(x, missing) if self.share < 1 else ""

    def _frequent(self, x: FloatArray, missing: str) -> str:
        found, n = np.unique(x, return_counts=True)
        most = int(n.argmax())
        if n[most] < self.share * len(x):
            return ""
        return f"is {found[most]:g} in {n[most]:,} of the {len(x):,} trials that have it{missing}"
