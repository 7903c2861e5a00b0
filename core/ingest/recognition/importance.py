"""Which of several outcomes stands for the others."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.codec import FloatArray
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known

ORDER = ("time", "power", "energy", "throughput", "temperature", "frequency")
_FIXED = 4
"""A time that varies so many times less than a rate beside it is how long a run was told to last."""
_AS_TOLD = 0.05
"""How wide the middle half of such times is at most, in logarithms, to be the last of all outcomes."""


@np.errstate(divide="ignore", invalid="ignore")
def by_importance(known: Known, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return responses with times first, whole ones before parts, a GPU's before its host's, a baseline's behind.

    Times that runs were told to last are the last, and rates beside them, or times of each thing done, the first. Where
    a rate times it is what was set, a time was told nothing: so much was to do.
    """
    order, what = {dim: i for i, dim in enumerate(ORDER)}, {name: known.dimension(name) for name in names}
    rates = [known.values(n) for n in names if what[n] == "throughput" or "per" in lexicon.tokens(n)]
    done = [known.values(n) for n in known.numbers("parameter", "input")]
    times = {n: known.values(n) for n in names if what[n] in ("time", "count")}
    told = told_to_last({n: own for n, own in times.items() if width(own) < _AS_TOLD}, rates, done)
    hosts = beside_gpu(names)

    def place(name: str) -> tuple[bool, bool, int, bool, bool, int]:
        rate, whole = bool(told) and what[name] == "throughput", lexicon.WORDS["whole_times"] & {*lexicon.tokens(name)}
        compared = lexicon.speaks(name, "baseline")
        return name in told, not rate, order.get(what[name], len(order)), compared, name in hosts, -len(whole)

    return tuple(sorted(names, key=place))


@np.errstate(divide="ignore", invalid="ignore")
def told_to_last(times: Mapping[str, FloatArray], rates: Sequence[FloatArray], done: Sequence[FloatArray]) -> set[str]:
    """Return the times that runs were told to last; none that times a rate is what was `done`, all of shape (n,)."""
    varied = [own for own in done if width(own)]
    widest = max(map(width, rates), default=0.0)
    steady = {name: own for name, own in times.items() if _FIXED * width(own) < widest}
    return {n for n, own in steady.items() if all(width(own * r / x) >= SAME / 10 for r in rates for x in varied)}


def beside_gpu(names: Iterable[str]) -> set[str]:
    """Return the outcomes that a host has beside those of its GPU; none where no GPU has any."""
    words = {name: {*lexicon.tokens(name)} for name in names}
    gpu = any("gpu" in own for own in words.values())
    return {name for name, own in words.items() if gpu and {"cpu", "host"} & own}


def width(values: FloatArray) -> float:
    """Return how wide the middle half of some logarithms is: next to nothing of times that were set beforehand."""
    there = values[np.isfinite(values) & (values > 0)]
    return float(np.ptp(np.log(np.quantile(there, (0.25, 0.75))))) if len(there) else 0.0
