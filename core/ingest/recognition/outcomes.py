"""Which columns are outcomes, which of them stand for the others, and which say the same again."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice, permutations, product, takewhile

import numpy as np

from core.codec import FloatArray
from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, PERCENTILE, dimension, stem
from core.ingest.base import SideBySide
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import Known, Verdict, Verdicts
from core.ingest.recognition.settings import CLOCK, LEAST_ROWS, is_fact_table

_ORDER = ("time", "power", "energy", "throughput", "temperature", "frequency")
_ROUND = 10
"""A measured time is no multiple of it in every row."""
_MOST_TRIED, _MOST_RESULTS = 12, 200
"""Columns that may be one outcome, a column for each thing that was tried, and rows of such a table."""
_NOT_ZERO = 0.75
"""Share of such results that are not below the resolution of a clock."""
_SAME = 0.01
"""Share by which a speed-up may miss the quotient of two times."""
_LEAST_CYCLES = 100
"""Fewer cycles beside another outcome are rounds of a benchmark, not those of a processor."""
_ROOT = 0.5
_LEAST_CLOCK, _EVEN, _BETWEEN = 8, 4, 0.2
"""Rows between a clock's beginnings, how many times the usual step any of its steps is, and the share of a row's time
that passes between it and the next."""
FIXED = 4
"""A time that varies so many times less than a rate beside it is how long a run was told to last."""
_AS_TOLD = 0.05
"""How wide the middle half of such times is at most, in logarithms, to be the last of all outcomes."""
MOST_UNFOLDED = 500_000
"""Rows of more are not unfolded: some four trials for each of them would no longer fit into memory."""
_BESIDE = {"system": ["user"], "sys": ["user"], "cpu": ["wall", "real"]}
"""Of whom times are that stand beside those of a system; a processor's stand beside those of the wall."""
_PACE = {"ipc": "inst/cycle", "cpi": "cycle/inst"}
_QUERIES = 5
"""Numbered columns of a benchmark's queries, at least: `q1`, `q2`, `q3` may be quartiles."""
_OPTIMISED = re.compile("-?O([0-3sgz]|fast)")
"""A compiler's level of optimisation."""
_WIDEST = 3
"""How many times an outcome its standard deviation is at most in the middle row: `std_ms` may be that of a standard."""
_AGAIN, _ROWS_APART = 0.1, 1.5
"""Share by which numbered columns of one outcome differ in most rows, and the factor by which rows do."""
_ONE_TIME = re.compile("[a-z]{2,}time")
LONE = 20
"""A table of so many machines may hold more than facts of a few."""
_SET = re.compile(r"(?:\w+ ?[(\[])?(\D*[^\W\d_]) ?[ _=-]? ?(\d+)[)\]]?|[Pp]?(\d+)[ _-]?([^\W\d_]+)")
"""The name of a setting with its value: `threads_4`, `4 cores`, `P4T`, `T(t = 4)`; `column 4` of numbers as names."""
_NUMBERED = re.compile(r"(.*?\D)?(\d+)(\D*)")
_AMID = re.compile(r"(?<=[^\W_])[ _.\-#]*\d+([ _.\-]+)(?=[^\W_])")
_SPREADS = re.compile(r"±|\+/?[-−]")
_LARGE = 100
"""What numbers columns with sizes, as `n_1000`, and not several sizes, as `dim_3`."""


def outcomes(known: Known) -> Verdicts:
    """Return the outcomes among the columns of numbers: by name or unit, unless a machine or a sweep settles them."""
    seen = known.seen
    verdicts = ((name, _outcome(known, name) or _searched(known, name)) for name in known.free_numbers)
    found = {name: verdict for name, verdict in verdicts if verdict}
    found |= {} if _any_response(found) else _compared(known) or _phases(known)
    found |= {} if any(_dimension(known, n) == "time" for n in found) else _sampled(known)
    whole = {n.rpartition(" (")[0] for n in found if found[n].role == "response" and not seen.wide} - {""}
    parted = (n for n in known.free_numbers if n not in found and n.rpartition(" (")[0] in whole)
    found |= dict.fromkeys(parted, Verdict("response", "as the others of its name, in another unit", 0.75))
    if not _any_response(found):
        tools = [n for n in found if seen.different(n) > 1]
        last = {n: (lexicon.tokens(n) or [""])[-1] for n in known.free_numbers}
        paces = {n: _PACE[word] for n, word in last.items() if word in _PACE and not seen.wide}
        named = [] if tools or paces else _last_resort(known)
        found |= dict.fromkeys(tools or named, Verdict("response", "named like what was measured", 0.7))
        pace = Verdict("response", "how fast a processor went, and no time beside it", 0.75)
        found |= {} if tools else {n: replace(pace, unit=unit) for n, unit in paces.items()}
    found |= {} if _any_response(found) else _in_corner(known)
    if not _any_response(found) and not known.given.responses:
        gains = [n for n in known.free_numbers if "speedup" in "".join(lexicon.tokens(n)) and seen.different(n) > 1]
        found |= dict.fromkeys(gains, Verdict("response", "a speed-up, and no time beside it", 0.7, unit="ratio"))
    return _times_first(known, found | _aside(known, found))


def _in_corner(known: Known) -> Verdicts:
    """Return numbers without units as outcomes where the name above the texts before them is a unit: `TFLOPs`, `ms`."""
    seen, columns = known.seen, known.seen.columns
    corner, names = columns[0], known.free_numbers
    unit = corner.unit or (corner.name if corner.name in KNOWN else "")
    spoken = dimension(unit) in ("time", "throughput", "power", "energy") and not corner.numeric
    if not spoken or len(names) + 1 < len(columns) or any(map(known.unit, names)) or seen.wide:
        return {}
    return dict.fromkeys(names, Verdict("response", f"in {unit}, as the first column says", 0.75, unit=unit))


def _sampled(known: Known) -> Verdicts:
    """Return fractions whose mean stands beside a tail, which is one of times, or beside the least and the most.

    No name says what they are: `read_mean` beside `read_p99`, `Comm_Avg` beside `Comm_Min` and `Comm_Max`.
    """
    seen = known.seen
    plain = [n for n in known.free_numbers if not (seen.wide or known.unit(n) or seen.integers(n)) and _core(n)]
    found: Verdicts = {}
    for group in by_key((tuple(_core(n)), n) for n in plain).values():
        words = {word for n in group for word in lexicon.tokens(n)}
        tail = any(word != "p50" and PERCENTILE.fullmatch(word) for word in words)
        spoken = dimension("", group[0]) != "count" or (lexicon.is_counter(group[0]) and not tail)
        if words & lexicon.WORDS["means"] and (tail or words >= {"min", "max"}) and not spoken:
            why = Verdict("response", "a statistic of what was measured", 0.75, dimension="time" if tail else "")
            found |= dict.fromkeys(group, why)
    return found


def _last_resort(known: Known) -> list[str]:
    """Return columns of a result, of times in one word such as `sorttime`, cycles, marks, or the first percentile."""
    seen = known.seen
    words = {n: [word for word in lexicon.tokens(n) if not word.isdigit()] or [""] for n in known.free_numbers}
    results = [n for n, own in words.items() if own[-1] in lexicon.WORDS["results"]]
    varied = {n: own for n, own in words.items() if not seen.leveled(n) and seen.different(n) > 1}
    times = [n for n, own in varied.items() if _ONE_TIME.fullmatch(own[-1]) and own[-1] not in lexicon.WORDS["no_time"]]
    marks = [n for n, own in varied.items() if lexicon.WORDS["score"] & {own[0], own[-1]} and not lexicon.is_input(n)]
    judged = any(lexicon.speaks(c.name, "judged") for c in seen.columns)
    marks = [] if judged or (is_fact_table(known) and len(seen) < LONE) else marks
    cycles = [n for n in varied if known.unit(n) == "cycles" and not (seen.wide or lexicon.is_counter(stem(n)))]
    return results or times or cycles or marks or [*filter(PERCENTILE.fullmatch, words)][:1]


def areas(known: Known) -> Verdicts:
    """Return what a circuit takes as outcomes: areas beside another outcome, else parts of an FPGA."""
    seen = known.seen
    varied = [n for n in known.named("counter", "parameter") if seen.column(n).numeric and seen.levels(n) > 1]
    if known.named("response"):
        units = ("area", "count") if of_circuit(known) else ("area",)
        taken = [n for n in varied if "area" in lexicon.tokens(n) and dimension(known.unit(n)) in units]
        taken = [n for n in taken if not (known.machines or lexicon.speaks(n, "no_outcome"))]
        return dict.fromkeys(taken, Verdict("response", "the area that a design takes", 0.75, dimension="area"))
    counted = [n for n in known.named("counter") if seen.column(n).numeric]
    told = all(lexicon.speaks(n, "area") for n in counted)
    if not told or known.named("derived") or not known.named("parameter"):
        return {}
    why = "what the circuit takes, and nothing else was measured"
    return {n: Verdict("response", why, 0.7, unit=n) for n in varied if n in counted}


def of_circuit(known: Known) -> bool:
    """Whether a table speaks of what a circuit takes of an FPGA, or of how early its signals are."""
    words = lexicon.WORDS["area"] | lexicon.WORDS["slack"]
    return any(words & {word.removeprefix("num") for word in lexicon.tokens(c.name)} for c in known.seen.columns)


def _any_response(found: Verdicts) -> bool:
    return any(verdict.role == "response" for verdict in found.values())


def _compared(known: Known) -> Verdicts:
    """Return two columns whose quotient is the speed-up beside them: times, whatever they are called.

    So are others that begin as these do, `seq_quick` and `gpu_quick` beside `seq_merge` and `gpu_merge`.
    """
    seen = known.seen
    gains = [n for n in known.free_numbers if lexicon.is_comparison(n) and seen.different(n) > 1]
    free = [n for n in known.free_numbers if n not in gains and not seen.integers(n)][:_MOST_TRIED]
    for gain, (base, own) in product(gains, permutations(free, 2)):
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(seen.values(base) / seen.values(own) / seen.values(gain) - 1)
        known_off = off[np.isfinite(off)]
        if len(known_off) > 2 and float(np.quantile(known_off, 0.9)) < _SAME:
            begins = {tuple(lexicon.tokens(n)[:1]) for n in (base, own)}
            alike = [n for n in free if n in (base, own) or tuple(lexicon.tokens(n)[:1]) in begins]
            return dict.fromkeys(alike, Verdict("response", f"{base} / {own} is {gain}", 0.8, dimension="time"))
    return {}


def _phases(known: Known) -> Verdicts:
    """Return fractions beside one that is called like a phase of a run on a device, as phases of it."""
    free = [n for n in known.free_numbers if not known.seen.integers(n)]
    spoken = any(lexicon.key(n) in lexicon.WORDS["phases"] for n in free) and not any(map(known.unit, free))
    return dict.fromkeys(free if spoken else (), Verdict("response", "a phase of a run", 0.75))


def _outcome(known: Known, name: str) -> Verdict | None:
    """Return that a column is an outcome, or a time of the tool; None of any other."""
    seen, column = known.seen, known.seen.column(name)
    if (own := lexicon.WORDS["tools_own"] & {*lexicon.tokens(name)}) and dimension(column.unit, name) == "time":
        told = Verdict("label", "a time of the tool, not of what ran", 0.8)
        return told if own != {"search"} or _tuned(known, name) else Verdict("response", "named like an outcome", 0.75)
    if lexicon.is_outcome(name, column.unit) and not _settled(known, name) and not _swept(known, name):
        unspoken = column.unit and not lexicon.is_outcome(name)
        why = f"in {column.unit}, as an outcome is" if unspoken else "named like an outcome"
        return Verdict("response", why, 0.95 if column.unit or not lexicon.is_counter(name) else 0.75)
    if _best_rate(known, name):
        return Verdict("response", "the best rate, beside other statistics of runs", 0.75)
    *what, last = lexicon.tokens(name) or [""]
    beside = [[*what, own] if last == "cpu" else [own] for own in _BESIDE.get(last, ())]
    if any(lexicon.tokens(n) in beside for n in seen.numeric):
        return Verdict("response", "a time, beside another one of the same run", 0.85)
    if _begins_with_time(known, name):
        return Verdict("response", "named like an outcome", 0.75, dimension="time")
    if lexicon.is_domain(name) and not seen.integers(name):
        return Verdict("response", "what a part of the machine took", 0.8)
    if lexicon.key(name) == "flops" and 2 * seen.levels(name) > len(seen) and _is_fine(known, name):
        return Verdict("response", "a rate: what is counted is whole", 0.75)
    if lexicon.key(name) == "us" and not lexicon.WORDS["shares_of_cpu"] & {*map(lexicon.key, seen.numeric)}:
        return Verdict("response", "in us, as an outcome is", 0.8, unit="us")
    if _measured(known, name):
        return Verdict("response", "varies from run to run as what is measured does", 0.7)
    return None


def _searched(known: Known, name: str) -> Verdict | None:
    """Return that a column is what a search among parameters made better, as Optuna writes it."""
    searched = lexicon.key(name) == "value" and any(c.name.startswith("params_") for c in known.seen.columns)
    return Verdict("response", "what a search among parameters found", 0.8) if searched else None


def _is_fine(known: Known, name: str) -> bool:
    """Whether numbers are no counts: fractions, or large with zeros behind some six digits, as `6.50984e+09` prints."""
    values = known.seen.values(name)
    if not known.seen.integers(name):
        return True
    digits = [len(f"{value:.0f}".rstrip("0")) for value in values]
    return values.min() > 1e7 and max(digits) <= 6 and bool(np.median(digits) >= 5)


def _best_rate(known: Known, name: str) -> bool:
    """Whether a largest rate is one of several runs, whose smallest and mean times stand beside it, and no limit."""
    if dimension(known.seen.column(name).unit) != "throughput" or not {"max", "best"} & {*lexicon.tokens(name)}:
        return False
    return all(any(word in lexicon.tokens(n) for n in known.seen.numeric) for word in ("min", "avg"))


def _tuned(known: Known, name: str) -> bool:
    """Whether a search is a tuner's: what else it did stands beside it, or what took the time that it searched for."""
    others = [{*lexicon.tokens(stem(n))} for n in known.seen.numeric if n != name]
    return any(lexicon.WORDS["tools_own"] & own or own <= {"time", "times"} for own in others)


def _aside(known: Known, found: Verdicts) -> Verdicts:
    """Return what stands beside an outcome and is none: a model's word of it, a clock, a part of a whole domain."""
    seen, responses = known.seen, {n for n in found if found[n].role == "response"}
    aside: Verdicts = {}
    if any(not lexicon.is_told(n) for n in responses):
        told = Verdict("label", "what a model said, not what was measured", 0.85)
        models = [n for n in known.free_numbers if lexicon.key(n) in lexicon.WORDS["regressors"]]
        aside |= dict.fromkeys(filter(lexicon.is_told, known.free_numbers), told)
        aside |= dict.fromkeys(models if len(models) > 1 else (), told)
    rising = [n for n in known.free_numbers if _runs_on(known, n, responses)]
    times = [n for n in responses if _dimension(known, n) == "time"]
    clocks = {n for n in rising if "elapsed" in lexicon.tokens(n)}
    clocks |= {n for n in times if any(_adds_up(seen.values(n), seen.values(other)) for other in times)}
    if {*rising} < responses and all(_dimension(known, n) in ("time", "count", "frequency") for n in rising):
        clocks |= {*rising}
    beside = [seen.values(n) for n in known.free_numbers if n not in found] if {*times} == responses else []
    alone = bool(beside) and _tell_one_time([seen.values(n) for n in responses], beside)
    clocks |= responses if alone else set()
    aside |= dict.fromkeys(clocks if alone or responses - clocks else (), Verdict("label", CLOCK, 0.8))
    delayed = {n for n in responses if lexicon.speaks(n, "delayed")}
    factors = {"time" if lexicon.speaks(n, "cycles") else _dimension(known, n) for n in responses - delayed}
    if factors >= {"time", "energy"}:
        product = Verdict("derived", "an energy times a delay", 0.85, "energy · delay")
        aside |= dict.fromkeys(delayed, product)
    if whole := next(filter(lexicon.is_domain, found), ""):
        parts = (n for n in known.free_numbers if lexicon.key(n) in lexicon.WORDS["parts"] and not seen.integers(n))
        aside |= dict.fromkeys(parts, Verdict("derived", f"a part of {whole}", 0.8, f"part of {whole}"))
    return aside


def _runs_on(known: Known, name: str, responses: Set[str]) -> bool:
    """Whether numbers rise from row to row but where they begin anew, in even steps, and nothing was set along.

    What changes once in so many rows is a state.
    """
    seen, x = known.seen, known.seen.values(name)
    steps, size = np.diff(x), float(np.ptp(x)) if seen.whole(name) and len(x) > _LEAST_CLOCK else 0.0
    again = steps < 0
    if not size or _LEAST_CLOCK * int(again.sum()) > len(steps) or (x[1:][again] > x.min() + 0.1 * size).any():
        return False
    if steps.max() > _EVEN * np.median(steps) and not {"elapsed", "clock", "timestamp"} & set(lexicon.tokens(name)):
        return False
    beside = (np.diff(seen.values(n))[~again] for n in known.free_numbers if n not in {*responses, name})
    return not any(bool((d >= 0).all() and _LEAST_CLOCK * (d > 0).sum() > len(d)) for d in beside)


def _tell_one_time(clocks: Sequence[FloatArray], beside: Sequence[FloatArray]) -> bool:
    """Whether two columns or more rise together from row to row, each as far as any other, in units of its own.

    What stands beside them does not: sizes rise with times.
    """
    rising = all((np.diff(x) > 0).all() for x in clocks) and not any((np.diff(x) >= 0).all() for x in beside)
    if len(clocks) < 2 or len(clocks[0]) <= _LEAST_CLOCK or not rising:
        return False
    passed = [(x - x[0]) / (x[-1] - x[0]) for x in clocks]
    return all(bool((np.abs(x - passed[0]) <= _SAME * passed[0].max() / 10).all()) for x in passed)


def _adds_up(clock: FloatArray, times: FloatArray) -> bool:
    """Whether each step of a clock takes as long as its row, or little more; rows must not rise themselves."""
    steps, rows = np.diff(clock), times[1:]
    if len(rows) < LEAST_ROWS or not (steps > 0).all() or (np.diff(times) >= 0).all():
        return False
    return bool(((rows > 0) & (rows <= steps * (1 + _SAME)) & (steps <= rows * (1 + _BETWEEN))).all())


def _times_first(known: Known, found: Verdicts) -> Verdicts:
    """Cycles and rates of a profiler are counters where there is a time beside them, those of a bus beside a power."""
    of = {n: _dimension(known, n) for n in found if found[n].role == "response"}
    if "power" in (whats := {*of.values()}) and not whats & {"time", "energy"}:
        return {n: own for n, own in found.items() if of.get(n) != "throughput" or not lexicon.speaks(n, "buses")}
    timed = [n for n in of if of[n] == "time"]
    if not (times := [n for n in timed if not lexicon.speaks(n, "cycles")]):
        return found

    def doubtful(name: str) -> bool:
        counted = name in timed or _dimension(known, name) == "count"
        spoken = stem(name) != name and lexicon.is_outcome(stem(name))
        return name not in times and lexicon.is_counter(name) and (known.seen.wide or counted) and not spoken

    return {name: own for name, own in found.items() if own.role != "response" or not doubtful(name)}


def _dimension(known: Known, name: str) -> str:
    """Return what an outcome is one of; a slack, of which more is better, is no time although it has the same unit."""
    return "count" if lexicon.speaks(name, "slack") else dimension(known.unit(name), name)


def _settled(known: Known, name: str) -> bool:
    """Whether a column that is called like an outcome is a fact of the machine, rounds, or the setting of a sweep.

    An energy below 0 is a solver's objective or one of molecules, and was taken from no socket.
    """
    seen = known.seen
    below = _dimension(known, name) == "energy" or lexicon.key(name) == "score"
    if known.of_machine(name) or (below and (seen.values(name) < 0).any()):
        return True
    few = lexicon.key(name) == "cycles" and seen.integers(name) and seen.values(name).max() < _LEAST_CYCLES
    if few and (_else_measured(known, name) or any(_measured(known, n) for n in known.free_numbers if n != name)):
        return True
    rates = _dimension(known, name) in ("throughput", "frequency", "power")
    each = known.machine and seen.unique(known.machine) and not _any_time(known)
    if rates and (each or seen.doubles(name) or (seen.rises(name) and _else_measured(known, name))):
        return True
    few = rates and seen.leveled(name) and seen.levels(name) <= 16 and 8 * seen.levels(name) <= len(seen)
    return few and (seen.integers(name) or any(seen.crossed(name, seen.groups([n])) for n in seen.leveled_beside(name)))


def _any_time(known: Known) -> bool:
    spoken = (n for n in known.seen.numeric if lexicon.is_outcome(n, known.seen.column(n).unit))
    return any(_dimension(known, n) in ("time", "energy") for n in spoken)


def _swept(known: Known, name: str) -> bool:
    """Whether whole numbers have few levels, as often with each of another column: set; of times, beside an outcome.

    What never changes is no outcome either where another one does: a `T` of 64 in every row is a number of steps.
    """
    seen = known.seen
    if seen.levels(name) == 1 < len(seen) // 2 and _else_measured(known, name):
        return True
    timed = _dimension(known, name) in ("time", "energy")
    whole = timed and seen.integers(name)
    spoken = (n for n in known.free_numbers if lexicon.is_outcome(n, seen.column(n).unit))
    finer = whole and not all(map(seen.integers, spoken))
    if not seen.leveled(name) or (timed and not (finer or _else_measured(known, name))):
        return False
    fine = _is_fine(known, name) or bool((seen.values(name) % _ROUND).any())
    coarse = whole and not (fine and lexicon.is_outcome(name))
    others = (n for n in seen.leveled_beside(name) if n in known.free or not seen.column(n).numeric)
    return coarse or any(seen.balanced(name, seen.groups([n])) for n in others)


def _else_measured(known: Known, name: str) -> bool:
    """Whether another outcome hardly repeats, or fractions do not that are called like runs."""
    seen, others = known.seen, [n for n in known.free_numbers if n != name]
    spoken = [n for n in others if lexicon.is_outcome(n, seen.column(n).unit) or _begins_with_time(known, n)]
    spoken += [n for n in others if lexicon.is_run(_base(n)) and not seen.integers(n)]
    return any(2 * seen.levels(n) > len(seen) for n in spoken)


def _begins_with_time(known: Known, name: str) -> bool:
    """Whether a name begins as one of a time, or is a total, and the numbers are fractions that hardly repeat.

    Of `t_build` and `t_query` each shows what the other one is.
    """
    seen = known.seen
    led = (n for n in seen.numeric if n.lower().startswith("t_") and not seen.integers(n))
    several = name.lower().startswith("t_") and len([*islice(led, 2)]) > 1
    spoken = several or lexicon.leads_with_time(name) or lexicon.key(name) == "total"
    return spoken and not (seen.integers(name) or lexicon.is_comparison(name)) and 2 * seen.levels(name) > len(seen)


def _measured(known: Known, name: str) -> bool:
    """Whether a clock or a voltage has many values, none of them set."""
    seen = known.seen
    words, dim = set(lexicon.tokens(name)), _dimension(known, name)
    if dim not in ("frequency", "temperature") and not words & {"voltage"}:
        return False
    said = bool(words & {"measured", "actual", "observed", "current", "effective", "eff", "mean", "avg", "average"})
    said = said or (dim == "frequency" and bool(words & {"max", "fmax", "achieved"}) and of_circuit(known))
    many = seen.levels(name) > 16 and 3 * seen.levels(name) > len(seen)
    many = many and not (known.machine and seen.settled(name, [known.machine]))
    return said or many or (dim == "frequency" and _follows_another(known, name))


def _follows_another(known: Known, name: str) -> bool:
    """Whether numbers are within hundredths of those of a column with fewer levels, which asked for them."""
    seen, own = known.seen, known.seen.values(name)
    asked = (n for n in seen.leveled_beside(name) if seen.column(n).numeric and 1 < seen.levels(n) < seen.levels(name))
    return any(bool((np.abs(own - seen.values(n)) <= 0.05 * np.abs(own)).all()) for n in asked)


@np.errstate(over="ignore")
def side_by_side(known: Known) -> tuple[SideBySide, ...]:
    """Return columns of one outcome beside each other: repeats, or one column for each size of the problem."""
    if len(known.seen.table) > MOST_UNFOLDED:
        return _matrix(known)
    found = _set_apart(known)
    for names, numbers in () if found else _numbered(known):
        low, high = _extremes(known, names)
        steady = lexicon.is_run(_base(names[0])) or (len(low) > 0 and bool(np.median(high / low) <= _ROWS_APART))
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
    seen, measured = known.seen, known.named("response")
    others = (*known.free, *known.what_ran, *known.named("machine"))
    told = known.given.responses or any(seen.different(n) > 1 for n in others)
    called = any(lexicon.is_outcome(stem(n)) or lexicon.is_run(stem(n)) for n in measured)
    same = len({tuple(_core(n)) for n in measured}) < len(measured)  # statistics of one outcome
    if told or called or same or len(measured) < 3 or len(units := {known.unit(n) for n in measured}) > 1:
        return ()
    return (SideBySide(dimension(units.pop()), measured, measured),)


def _of_machines(known: Known) -> tuple[SideBySide, ...]:
    """Return columns that are called like processors, in one unit or none, as one outcome; a time if none says more."""
    seen, measured = known.seen, known.named("response")
    names = tuple(n for n in seen.numeric if n in {*known.free_numbers, *measured} and lexicon.MODEL_NAMES.fullmatch(n))
    units = {known.unit(n) for n in names}
    alone = known.machines is None and {*measured} <= {*names} and not known.given.responses
    if not alone or len(names) < 2 or len(units) > 1 or any(seen.integers(n) and _was_set(known, n) for n in names):
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
        outcome = _dimension(known, name) in _ORDER[:4] or not known.unit(name)
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
    (first, name, setting), last, seen = group[0], group[-1][1], known.seen
    free = (n for n in known.free_numbers if known.unit(n) == known.unit(name) and not seen.integers(n))
    alone = [n for n in free if lexicon.speaks(n, "serial") and not lexicon.is_counter(n)]
    parallel = lexicon.is_parallel(setting) or lexicon.is_parallel(f"{setting}s")
    if len(alone) != 1 or first < 2 or not parallel or float(np.nanmedian(seen.values(last) / seen.values(name))) > 1:
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
    first, last = known.seen.values(names[0]), known.seen.values(names[-1])
    over_one = any(bool((known.seen.values(c.name) == 1).all()) for c in known.seen.columns if c.numeric)
    gained = "speedup" if over_one else "throughput"
    sizes = settings[-1] == "column" and not over_one
    grows = not (known.unit(names[0]) or sizes) and float(np.nanmedian(last / first)) > 1
    return SideBySide(gained if grows else "time", names, tuple(map(str, levels)), settings[-1])


def _matrix(known: Known) -> tuple[SideBySide, ...]:
    """Return columns of which each is called like something that was tried, and holds fractions alike in size.

    Beside whole numbers with levels, which were set, a few of them may be called like a setting: `omp`, `cached`.
    """
    seen, few = known.seen, len(known.seen) in range(3, _MOST_RESULTS + 1)
    names = tuple(n for n in known.free_numbers if not (seen.integers(n) and _was_set(known, n)))
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
    never |= {n for n in names if lexicon.is_input(n) and 2 * seen.levels(n) <= len(seen)}
    languages = [n for n in names if n.lower() in lexicon.WORDS["languages"]]
    others = names if len(languages) < 2 else [n for n in names if n not in languages]
    if any(known.unit(n) in KNOWN for n in names) or never & {*others}:
        return ()
    if sum(lexicon.is_setting(n) or lexicon.is_machine_fact(n) for n in names) > (len(names) // 2 if swept else 0):
        return ()
    values = np.column_stack([seen.values(n) for n in names])
    there = np.isfinite(values)
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    whole = sum(bool((x[ok] == np.round(x[ok])).all()) for x, ok in zip(values.T, there.T, strict=True))
    some = bool((values[there] >= 0).all() and (values[there] > 0).mean() >= _NOT_ZERO)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = some and float(np.nanmedian(high / low)) <= _MOST_TRIED**2
    timed = dimension("", seen.table.source.rpartition(".")[0]) == "time"
    outcome = _in_common(names) or ("time" if timed or _are_times(known, names, values) else "value")
    return (SideBySide(outcome, names, names),) if alike and 2 * whole < len(names) else ()


def _was_set(known: Known, name: str) -> bool:
    """Whether whole numbers have levels, never change, grow row by row, or are called like a size or a setting."""
    seen = known.seen
    swept = seen.leveled(name) or seen.levels(name) == 1 or seen.rises(name)
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
    seen, told = known.seen, np.isfinite(values).any(axis=1)
    middle = np.nanmedian(values[told], axis=1)
    sizes = (n for n in seen.numeric if lexicon.is_input(n) and seen.integers(n) and seen.levels(n) > 2)
    known_at = (seen.values(n)[told] for n in sizes if told.sum() > 2)
    steep = (np.polyfit(np.log(x), np.log(middle), 1)[0] for x in known_at if x.min() > 0 and middle.min() > 0)
    return any(slope > _ROOT for slope in steep)


def _numbered(known: Known) -> list[tuple[list[str], list[int]]]:
    """Return groups of free columns or responses that only a number tells apart."""
    seen, measured = known.seen, known.named("response")
    places = {*known.free_numbers, *measured} - {*_percentiles(known)}
    found: list[tuple[tuple[str, str, str], tuple[int, str]]] = []
    others: list[tuple[tuple[str, str, str], tuple[int, str]]] = []
    numeric = [c for c in seen.columns if c.numeric and c.name in places]
    columns = [(c, name) for c in numeric if (name := _NUMBERED.fullmatch(c.name))]
    large = {name[1] for _, name in columns if int(name[2]) >= _LARGE}
    for column, match in columns:
        sized = not measured and _is_size(column.name) and (match[1] in large or not seen.integers(column.name))
        outcome = sized or _like_a_time(column.name, column.unit, measured=column.name in measured)
        if _dimension(known, column.name) != "temperature":
            own = (match[1] or "", match[3], column.unit), (int(match[2]), column.name)
            (found if outcome else others).append(own)
    alike = [sorted(group) for group in by_key(found).values()]
    whole = [own for own in alike if len(own) > 2 or (len(own) > 1 and all(lexicon.is_run(_base(n)) for _, n in own))]
    numbers = [[n for n, _ in group] for group in whole]
    if whole or not measured:
        more = [sorted(group) for group in by_key(others).values() if _repeats(known, [name for _, name in group])]
        whole += [group for group in more if not numbers or [n for n, _ in group] in numbers]
    return [([name for _, name in group], [n for n, _ in group]) for group in whole]


@np.errstate(over="ignore")  # of numbers next to nothing
def _repeats(known: Known, names: list[str]) -> bool:
    """Whether three columns or more are within hundredths of each other in rows that differ by more."""
    if len(names) < 3 or any(lexicon.is_counter(n) or lexicon.is_setting(n) or known.seen.integers(n) for n in names):
        return False
    lows, highs = _extremes(known, names)
    if 2 * len(lows) <= len(known.seen):
        return False
    low, high = np.quantile(lows, (0.1, 0.9))
    return bool(np.median(highs / lows) <= 1 + _AGAIN and high > _ROWS_APART * low)


def _extremes(known: Known, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest number of each row in some columns, of rows with two or more, none below 0."""
    values = np.column_stack([known.seen.values(name) for name in names])
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    told = (np.isfinite(values).sum(axis=1) > 1) & (low > 0)
    return low[told], high[told]


def _like_a_time(name: str, unit: str, *, measured: bool) -> bool:
    words = [word for word in lexicon.tokens(name) if not word.isdigit()]
    if any(re.fullmatch(r"p\d+", word) for word in words):
        return False
    base, timed = _base(name), bool(lexicon.WORDS["timed"] & {*words[:1]})
    spoken = timed or lexicon.is_run(base) or lexicon.is_outcome(base, unit)
    spoken = spoken or (measured and bool(words) and _ONE_TIME.fullmatch(words[-1]) is not None)
    return (spoken or dimension(unit, "") == "time") and not lexicon.is_counter(name)


def _is_size(name: str) -> bool:
    """Whether a name is a size of the problem and its value, as `n=1000` is: the cells are what was measured there."""
    found = re.fullmatch(r"(\w+?)\s*[=_]\s*\d+", name)
    return found is not None and lexicon.key(found.group(1)) in lexicon.INPUT


def _base(name: str) -> str:
    """Return what numbered columns have in common."""
    bare = stem(name)
    amid = _AMID.sub(r"\1", bare, count=1)  # what parts the words beside the number stays
    return (amid if amid != bare else re.sub(r"[ _.\-#]*\d+[ _.\-]*", "", bare, count=1)) or "time"


def _called(name: str, unit: str) -> str:
    """Return what a response is called whose columns stand beside each other: a time is no run."""
    base = _base(name)
    return "time" if lexicon.is_run(base) and dimension(unit, "") == "time" else base


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
            summed = np.sum([known.seen.values(n) for n in group.columns], axis=0)
            wholes = (n for n in known.named("response") if np.allclose(known.seen.values(n), summed, rtol=_SAME))
            found |= {n: Verdict("derived", f"the sum of {what}", 0.9, f"sum of {what}") for n in wholes}
            mixed = len({known.unit(n) for n in group.columns}) > 1  # one of which is none, as in `Mesh (Grid)`
            unit = "ratio" if group.response == "speedup" else "" if mixed else None
            found |= dict.fromkeys(group.columns, Verdict("response", f"{what}: {group.response}", 0.8, unit=unit))
    found |= dict.fromkeys(_percentiles(known), Verdict("derived", "a percentile of what was measured", 0.8))
    found |= {n: Verdict("derived", f"how far {main} spreads", 0.85) for n, main in _signs_of_spread(known)}
    for name, main in _statistics(known.instead(found)).items():
        found[name] = Verdict("derived", f"another statistic of {main}", 0.85, f"statistic of {main}")
    return found, tuple(beside)


def _percentiles(known: Known) -> list[str]:
    """Return columns that are called `p95` or `50%` alone, beside another outcome."""
    measured = known.named("response")
    others = [n for n in measured if not PERCENTILE.fullmatch(n)]
    beside = (*known.free_numbers, *(measured if others else ())) if measured else ()
    return [n for n in beside if PERCENTILE.fullmatch(n)]


def _signs_of_spread(known: Known) -> Iterator[tuple[str, str]]:
    """Yield columns that are called `±` or `+/-` alone, with the outcome that stands before each."""
    measured = known.named("response")
    at = {known.seen.column(n).place: n for n in measured}
    for name in (*known.free_numbers, *measured):
        if (main := at.get(known.seen.column(name).place - 1)) and _SPREADS.fullmatch(name):
            yield name, main


def _mean_of(known: Known, columns: tuple[str, ...]) -> str:
    """Return the outcome that lies within the repeats."""
    seen = known.seen
    values = np.column_stack([seen.values(name) for name in columns])
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    for name in known.named("response"):
        y = seen.values(name)
        if name not in columns and float(np.mean((y >= low * 0.9) & (y <= high * 1.1))) > 0.8:
            return name
    return ""


def _statistics(known: Known) -> dict[str, str]:
    """Return columns that are statistics of an outcome which another column has, by that column's name."""
    seen = known.seen
    responses = [n for n in known.named("response") if not set(lexicon.tokens(n)) & lexicon.SPREAD]
    found: dict[str, str] = {}
    for name in (*known.free_numbers, *known.named("response")):
        spoken = set(lexicon.tokens(stem(name))) & (lexicon.STATISTIC | lexicon.SPREAD)
        if not spoken or (seen.levels(name) < 2 and name in known.free_numbers) or _whole(known, name, responses):
            continue
        mains = sorted(responses, key=lambda y: (_core(y) != _core(name), _rank(y)))
        telling = [y for y in mains if y != name and y not in found and _tells(known, name, y)]
        for i, main in enumerate(telling):  # behind the first only another statistic stands for an outcome
            if name not in responses or min(i, 1) <= _rank(main) < _rank(name):
                found[name] = main
                break
    measured = {*responses, *(name for name in found if seen.column(name).unit)}
    return {name: main for name, main in found.items() if name in measured or not lexicon.is_counter(name)}


def _whole(known: Known, name: str, responses: list[str]) -> bool:
    """Whether a total is that of other columns, phases that may overlap, leave half untold or be some rows' alone."""
    seen, unit, whole = known.seen, known.unit(name), known.seen.values(name)
    if not lexicon.WORDS["totals"] & set(lexicon.tokens(stem(name))):
        return False
    alike = (n for n in (*responses, *known.free_numbers) if n != name and known.unit(n) == unit and _rank(n) == 0)
    parts = ((n, np.nan_to_num(seen.values(n))) for n in alike if not seen.integers(n))
    phases = {n: x for n, x in parts if np.mean(x <= 1.01 * whole) >= 0.9}
    told = np.sum([*phases.values()], axis=0)
    most = len(phases) > 1 and np.mean(told[told > 0] >= 0.5 * whole[told > 0]) >= 0.9
    return bool(most) and _core(name) not in map(_core, phases)


def _core(name: str) -> list[str]:
    """Return the words of a name that are no statistic's; a `total` beside one is what was measured."""
    words = lexicon.tokens(stem(name))
    core = [word for word in words if word not in lexicon.STATISTIC | lexicon.SPREAD]
    return core or (["total"] if "total" in words[:-1] else [])


def _rank(name: str) -> int:
    words = set(lexicon.tokens(stem(name)))
    if words & lexicon.SPREAD:
        return len(lexicon.BETTER) + 2
    other = len(lexicon.BETTER) + 1 if words & lexicon.STATISTIC else 0
    return next((i + 1 for i, word in enumerate(lexicon.BETTER) if word in words), other)


def _tells(known: Known, name: str, main: str) -> bool:
    """Whether a statistic's name and numbers are of an outcome: the same words, or nearly the same numbers."""
    seen = known.seen
    mine, own = lexicon.tokens(stem(name)), lexicon.tokens(stem(main))
    units = (known.unit(name), known.unit(main))
    what, of = (dimension(unit, n) for unit, n in zip(units, (name, main), strict=True))
    apart = (all(units) and what != of) or (what, of) == ("time", "throughput")
    if apart and not (units[0] == "%" and set(mine) & lexicon.SPREAD):
        return False
    alike = [w for w in lexicon.without_statistic(mine) if w not in lexicon.SPREAD] == lexicon.without_statistic(own)
    alike = alike or _core(name) == _core(main) == ["total"]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = seen.values(name) / seen.values(main)
    known_ratio = ratio[np.isfinite(ratio)]
    middle = float(np.median(known_ratio)) if len(known_ratio) else np.nan
    if set(mine) & lexicon.SPREAD:
        shared = (set(mine) - lexicon.SPREAD - lexicon.STATISTIC) & (set(own) - lexicon.STATISTIC)
        bare = {*mine} - lexicon.STATISTIC - lexicon.SPREAD - {"run", "rel", "type", "standard", "dev"}
        wide = units[0] == units[1] and middle > _WIDEST
        return not wide and (alike or not bare or bool(shared))
    tail = bool({"min", "max"} & {*mine}) or any(map(PERCENTILE.fullmatch, mine))
    near = (tail and _core(name) in ([], _core(main))) or 0.3 < middle < 3.5
    alone = {*_core(name)} <= {"run", "runs"} and not {*mine} <= lexicon.WORDS["totals"]  # of which others are parts
    beside = tail and {*_core(name)} <= {*_core(main)} and seen.column(name).place == seen.column(main).place + 1
    return (near and (alike or alone or set(own) <= lexicon.STATISTIC)) or (beside and 1 <= middle < 3.5)


def by_importance(known: Known, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return responses with times first, whole ones before parts, a GPU's before its host's, a baseline's behind.

    Times that runs were told to last are the last, and rates beside them, or times of each thing done, the first.
    """
    order, what = {dim: i for i, dim in enumerate(_ORDER)}, {name: _dimension(known, name) for name in names}
    widths = {name: width(known.seen.values(name)) for name in names}
    widest = max((w for n, w in widths.items() if what[n] == "throughput" or "per" in lexicon.tokens(n)), default=0.0)
    told = {name for name in names if what[name] in ("time", "count") and widths[name] < min(_AS_TOLD, widest / FIXED)}
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
