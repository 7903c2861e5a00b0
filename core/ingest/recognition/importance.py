"""Which of several outcomes stands for the others."""

from collections.abc import Iterable

import numpy as np

from core.codec import FloatArray
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known

ORDER = ("time", "power", "energy", "throughput", "temperature", "frequency")
FIXED = 4
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
    widths = {name: width(known.values(name)) for name in names}
    widest = max((w for n, w in widths.items() if what[n] == "throughput" or "per" in lexicon.tokens(n)), default=0.0)
    told = {name for name in names if what[name] in ("time", "count") and widths[name] < min(_AS_TOLD, widest / FIXED)}
    rates = [known.values(n) for n in names if what[n] == "throughput"]
    done = [known.values(n) for n in known.numbers("parameter", "input") if known.levels(n) > 1]
    told -= {n for n in told if any(width(known.values(n) * r / x) < SAME / 10 for r in rates for x in done)}
    hosts = beside_gpu(names)

    def place(name: str) -> tuple[bool, bool, int, bool, bool, int]:
        rate, whole = bool(told) and what[name] == "throughput", lexicon.WORDS["whole_times"] & {*lexicon.tokens(name)}
        compared = lexicon.speaks(name, "baseline")
        return name in told, not rate, order.get(what[name], len(order)), compared, name in hosts, -len(whole)

    return tuple(sorted(names, key=place))


def beside_gpu(names: Iterable[str]) -> set[str]:
    """Return the outcomes that a host has beside those of its GPU; none where no GPU has any."""
    words = {name: {*lexicon.tokens(name)} for name in names}
    gpu = any("gpu" in own for own in words.values())
    return {name for name, own in words.items() if gpu and {"cpu", "host"} & own}


def width(values: FloatArray) -> float:
    """Return how wide the middle half of some logarithms is: next to nothing of times that were set beforehand."""
    there = values[np.isfinite(values) & (values > 0)]
    return float(np.ptp(np.log(np.quantile(there, (0.25, 0.75))))) if len(there) else 0.0
