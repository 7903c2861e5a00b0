"""Multiplexing: trials of which an event was counted too small a share of the time do not count."""

import re
from collections.abc import Iterator

import numpy as np

from core.codec import FloatArray
from core.curate.base import Judgement, Rule
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
