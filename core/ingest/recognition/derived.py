"""Columns that were computed from an outcome: it times, over, plus or minus something there, with the formula."""

from collections.abc import Iterable, Sequence
from itertools import combinations, islice, permutations

import numpy as np

from core.closeness import closeness
from core.codec import BoolArray, FloatArray, IntArray
from core.frozen import Frozen
from core.ingest._units import dimension, stem
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import Known, Verdict, Verdicts
from core.ingest.recognition.importance import by_importance

MOST_ROWS = 2_000
MOST_PARTNERS = 24
LEAST_ROWS, _FEW = 4, 6
"""In fewer rows no formula is found, and in few none with a third column: one of many may hold there by chance."""
EXACT = 0.003
"""Share by which a computed column may miss its formula, beyond the rounding of both."""
_COARSE, _MANY = 0.03, 8
"""Up to this slack, that of two digits, fractions whose names say nothing are tried in so many rows: each row has to
hold within its own digits, for more than one column is in step with an outcome within hundredths."""
_CANCELS = 0.02
"""How wide the ratio of an outcome and a column that follows it may be, in logarithms."""
_GAIN = 8.0
"""How many times less than the outcome itself the rest of a formula has to vary."""
_MOST_PARTS, _ONE, _REST = 100, 0.05, 0.05
"""Columns among which parts of a sum are looked for, how far the weight of one may be from 1, and the share of a whole
that phases may leave untold."""
_PHASES, _HALF = 4, 0.5
"""So many times that are together at most a whole one in each row, and half of it at least, are its phases."""
_NO_PART = 1e-4
"""Less of a whole is no part of it."""
_APART, _ROUNDED = 0.02, 5e-4
"""How far a share that two counts tell is apart over the rows, and by how much of 1 it may be rounded."""
_FRACTIONS = lexicon.WORDS["fractions"]
_MOST_PAIRED = 8
_BARE = str.maketrans("()", "  ")
_MOST_OUTCOMES = 8
"""Columns that are no outcomes by name are tried as computed from so many outcomes."""


class _Outcome(Frozen):
    """An outcome, and what formulas may hold beside it.

    Attributes
    ----------
    y : array of shape (n,)
    digits : array of shape (n,), relative error that the digits of each value leave
    slack : the same, of most values
    products : formulas, and arrays of shape (n_formulas, n) that added to the logarithm of a computed column
        leave a constant
    sums : the same, added to the column itself
    groups : keys of rows inside of which a factor may be constant, by what they are called
    """

    name: str
    y: FloatArray
    digits: FloatArray
    slack: float
    products: tuple[tuple[str, ...], FloatArray]
    sums: tuple[tuple[str, ...], FloatArray]
    groups: dict[str, IntArray]


def derived(known: Known) -> Verdicts:
    """Return the columns that are an outcome in other words: the first outcome by importance stands for the others."""
    rows = np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_ROWS)).astype(np.int64))
    beside = {name for group in known.beside for name in group.columns}
    responses = tuple(n for n in by_importance(known, known.named("response")) if n not in beside)
    found: Verdicts = {}
    for i, main in enumerate(responses):
        left = [r for r in responses if r not in found]
        if main not in left:
            continue
        case = _outcome(known, main, left, rows)
        later = [r for r in reversed(left) if responses.index(r) > i]
        for name in (*later, *(_candidates(known) if i < _MOST_OUTCOMES else ())):
            text = "" if name in found else _formula(known, case, name, known.values(name)[rows])
            if text:
                rate = text.removeprefix(f"{main} · ")
                if name not in left and rate in later and known.dimension(rate) == "throughput":
                    name, text = rate, f"{name} / {main}"
                found[name] = Verdict("derived", f"computed from {main}", 0.95, text)
                if name in left:
                    case = _outcome(known, main, [r for r in left if r not in found], rows)
    found |= {n: Verdict("label", "how often it ran in another time", 0.75) for n in _repeats(known, found)}
    left = [r for r in responses if r not in found]
    rates = [r for r in left if known.dimension(r) == "throughput"]
    times = (n for n in known.named("derived") if known.dimension(n) == "time")
    found |= _in_turn(known, (n for n in times if _usual(digits(known.values(n)[rows])) <= EXACT), rates, rows)
    left = [r for r in responses if r not in found]
    found = _shared(known, left, rows) | _parts(known, [*left, *found], rows) | _comparisons(known, left) | found
    return found | _in_turn(known, found, [n for n in known.free_numbers if n not in found and _speaks(known, n)], rows)


def _repeats(known: Known, found: Verdicts) -> list[str]:
    """Return the whole numbers that are called times, and by which a time is another one divided."""
    times = [n for n in (*known.named("response"), *found) if known.dimension(n) == "time"]
    fine = [n for n in times if not known.integers(n)]
    quotients = {f"{one} / {n}": n for n in times if known.integers(n) for one in fine}
    return [quotients[v.formula] for n, v in found.items() if n in fine and v.formula in quotients]


def _comparisons(known: Known, responses: Sequence[str]) -> Verdicts:
    """Return the columns that say themselves that they are a time beside another one, or that for each thread."""
    compared = any(map(lexicon.is_comparison, known.numeric))
    several = compared or any(map(lexicon.is_parallel, known.named("parameter")))
    free = known.free_numbers if responses else ()
    times = [n for n in responses if known.dimension(n) == "time"]
    said = {n: "efficiency" for n in free if several and lexicon.is_efficiency(n, times)}
    shares = [n for n in free if "%" in n + known.unit(n) and lexicon.tokens(stem(n)) == ["time"]]
    near = {known.column(n).place + step for n in times for step in (-1, 1)}
    said |= {n: "share" for n in shares if known.column(n).place in near}
    two = len(times) > 1 or compared
    said |= {n: "speed-up" for n in free if lexicon.is_comparison(n) or (two and "overhead" in lexicon.tokens(n))}
    said |= {n: "speed-up" for n in free if "over" in lexicon.tokens(n)[1:-1] and _is_quotient(known, n)}
    why = "says that it compares outcomes"
    return {n: Verdict("derived", why, 0.9, f"{what} in {responses[0]}") for n, what in said.items()}


def _shared(known: Known, responses: Sequence[str], rows: IntArray) -> Verdicts:
    """Return two counts of which an outcome is the share that one is of both, as hits of hits and misses."""
    whole = (n for n in known.free_numbers if known.integers(n) and known.values(n).min() >= 0)
    counts = [*islice(whole, MOST_PARTNERS)]
    for name in responses[:_MOST_OUTCOMES]:
        y = known.values(name)[rows]
        size = 100.0 if "%" in name + known.unit(name) else 1.0
        if not (0 <= y.min() and y.max() <= size and np.ptp(y) > _APART * size):
            continue
        for one, other in permutations(counts, 2):
            a, both = known.values(one)[rows], known.values(one)[rows] + known.values(other)[rows]
            there = both > 0
            share, rounded = size * a[there] / both[there], np.fmax(digits(y[there]) * y[there], _ROUNDED * size)
            if there.sum() >= _FEW and (np.abs(share - y[there]) <= rounded).all():
                return dict.fromkeys((one, other), Verdict("derived", f"tell {name} together", 0.9))
    return {}


def _is_quotient(known: Known, name: str) -> bool:
    """Whether numbers are fractions of nothing that is counted, unlike bytes over a link and operations over bytes."""
    return not (known.integers(name) or known.unit(name) or lexicon.is_counter(name))


def _parts(known: Known, responses: Sequence[str], rows: IntArray) -> Verdicts:
    """Return the columns that add up to an outcome, an empty cell being nothing: together they would tell it."""
    if known.wide or not responses:
        return {}
    found: Verdicts = {}
    values = {n: np.nan_to_num(known.values(n)[rows]) for n in dict.fromkeys((*_candidates(known), *responses))}
    percent = {n: "%" in n + known.unit(n) for n in values}
    for whole in responses[:_MOST_OUTCOMES]:
        y = known.values(whole)[rows]
        there = np.isfinite(y) & (y > 0)
        y, most = y[there], 1 + EXACT
        others = {n: x[there] for n, x in values.items() if n not in {*found, whole} and percent[n] == percent[whole]}
        others = {n: x for n, x in others.items() if _may_be_part(known, n, whole)}
        parts = {n: x / y for n, x in others.items() if (x >= 0).all() and (x <= most * y).all()}
        same = (n for n, share in parts.items() if len(y) >= LEAST_ROWS and (share == 1).all())
        found |= {n: Verdict("derived", f"always as {whole}", 0.9, whole) for n in same if n not in responses}
        unit, what = known.unit(whole), known.dimension(whole)
        alike = [n for n in parts if n in responses and known.unit(n) == unit and dimension(unit, n) in (what, "count")]
        if len(alike) > 2 and len(y) >= LEAST_ROWS and _add_up([parts[n] for n in alike]):
            found |= dict.fromkeys(alike, Verdict("derived", "the parts add up", 0.9, f"part of {whole}"))
        if not 2 <= len(parts) <= min(_MOST_PARTS, len(y)):
            continue
        added = _adding_up(np.column_stack([*parts.values()]))
        names = [name for name, own in zip(parts, added, strict=True) if own]
        named = [n for n in parts if n not in responses and lexicon.speaks(n, "spent") and not known.integers(n)]
        names = names or (alike if _are_phases([parts[n] for n in alike]) else [])
        names = names or (named if what == "time" and _are_phases([parts[n] for n in named], named=True) else [])
        why = "what the whole was spent on" if names and names == named else "the parts add up"
        found |= dict.fromkeys(names, Verdict("derived", why, 0.9, f"part of {whole}"))
    return found


def _add_up(shares: Sequence[FloatArray]) -> bool:
    """Whether several shares, none of which is all, are one together in each row."""
    return bool((np.abs(np.sum(shares, axis=0) - 1) <= EXACT).all() and max(map(np.max, shares)) < 1)


def _may_be_part(known: Known, name: str, whole: str) -> bool:
    """Whether units do not show that two columns are no amounts of one thing, as a time and a rate are not."""
    units = known.unit(name), known.unit(whole)
    return not all(units) or dimension(units[0]) == dimension(units[1])


def _are_phases(shares: Sequence[FloatArray], *, named: bool = False) -> bool:
    """Whether several shares are together at most 1, and a half at least, wherever there is any of them.

    Where names say what time was spent on, two are enough, which may overlap: together they are nearly 1 at least.
    """
    several = len(shares) >= (2 if named else _PHASES)
    whole = np.sum(shares, axis=0)[np.any(shares, axis=0)] if several else np.zeros(0)
    least, most = (1 - _REST, np.inf) if named else (_HALF, 1 + EXACT)
    return len(whole) >= LEAST_ROWS and bool(least <= whole.min() and whole.max() <= most)


def _adding_up(shares: FloatArray) -> BoolArray:
    """Return which of k shares, shape (n, k), are parts of 1: all that nearly add up to it, or some that do exactly."""
    (n, k), none = shares.shape, np.zeros(shares.shape[1], dtype=np.bool_)
    low, high = np.quantile(shares.sum(axis=1), (0.05, 0.95))
    if k > 2 and n >= LEAST_ROWS and 1 - _REST <= low and high <= 1 + EXACT:
        some: BoolArray = np.quantile(shares, 0.95, axis=0) > _NO_PART
        return some
    if low < 1 - EXACT or k > n - LEAST_ROWS:  # too little even if each is a part, or as many as fit anything
        return none
    from scipy.optimize import nnls  # takes longer to load than all of this takes

    added: BoolArray = np.abs(nnls(shares, np.ones(n))[0] - 1) < _ONE
    exact = added.sum() > 1 and np.quantile(np.abs(shares[:, added].sum(axis=1) - 1), 0.95) <= EXACT
    return added if exact else none


def _in_turn(known: Known, mains: Iterable[str], names: Sequence[str], rows: IntArray) -> Verdicts:
    """Return the columns among some that are computed from columns that another outcome stands for."""
    more: Verdicts = {}
    for main in mains if names else ():
        case = _outcome(known, main, [], rows)
        texts = ((n, _formula(known, case, n, known.values(n)[rows])) for n in names if n not in more)
        more |= {n: Verdict("derived", f"computed from {main}", 0.9, text) for n, text in texts if text}
    return more


def _candidates(known: Known) -> tuple[str, ...]:
    """Return the columns that may give an outcome away: those of which nothing shows that they were known before."""
    settings = known.numbers("parameter")
    doubtful = [n for n in settings if not lexicon.is_setting(n) or _is_shifted(known, n)]
    free = [n for n in known.free_numbers if not known.leveled(n)]
    told = [n for n in (*known.free_numbers, *doubtful) if _speaks(known, n) or _is_shifted(known, n)]
    return (*free, *(n for n in told if n not in free))


def _is_shifted(known: Known, name: str) -> bool:
    """Whether a column is an outcome plus the same number everywhere, as a circuit's interval is its latency plus 1."""
    return any(np.ptp(known.values(name) - known.values(own)) == 0 for own in known.named("response"))


def _speaks(known: Known, name: str) -> bool:
    unit = known.unit(name)
    return lexicon.is_outcome(name, unit) or dimension(unit, name) in ("throughput", "ratio", "share")


def _outcome(known: Known, main: str, responses: Sequence[str], rows: IntArray) -> _Outcome:
    before = known.numbers("parameter", "input", "deterministic", "machine_metric")
    others = [] if known.wide else [n for n in known.free_numbers if n != main]
    told = {tuple(words[:-1]) for n in others if (words := lexicon.tokens(n))[-1:] and words[-1] in _FRACTIONS}
    counted = [n for n in others if known.integers(n) or known.unit(n) == known.unit(main) != ""]
    counted += [n for n in others if n not in counted and tuple(lexicon.tokens(n)) in told]
    partners = [*(r for r in responses if r != main), *(n for n in (*before, *counted) if known.levels(n) > 1)]
    partners = partners[: MOST_PARTNERS if len(known) >= _FEW else 0]
    settings = list(known.named("parameter", "input", "application", "machine"))[:12]
    groups = {"": np.zeros(len(known), dtype=np.int64)}
    groups |= {name: known.codes(name) for name in settings if known.levels(name) > 1}
    if known.what_ran:
        groups[" and ".join(known.what_ran)] = known.groups(known.what_ran)
    if len(settings) > 1:
        beside = {name: [s for s in settings if s != name] for name in settings}
        groups |= {f"set of rows alike but in {name}": known.groups(rest) for name, rest in beside.items()}
    y = known.values(main)[rows]
    values = {n: z for n in partners if not _proportional(z := known.values(n)[rows], y)}
    near = values if not known.wide else {n: z for n, z in values.items() if n in responses}
    own, products, sums = digits(y), _products(main, y, near), _sums(main, y, near)
    return _Outcome(main, y, own, _usual(own), products, sums, {n: g[rows] for n, g in groups.items()})


def _proportional(z: FloatArray, y: FloatArray) -> bool:
    """Whether a column is an outcome times a constant: beside it the outcome cancels from any formula."""
    ratio = log(z) - log(y)
    known = ratio[np.isfinite(ratio)]
    return len(known) >= LEAST_ROWS and float(np.ptp(np.quantile(known, (0.05, 0.95)))) <= _CANCELS


def _products(main: str, y: FloatArray, partners: dict[str, FloatArray]) -> tuple[tuple[str, ...], FloatArray]:
    """Return products and quotients of an outcome with what has to be added to a column's logarithm."""
    log_y = log(y)
    found = [(f"a constant · {main}", -log_y), (f"a constant / {main}", log_y)]
    for name, z in ((name, log(values)) for name, values in partners.items()):
        found += [
            (f"{main} · {name}", -log_y - z),
            (f"{main} / {name}", z - log_y),
            (f"{name} / {main}", log_y - z),
            (f"1 / ({main} · {name})", log_y + z),
        ]
    logs = {name: log(values) for name, values in [*partners.items()][:_MOST_PAIRED]}
    for some in (*combinations(logs, 2), *combinations(logs, 3), *((name,) * k for name in logs for k in (2, 3))):
        product, size = " · ".join(some), np.sum([logs[name] for name in some], axis=0)
        found += [(f"{product} / {main}", log_y - size), (f"{main} · {product}", -log_y - size)]
    return tuple(text for text, _ in found), np.array([rest for _, rest in found])


def _sums(main: str, y: FloatArray, partners: dict[str, FloatArray]) -> tuple[tuple[str, ...], FloatArray]:
    """Return sums and differences of an outcome with what has to be added to a column."""
    found = [(f"{main} plus a constant", -y)]
    size = float(np.median(np.abs(y[np.isfinite(y)]))) if np.isfinite(y).any() else 0.0
    for name, z in partners.items():
        known = z[np.isfinite(z)]
        if len(known) and float(np.median(np.abs(known))) >= 0.02 * size and float(np.ptp(known)) > 0:
            found += [(f"{main} + {name}", -y - z), (f"{main} - {name}", z - y), (f"{name} - {main}", y - z)]
    return tuple(text for text, _ in found), np.array([rest for _, rest in found])


@np.errstate(divide="ignore", invalid="ignore")
def _formula(known: Known, case: _Outcome, name: str, x: FloatArray) -> str:
    """Return how a column comes from an outcome; "" if it does not."""
    both = np.isfinite(x) & np.isfinite(case.y)
    if int(both.sum()) < LEAST_ROWS or 2 * int(both.sum()) < int(np.isfinite(x).sum()):
        return ""
    own = digits(x)
    slack = EXACT + case.slack + _usual(own)
    size = float(np.median(np.abs(case.y[both]))) or 1.0
    looser = (EXACT + own + case.digits) / slack
    if slack > (0.1 if _speaks(known, name) else 0.01):
        told = slack <= _COARSE and int(both.sum()) >= _MANY and not (_speaks(known, name) or known.integers(name))
        return _found(name, case.products, log(x), log(case.y), slack, looser) if told else ""
    grouped = _speaks(known, name) and not lexicon.is_counter(name)
    ran = "" if known.integers(name) else " and ".join(known.what_ran)
    seen = (
        int(both.sum()) >= _FEW and float(np.median(np.abs(x[both]))) > slack * size
    )  # else any two columns that are alike differ by it
    looser = np.fmax(looser, 1.0)
    sums = case.sums[0], case.sums[1] / size
    return (
        _found(name, case.products, log(x), log(case.y), slack, looser)
        or (_found(name, sums, x / size, case.y / size, slack, np.ones(len(x))) if seen else "")
        or (_in_groups(case, log(x), slack, "" if grouped else ran) if grouped or ran else "")
    )


def _found(
    name: str,
    ways: tuple[tuple[str, ...], FloatArray],
    x: FloatArray,
    own: FloatArray,
    slack: float,
    looser: FloatArray,
) -> str:
    """Return the first formula without the column itself that holds: some rows tell which may, all rows which does.

    Parameters
    ----------
    looser : array of shape (n,), how many times more than the slack a row's digits leave open
    """
    texts, added = ways
    some = np.flatnonzero(np.isfinite(x) & np.isfinite(own))
    if len(some) < LEAST_ROWS:
        return ""
    some = some[:: max(1, len(some) // 100)]
    rest = np.sort(x[some] + added[:, some], axis=1)
    cut = len(some) // 10
    with np.errstate(invalid="ignore"):
        maybe = np.flatnonzero(rest[:, -1 - cut] - rest[:, cut] <= 3 * slack)
    others = (i for i in maybe.tolist() if f" {name.translate(_BARE)} " not in f" {texts[i].translate(_BARE)} ")
    return next((texts[i] for i in others if _still(x + added[i], own, slack, looser)), "")


def _still(rest: FloatArray, own: FloatArray, slack: float, looser: FloatArray) -> bool:
    """Whether what is left of a formula is one constant, and the outcome varies a lot more."""
    there = np.isfinite(rest) & np.isfinite(own)
    if int(there.sum()) < LEAST_ROWS or int(there.sum()) < 0.8 * int(np.isfinite(own).sum()):
        return False
    rest, own = rest[there], own[there]
    left = float(np.quantile(np.abs(rest - np.median(rest)) / looser[there], 0.95))
    return left <= slack and _GAIN * max(left, EXACT / 4) <= float(np.quantile(np.abs(own - np.median(own)), 0.9))


def _in_groups(case: _Outcome, x: FloatArray, slack: float, only: str = "") -> str:
    """Return a formula whose factor is constant inside groups of rows: the work done, the time of the base."""
    y = log(case.y)
    for called, keys in case.groups.items() if not only else [(only, case.groups.get(only, case.groups[""]))]:
        for sign, text in ((1, f"{case.name} · a constant"), (-1, f"a constant / {case.name}")):
            found = closeness(y, sign * x, keys, least=2, trials=_FEW) if called else None
            if (
                found
                and found.half <= (min(2 * slack, EXACT / 3) if only else 2 * slack)
                and _GAIN * max(found.half, EXACT / 4) <= found.own
            ):
                return f"{text} for each {called}"
    return ""


def digits(x: FloatArray) -> FloatArray:
    """Return the relative error that the digits written leave of each number, shape (n,); nan of none and of 0.

    The error is 0 where more than six decimals are written, or large whole numbers.
    """
    known = np.where(np.isfinite(x) & (x != 0), np.abs(x), np.nan)
    some = known[np.isfinite(known)]
    steps = (10.0**decimals for decimals in range(7))
    step = next((s for s in steps if (np.abs(some * s - np.round(some * s)) <= 1e-6).all()), np.inf)
    return (0.0 if step == 1 and some.max(initial=0.0) >= 1e4 else 0.5 / step) / known


def _usual(errors: FloatArray) -> float:
    """Return the relative error of most values; 0 without any."""
    known = errors[~np.isnan(errors)]
    return float(np.quantile(known, 0.9)) if len(known) else 0.0


def log(x: FloatArray) -> FloatArray:
    """Return logarithms, NaN where there is none."""
    return np.log(x, out=np.full(len(x), np.nan), where=x > 0)
