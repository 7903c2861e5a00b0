"""What the outlier tests share: repeats of each configuration, judged by what lies among them."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.curate.base import BoolArray, Exclusion, Judgement, Rule, some
from core.grouped import Groups, group
from core.option import option
from core.scale import PLAIN_SCALES
from core.trial import Measured


@dataclass(frozen=True)
class Verdict:
    """What a test says of repeats.

    Attributes
    ----------
    outside : array of shape (n_values,), whether a value is outside
    still : array of shape (n_groups,), whether the group's width is 0, so that nothing can be said
    far : array of shape (n_values,), how far from its reference a value is, in units of the width
    """

    outside: BoolArray
    still: BoolArray
    far: FloatArray


@dataclass(frozen=True)
class OutlierRule(Rule):
    """A test of each value against the other repeats of its configuration, and of no other."""

    scale: str = option(
        "raw",
        choices=PLAIN_SCALES,
        help="Scale of the test: log treats twice and half as much alike, for times with a long upper tail",
    )
    min_repeats: int = option(
        5,
        low=3,
        high=1000,
        label="Fewest repeats",
        help="Configurations with fewer repeats are not judged; of few repeats, good ones are excluded by chance",
    )

    @abstractmethod
    def test(self, groups: Groups) -> Verdict:
        """Judge the values of groups, all of them of `min_repeats` repeats or more."""

    @abstractmethod
    def words(self, far: float) -> str:
        """Say how far a value is outside, such as "9.2 MAD from the median"."""

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude the values that the test finds outside."""
        y = measured.column(response)
        known = self.counted(measured) & np.isfinite(y)
        usable = known & (y > 0) if self.scale == "log" else known
        notes = [_say(int((known & ~usable).sum()), "trial", "no logarithm at or below 0")]
        rows, n_few = _enough(np.flatnonzero(usable), measured.configuration, self.min_repeats)
        notes.append(_say(n_few, "configuration", f"fewer than {self.min_repeats} repeats"))
        if not len(rows):
            return Judgement(notes=tuple(note for note in notes if note))
        groups = group(np.log(y[rows]) if self.scale == "log" else y[rows], measured.configuration[rows])
        verdict = self.test(groups)
        notes.append(_say(int(verdict.still.sum()), "configuration", "most of its repeats are alike"))
        found = self._exclusions(measured, response, rows, groups, verdict)
        return Judgement(found, notes=tuple(note for note in notes if note))

    def _exclusions(
        self, measured: Measured, response: str, rows: IntArray, groups: Groups, verdict: Verdict
    ) -> tuple[Exclusion, ...]:
        unit = next(f" {m.unit}" if m.unit else "" for m in measured.metrics if m.name == response)
        y, logs = measured.column(response)[rows], " in logarithms" if self.scale == "log" else ""
        middle = groups.with_values(y).median()[groups.of]
        return tuple(
            Exclusion(
                measured.ids[rows[i]],
                f"{response} {y[i]:.6g}{unit} is {self.words(float(verdict.far[i]))}{logs}; "
                f"the median of its {groups.size[groups.of[i]]} repeats is {middle[i]:.6g}{unit}",
            )
            for i in np.flatnonzero(verdict.outside)
        )


def _enough(rows: IntArray, configuration: IntArray, least: int) -> tuple[IntArray, int]:
    """Return the rows of configurations with `least` rows or more, and how many configurations have fewer."""
    _, of, size = np.unique(configuration[rows], return_inverse=True, return_counts=True)
    return rows[size[of] >= least], int((size < least).sum())


def _say(n: int, noun: str, what: str) -> str:
    """Return such as "3 configurations not judged: fewer than 5 repeats"; "" for none."""
    return f"{some(n, noun)} not judged: {what}" if n else ""
