"""Which columns say of an outcome the same again: statistics, repeats, spreads, sums."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from core.ingest._units import PERCENTILE, dimension, stem
from core.ingest.base import SideBySide
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.ingest.recognition.side_by_side import percentiles, side_by_side

_WIDEST = 3
"""How many times an outcome its standard deviation is at most in the middle row: `std_ms` may be that of a standard."""
_ROUNDED = 1e-3
"""Share by which a mean of rows may be off that is told with a few digits."""
_SPREADS = re.compile(r"±|\+/?[-−]")


def same_again(known: Known) -> tuple[Verdicts, tuple[SideBySide, ...]]:
    """Return statistics and repeats of an outcome as derived from it, and repeats that stand alone as side by side."""
    found: Verdicts = {}
    beside: list[SideBySide] = []
    for group in side_by_side(known):
        if (main := _mean_of(known, group.columns)) and not group.levels:
            found |= dict.fromkeys(group.columns, Verdict("derived", f"repeats of {main}", 0.9, f"repeat of {main}"))
        else:
            beside.append(group)
            what = {"size": "sizes of the problem", "variant": "variants side by side"}.get(
                group.by, f"{group.setting or 'repeats'} side by side"
            )
            summed = np.sum([known.values(n) for n in group.columns], axis=0)
            wholes = (n for n in known.named("response") if np.allclose(known.values(n), summed, rtol=SAME))
            found |= {n: Verdict("derived", f"the sum of {what}", 0.9, f"sum of {what}") for n in wholes}
            mixed = len({known.unit(n) for n in group.columns}) > 1  # one of which is none, as in `Mesh (Grid)`
            unit = "ratio" if group.response == "speedup" else "" if mixed else None
            found |= dict.fromkeys(group.columns, Verdict("response", f"{what}: {group.response}", 0.8, unit=unit))
    found |= dict.fromkeys(percentiles(known), Verdict("derived", "a percentile of what was measured", 0.8))
    found |= {n: Verdict("derived", f"how far {main} spreads", 0.85) for n, main in _signs_of_spread(known)}
    for name, main in _statistics(known.instead(found)).items():
        found[name] = Verdict("derived", f"another statistic of {main}", 0.85, f"statistic of {main}")
    return found, tuple(beside)


def _signs_of_spread(known: Known) -> Iterator[tuple[str, str]]:
    """Yield columns with their outcome: `±` or `+/-` alone behind it, or its name and `dev`, and smaller."""
    measured = known.named("response")
    at = {known.column(n).place: n for n in measured}
    called = {(*lexicon.tokens(text), "dev"): n for n in measured for text in (stem(n), n)}
    for name in (*known.free_numbers, *measured):
        main = called.get((*lexicon.tokens(stem(name)),), "")
        if (beside := at.get(known.column(name).place - 1)) and _SPREADS.fullmatch(name):
            yield name, beside
        elif main and np.nanmedian(known.values(name)) < np.nanmedian(known.values(main)):
            yield name, main


def _mean_of(known: Known, columns: tuple[str, ...]) -> str:
    """Return the outcome that lies within the repeats."""
    values = np.column_stack([known.values(name) for name in columns])
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    for name in known.named("response"):
        y = known.values(name)
        if name not in columns and float(np.mean((y >= low * 0.9) & (y <= high * 1.1))) > 0.8:
            return name
    return ""


def _statistics(known: Known) -> dict[str, str]:
    """Return columns that are statistics of an outcome which another column has, by that column's name."""
    responses = [n for n in known.named("response") if not set(lexicon.tokens(n)) & lexicon.SPREAD]
    found, free = dict[str, str](), dict.fromkeys(known.free_numbers)
    for name in (*free, *known.named("response")):
        spoken = set(lexicon.tokens(stem(name))) & (lexicon.STATISTIC | lexicon.SPREAD)
        set_so = name in free and (known.levels(name) < 2 or lexicon.speaks(name, "also_set"))
        if not spoken or set_so or _whole(known, name, responses):
            continue
        words = set(lexicon.tokens(name))
        apart = {y: (lexicon.core(y) != lexicon.core(name), -len(words & {*lexicon.tokens(y)})) for y in responses}
        mains = sorted(responses, key=lambda y: (*apart[y], _rank(y)))
        telling = [y for y in mains if y != name and y not in found and _tells(known, name, y)]
        for i, main in enumerate(telling):  # behind the first only another statistic stands for an outcome
            if name not in responses or min(i, 1) <= _rank(main) < _rank(name):
                found[name] = main
                break
    means = [n for n in responses if n not in found and lexicon.speaks(n, "means")]
    pairs = product(means, [n for n in responses if n not in {*found, *means}])
    found |= {name: main for name, main in pairs if _is_mean_of_rows(known, name, main)}
    measured = {*known.named("response"), *(name for name in found if known.column(name).unit)}
    return {name: main for name, main in found.items() if name in measured or not lexicon.is_counter(name)}


def _whole(known: Known, name: str, responses: list[str]) -> bool:
    """Whether a total is that of other columns, phases that may overlap, leave half untold or be some rows' alone."""
    unit, whole = known.unit(name), known.values(name)
    if not lexicon.WORDS["totals"] & set(lexicon.tokens(stem(name))):
        return False
    alike = (n for n in (*responses, *known.free_numbers) if n != name and known.unit(n) == unit and _rank(n) == 0)
    parts = ((n, np.nan_to_num(known.values(n))) for n in alike if not known.integers(n))
    phases = {n: x for n, x in parts if np.mean(x <= 1.01 * whole) >= 0.9}
    told = np.sum([*phases.values()], axis=0)
    most = len(phases) > 1 and np.mean(told[told > 0] >= 0.5 * whole[told > 0]) >= 0.9
    return bool(most) and lexicon.core(name) not in map(lexicon.core, phases)


def _rank(name: str) -> int:
    words = set(lexicon.tokens(stem(name)))
    if words & lexicon.SPREAD:
        return len(lexicon.BETTER) + 2
    other = len(lexicon.BETTER) + 1 if words & lexicon.STATISTIC else 0
    return next((i + 1 for i, word in enumerate(lexicon.BETTER) if word in words), other)


def _is_mean_of_rows(known: Known, name: str, main: str) -> bool:
    """Whether a column is the mean of another one over the rows in which it is the same, of which there are many."""
    rows = known.codes(name)
    times = np.bincount(rows)
    means = np.bincount(rows, known.values(main)) / times
    return bool(1 < len(times) <= len(known) / 2 and np.allclose(means[rows], known.values(name), rtol=_ROUNDED))


def _tells(known: Known, name: str, main: str) -> bool:
    """Whether a statistic's name and numbers are of an outcome: the same words, or nearly the same numbers."""
    mine, own = lexicon.tokens(stem(name)), lexicon.tokens(stem(main))
    units = (known.unit(name), known.unit(main))
    what, of = (dimension(unit, n) for unit, n in zip(units, (name, main), strict=True))
    apart = (all(units) and what != of) or (what, of) == ("time", "throughput")
    bare = {*mine} - lexicon.STATISTIC - lexicon.SPREAD - lexicon.WORDS["deviations"]
    if apart and not ((units[0] == "%" or not bare) and set(mine) & lexicon.SPREAD):
        return False
    alike = [w for w in lexicon.without_statistic(mine) if w not in lexicon.SPREAD] == lexicon.without_statistic(own)
    core, core_of_main = lexicon.core(name), lexicon.core(main)
    alike = alike or core == core_of_main == ["total"]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = known.values(name) / known.values(main)
    known_ratio = ratio[np.isfinite(ratio)]
    middle = float(np.median(known_ratio)) if len(known_ratio) else np.nan
    if set(mine) & lexicon.SPREAD:
        shared = (set(mine) - lexicon.SPREAD - lexicon.STATISTIC) & (set(own) - lexicon.STATISTIC)
        wide = units[0] == units[1] and middle > _WIDEST
        return not wide and (alike or not bare or bool(shared))
    tail = bool({"min", "max"} & {*mine}) or any(map(PERCENTILE.fullmatch, mine))
    near = (tail and core in ([], core_of_main)) or 0.3 < middle < 3.5
    alone = {*core} <= {"run", "runs"} and not {*mine} <= lexicon.WORDS["totals"]  # of which others are parts
    beside = tail and {*core} <= {*core_of_main} and known.column(name).place == known.column(main).place + 1
    return (near and (alike or alone or set(own) <= lexicon.STATISTIC)) or (beside and 1 <= middle < 3.5)
