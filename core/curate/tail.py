"""The simulation tail: a response in which time counts by the share of cores still at work."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from core.codec import FloatArray
from core.curate.base import Derived, Judgement, Rule
from core.errors import OptionError, count, first_few
from core.option import option
from core.trial import Kind, Measured, Metric

SUFFIX = " without tail"
_SLACK = 1e-6
_NAMED = 12


class Tail(Rule):
    """Derive the response without its tail, from the busy time of every core.

    Core i of n works from the start until its busy time bᵢ has passed; in ascending order,
    between b₍ᵢ₋₁₎ and b₍ᵢ₎ just n - i + 1 cores are at work. Time weighted by their share is

        Σᵢ (b₍ᵢ₎ - b₍ᵢ₋₁₎) · (n - i + 1) / n  =  Σᵢ b₍ᵢ₎ / n,

    the mean busy time; while all cores are at work its weight is 1. A response T above the
    longest busy time holds time in which no core is in its tail (a launch, a copy), which keeps
    its full weight:  T - max b + mean b.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 7.2: "we weight the tail time by the number of
    cores that the tail work actually employs".
    """

    label = "Simulation tail"

    pattern: str = option("core{n}_busy", label="Metrics of busy time").says(
        "Names of the metrics that hold the cores' busy time, {n} standing for the core's number, * for any text; "
        "in the unit of the response"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Derive the response; exclude nothing."""
        answer = next((m for m in measured.metrics if m.name == response), None)
        T = measured.column(response)
        metrics = self._cores(measured, response)
        self._check_units(metrics, answer)
        value, beyond = without_tail(T, np.column_stack([measured.column(m.name) for m in metrics]))
        metric = Metric(response + SUFFIX, Kind.RESPONSE, answer.unit if answer else "")
        notes = [f"busy times of {len(metrics)} cores: {metrics[0].name} to {metrics[-1].name}"]
        n_none = int((np.isfinite(T) & ~np.isfinite(value)).sum())
        if beyond:
            notes.append(f"{count(beyond, 'trial')} with a core busy for longer than {response}: no value")
        if n_none > beyond:
            notes.append(f"{count(n_none - beyond, 'trial')} with busy times of fewer than two cores: no value")
        return Judgement(derived=(Derived(metric, value),), notes=tuple(notes))

    def _cores(self, measured: Measured, response: str) -> list[Metric]:
        parts = re.split(r"(\{n\}|\*+)", self.pattern)
        found = [m for m in measured.metrics if m.name != response and _fits(m.name, parts)]
        if len(found) < 2:
            names = [m.name for m in measured.metrics if m.name != response]
            raise OptionError(
                f"The pattern '{self.pattern}' finds {len(found)} metrics, and the tail needs the busy time of two "
                f"cores or more. Set pattern to what they are called; there are: {first_few(names, _NAMED) or 'none'}."
            )
        return sorted(found, key=lambda m: [int(t) if t.isdecimal() else 0 for t in re.split(r"(\d+)", m.name)])

    def _check_units(self, metrics: list[Metric], answer: Metric | None) -> None:
        for m in metrics:
            if answer is not None and m.unit and answer.unit and m.unit != answer.unit:
                raise OptionError(
                    f"The busy time '{m.name}' is in {m.unit} and the response '{answer.name}' in {answer.unit}. "
                    "The tail needs both in one unit."
                )


def _fits(name: str, parts: Sequence[str]) -> bool:
    """Return whether a name is a pattern's parts in turn; all places that a part can end at are followed at once."""
    ends = {0}
    for part in parts:
        if part == "{n}":
            ends = {end for start in ends for end in _after_digits(name, start)}
        elif part.startswith("*"):
            ends = set(range(min(ends), len(name) + 1))
        else:
            ends = {start + len(part) for start in ends if name.startswith(part, start)}
        if not ends:
            return False
    return len(name) in ends


def _after_digits(name: str, start: int) -> Iterator[int]:
    """Yield the places after one digit, two digits and so on from a place."""
    while start < len(name) and name[start].isdecimal():
        start += 1
        yield start


def without_tail(T: FloatArray, busy: FloatArray) -> tuple[FloatArray, int]:
    """Return T - max b + mean b, and how many trials have a core busy for longer than T.

    Parameters
    ----------
    T : array of shape (n_trials,), NaN where missing
    busy : array of shape (n_trials, n_cores), NaN where a machine has no such core

    Returns
    -------
    array of shape (n_trials,), NaN where T is missing, a core is busy for longer than T, or fewer
    than two cores have a busy time
    """
    n = np.isfinite(busy).sum(axis=1)
    longest = np.fmax.reduce(busy, axis=1)
    known = (n > 1) & np.isfinite(T)
    mean = np.divide(np.nansum(np.sort(busy, axis=1), axis=1), n, out=np.full(len(T), np.nan), where=known)
    over = known & (longest > T * (1 + _SLACK))
    return np.where(over, np.nan, T - longest + mean), int(over.sum())
