"""Columns that are one outcome beside each other: repeats, sizes, machines, variants."""

import re
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from core.codec import FloatArray
from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, PERCENTILE, dimension, stem
from core.ingest.base import SideBySide
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import Known
from core.ingest.recognition.importance import ORDER

_MOST_TRIED, _MOST_RESULTS = 12, 200
"""Columns that may be one outcome, a column for each thing that was tried, and rows of such a table."""
_NOT_ZERO = 0.75
"""Share of such results that are not below the resolution of a clock."""
_ROOT = 0.5
MOST_UNFOLDED = 500_000
"""Rows of more are not unfolded: some four trials for each of them would no longer fit into memory."""
_QUERIES = 5
"""Numbered columns of a benchmark's queries, at least: `q1`, `q2`, `q3` may be quartiles."""
_OPTIMISED = re.compile("-?O([0-3sgz]|fast)")
"""A compiler's level of optimisation."""
_AGAIN, _ROWS_APART = 0.1, 1.5
"""Share by which numbered columns of one outcome differ in most rows, and the factor by which rows do."""
_SET = re.compile(r"(?:\w+ ?[(\[])?(\D*[^\W\d_]) ?[ _=-]? ?(\d+)[)\]]?|[Pp]?(\d+)[ _-]?([^\W\d_]+)")
"""The name of a setting with its value: `threads_4`, `4 cores`, `P4T`, `T(t = 4)`; `column 4` of numbers as names."""
_NUMBERED = re.compile(r"(.*?\D)?(\d+)(\D*)")
_AMID = re.compile(r"(?<=[^\W_])[ _.\-#]*\d+([ _.\-]+)(?=[^\W_])")
_LARGE = 100
"""What numbers columns with sizes, as `n_1000`, and not several sizes, as `dim_3`."""


@np.errstate(over="ignore")
def side_by_side(known: Known) -> tuple[SideBySide, ...]:
    """Return columns of one outcome beside each other: repeats, or one column for each size of the problem."""
    if len(known.table) > MOST_UNFOLDED:
        return _matrix(known)
    found = _set_apart(known)
    for names, numbers in () if found else _numbered(known):
        low, high = _extremes(known, names)
        steady = lexicon.is_run(unnumbered(names[0])) or (len(low) > 0 and bool(np.median(high / low) <= _ROWS_APART))
        counting = numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] in (0, 1)
        base = "time" if _is_size(names[0]) else _called(names[0], known.unit(names[0]))
        if counting and lexicon.tokens(names[0])[0] in ("q", "query"):
            found += [SideBySide("time", tuple(names), tuple(names))] * (len(names) >= _QUERIES)
        elif counting and steady:
            found.append(SideBySide(base, tuple(names)))
        elif not counting:
            found.append(SideBySide(base, tuple(names), tuple(map(str, numbers))))
    return tuple(found) or _of_machines(known) or _variants(known) or _matrix(known)


def _variants(known: Known) -> tuple[SideBySide, ...]:
    """Return outcomes in one unit, none of them called like one, as variants where there is nothing else to learn."""
    measured = known.named("response")
    others = (*known.free, *known.what_ran, *known.named("machine"))
    told = known.given.responses or any(known.different(n) > 1 for n in others)
    called = any(lexicon.is_outcome(stem(n)) or lexicon.is_run(stem(n)) for n in measured)
    same = len({tuple(lexicon.core(n)) for n in measured}) < len(measured)  # statistics of one outcome
    same = same or any(lexicon.speaks(n, "totals") for n in measured)  # of which the others are parts
    if told or called or same or len(measured) < 3 or len(units := {known.unit(n) for n in measured}) > 1:
        return ()
    return (SideBySide(dimension(units.pop()), measured, measured),)


def _of_machines(known: Known) -> tuple[SideBySide, ...]:
    """Return columns that are called like processors, in one unit or none, as one outcome; a time if none says more."""
    measured = known.named("response")
    free = {*known.free_numbers, *measured}
    names = tuple(n for n in known.numeric if n in free and lexicon.MODEL_NAMES.fullmatch(n))
    units = {known.unit(n) for n in names}
    alone = known.machines is None and {*measured} <= {*names} and not known.given.responses
    if not alone or len(names) < 2 or len(units) > 1 or any(known.integers(n) and _was_set(known, n) for n in names):
        return ()
    unit = units.pop()
    return (SideBySide(dimension(unit) if unit else "time", names, names, "machine"),)


def _set_apart(known: Known) -> list[SideBySide]:
    """Return columns that only a setting tells apart, such as `1 thread`, `2 threads`, `4 threads`, one outcome below.

    Numbers without gaps are parts of a machine, such as its cores.
    """
    measured = known.named("response")
    groups: dict[tuple[str, str], dict[int, tuple[str, str]]] = {}
    for name, found in ((n, _SET.fullmatch(n)) for n in (*known.free_numbers, *measured)):
        found = None if PERCENTILE.fullmatch(name) else found
        outcome = known.dimension(name) in ORDER[:4] or not known.unit(name)
        if found and outcome and (setting := found[1] or found[4]):
            group = groups.setdefault((setting.removesuffix("s"), known.unit(name)), {})
            group[int(found[2] or found[3])] = name, setting
    wide = (_of_threads([(level, *columns[level]) for level in sorted(columns)]) for columns in groups.values())
    wide = (_with_serial(known, group) for group in wide)
    sides = [_of_setting(known, group) for group in wide if len(group) > 2 and _is_swept(group)]
    others = {*measured} - {name for side in sides for name in side.columns}
    return [] if others or known.given.responses else sides


def _of_threads(group: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return (value, column, setting) of columns with T for what it means where its values double from 1 or 2 on."""
    levels = [level for level, *_ in group]
    doubled = levels == [levels[0] << k for k in range(len(levels))] and levels[0] in (1, 2)
    return [(level, name, "threads" if doubled and own in ("T", "t") else own) for level, name, own in group]


def _with_serial(known: Known, group: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return (value, column, setting) of columns of times with the one beside them that ran on one thread."""
    (first, name, setting), last = group[0], group[-1][1]
    free = (n for n in known.free_numbers if known.unit(n) == known.unit(name) and not known.integers(n))
    alone = [n for n in free if lexicon.speaks(n, "serial") and not lexicon.is_counter(n)]
    parallel = lexicon.is_parallel(setting) or lexicon.is_parallel(f"{setting}s")
    if len(alone) != 1 or first < 2 or not parallel or float(np.nanmedian(known.values(last) / known.values(name))) > 1:
        return group
    return [(1, alone[0], setting), *group]


def _is_swept(group: list[tuple[int, str, str]]) -> bool:
    """Whether (value, column, setting) of columns are of a setting whose values leave gaps."""
    last, name, setting = group[-1]
    word = lexicon.tokens(setting)[-1]
    spoken = name.startswith("column ") or any(map(lexicon.is_setting, (word, f"{word}s")))
    return spoken and last - group[0][0] >= len(group)


def _of_setting(known: Known, group: list[tuple[int, str, str]]) -> SideBySide:
    """Return such columns as one outcome: a time where it falls or has a unit, a speed-up over a column of ones.

    What grows with numbers of which nothing is known is a time as well: they are sizes.
    """
    levels, names, settings = zip(*group, strict=True)
    first, last = known.values(names[0]), known.values(names[-1])
    over_one = any(bool((known.values(c.name) == 1).all()) for c in known.columns if c.numeric)
    gained = "speedup" if over_one else "throughput"
    sizes = settings[-1] == "column" and not over_one
    grows = not (known.unit(names[0]) or sizes) and float(np.nanmedian(last / first)) > 1
    return SideBySide(gained if grows else "time", names, tuple(map(str, levels)), settings[-1])


def _matrix(known: Known) -> tuple[SideBySide, ...]:
    """Return columns of which each is called like something that was tried, and holds fractions alike in size.

    Beside whole numbers with levels, which were set, a few of them may be called like a setting: `omp`, `cached`.
    """
    few = len(known) in range(3, _MOST_RESULTS + 1)
    names = tuple(n for n in known.free_numbers if not (known.integers(n) and _was_set(known, n)))
    swept = len(names) < len(known.free_numbers)
    called = {*map(lexicon.key, names)}
    ends = {"after"} if called == {"before", "after"} else {name.partition("_")[2] for name in called}
    least = 2 if len(ends) == 1 and all(map(str.isalpha, ends)) else 3
    if known.named("response") or known.given.responses or len(names) not in range(least, _MOST_TRIED + 1) or not few:
        return ()
    numbered = len({re.sub(r"\d", "", n) for n in names}) < len(names)
    if numbered and not (all(map(_OPTIMISED.fullmatch, names)) or any(lexicon.speaks(n, "plain") for n in names)):
        return ()
    never = {n for n in names if lexicon.is_counter(n) or lexicon.is_told(n)}
    never |= {n for n in names if lexicon.is_input(n) and 2 * known.levels(n) <= len(known)}
    languages = [n for n in names if n.lower() in lexicon.WORDS["languages"]]
    others = names if len(languages) < 2 else [n for n in names if n not in languages]
    if any(known.unit(n) in KNOWN for n in names) or never & {*others}:
        return ()
    if sum(lexicon.is_setting(n) or lexicon.is_machine_fact(n) for n in names) > (len(names) // 2 if swept else 0):
        return ()
    values = np.column_stack([known.values(n) for n in names])
    there = np.isfinite(values)
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    whole = sum(bool((x[ok] == np.round(x[ok])).all()) for x, ok in zip(values.T, there.T, strict=True))
    some = bool((values[there] >= 0).all() and (values[there] > 0).mean() >= _NOT_ZERO)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = some and float(np.nanmedian(high / low)) <= _MOST_TRIED**2
    timed = dimension("", known.table.source.rpartition(".")[0]) == "time"
    outcome = _in_common(names) or ("time" if timed or _are_times(known, names, values) else "value")
    return (SideBySide(outcome, names, names),) if alike and 2 * whole < len(names) else ()


def _was_set(known: Known, name: str) -> bool:
    """Whether whole numbers have levels, never change, grow row by row, or are called like a size or a setting."""
    swept = known.leveled(name) or known.levels(name) == 1 or known.rises(name)
    return swept or lexicon.is_input(name) or lexicon.is_setting(name)


def _in_common(names: Sequence[str]) -> str:
    """Return the outcome with which all names begin, as in `Avg time for CPU` and `Avg time for GPU`; "" if none."""
    words = takewhile(lambda own: len({*own}) == 1, zip(*(name.split() for name in names), strict=False))
    outcome = " ".join(own[0] for own in words).removesuffix(" for").removesuffix(" of")
    return outcome if lexicon.is_outcome(outcome) else ""


def _are_times(known: Known, names: Sequence[str], values: FloatArray) -> bool:
    """Whether the plain variant, such as `serial` or `naive`, mostly has the largest numbers, shape (n, k), of a row.

    Without one, whether they grow with a size by more than the root of its factor: rates hardly do.
    """
    if plain := [i for i, name in enumerate(names) if lexicon.speaks(name, "plain") or name.endswith("O0")]:
        most = np.nan_to_num(values).argmax(axis=1) == plain[0]
        return len(plain) == 1 and 2 * int(most.sum()) > len(values)
    told = np.isfinite(values).any(axis=1)
    middle = np.nanmedian(values[told], axis=1)
    sizes = (n for n in known.numeric if lexicon.is_input(n) and known.integers(n) and known.levels(n) > 2)
    known_at = (known.values(n)[told] for n in sizes if told.sum() > 2)
    steep = (np.polyfit(np.log(x), np.log(middle), 1)[0] for x in known_at if x.min() > 0 and middle.min() > 0)
    return any(slope > _ROOT for slope in steep)


def _numbered(known: Known) -> list[tuple[list[str], list[int]]]:
    """Return groups of free columns or responses that only a number tells apart."""
    measured = known.named("response")
    places = {*known.free_numbers, *measured} - {*percentiles(known)}
    found: list[tuple[tuple[str, str, str], tuple[int, str]]] = []
    others: list[tuple[tuple[str, str, str], tuple[int, str]]] = []
    numeric = [c for c in known.columns if c.numeric and c.name in places]
    columns = [(c, name) for c in numeric if (name := _NUMBERED.fullmatch(c.name))]
    large = {name[1] for _, name in columns if int(name[2]) >= _LARGE}
    for column, match in columns:
        sized = not measured and _is_size(column.name) and (match[1] in large or not known.integers(column.name))
        outcome = sized or _like_a_time(column.name, column.unit, measured=column.name in measured)
        if known.dimension(column.name) != "temperature":
            own = (match[1] or "", match[3], column.unit), (int(match[2]), column.name)
            (found if outcome else others).append(own)
    alike = [sorted(group) for group in by_key(found).values()]
    runs = [all(lexicon.is_run(unnumbered(name)) for _, name in own) for own in alike]
    whole = [own for own, run in zip(alike, runs, strict=True) if len(own) > (1 if run else 2)]
    numbers = [[n for n, _ in group] for group in whole]
    if whole or not measured:
        more = [sorted(group) for group in by_key(others).values() if _repeats(known, [name for _, name in group])]
        whole += [group for group in more if not numbers or [n for n, _ in group] in numbers]
    return [([name for _, name in group], [n for n, _ in group]) for group in whole]


@np.errstate(over="ignore")  # of numbers next to nothing
def _repeats(known: Known, names: list[str]) -> bool:
    """Whether three columns or more are within hundredths of each other in rows that differ by more."""
    if len(names) < 3 or any(lexicon.is_counter(n) or lexicon.is_setting(n) or known.integers(n) for n in names):
        return False
    lows, highs = _extremes(known, names)
    if 2 * len(lows) <= len(known):
        return False
    low, high = np.quantile(lows, (0.1, 0.9))
    return bool(np.median(highs / lows) <= 1 + _AGAIN and high > _ROWS_APART * low)


def _extremes(known: Known, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest number of each row in some columns, of rows with two or more, none below 0."""
    values = np.column_stack([known.values(name) for name in names])
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    told = (np.isfinite(values).sum(axis=1) > 1) & (low > 0)
    return low[told], high[told]


def _like_a_time(name: str, unit: str, *, measured: bool) -> bool:
    words = [word for word in lexicon.tokens(name) if not word.isdigit()]
    if any(re.fullmatch(r"p\d+", word) for word in words):
        return False
    base, timed = unnumbered(name), bool(lexicon.WORDS["timed"] & {*words[:1]})
    spoken = timed or lexicon.is_run(base) or lexicon.is_outcome(base, unit)
    spoken = spoken or (measured and bool(words) and lexicon.ONE_TIME.fullmatch(words[-1]) is not None)
    return (spoken or dimension(unit, "") == "time") and not lexicon.is_counter(name)


def _is_size(name: str) -> bool:
    """Whether a name is a size of the problem and its value, as `n=1000` is: the cells are what was measured there."""
    found = re.fullmatch(r"(\w+?)\s*[=_]\s*\d+", name)
    return found is not None and lexicon.key(found.group(1)) in lexicon.INPUT


def unnumbered(name: str) -> str:
    """Return what numbered columns have in common."""
    bare = stem(name)
    amid = _AMID.sub(r"\1", bare, count=1)  # what parts the words beside the number stays
    return (amid if amid != bare else re.sub(r"[ _.\-#]*\d+[ _.\-]*", "", bare, count=1)) or "time"


def _called(name: str, unit: str) -> str:
    """Return what a response is called whose columns stand beside each other: a time is no run."""
    base = unnumbered(name)
    return "time" if lexicon.is_run(base) and dimension(unit, "") == "time" else base


def percentiles(known: Known) -> list[str]:
    """Return columns that are called `p95` or `50%` alone, beside another outcome."""
    measured = known.named("response")
    others = [n for n in measured if not PERCENTILE.fullmatch(n)]
    beside = (*known.free_numbers, *(measured if others else ())) if measured else ()
    return [n for n in beside if PERCENTILE.fullmatch(n)]
