"""What stands beside outcomes and is none: what a model said, a clock, an energy times a delay, a part."""

from collections.abc import Sequence, Set

import numpy as np

from core.codec import FloatArray
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.ingest.recognition.settings import CLOCK, LEAST_ROWS

_LEAST_CLOCK, _EVEN, _BETWEEN = 8, 4, 0.2
"""Rows between a clock's beginnings, how many times the usual step any of its steps is, and the share of a row's time
that passes between it and the next."""


def asides(known: Known, found: Verdicts) -> Verdicts:
    """Return what stands beside an outcome and is none: a model's word of it, a clock, a part of a whole domain."""
    responses = {n for n in found if found[n].role == "response"}
    aside: Verdicts = {}
    if any(not lexicon.is_told(n) for n in responses):
        told = Verdict("label", "what a model said, not what was measured", 0.85)
        models = [n for n in known.free_numbers if lexicon.key(n) in lexicon.WORDS["regressors"]]
        aside |= dict.fromkeys(filter(lexicon.is_told, known.free_numbers), told)
        aside |= dict.fromkeys(models if len(models) > 1 else (), told)
    rising = [n for n in known.free_numbers if _runs_on(known, n, responses)]
    times = [n for n in responses if known.dimension(n) == "time"]
    clocks = {n for n in rising if "elapsed" in lexicon.tokens(n)}
    clocks |= {n for n in times if any(_adds_up(known.values(n), known.values(other)) for other in times)}
    if {*rising} < responses and all(known.dimension(n) in ("time", "count", "frequency") for n in rising):
        clocks |= {*rising}
    beside = [known.values(n) for n in known.free_numbers if n not in found] if {*times} == responses else []
    alone = bool(beside) and _tell_one_time([known.values(n) for n in responses], beside)
    clocks |= responses if alone else set()
    aside |= dict.fromkeys(clocks if alone or responses - clocks else (), Verdict("label", CLOCK, 0.8))
    delayed = {n for n in responses if lexicon.speaks(n, "delayed")}
    factors = {"time" if lexicon.speaks(n, "cycles") else known.dimension(n) for n in responses - delayed}
    if factors >= {"time", "energy"}:
        product = Verdict("derived", "an energy times a delay", 0.85, "energy · delay")
        aside |= dict.fromkeys(delayed, product)
    if whole := next(filter(lexicon.is_domain, found), ""):
        parts = (n for n in known.free_numbers if lexicon.key(n) in lexicon.WORDS["parts"] and not known.integers(n))
        aside |= dict.fromkeys(parts, Verdict("derived", f"a part of {whole}", 0.8, f"part of {whole}"))
    return aside


def _runs_on(known: Known, name: str, responses: Set[str]) -> bool:
    """Whether numbers rise from row to row but where they begin anew, in even steps, and nothing was set along.

    What changes once in so many rows is a state.
    """
    x = known.values(name)
    steps, size = np.diff(x), float(np.ptp(x)) if known.whole(name) and len(x) > _LEAST_CLOCK else 0.0
    again = steps < 0
    if not size or _LEAST_CLOCK * int(again.sum()) > len(steps) or (x[1:][again] > x.min() + 0.1 * size).any():
        return False
    if steps.max() > _EVEN * np.median(steps) and not {"elapsed", "clock", "timestamp"} & set(lexicon.tokens(name)):
        return False
    beside = (np.diff(known.values(n))[~again] for n in known.free_numbers if n not in {*responses, name})
    return not any(bool((d >= 0).all() and _LEAST_CLOCK * (d > 0).sum() > len(d)) for d in beside)


def _tell_one_time(clocks: Sequence[FloatArray], beside: Sequence[FloatArray]) -> bool:
    """Whether two columns or more rise together from row to row, each as far as any other, in units of its own.

    What stands beside them does not: sizes rise with times.
    """
    rising = all((np.diff(x) > 0).all() for x in clocks) and not any((np.diff(x) >= 0).all() for x in beside)
    if len(clocks) < 2 or len(clocks[0]) <= _LEAST_CLOCK or not rising:
        return False
    passed = [(x - x[0]) / (x[-1] - x[0]) for x in clocks]
    return all(bool((np.abs(x - passed[0]) <= SAME * passed[0].max() / 10).all()) for x in passed)


def _adds_up(clock: FloatArray, times: FloatArray) -> bool:
    """Whether each step of a clock takes as long as its row, or little more; rows must not rise themselves."""
    steps, rows = np.diff(clock), times[1:]
    if len(rows) < LEAST_ROWS or not (steps > 0).all() or (np.diff(times) >= 0).all():
        return False
    return bool(((rows > 0) & (rows <= steps * (1 + SAME)) & (steps <= rows * (1 + _BETWEEN))).all())
