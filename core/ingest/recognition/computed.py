"""Columns that were computed from what was set: the work of a product of matrices beside its sizes."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from core.codec import FloatArray
from core.ingest.recognition.derived import MOST_ROWS, digits, log
from core.ingest.recognition.known import Known, Verdict, Verdicts
from core.ingest.recognition.words import is_counter, is_launch, is_setting, tokens

_MOST_FACTORS, _MOST_SUMMED = 8, 4
"""Columns of a product of powers, and of a sum of products of some of them."""
_SPARE = 2
"""Rows for each coefficient that is looked for; and there are more different numbers than coefficients."""
_EXACT, _TELLING = 1e-6, 100.0
"""Relative error beyond the digits written, and how many times more numbers have to vary."""


def computed(known: Known) -> Verdicts:
    """Return numbers that are an exact product of powers, or a sum of products, of sizes and settings.

    They were known before the run, but cannot be set by themselves: of columns that follow from each other, those with
    fewer values, or further left, were set.
    """
    seen = known.seen
    if seen.wide or not known.named("response"):
        return {}
    rows = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), MOST_ROWS)).astype(np.int64))
    numbers = [n for n in known.named("parameter", "input", "counter") if seen.column(n).numeric and seen.levels(n) > 1]
    counted = known.named("counter")
    columns = ((n, seen.values(n)[rows]) for n in sorted(numbers, key=lambda n: (n in counted, seen.different(n))))
    values = {n: own for n, own in columns if np.isfinite(own).all()}
    made = [n for n in values if n not in known.named("input") and known.verdicts[n].why != "chosen"]
    made = [n for n in made if tokens(n)[-1:] == ["intensity"] or not (is_setting(n) or is_launch(n) or is_counter(n))]
    found: Verdicts = {}
    were_set: set[str] = set()
    for _ in range(2):  # what follows from columns that follow themselves comes second
        for i, name in enumerate(values):
            base = [n for j, n in enumerate(values) if n in found or (j < i and n not in counted)]
            if name not in made or name in {*found, *were_set} or not base:
                continue
            if _follows(values[name], [values[n] for n in base]):
                found[name] = Verdict("deterministic", "computed from sizes or settings", 0.8)
                were_set |= {*base}
    return found


def _follows(x: FloatArray, base: Sequence[FloatArray]) -> bool:
    """Whether numbers are a product of powers of some columns, or they or their inverses are a sum of such products.

    An arithmetic intensity is one over a sum of inverses, of all sizes.
    """
    some = base[:_MOST_SUMMED]
    sums = [np.prod(own, axis=0) for k in range(1, len(some) + 1) for own in combinations(some, k)]
    slack = _EXACT + (0 * x if (x == np.round(x)).all() else 2 * digits(x))
    if not x.all() or _TELLING * float(slack.max()) > float(np.ptp(x)) / float(np.abs(x).max()):
        return False
    one, levels = np.ones(len(x)), len(np.unique(x))
    ways = [(one, [own / x for own in (one, *sums)])]
    if all(bool((own > 0).all()) for own in (x, *base)):
        few = base[:_MOST_FACTORS]
        ways += [(one, [x / own for own in (one, *some)]) for some in (sums, few)] + [(log(x), [one, *map(log, few)])]
    most = min(levels - 1, len(x) // _SPARE)
    return any(len(columns) <= most and _explains(columns, y, slack) for y, columns in ways)


def _explains(columns: Sequence[FloatArray], y: FloatArray, slack: FloatArray) -> bool:
    A = np.column_stack(columns)
    size = np.maximum(np.abs(A).max(axis=0), 1e-300)
    left = y - A @ (np.linalg.lstsq(A / size, y, rcond=1e-13)[0] / size)
    return bool((np.abs(left) <= slack).all())
