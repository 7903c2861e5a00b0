"""Warm-up: the first repeats of each configuration do not count."""

import numpy as np

from core.curate.base import Judgement, Rule
from core.errors import count
from core.option import option
from core.trial import Measured


class Warmup(Rule):
    """Exclude the first runs of each configuration, where enough others remain.

    First means first measured: another rule that excludes the first run does not make the second
    one a warm-up.

    References
    ----------
    O'Neal et al. 2017, HALWPE, section 5 and figure 5: the first of 100 executions is an extreme
    outlier, so a frame is executed before the profiled ones.
    """

    label = "Warm-up runs"
    of_response = False

    runs: int = option(1, low=1, high=1000, help="How many of the first repeats of each configuration are left out")
    keep: int = option(2, low=1, high=1000, label="Keep at least").says(
        "Configurations that would keep fewer repeats than this are left as they are"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude by run number."""
        there = self.counted(measured)
        early = there & (measured.run <= self.runs)
        _, of = np.unique(measured.configuration, return_inverse=True)
        later = np.bincount(of, weights=there & ~early)
        short = np.bincount(of, weights=early).astype(bool) & (later < self.keep)
        out = np.flatnonzero(early & ~short[of])
        found = {measured.ids[i]: self._words(int(measured.run[i])) for i in out}
        n = int(short.sum())
        left = f"{count(n, 'configuration')} left whole, because fewer than {self.keep} later runs would remain"
        return Judgement(found, notes=(left,) if n else ())

    def _words(self, run: int) -> str:
        first = f"first {self.runs} are" if self.runs > 1 else "first is"
        return f"run {run} of its configuration, of which the {first} warm-up"
