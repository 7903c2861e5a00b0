"""Which columns are outcomes, by name, unit or what their cells show."""

from dataclasses import replace
from itertools import islice, permutations, product

import numpy as np

from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, PERCENTILE, dimension, stem
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.aside import asides
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.ingest.recognition.settings import is_fact_table
from core.ingest.recognition.side_by_side import unnumbered

_MOST_COMPARED = 12
"""Columns of which two may be those that a speed-up compares."""
_ROUND = 10
"""A measured time is no multiple of it in every row."""
_LEAST_CYCLES = 100
"""Fewer cycles beside another outcome are rounds of a benchmark, not those of a processor."""
_BESIDE = {"system": ["user"], "sys": ["user"], "cpu": ["wall", "real"]}
"""Of whom times are that stand beside those of a system; a processor's stand beside those of the wall."""
_EVEN_STEP = 0.2
"""Share by which the steps of a grid differ: those of a clock may be 7 and 8 MHz in turn."""
_PACE = {"ipc": "inst/cycle", "cpi": "cycle/inst"}
LONE = 20
"""A table of so many machines may hold more than facts of a few."""


def outcomes(known: Known) -> Verdicts:
    """Return the outcomes among the columns of numbers: by name or unit, unless a machine or a sweep settles them."""
    free = [n for n in known.free_numbers if not ("." in n and lexicon.is_launch(n))]  # `options.time` was set
    verdicts = ((name, _outcome(known, name) or _searched(known, name)) for name in free)
    found = {name: verdict for name, verdict in verdicts if verdict}
    found |= {} if _any_response(found) else _compared(known) or _phases(known)
    found |= {} if any(known.dimension(n) == "time" for n in found) else _sampled(known)
    whole = {n.rpartition(" (")[0] for n in found if found[n].role == "response" and not known.wide} - {""}
    parted = (n for n in known.free_numbers if n not in found and n.rpartition(" (")[0] in whole)
    found |= dict.fromkeys(parted, Verdict("response", "as the others of its name, in another unit", 0.75))
    if not (_any_response(found) or known.named("response")):
        tools = [n for n in found if known.different(n) > 1]
        last = {n: (lexicon.tokens(n) or [""])[-1] for n in known.free_numbers}
        paces = {n: _PACE[word] for n, word in last.items() if word in _PACE and not known.wide}
        named = [] if tools or paces else _last_resort(known)
        found |= dict.fromkeys(tools or named, Verdict("response", "named like what was measured", 0.7))
        pace = Verdict("response", "how fast a processor went, and no time beside it", 0.75)
        found |= {} if tools else {n: replace(pace, unit=unit) for n, unit in paces.items()}
    found |= {} if _any_response(found) else _in_corner(known)
    if not _any_response(found) and not known.given.responses:
        gains = [n for n in known.free_numbers if "speedup" in "".join(lexicon.tokens(n)) and known.different(n) > 1]
        found |= dict.fromkeys(gains, Verdict("response", "a speed-up, and no time beside it", 0.7, unit="ratio"))
    return _times_first(known, found | asides(known, found))


def _in_corner(known: Known) -> Verdicts:
    """Return numbers without units as outcomes where the name above the texts before them is a unit: `TFLOPs`, `ms`."""
    columns = known.columns
    corner, names = columns[0], known.free_numbers
    unit = corner.unit or (corner.name if corner.name in KNOWN else "")
    spoken = dimension(unit) in ("time", "throughput", "power", "energy") and not corner.numeric
    if not spoken or len(names) + 1 < len(columns) or any(map(known.unit, names)) or known.wide:
        return {}
    return dict.fromkeys(names, Verdict("response", f"in {unit}, as the first column says", 0.75, unit=unit))


def _sampled(known: Known) -> Verdicts:
    """Return fractions whose mean stands beside a tail, which is one of times, or beside the least and the most.

    No name says what they are: `read_mean` beside `read_p99`, `Comm_Avg` beside `Comm_Min` and `Comm_Max`.
    """
    bare = [n for n in known.free_numbers if not (known.wide or known.unit(n) or known.integers(n)) and lexicon.core(n)]
    found: Verdicts = {}
    for group in by_key((tuple(lexicon.core(n)), n) for n in bare).values():
        words = {word for n in group for word in lexicon.tokens(n)}
        tail = any(word != "p50" and PERCENTILE.fullmatch(word) for word in words)
        spoken = dimension("", group[0]) != "count" or (lexicon.is_counter(group[0]) and not tail)
        if words & lexicon.WORDS["means"] and (tail or words >= {"min", "max"}) and not spoken:
            why = Verdict("response", "a statistic of what was measured", 0.75, dimension="time" if tail else "")
            found |= dict.fromkeys(group, why)
    return found


def _last_resort(known: Known) -> list[str]:
    """Return columns of a result, of times in one word such as `sorttime`, cycles, marks, or the first percentile."""
    words = {n: [word for word in lexicon.tokens(n) if not word.isdigit()] or [""] for n in known.free_numbers}
    results = [*filter(_is_result, words)]
    varied = {n: own for n, own in words.items() if not known.leveled(n) and known.different(n) > 1}
    last = {n: own[-1] for n, own in varied.items() if own[-1] not in lexicon.WORDS["no_time"]}
    times = [n for n, word in last.items() if lexicon.ONE_TIME.fullmatch(word)]
    marks = [n for n, own in varied.items() if lexicon.WORDS["score"] & {own[0], own[-1]} and not lexicon.is_input(n)]
    judged = any(lexicon.speaks(c.name, "judged") for c in known.columns)
    marks = [] if judged or (is_fact_table(known) and len(known) < LONE) else marks
    counts = {n for n, own in varied.items() if lexicon.WORDS["ticks"] & {own[-1], "_".join(own)}}
    counts |= {n for n in varied if known.unit(n) == "cycles" and not lexicon.is_counter(stem(n))}
    cycles = [n for n in varied if n in counts and not known.wide]
    return results or times or cycles or marks or [*filter(PERCENTILE.fullmatch, words)][:1]


def _is_result(name: str) -> bool:
    """Whether the last word of a name, but for its number, is one of a result."""
    words = [word for word in lexicon.tokens(name) if not word.isdigit()]
    return not lexicon.WORDS["results"].isdisjoint(words[-1:])


def areas(known: Known) -> Verdicts:
    """Return what a circuit takes as outcomes: areas beside another outcome, else parts of an FPGA."""
    varied = [n for n in known.numbers("counter", "parameter") if known.levels(n) > 1]
    if known.named("response"):
        units = ("area", "count") if of_circuit(known) else ("area",)
        taken = [n for n in varied if "area" in lexicon.tokens(n) and dimension(known.unit(n)) in units]
        taken = [n for n in taken if not (known.machines or lexicon.speaks(n, "no_outcome"))]
        return dict.fromkeys(taken, Verdict("response", "the area that a design takes", 0.75, dimension="area"))
    counted = known.numbers("counter")
    told = all(lexicon.speaks(n, "area") for n in counted)
    if not told or known.named("derived") or not known.named("parameter"):
        return {}
    why = "what the circuit takes, and nothing else was measured"
    return {n: Verdict("response", why, 0.7, unit=n) for n in varied if n in counted}


def of_circuit(known: Known) -> bool:
    """Whether a table speaks of what a circuit takes of an FPGA, or of how early its signals are."""
    words = lexicon.WORDS["area"] | lexicon.WORDS["slack"]
    return any(words & {word.removeprefix("num") for word in lexicon.tokens(c.name)} for c in known.columns)


def _any_response(found: Verdicts) -> bool:
    return any(verdict.role == "response" for verdict in found.values())


def _compared(known: Known) -> Verdicts:
    """Return two columns whose quotient is the speed-up beside them: times, whatever they are called.

    So are others that begin as these do, `seq_quick` and `gpu_quick` beside `seq_merge` and `gpu_merge`.
    """
    gains = [n for n in known.free_numbers if lexicon.is_comparison(n) and known.different(n) > 1]
    free = [n for n in known.free_numbers if n not in gains and not known.integers(n)][:_MOST_COMPARED]
    for gain, (base, own) in product(gains, permutations(free, 2)):
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(known.values(base) / known.values(own) / known.values(gain) - 1)
        known_off = off[np.isfinite(off)]
        if len(known_off) > 2 and float(np.quantile(known_off, 0.9)) < SAME:
            begins = {tuple(lexicon.tokens(n)[:1]) for n in (base, own)}
            alike = [n for n in free if n in (base, own) or tuple(lexicon.tokens(n)[:1]) in begins]
            return dict.fromkeys(alike, Verdict("response", f"{base} / {own} is {gain}", 0.8, dimension="time"))
    return {}


def _phases(known: Known) -> Verdicts:
    """Return fractions beside one that is called like a phase of a run on a device, as phases of it."""
    free = [n for n in known.free_numbers if not known.integers(n)]
    spoken = any(lexicon.key(n) in lexicon.WORDS["phases"] for n in free) and not any(map(known.unit, free))
    return dict.fromkeys(free if spoken else (), Verdict("response", "a phase of a run", 0.75))


def _outcome(known: Known, name: str) -> Verdict | None:
    """Return that a column is an outcome, or a time of the tool; None of any other."""
    column = known.column(name)
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
    if beside and any(lexicon.tokens(n) in beside for n in known.numeric):
        return Verdict("response", "a time, beside another one of the same run", 0.85)
    if _begins_with_time(known, name):
        return Verdict("response", "named like an outcome", 0.75, dimension="time")
    if lexicon.is_domain(name) and not known.integers(name):
        return Verdict("response", "what a part of the machine took", 0.8)
    if lexicon.key(name) == "flops" and 2 * known.levels(name) > len(known) and _is_fine(known, name):
        return Verdict("response", "a rate: what is counted is whole", 0.75)
    if lexicon.key(name) == "us" and not lexicon.WORDS["shares_of_cpu"] & {*map(lexicon.key, known.numeric)}:
        return Verdict("response", "in us, as an outcome is", 0.8, unit="us")
    if _measured(known, name):
        return Verdict("response", "varies from run to run as what is measured does", 0.7)
    return None


def _searched(known: Known, name: str) -> Verdict | None:
    """Return that a column is what a search among parameters made better, as Optuna writes it."""
    searched = lexicon.key(name) == "value" and any(c.name.startswith("params_") for c in known.columns)
    return Verdict("response", "what a search among parameters found", 0.8) if searched else None


def _is_fine(known: Known, name: str) -> bool:
    """Whether numbers are no counts: fractions, or large with zeros behind some six digits, as `6.50984e+09` prints."""
    values = known.values(name)
    if not known.integers(name):
        return True
    digits = [len(f"{value:.0f}".rstrip("0")) for value in values]
    return values.min() > 1e7 and max(digits) <= 6 and bool(np.median(digits) >= 5)


def _best_rate(known: Known, name: str) -> bool:
    """Whether a largest rate is one of several runs, whose smallest and mean times stand beside it, and no limit."""
    if dimension(known.column(name).unit) != "throughput" or not {"max", "best"} & {*lexicon.tokens(name)}:
        return False
    return all(any(word in lexicon.tokens(n) for n in known.numeric) for word in ("min", "avg"))


def _tuned(known: Known, name: str) -> bool:
    """Whether a search is a tuner's: what else it did stands beside it, or what took the time that it searched for."""
    others = [{*lexicon.tokens(stem(n))} for n in known.numeric if n != name]
    return any(lexicon.WORDS["tools_own"] & own or own <= {"time", "times"} for own in others)


def _times_first(known: Known, found: Verdicts) -> Verdicts:
    """Cycles and rates of a profiler are counters where there is a time beside them, those of a bus beside a power."""
    of = {n: known.dimension(n) for n in found if found[n].role == "response"}
    if "power" in (whats := {*of.values()}) and not whats & {"time", "energy"}:
        return {n: own for n, own in found.items() if of.get(n) != "throughput" or not lexicon.speaks(n, "buses")}
    timed = [n for n in of if of[n] == "time"]
    if not (times := [n for n in timed if not lexicon.speaks(n, "cycles")]):
        return found

    def doubtful(name: str) -> bool:
        counted = name in timed or known.dimension(name) == "count"
        spoken = stem(name) != name and lexicon.is_outcome(stem(name))
        return name not in times and lexicon.is_counter(name) and (known.wide or counted) and not spoken

    return {name: own for name, own in found.items() if own.role != "response" or not doubtful(name)}


def _settled(known: Known, name: str) -> bool:
    """Whether a column that is called like an outcome is a fact of the machine, rounds, or the setting of a sweep.

    An energy below 0 is a solver's objective or one of molecules, and was taken from no socket.
    """
    below = known.dimension(name) == "energy" or lexicon.key(name) == "score"
    if known.of_machine(name) or (below and (known.values(name) < 0).any()):
        return True
    few = lexicon.key(name) == "cycles" and known.integers(name) and known.values(name).max() < _LEAST_CYCLES
    if few and (_else_measured(known, name) or any(_measured(known, n) for n in known.free_numbers if n != name)):
        return True
    rates = known.dimension(name) in ("throughput", "frequency", "power")
    each = known.machine and known.unique(known.machine) and not _any_time(known)
    if rates and (each or known.doubles(name) or (known.rises(name) and _else_measured(known, name))):
        return True
    few = rates and known.leveled(name) and known.levels(name) <= 16 and 8 * known.levels(name) <= len(known)
    beside = known.leveled_beside(name) if few else ()
    return few and (known.integers(name) or any(known.crossed(name, known.groups([n])) for n in beside))


def _any_time(known: Known) -> bool:
    spoken = (n for n in known.numeric if lexicon.is_outcome(n, known.column(n).unit))
    return any(known.dimension(n) in ("time", "energy") for n in spoken)


def _swept(known: Known, name: str) -> bool:
    """Whether whole numbers have few levels, as often with each of another column: set; of times, beside an outcome.

    What never changes is no outcome either where another one does: a `T` of 64 in every row is a number of steps.
    """
    timed = known.dimension(name) in ("time", "energy")
    few = known.dimension(name) == "energy" and not known.unit(name)
    if known.levels(name) == 1 < len(known) // (1 if few else 2) and _else_measured(known, name):
        return True
    whole = timed and known.integers(name)
    spoken = (n for n in known.free_numbers if lexicon.is_outcome(n, known.column(n).unit))
    finer = whole and not all(map(known.integers, spoken))
    seen = lexicon.speaks(name, "observed") or (timed and not (finer or _else_measured(known, name)))
    if seen or not known.leveled(name):
        return False
    fine = _is_fine(known, name) or bool((known.values(name) % _ROUND).any())
    coarse = whole and not (lexicon.speaks(name, "means") or (fine and lexicon.is_outcome(name)))
    others = (n for n in known.leveled_beside(name) if n in known.free or not known.column(n).numeric)
    return coarse or any(known.balanced(name, known.groups([n])) for n in others)


def _else_measured(known: Known, name: str) -> bool:
    """Whether another outcome hardly repeats, or fractions do not that are called like runs or results."""
    others = [n for n in known.free_numbers if n != name]
    spoken = [n for n in others if lexicon.is_outcome(n, known.column(n).unit) or _begins_with_time(known, n)]
    runs = [n for n in others if lexicon.is_run(unnumbered(n)) or _is_result(n)]
    spoken += [n for n in runs if not known.integers(n)]
    return any(2 * known.levels(n) > len(known) for n in spoken)


def _begins_with_time(known: Known, name: str) -> bool:
    """Whether a name begins as one of a time, or is a total, and the numbers are fractions that hardly repeat.

    Of `t_build` and `t_query` each shows what the other one is.
    """
    led = (n for n in known.numeric if n.lower().startswith("t_") and not known.integers(n))
    several = name.lower().startswith("t_") and len([*islice(led, 2)]) > 1
    spoken = several or lexicon.leads_with_time(name) or lexicon.key(name) == "total"
    return spoken and not (known.integers(name) or lexicon.is_comparison(name)) and 2 * known.levels(name) > len(known)


def _measured(known: Known, name: str) -> bool:
    """Whether a clock or a voltage has many values, none of them set."""
    words, dim = set(lexicon.tokens(name)), known.dimension(name)
    if dim not in ("frequency", "temperature") and not words & {"voltage"}:
        return False
    said = bool(words & (lexicon.WORDS["observed"] | {"current", "eff", "mean", "avg", "average"}))
    said = said or (dim == "frequency" and bool(words & {"max", "fmax"}) and of_circuit(known))
    many = known.levels(name) > 16 and 3 * known.levels(name) > len(known) and not _on_a_grid(known, name)
    many = many and not (known.machine and known.settled(name, [known.machine]))
    return said or many or (dim == "frequency" and _follows_another(known, name))


def _on_a_grid(known: Known, name: str) -> bool:
    """Whether whole numbers come equally often, most of them as far from the next: what is read off comes anew."""
    there, times = np.unique(known.values(name), return_counts=True)
    steps = np.diff(there)
    even = np.abs(steps - np.median(steps)) < _EVEN_STEP * np.median(steps)
    return known.integers(name) and bool(times.min() == times.max() and 2 * even.sum() > len(steps))


def _follows_another(known: Known, name: str) -> bool:
    """Whether numbers are within hundredths of those of a column with fewer levels, which asked for them."""
    own = known.values(name)
    asked = (n for n in known.leveled_beside(name) if n in known.numeric and 1 < known.levels(n) < known.levels(name))
    return any(bool((np.abs(own - known.values(n)) <= 0.05 * np.abs(own)).all()) for n in asked)
