"""What a check asks, and what it finds: configurations, groups of them, alarms."""

import math
from dataclasses import dataclass

from core.errors import OptionError
from core.trial import Metric

HIGHER, LOWER, BOTH = WORSE = ("higher", "lower", "both")


@dataclass(frozen=True)
class Question:
    """What is asked of new measurements.

    Attributes
    ----------
    columns : that tell configurations apart; what holds text, and parameters, if empty
    by : columns that name what an alarm is about; what runs, if empty
    run : column whose repeats are one measurement, "" for none
    worse : which change is a regression: "higher", "lower" or "both"
    least : change in percent, beside a baseline, up to which there is no alarm
    level : share of false alarms among all alarms
    """

    columns: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    run: str = ""
    worse: str = HIGHER
    least: float = 2.0
    level: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise OptionError(f"--level is a share between 0 and 1, got {self.level:g}.")
        if not 0 <= self.least < math.inf:
            raise OptionError(f"--least is a change in percent from 0 on, got {self.least:g}.")

    @property
    def signs(self) -> tuple[int, ...]:
        """1 where more is worse, -1 where less is."""
        return {HIGHER: (1,), LOWER: (-1,), BOTH: (1, -1)}[self.worse]


@dataclass(frozen=True)
class One:
    """A configuration that was judged.

    Attributes
    ----------
    n : measurements in the new file
    value : their median, in the response's unit
    low, high : where that was expected, NaN where it is not known
    change : in percent of what was expected
    p : of being no worse
    """

    name: str
    n: int
    value: float
    low: float
    high: float
    change: float
    p: float


@dataclass(frozen=True)
class Group:
    """Configurations that are judged together.

    Attributes
    ----------
    p, adjusted : of being no worse; with false alarms among all groups controlled
    change : median over its configurations, in percent of what was expected
    low, high : 90 % interval of the change beside a baseline, of an alarm; else NaN
    explained : median change that the model's counters explain, in percent; NaN without a baseline
    alarm : whether it is worse, and what to say of it
    """

    name: str
    p: float
    adjusted: float
    change: float
    low: float
    high: float
    explained: float
    configurations: tuple[One, ...]
    alarm: bool = False
    sentence: str = ""


@dataclass(frozen=True)
class Check:
    """What was found.

    Attributes
    ----------
    paired : whether against a baseline, or the model alone
    groups : the most alarming first
    left_out : configurations that could not be judged, and why
    n_held_out : held-out trials that p-values come from, of the model alone
    notes : what to know of this check
    """

    response: Metric
    paired: bool
    question: Question
    by: tuple[str, ...]
    groups: tuple[Group, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    n_held_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[Group, ...]:
        """The groups that are worse."""
        return tuple(g for g in self.groups if g.alarm)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        n = sum(len(g.configurations) for g in self.groups)
        of = f"{len(self.groups)} groups ({n} configurations)"
        if not self.alarms:
            return f"No alarm: none of {of} is worse than expected."
        return f"{len(self.alarms)} of {of} worse than expected: {', '.join(g.name for g in self.alarms)}."

    @property
    def method(self) -> str:
        """How it was judged, in a sentence or two."""
        q = self.question
        chance = f"At most {100 * q.level:g} % of alarms are false on average (Benjamini and Hochberg)."
        if self.paired:
            return (
                "Judged against the baseline: ranks of old and new measurements within each configuration (van "
                f"Elteren), as measured and less what the model's counters explain; changes up to {q.least:g} % never "
                f"alarm. {chance}"
            )
        return (
            f"Judged by the model alone: distances from its predictions, in half widths of its 90 % intervals, beside "
            f"those of {self.n_held_out} held-out trials (conformal p-values; Simes within a group). {chance}"
        )
