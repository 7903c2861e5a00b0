"""The contract of a curation rule: it sees all trials and says which do not count, and why."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen
from core.option import Options, specs
from core.trial import Measured, Metric


class Derived(Frozen):
    """A metric computed from others.

    Attributes
    ----------
    values : array of shape (n_trials,), one per trial judged, NaN where it cannot be computed
    """

    metric: Metric
    values: FloatArray


class Judgement(Frozen):
    """What a rule says of a dataset.

    Attributes
    ----------
    excluded : why a trial does not count, by its id
    hidden : why a metric is not among the default metrics of a frame, by its name; it can still be chosen
    flagged : why to look at a metric before it is used, by its name; that changes nothing
    notes : what could not be judged
    """

    excluded: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)
    flagged: Mapping[str, str] = field(default_factory=dict)
    derived: tuple[Derived, ...] = ()
    notes: tuple[str, ...] = ()

    def made(self, ids: Sequence[str]) -> list[tuple[Metric, dict[str, float]]]:
        """Return the derived metrics with their values by trial id, as the store takes them."""
        return [
            (d.metric, {ids[i]: float(d.values[i]) for i in np.flatnonzero(np.isfinite(d.values)).tolist()})
            for d in self.derived
        ]


class Rule(Options, ABC):
    """Options of a rule, and how it judges.

    A rule answers alike whatever the order of the rows; what it said before, and what it is
    about to replace, does not influence it.
    """

    of_response: ClassVar[bool] = True
    """Whether the rule looks at a response at all."""

    @property
    def name(self) -> str:
        """What the rule is called on the command line and in the audit trail."""
        from core.curate import RULES  # late, as that looks for what fulfils this contract

        return RULES.name_of(type(self))

    @abstractmethod
    def judge(self, measured: Measured, response: str) -> Judgement:
        """Judge the trials that no other rule excludes.

        Parameters
        ----------
        response : name of the metric that the trials are measured for; "" will do for a rule
            that does not look at it

        Raises
        ------
        FitError, OptionError
            If there is no such response, or an option does not fit the metrics.
        """

    def said(self, response: str) -> str:
        """Return the options, and the response judged by, as the audit trail says them."""
        texts = [f"{spec.name}={_text(getattr(self, spec.name))}" for spec in specs(type(self))]
        return " ".join([*texts, *([f"of {response}"] if self.of_response else [])])

    def counted(self, measured: Measured) -> BoolArray:
        """Return which trials no other rule excludes, array of shape (n_trials,)."""
        return counted(measured, without=self.name)


def counted(measured: Measured, without: str = "") -> BoolArray:
    """Return which trials count, were the rule `without` not in force."""
    out: set[str] = set().union(*(ids for rule, ids in measured.excluded.items() if rule != without))
    return np.fromiter((i not in out for i in measured.ids), dtype=np.bool_, count=len(measured))


def _text(value: Any) -> str:
    """Return an option as `--set` takes it."""
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)
