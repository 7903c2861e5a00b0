"""Trials judged one by one: without a positive response, first runs that warm up, events counted too small a share."""

import re
from collections.abc import Iterator

import numpy as np

from core.codec import FloatArray
from core.curate.base import Judgement, Rule
from core.errors import count
from core.option import option
from core.trial import Measured

PREFIX = "counted share of "
"""Readers write the share of the time that an event was counted as a label of this name."""
_SHARE = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")


class Multiplexed(Rule):
    """Exclude trials with an event that was counted for less than a share of the run.

    A profiler with more events than counters takes turns and scales up what it saw; of a short
    share, that is a guess.
    """

    label = "Multiplexed events"
    of_response = False

    least: float = option(20.0, low=0.0, high=100.0, label="Least share (%)").says(
        "Trials with an event counted for a smaller share of the run are excluded; more excludes more"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude by the smallest share of any event."""
        there = self.counted(measured)
        low: dict[int, list[tuple[float, str]]] = {}
        notes = []
        for event, shares, unread in _events(measured):
            for i in np.flatnonzero(there & (shares < self.least)).tolist():
                low.setdefault(i, []).append((float(shares[i]), event))
            if unread:
                notes.append(f"the counted share of {event} is not a percentage: '{unread}'")
        found = {measured.ids[i]: self._words(sorted(low[i])) for i in sorted(low)}
        return Judgement(found, notes=tuple(notes))

    def _words(self, low: list[tuple[float, str]]) -> str:
        share, event = low[0]
        others = f", and {len(low) - 1} more such event{'s' if len(low) > 2 else ''}" if len(low) > 1 else ""
        return f"{event} was counted for {share:g} % of the run only (at least {self.least:g} %){others}"


def _events(measured: Measured) -> Iterator[tuple[str, FloatArray, str]]:
    """Yield each event with its shares in percent, NaN where there is none, and a text that is no share."""
    for label in sorted(measured.labels):
        if label.startswith(PREFIX):
            texts = measured.labels[label]
            read = {text: _share(text) for text in set(texts)}
            unread = sorted(text for text, value in read.items() if text.strip() and np.isnan(value))
            shares = np.array([read[text] for text in texts], dtype=np.float64)
            yield label.removeprefix(PREFIX), shares, unread[0] if unread else ""


def _share(text: str) -> float:
    found = _SHARE.fullmatch(text.strip())
    return float(found[1].replace(",", ".")) if found else float("nan")


class Zero(Rule):
    """Exclude trials whose response is not positive."""

    label = "Response not positive"

    missing: bool = option(True, label="Missing, too").says(
        "Exclude trials without a value of the response, too; a frame of this response leaves them out anyway"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude by value."""
        y = measured.column(response)
        absent = ~np.isfinite(y)
        out = self.counted(measured) & ((absent & self.missing) | (y <= 0))
        need = "logarithms and relative errors need a positive number"
        return Judgement(
            {
                measured.ids[i]: f"{response} is {'missing' if absent[i] else f'{y[i]:g}'}; {need}"
                for i in np.flatnonzero(out)
            }
        )


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
