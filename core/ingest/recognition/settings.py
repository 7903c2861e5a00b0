"""What was set before a run and what belongs to machine or input: by levels, crossing and dependence, then by words."""

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from core.codec import IntArray
from core.ingest._lookup import by_key
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.texts import combined

CLOCK = "a clock: it runs on from row to row"
"""What is read beside one was measured."""
REPEAT = "number of the repeat"
_OFTEN = ", each many times"
_SELDOM, _NEAR = 8, 0.1
"""Rows for each change of what was set, and the share by which readings of a clock without a name differ."""
LEAST_ROWS = 3
"""In fewer rows it says nothing that a column is the same in all."""
_STRONG = frozenset(("freq", "frequency", "threads", "nthreads", "procs", "ranks"))
_SAID = frozenset(("param", "parameter"))
"""How tools that sweep settings call a column of one: `Param: mode`, `param:mode`, `parameter_mode`."""
_OF_ROW, _LEAST_NUMBERED = re.compile(r"(\D*)\d+"), 3
"""A name that ends in its number, and more than so many make a row."""
_NAMELESS, _EVEN = "column_", 3
"""What columns are called that had no name, and how many times as often as the rarest level the commonest is met."""
_BY_LEVELS = 0.85
"""How sure it is at most that a column was set of which only its levels say so."""
MOST_SETTINGS = 12
"""Of more numbers without levels none is a setting unless its name says so: they were counted."""
MOST_TEXTS = 32
"""A text of more values than this is a label."""


def judged(known: Known) -> Verdicts:
    """Return fractions of 1 that say how good a result was, such as an accuracy: a precision of 0.97 was not set."""
    named = [n for n in known.free_numbers if lexicon.speaks(n, "judged") and not known.integers(n)]
    values = {n: known.values(n) for n in named}
    why = Verdict("counter", "how good the result was", 0.75)
    return {n: why for n, x in values.items() if 0 <= np.nanmin(x) and np.nanmax(x) <= 1}


def facts(known: Known) -> Verdicts:
    """Return the columns that machine, or application and input, settle."""
    found = Verdicts()
    machine = known.machine
    if is_fact_table(known):
        return _fact_table(known)
    one_each = machine is not None and known.unique(machine)
    for name in known.free:
        numeric = known.column(name).numeric
        role = "machine_metric" if numeric else "label"
        if known.different(name) < 2:
            found |= _constant(known, name)
        elif (
            known.levels(name) < 2 or known.switched(name) or lexicon.is_comparison(name) or lexicon.is_efficiency(name)
        ):
            continue
        elif known.of_machine(name):
            found[name] = Verdict(role, f"the same on each {machine}", 0.95)
        elif machine and one_each and not (numeric and lexicon.is_counter(name) and known.wide):
            found[name] = Verdict(role, f"each row is one {machine}", 0.8 if lexicon.is_machine_fact(name) else 0.65)
        elif known.what_ran and (verdict := _of_input(known, name)):
            found[name] = verdict
    return found


def _of_input(known: Known, name: str) -> Verdict | None:
    """Return the verdict on what application and input settle."""
    numeric = known.column(name).numeric
    if not known.settled(name, known.what_ran) or (not numeric and _is_said(known, name)):
        return None
    if not numeric or _was_observed(known, name):
        return Verdict("label", f"the same for each {' and '.join(known.what_ran)}", 0.9)
    machines = known.machines is not None
    several = 2 * (int(known.groups(known.what_ran).max()) + 1) <= len(known)
    counted = lexicon.is_counter(name) and not (several and lexicon.is_share(name))
    if lexicon.is_launch(name) or not (machines or known.wide or counted or not lexicon.is_setting(name)):
        return Verdict("parameter", "set before the run", 0.75)
    if machines or not (counted or known.wide):
        return Verdict("deterministic", f"the same for each {' and '.join(known.what_ran)}", 0.9 if machines else 0.75)
    return None


def _was_observed(known: Known, name: str) -> bool:
    """Whether a name says that an outcome was measured, as `achieved_gflops` does."""
    return lexicon.speaks(name, "observed") and lexicon.is_outcome(name, known.column(name).unit)


def is_fact_table(known: Known) -> bool:
    """Whether nothing was measured, and each row describes one machine, or one thing that runs."""
    names = [*known.named("application"), *([known.machine] if known.machine else [])]
    if known.named("response") or known.given.responses or not names:
        return False
    numbered = [n for n in known.named("identifier") if not known.unique(n)]
    return int(known.groups((*names, *numbered)).max(initial=-1)) + 1 == len(known)


def _fact_table(known: Known) -> Verdicts:
    """Return the verdicts where nothing was measured: the table describes machines, or what ran."""
    ran = known.named("application")
    machine = known.machines if ran else known.machine
    whose, role = machine or ran[0], "machine_metric" if machine else "deterministic"
    numbers = Verdict(role, f"nothing is named like an outcome: it describes each row's {whose}", 0.8)
    texts = Verdict("label", f"describes each row's {whose}", 0.8)
    return {name: numbers if known.column(name).numeric else texts for name in known.free}


def _constant(known: Known, name: str) -> Verdicts:
    """Return the verdict on a column that has one value."""
    column = known.column(name)
    if not column.numeric:
        return {name: Verdict("label", "the same in every row", 0.9)}
    here = known.machine is not None and (lexicon.is_machine_fact(name) or column.unit in ("GHz", "MHz"))
    counting = (
        lexicon.is_counter(name) or (known.wide and not _STRONG & {*lexicon.tokens(name)}) or column.kind != "number"
    )
    if lexicon.is_launch(name) or (lexicon.is_setting(name) and not here and not counting):
        return {name: Verdict("parameter", "named like a setting, though the same in every row", 0.7)}
    none = lexicon.is_outcome(name, column.unit) and not known.values(name).any()  # no machine has 0 GB/s
    if not none and (here or (lexicon.is_machine_fact(name) and len(known) > 1)):
        return {name: Verdict("machine_metric", "speaks of the machine, and is the same in every row", 0.7)}
    if known.wide or lexicon.is_counter(name) or len(known) < LEAST_ROWS:
        return {name: Verdict("counter", "the same in every row", 0.7)}
    return {name: Verdict("label", "the same in every row: it tells nothing apart", 0.8)}


def switches(known: Known) -> Verdicts:
    """Return texts with few values that vary where application, input and machine agree: they were set."""
    found, ran = Verdicts(), known.named("application")
    one_each = len(ran) == 1 and known.unique(ran[0])
    texts = (n for n in (*known.free, *known.named("label", "identifier")) if not known.column(n).numeric)
    commands = [n for n in texts if lexicon.speaks(n, "commands")]
    for name in known.free:
        column = known.column(name)
        if column.numeric or column.kind == "empty":
            continue
        if known.switched(name):
            found[name] = Verdict("parameter", "a switch", 0.85)
        elif any(known.quotes(n, name) for n in commands if n != name):
            found[name] = Verdict("parameter", "stands in each row's command", 0.8)
        elif _is_said(known, name):
            found[name] = Verdict("parameter", "named like a setting", 0.85)
        elif one_each and not any(known.crossed_evenly(name, n) for n in known.named("parameter")):
            found[name] = Verdict("label", f"describes each {ran[0]}", 0.8)
        elif said := _numbers_of(known, name) or _text_of(known, name):
            found[name] = Verdict("label", f"spells out {said}", 0.85)
        elif 2 <= (n := known.different(name)) <= MOST_TEXTS and 2 * n <= len(known) and _complete(known, name):
            found[name] = Verdict("parameter", f"a text with {n} values", 0.75)
        elif known.unique(name):
            found[name] = _different_everywhere(known, name)
        else:
            found[name] = Verdict("label", "texts", 0.7)
    return found


def _different_everywhere(known: Known, name: str) -> Verdict:
    """Return the verdict on texts of which each stands in one row: of an outcome they are told of as no numbers."""
    if lexicon.is_outcome(name, known.column(name).unit) and all(text[:1].isdigit() for text in known.texts(name)):
        return Verdict("response", "named like an outcome", 0.6)
    role = "identifier"
    if lexicon.is_input(name):
        apart = not (known.what_ran or known.machines) or _tells_problems_apart(known, name)
        role = "input" if apart and known.named("response") else "label"
    return Verdict(role, "different in every row", 0.7)


def _tells_problems_apart(known: Known, name: str) -> bool:
    """Whether an outcome differs by factors, as that of no repeats does, where all but one text agrees."""
    alike = known.groups((*known.what_ran, *known.named("parameter")))
    alone = all(c.numeric or c.name == name or known.different(c.name) < 2 for c in known.columns)
    return alone and any(known.differs(n, alike) for n in known.named("response") if known.whole(n))


def _is_said(known: Known, name: str) -> bool:
    """Whether a text's name says that it was set, and some of its values come again."""
    said = bool(_SAID & {*lexicon.tokens(name)[:1]})
    return said and 2 <= known.different(name) <= MOST_TEXTS and not known.unique(name)


def _complete(known: Known, name: str) -> bool:
    """Whether no cell of a text is empty, or empty is a level: it comes with each of another column as others do."""
    return known.whole(name) or any(known.crossed_evenly(name, other) for other in known.leveled_beside(name))


def _numbers_of(known: Known, name: str) -> str:
    """Return the columns whose numbers a text spells out: those of its own extents, or a parameter."""
    own = [n for n in known.numeric if n.startswith(f"{name} ") and known.quotes(name, n)]
    if own and int(known.groups((*own, name)).max()) == int(known.groups(own).max()):
        return " and ".join(own)
    return next((n for n in known.named("parameter") if known.spells_out(name, n)), "")


def _text_of(known: Known, name: str) -> str:
    """Return the text that another one has in it in each row, one for each: `postgres` below `Database: postgres`."""
    others = (n for n in known.free if n != name and not known.column(n).numeric and known.levels(n) > 1)
    return next((n for n in others if known.one_to_one(name, n) and known.quotes(name, n)), "")


def parameters(known: Known) -> Verdicts:
    """Return numbers that were set: launch shapes, swept levels, few levels with a setting's name."""
    found = Verdicts()
    naming = [*known.what_ran, *([known.machine] if known.machine else [])]
    groups = known.groups(naming)
    grouped = bool(naming) and 2 <= int(groups.max(initial=-1)) + 1 <= len(known) // 2
    texts = known.groups([*naming, *(n for n in known.free if known.column(n).kind == "text" and known.leveled(n))])
    settings = [n for n in known.numeric if lexicon.is_setting(n) and known.integers(n)]
    for name in (n for n in known.free_numbers if not (_was_observed(known, n) or _is_sampled(known, n))):
        others = (*known.named("parameter", "input"), *found)
        swept = lexicon.is_share(name) and (known.balanced(name, texts) or known.varied(name, settings))
        swept = swept or (not known.wide and known.geometric(name))
        swept = swept and not any(known.one_to_one(name, n) for n in others)
        said = lexicon.is_setting(name) or lexicon.is_input(name)
        counted = (
            (lexicon.is_counter(name) or lexicon.is_comparison(name)) and not lexicon.is_setting(name) and not swept
        )
        doubtful = known.named("response") and not (known.wide or said or counted or known.column(name).unit)
        if doubtful and known.leveled(name) and (goes := _same_as(known, name, others)):
            found[name] = Verdict("deterministic", f"goes with {goes}", 0.75)
        elif lexicon.is_launch(name):
            found[name] = Verdict("parameter", "how it was launched", 0.9)
        elif not (known.wide or counted) and known.levels(name) == 2 and set(known.texts(name)) == {"0", "1"}:
            found[name] = Verdict("parameter", "a switch", 0.8)
        elif not known.leveled(name):
            swept = sum(known.integers(n) and known.leveled(n) for n in others) > 1
            fractions = known.unique(name) and not known.integers(name) and (swept or bool(known.column(name).unit))
            complete = known.whole(name) or 2 * known.levels(name) <= len(known) or bool(_of_some(known, name))
            if (
                lexicon.is_setting(name)
                and not lexicon.is_counter(name)
                and complete
                and not known.wide
                and not fractions
            ):
                found[name] = Verdict("parameter", "named like a setting", 0.7)
        elif grouped and not counted and known.swept(name, groups):
            found[name] = Verdict("parameter", "takes the same values for each application, input and machine", 0.95)
        elif lexicon.is_setting(name) and not lexicon.is_counter(name) and not known.wide:
            found[name] = Verdict("parameter", f"named like a setting, with {known.levels(name)} levels", 0.85)
        elif not (known.wide or counted or _is_temperature(known, name) or known.nearly_met(name)) and _each_often(
            known, name
        ):
            found[name] = Verdict("parameter", f"{known.levels(name)} levels{_OFTEN}", 0.75)
    return found


def _is_sampled(known: Known, name: str) -> bool:
    """Whether a number is a reading of a clock beside rows of one run, or with nothing else: neighbours nearly alike.

    Beside a time that runs on what was set changes seldom.
    """
    x = known.values(name)
    if known.dimension(name) == "frequency" and any(
        v.why == CLOCK and known.unique(n) for n, v in known.verdicts.items()
    ):
        return _SELDOM * int((np.diff(x) != 0).sum()) > len(x)
    named = known.wide or len(known.numeric) < len(known.columns) or any(map(lexicon.is_setting, known.numeric))
    if named or not known.leveled(name):
        return False
    there, times = np.unique(x, return_counts=True)
    next_to = (np.diff(there) == 1).all() and np.ptp(there) <= _NEAR * there[0]
    return bool(next_to and times.min() < times.max())


def _varies(known: Known, name: str, alike: IntArray) -> bool:
    """Whether whole numbers vary as what is measured does, in rows that are alike or, where none are, by themselves."""
    told_apart = len(known) > LEAST_ROWS and int(alike.max(initial=-1)) + 1 == len(known)
    steady = known.steady(name, alike) or _differs_in_repeats(known, name, alike)
    return steady or (told_apart and not known.leveled(name)) or _is_temperature(known, name) or known.nearly_met(name)


def _differs_in_repeats(known: Known, name: str, alike: IntArray) -> bool:
    """Whether only a column of repeats' numbers tells all rows of a group apart, and a number differs between them."""
    repeats = [n for n in known.named("label") if known.verdicts[n].why == REPEAT]
    told = any(int(combined(alike, known.codes(n)).max(initial=-1)) + 1 == len(known) for n in repeats)
    return told and int(alike.max()) + 1 < len(known) and not known.settled(name, (), groups=alike)


def _is_temperature(known: Known, name: str) -> bool:
    """Whether numbers are degrees that nobody set: they do not come equally often with each level of another column."""
    balanced = any(known.balanced(name, known.groups([n])) for n in known.leveled_beside(name))
    return known.column(name).unit == "°C" and not balanced


def _each_often(known: Known, name: str) -> bool:
    """Whether each level of a column comes again, of whole numbers most: what was counted is mostly met once.

    Fractions without a name come nearly equally often, or they are measured to a digit or two.
    """
    times = np.bincount(known.codes(name))
    if known.integers(name):
        return bool(2 * (times > 1).sum() > len(times))
    return bool(times.min() > 1 and (not name.startswith(_NAMELESS) or times.max() <= _EVEN * times.min()))


def _same_as(known: Known, name: str, settings: Sequence[str]) -> str:
    """Return the setting of more than two levels that says the same as a column, "" if none."""
    return next((n for n in settings if known.different(n) > 2 and known.one_to_one(name, n)), "")


def rest(known: Known) -> Verdicts:
    """Return what is left: counters, or where a table counts nothing, settings in doubt."""
    counting = known.wide or len(known.free_numbers) > MOST_SETTINGS or any(map(lexicon.is_counter, known.free_numbers))
    clock = any(verdict.why == CLOCK for verdict in known.verdicts.values())
    measured = counting or clock or known.named("counter") or not known.named("response")
    found: Verdicts = {}
    alike = known.groups((*known.what_ran, *known.named("parameter", "machine")))
    for name in known.free_numbers:
        counted = lexicon.is_counter(name)
        if not (known.wide or counted) and known.named("response") and _in_few_rows(known, name):
            found[name] = Verdict("label", "named like an outcome, which few rows have", 0.75)
            continue
        doubled = (known.doubles(name) or known.geometric(name)) and (lexicon.is_share(name) or not counted)
        if not known.wide and (doubled or (not measured and known.rises(name) and not counted)):
            found[name] = Verdict("parameter", "whole numbers in even steps, as they are set", 0.7)
        elif not known.wide and not counted and (variant := _set_for_some(known, name)):
            role = "parameter" if known.levels(name) > 1 else "label"
            found[name] = Verdict(role, f"stands beside some of {variant} alone, which it was set for", 0.75)
        elif not known.wide and not counted and _same_everywhere(known, name):
            found[name] = Verdict("parameter", "known before the run: the same on all machines with one setting", 0.8)
        elif not known.wide and known.levels(name) > 1 + known.integers(name) and known.crossed(name, alike):
            found[name] = Verdict("parameter", "takes the same values with each of all other settings", 0.8)
        elif measured or not known.integers(name) or _varies(known, name, alike):
            found[name] = Verdict("counter", "numbers, measured with each run", 0.85 if counted else 0.7)
        else:
            found[name] = Verdict("parameter", "numbers beside an outcome, in a table that counts nothing", 0.5)
    return found


def _in_few_rows(known: Known, name: str) -> bool:
    """Whether what is named like an outcome stands in no more than half of the rows: it counts nothing."""
    there = int(np.isfinite(known.values(name)).sum())
    return lexicon.is_outcome(name, known.column(name).unit) and 2 * there <= len(known)


def sizes(known: Known) -> Verdicts:
    """Return whole numbers left of the outcome that tell all rows apart, where those that agree in what was set differ.

    Repeats of one configuration count nearly the same; what differs by factors was set, whatever it is called.
    """
    measured = [known.column(n).place for n in known.named("response")]
    alike = known.groups((*known.what_ran, *known.named("parameter", "machine")))
    if not measured or len(known.free_numbers) > MOST_SETTINGS or int(alike.max()) + 1 == len(known):
        return {}
    whole = (n for n in known.free_numbers if known.integers(n) and (lexicon.is_share(n) or not lexicon.is_counter(n)))
    before = (n for n in whole if known.column(n).place < min(measured))
    apart = (n for n in before if len(np.unique(combined(alike, known.codes(n)))) == len(known))
    telling = [n for n in apart if known.differs(n, alike) and known.unit(n) != "%"]
    simplest = min(telling, key=known.levels, default="")  # what was counted has more values than what was set
    why = Verdict("parameter", "tells rows apart that agree in all else that was set", 0.6)
    return {n: why for n in telling if n == simplest or known.one_to_one(n, simplest)}


def sole_number(known: Known) -> Verdicts:
    """Return the only number that was measured as the outcome, where none is named like one and something was set.

    A counter is none by its name alone, unless it is a share, as a rate of hits or an overhead in percent is.
    """
    counted = known.named("counter")
    if known.named("response", "derived") or len(counted) != 1:
        return {}
    if lexicon.is_counter(counted[0]) and known.dimension(counted[0]) != "share":
        return {}
    alone = len(known.columns) == 1 or known.named("parameter", "application", "input")
    leveled = (
        n for n in known.numbers("parameter") if known.verdicts[n].why.endswith(_OFTEN) and known.values(n).all()
    )
    shares = {n: known.values(counted[0]) / known.values(n) for n in leveled}
    told = [n for n, share in shares.items() if np.ptp(share) <= SAME * abs(share[0])]
    found = {n: Verdict("derived", f"in step with {counted[0]}", 0.7, f"a constant · {counted[0]}") for n in told}
    found |= {counted[0]: Verdict("response", "the only number that was measured", 0.7)}
    return found if alone and not is_fact_table(known) else {}


def sole_name(known: Known) -> Verdicts:
    """Return the only text that tells all rows apart, where nothing that was set does: what ran.

    Where another text says what ran, or is the same in every row, this one says what was set.
    """
    told = known.named("application", "input", "parameter", "machine")
    some = [n for n in known.named("label", "identifier") if known.column(n).kind == "text" and known.whole(n)]
    same, n_alike = all(known.different(n) < 2 for n in told), int(known.groups(told).max(initial=-1)) + 1
    some = [n for n in some if known.unique(n) == same and not known.verdicts[n].why.startswith(("dates", "hashes"))]
    texts = [n for n in some if int(known.groups((*told, n)).max(initial=-1)) + 1 == len(known) > n_alike]
    names = [n for n in texts if known.verdicts[n].why.startswith(("describes", "different", "texts"))]
    names = [n for n in names if not lexicon.tells_of_failure(n)]
    alone = len(texts) == len(names) == 1 and known.named("response")
    named = any(not known.column(n).numeric for n in (*told, *known.named("label")) if n not in names)
    role = "input" if any(map(lexicon.is_input, names)) else "parameter" if named else "application"
    return dict.fromkeys(names, Verdict(role, "all that differs but what was measured", 0.7)) if alone else {}


def numbered(known: Known) -> Verdicts:
    """Return what stands in a numbered row of columns, as `p0`, `p1`, `p2` … of a tuner, with texts that were set.

    Nothing that was measured stands among them, and an empty text is an option that was not given.
    """
    rows = by_key((own[1], c.name) for c in known.columns if (own := _OF_ROW.fullmatch(c.name)))
    texts = {n for n in known.named("parameter") if not known.column(n).numeric}
    named = [names for own, names in rows.items() if len(names) > _LEAST_NUMBERED and own != _NAMELESS]
    told = {n for names in named if texts & {*names} for n in names}
    doubtful = {*known.named("counter"), *(n for n in known.named("label") if known.verdicts[n].why == "texts")}
    varied = [n for n in told & doubtful if known.different(n) > 1]
    return dict.fromkeys(varied, Verdict("parameter", "stands in a row of settings", 0.75))


def in_parts(known: Known) -> Verdicts:
    """Return numbered columns that add up to what varies beside them, or two by two to an outcome: they were measured.

    So were others with the same numbers: `idle_0`, `idle_1` … with `total_idle` beside them, and `work_0`, `work_1` ….
    """
    responses = known.named("response")
    doubtful = [
        n for n in known.named("parameter") if known.verdicts[n].sure <= _BY_LEVELS and not lexicon.is_setting(n)
    ]
    some = (n for n in (*doubtful, *known.named("counter")) if known.column(n).numeric)
    numbered = by_key((own[1], (n.removeprefix(own[1]), n)) for n in some if (own := _OF_ROW.fullmatch(n)))
    rows = {own: dict(sorted(names)) for own, names in numbered.items() if len(names) >= _LEAST_NUMBERED}
    totals = [known.values(n) for n in known.numeric if not _OF_ROW.fullmatch(n) and known.levels(n) > 1]
    summed = {own: np.sum([*map(known.values, names.values())], axis=0) for own, names in rows.items()}
    measured = [own for own, x in summed.items() if any((x == total).all() for total in totals)]
    for one, other in combinations(rows, 2):
        pairs = [known.values(rows[one][k]) + known.values(rows[other][k]) for k in {*rows[one]} & {*rows[other]}]
        whole = (known.values(n) for n in responses if known.levels(n) > 2)
        if len(pairs) >= _LEAST_NUMBERED and any(all((x == y).all() for x in pairs) for y in whole):
            measured += [one, other]
    numbers = [rows[own].keys() for own in measured]
    names = [n for own in rows.values() if own.keys() in numbers for n in own.values() if n in doubtful]
    return dict.fromkeys(names, Verdict("counter", "one of several parts that add up", 0.75))


def found_later(known: Known) -> Verdicts:
    """Return columns right of the outcomes that came out as well: what stands left of these tells all rows apart.

    One that was set comes with each of another setting, or goes with one, or its name says so.
    """
    measured = [known.column(n).place for n in known.named("response")]
    doubtful = [
        n for n in known.named("parameter") if known.verdicts[n].sure <= _BY_LEVELS and not lexicon.is_setting(n)
    ]
    counted = [known.values(n) for n in known.named("counter") if known.levels(n) > 1 and not known.wide]
    sums = [own for a, b in combinations(counted, 2) for own in (a + b, np.abs(a - b))]
    added = [n for n in doubtful if known.column(n).numeric and any((known.values(n) == own).all() for own in sums)]
    found = dict.fromkeys(added, Verdict("counter", "adds up with others that were measured", 0.75))
    first, none = min(measured, default=0), ("response", "derived", "counter")
    left = [c.name for c in known.columns if c.place < first and known.verdicts[c.name].role not in none]
    left = [n for n in left if known.different(n) > 1 and (n in known.what_ran or not known.unique(n))]
    left = [n for n in left if not known.verdicts[n].why.startswith("spells out")]  # what it spells out was set
    told = int(known.groups(left).max(initial=-1)) + 1 == len(known)
    later = [n for n in doubtful if told and known.column(n).place > first and n not in found]
    later = [n for n in later if lexicon.key(n) not in ("type", "op", "operation") or known.column(n).numeric]
    later = [n for n in later if not lexicon.is_input(n) or (known.integers(n) and not known.leveled(n))]
    later = [n for n in later if not any(known.crossed_evenly(n, o) or _says_again(known, n, o) for o in left)]
    why = "came out: what stands left of the outcomes tells all rows apart"
    found |= {n: Verdict("counter" if known.column(n).numeric else "label", why, 0.7) for n in later}
    numbers = [n for n in later if known.column(n).numeric and not known.switched(n)]
    goes = {n: next((o for o in left if known.settled(n, [o])), "") for n in numbers}
    return found | {n: Verdict("deterministic", f"goes with {other}", 0.7) for n, other in goes.items() if other}


def _says_again(known: Known, name: str, other: str) -> bool:
    """Whether a column says what another one does, which has fewer values than there are rows."""
    return known.one_to_one(name, other) and not known.unique(other)


def _set_for_some(known: Known, name: str) -> str:
    """Return what runs or a text that was set, of which some have few whole numbers in each row and the others none."""
    x = known.values(name)
    there = np.isfinite(x)
    whole = not there.all() and bool((x[there] == np.round(x[there])).all()) and 3 * known.levels(name) <= there.sum()
    return _of_some(known, name) if whole else ""


def _of_some(known: Known, name: str) -> str:
    """Return what runs or a text that was set, of which some have a number in each row and the others none."""
    there = np.isfinite(known.values(name)).astype(np.int64)
    texts = (n for n in known.named("application", "parameter") if not known.column(n).numeric)
    parted = (n for n in texts if int(combined(known.codes(n), there).max()) + 1 == known.different(n))
    return next((n for n in parted if 2 * known.different(n) <= len(known)), "")


def _same_everywhere(known: Known, name: str) -> bool:
    """Whether a column is the same on several machines wherever what ran and all settings agree."""
    machine = known.machines
    if machine is None or not known.named("parameter"):
        return False
    of = known.groups((*known.what_ran, *known.named("parameter")))
    finer = known.groups((*known.what_ran, *known.named("parameter"), machine))
    return bool(finer.max(initial=-1) > of.max(initial=-1)) and known.settled(name, (), groups=of)


LAST = (numbered, in_parts, found_later, sole_name)
"""What looks again at columns that got their verdicts, in this order."""
