"""Which columns name things: where it ran, what ran, on what, which repeat; and which only describe the capture."""

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np

from core.ingest._units import dimension
from core.ingest.names import NONE_WORDS
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.ingest.recognition.outcomes import of_circuit
from core.ingest.recognition.settings import REPEAT, is_fact_table
from core.ingest.table.layout import GENERATED

_GROWS = 0.2
"""The correlation of ranks from which on iterations are taken for a run's work."""
_SEVERAL = 8
"""Identifiers of problems, at least: few that come again and again are those of what was set."""
_MOST_INPUTS = 0.6
"""Texts of inputs are fewer than so many for each row: one may have been measured once."""
_NAMING = {*lexicon.MACHINE} | lexicon.APPLICATION
_RELEASE, _NAMELESS = re.compile(r"v?\d+\.\d+(\.\d+|-\d)"), re.compile(GENERATED.format(r"\d+"))


def labels(known: Known) -> Verdicts:
    """Return what only describes rows or the capture: numbers of repeats, identifiers, dates, hashes, states."""
    own = (name for name in known.free if not _is_compared(known, name))
    return {name: verdict for name in own if (verdict := _label(known, name))}


def _label(known: Known, name: str) -> Verdict | None:
    column = known.column(name)
    texts = () if column.numeric else known.texts(name)
    numbers = lexicon.is_run(name) or (lexicon.key(name) in lexicon.WORDS["numbered"] and known.numbered(name))
    numbers = numbers or (lexicon.is_run(name.rpartition(".")[2]) and column.numeric and known.integers(name))
    numbers = numbers and (column.kind != "text" or lexicon.are_numbered(name, texts))
    if numbers and not (_counts_work(known, name) or _tells_of_input(known, name)):
        return Verdict("label", REPEAT if known.levels(name) > 1 else "the same in every row", 0.95)
    if texts and (verdict := _by_its_texts(known, name, texts)):
        return verdict
    if same := _same_extent(known, name) if column.numeric else _same_before(known, name):
        return Verdict("label", f"always as {same}", 0.85)
    if _before_and_after(known, name):
        return Verdict("label", "read before and after: the difference was measured", 0.85)
    if _counts_rows(known, name):
        return Verdict("identifier", "counts the rows", 0.95)
    apart = _tells_apart(known, name)
    varying = apart or (not column.numeric and known.switched(name))
    named = varying or _is_file_of_input(known, name) or _names_what_ran(known, name) or _names_machines(known, name)
    named = named or (lexicon.key(name) in lexicon.APPLICATION and _repeats(known, name)) or _named_by_id(known, name)
    rated = lexicon.tokens(name)[-1:] == ["index"] and column.numeric and not known.integers(name)
    if lexicon.is_identifier(name) and not (named or rated or _comes_again(known, name)):
        return Verdict("identifier", "named like an identifier", 0.9)
    if not lexicon.is_about_the_run(name):
        return None
    measured = lexicon.is_outcome(name, column.unit) or lexicon.speaks(name, "rates")
    measured |= column.numeric and lexicon.speaks(name, "succeeded") and 2 * known.levels(name) > len(known)
    measured = measured and not set(known.texts(name) if known.levels(name) < 3 else "?") <= {"0", "1"}
    varied = bool(texts) and known.varied(name, [c.name for c in known.columns])
    said = varied and _quotes_another(known, name)
    variant = apart or lexicon.is_variant(name, texts) or _planned(known, name)
    if not measured and not variant and (said or not varied):
        return Verdict("label", "describes the run or its check", 0.85)
    return None


def _by_its_texts(known: Known, name: str, texts: tuple[str, ...]) -> Verdict | None:
    """Return the verdict on texts that say themselves that they name no more than a row, or others' settings."""
    if lexicon.are_all(lexicon.STAMP, texts):
        return Verdict("identifier", "dates or times of day", 0.95)
    if lexicon.are_hashes(texts):
        return Verdict("identifier", "hashes or addresses", 0.95)
    if known.unique(name) and lexicon.are_of_results(texts) and _quotes_a_setting(known, name):
        return Verdict("identifier", "the file of each row's result", 0.85)
    spelt = _code_of(known, name)
    return Verdict("label", f"spells out {spelt}", 0.85) if spelt else None


def _comes_again(known: Known, name: str) -> bool:
    """Whether several texts come twice on average, and not twice where the texts and settings beside them agree."""
    others = known.leveled_beside(name)
    several = known.levels(name) >= _SEVERAL and any(map(str.isalpha, known.texts(name)[0]))
    if known.column(name).numeric or not (several and others and _repeats(known, name)):
        return False
    return int(known.groups((name, *others)).max()) + 1 == len(known) > int(known.groups(others).max()) + 1


def _is_compared(known: Known, name: str) -> bool:
    """Whether a few commits, models or directions come about equally often with each level of another column."""
    spoken = lexicon.speaks(name, "compared") or lexicon.key(name) == "dir"
    if not spoken or 3 * known.levels(name) > len(known) or not known.leveled(name):
        return False
    others = (n for n in known.leveled_beside(name) if not known.one_to_one(name, n))
    return any(known.crossed_evenly(name, other) for other in others)


def _planned(known: Known, name: str) -> bool:
    """Whether a switch is on as often with each position of most others, two at least: a check is not planned.

    Of texts that tell of no failure, some come with as many of another column's, each as often.
    """
    text = not (known.column(name).numeric or known.switched(name) or lexicon.tells_of_failure(name))
    if text and known.leveled(name):
        apart = (n for n in known.leveled_beside(name) if not known.one_to_one(n, name))
        return any(known.balanced(n, known.groups([name])) for n in apart) and not _quotes_another(known, name)
    others = [c.name for c in known.columns if c.name != name and known.switched(c.name)]
    even = sum(known.crossed_evenly(name, other) for other in others) if known.switched(name) else 0
    return even > max(1, len(others) // 2)


def _quotes_another(known: Known, name: str) -> bool:
    """Whether each text of a column has in it its row's text of another one."""
    return any(known.quotes(name, c.name) for c in known.columns if not c.numeric and c.name != name)


def _quotes_a_setting(known: Known, name: str) -> bool:
    """Whether each text of a column has in it its row's text of another one that has few levels."""
    return any(known.quotes(name, other) for other in known.leveled_beside(name))


def _code_of(known: Known, name: str) -> str:
    """Return what a text is a code of: at each place where codes differ stands a letter for each of a column's levels.

    As in `WR01`, `WR13`, `WC01`, with three columns beside it. What runs or where is named so all the same.
    """
    texts = known.texts(name) if known.leveled(name) and not known.wide else ()
    if len({*map(len, texts)}) != 1 or {lexicon.key(name), lexicon.machine_word(name)} & _NAMING:
        return ""
    first = np.unique(known.codes(name), return_index=True)[1]
    others = [n for n in known.leveled_beside(name) if known.different(n) < len(texts) and known.settled(n, [name])]
    beside = {n: known.codes(n)[first].tolist() for n in others}
    places = [own for own in zip(*texts, strict=True) if len({*own}) > 1]

    def said(own: tuple[str, ...]) -> str:
        pairs = ((n, len({*zip(own, its, strict=True)}), len({*its})) for n, its in beside.items())
        return next((n for n, together, n_levels in pairs if together == len({*own}) == n_levels), "")

    told = dict.fromkeys(map(said, places))
    return " and ".join(told) if len(told) > 1 and "" not in told else ""


def _tells_apart(known: Known, name: str) -> bool:
    """Whether few texts called just label, hash or path differ where others agree, and so are what was varied.

    Others that begin with numbers, as `33.2 m` and dates do, were measured or tell rows apart anyway.
    """
    called = lexicon.key(name) in ("label", "tag", "path", "hash")
    if not called or known.column(name).numeric or not known.leveled(name):
        return False
    others = [c.name for c in known.columns if not (c.numeric or c.name == name or _begin_as_numbers(known, c.name))]
    told = _quotes_another(known, name) or any(known.spells_out(name, n) for n in known.numeric)
    return not told and int(known.groups((*others, name)).max()) > int(known.groups(others).max())


def _begin_as_numbers(known: Known, name: str) -> bool:
    """Whether most texts of a column begin with a digit."""
    texts = known.texts(name)
    return 2 * sum(text[:1].isdecimal() for text in texts) > len(texts)


def _same_extent(known: Known, name: str) -> str:
    """Return a column with the same numbers as a text's extent: `grid 1` before `grid 2`, or one that is no extent."""
    text, _, place = name.rpartition(" ")
    if not place.isdigit() or text not in (c.name for c in known.columns if not c.numeric):
        return ""
    before = [f"{text} {k}" for k in range(1, int(place))]
    others = [n for n in known.numeric if n in before or not n.startswith(f"{text} ")]
    return next((n for n in others if known.same_texts(n, name)), "")


def _same_before(known: Known, name: str) -> str:
    """Return a text before this one with the same several texts, row by row, unless this one's name says what it is."""
    if lexicon.machine_word(name) in lexicon.MACHINE or lexicon.key(name) in lexicon.APPLICATION:
        return ""
    before = (c.name for c in known.columns if not c.numeric and c.place < known.column(name).place)
    return next((n for n in before if known.same_texts(n, name)), "") if known.levels(name) > 1 else ""


def _before_and_after(known: Known, name: str) -> bool:
    """Whether a number has a partner of the same name, but for start and end: readings of a meter.

    Before and after are what was measured where nothing else is called like an outcome.
    """
    pairs = {"start": "end", "end": "start", "before": "after", "after": "before"}
    words = lexicon.tokens(name)
    if not pairs.keys() & {*words}:
        return False
    other = [pairs.get(word, word) for word in words]
    beside = [c for c in known.columns if c.numeric and lexicon.tokens(c.name) not in (words, other)]
    alone = words in (["before"], ["after"]) and not any(lexicon.is_outcome(c.name, c.unit) for c in beside)
    there = any(c.numeric and lexicon.tokens(c.name) == other for c in known.columns)
    return there and not alone


def _counts_work(known: Known, name: str) -> bool:
    """Whether iterations are a run's work: no row of numbers from the first on, and more where it took longer."""
    if lexicon.key(name) not in lexicon.WORDS["iterations"] or not known.column(name).numeric:
        return False
    there, ranks = np.unique(known.values(name), return_inverse=True)
    if len(there) < 2 or len(there) > there[-1] - there[0]:
        return False
    outcomes = [c for c in known.columns if c.numeric and lexicon.is_outcome(c.name, c.unit)]
    timed = (c.name for c in outcomes if dimension(c.unit, c.name) == "time")
    times = [np.unique(known.values(n), return_inverse=True)[1] for n in timed]
    return any(np.corrcoef(ranks, time)[0, 1] > _GROWS for time in times)


def _tells_of_input(known: Known, name: str) -> bool:
    """Whether a text that names inputs settles numbers such as `samples`, rows of each being alike in these."""
    named = (c.name for c in known.columns if not c.numeric and lexicon.is_input(c.name) and _repeats(known, c.name))
    return name in known.numeric and known.levels(name) > 2 and any(known.settled(name, [other]) for other in named)


def _is_file_of_input(known: Known, name: str) -> bool:
    """Whether files that all differ are what something ran on, where no other text names any of that."""
    if known.column(name).numeric or not (lexicon.is_input(name) and known.unique(name)):
        return False
    others = {lexicon.key(c.name) for c in known.columns if not c.numeric} - {lexicon.key(name)}
    return others.isdisjoint(lexicon.APPLICATION | lexicon.INPUT)


def _names_machines(known: Known, name: str) -> bool:
    """Whether the texts of a `machine_id` come again and again."""
    named = lexicon.machine_word(name) in lexicon.MACHINE and not known.column(name).numeric
    return named and 2 * known.levels(name) <= len(known)


def _names_what_ran(known: Known, name: str) -> bool:
    """Whether a numbered benchmark comes again and again, and nothing else says what ran."""
    if not lexicon.speaks(name, "what_ran") or 3 * known.levels(name) > len(known):
        return False
    return not any(lexicon.key(own.name) in lexicon.APPLICATION and not own.numeric for own in known.columns)


def _named_by_id(known: Known, name: str) -> bool:
    """Whether the texts of a `model_id` or `dataset_id` come again, or some differ in more than a number: names.

    Numbers come with each level of another column.
    """
    word = lexicon.key(name).removesuffix("_id")
    own = word != lexicon.key(name) and word in lexicon.APPLICATION | lexicon.INPUT
    if not own or _is_compared(known, name):
        return False
    if known.column(name).numeric:
        return word in lexicon.INPUT and not known.wide and known.varied(name, [c.name for c in known.columns])
    return _repeats(known, name) or len({re.sub(r"\d", "", text) for text in known.texts(name) if text}) > 1


def _counts_rows(known: Known, name: str) -> bool:
    """Whether a column is 0, 1, 2 … or 1, 2, 3 …, and named like an index or like nothing, in the first place."""
    column = known.column(name)
    if not column.numeric or len(known) < 3 or len(known) < len(known.table):
        return False
    values = known.values(name)
    gaps = values[-1] - values[0] + 1 - len(values)  # rows that were left out
    counting = values[0] in (0, 1) and bool((np.diff(values) >= 1).all()) and gaps <= len(known.table.skipped)
    named = bool(lexicon.COUNTED.fullmatch(lexicon.key(name)))
    speaks = any(says(name) for says in (lexicon.is_input, lexicon.is_setting, lexicon.is_counter))
    unspoken = not (speaks or lexicon.is_outcome(name, column.unit))
    return counting and (named or (column.place == 0 and unspoken))


def machine(known: Known) -> Verdicts:
    """Return the column that names the machine: by its name and words, rather the one on which others depend."""
    if known.machine or known.given.machine_name:
        return {}
    candidates = [name for name in known.free if _may_be_machine(known, name) or _names_hardware(known, name)]
    if not (usable := [name for name in candidates if _can_name_machines(known, name)]):
        return {}
    order, most = {name: i for i, name in enumerate(lexicon.MACHINE)}, max(map(known.levels, usable))

    def place(name: str) -> tuple[bool, bool, bool, bool, int]:
        word, levels = lexicon.machine_word(name), known.levels(name)
        parts = levels < most or word not in lexicon.WORDS["whole"]
        api = levels < 2 and not _names_hardware(known, name)
        return word in lexicon.WORDS["host"], levels < min(most, 2), parts, api, order.get(word, len(order))

    best = min(usable, key=place)
    why = ("named like a machine", 0.95) if lexicon.machine_word(best) in order else ("holds names of hardware", 0.8)
    found = {best: Verdict("machine", *why)}
    for name in candidates:
        few = 2 * known.levels(name) <= len(known) or not known.column(name).numeric
        goes = known.settled(name, [best]) or (few and known.levels(best) > 1 and known.settled(best, [name]))
        if name != best and (goes or lexicon.machine_word(name) in lexicon.WORDS["host"]):
            found[name] = Verdict("label", f"goes with {best}", 0.9)
    return found


def _may_be_machine(known: Known, name: str) -> bool:
    """Whether a column is named like a machine; a word of two meanings needs what ran beside it, or facts.

    The architecture of a circuit is a design's.
    """
    word = lexicon.machine_word(name)
    if word not in lexicon.WORDS["ambiguous"]:
        texts = not known.column(name).numeric or known.column(name).kind == "mixed"
        whole = texts or (known.integers(name) and not known.column(name).unit)
        return word in lexicon.MACHINE and whole and not (word.startswith("arch") and of_circuit(known))
    others = [other.name for other in known.columns if other.name != name]
    plain = known.different(name) == 1 and all(text.isalpha() and text.islower() for text in known.texts(name))
    if plain or (word == "instance" and any(map(lexicon.is_input, others))):
        return False
    ran = any(lexicon.key(other) in lexicon.APPLICATION and not known.column(other).numeric for other in others)
    facts = (n for n in others if lexicon.is_machine_fact(n) and not lexicon.is_input(n) and known.levels(n) > 1)
    told = any(_names_hardware(known, other) for other in others if known.levels(other) < known.levels(name))
    return not told and (ran or any(known.settled(other, [name]) for other in facts) or known.unique(name))


def _names_hardware(known: Known, name: str) -> bool:
    if known.column(name).numeric or lexicon.key(name) in lexicon.APPLICATION:
        return False
    texts = [text for text in known.texts(name)[:40] if text]
    return 2 * sum(bool(lexicon.HARDWARE.search(text)) for text in texts) > len(texts) and max(map(len, texts)) < 80


def _can_name_machines(known: Known, name: str) -> bool:
    column, word = known.column(name), lexicon.machine_word(name)
    if column.kind in ("text", "identifier", "mixed"):
        texts = known.texts(name)
        paths = word in lexicon.WORDS["ambiguous"] and all("/" in text for text in texts if text)
        ran = paths or _is_release(known, name) or lexicon.are_all(lexicon.NO_MACHINES, texts)
        plain = {text.lower() for text in texts} <= {"cpu", "gpu", "default", "true", "false", "", *NONE_WORDS}
        return not (ran or plain or lexicon.are_switched(texts))
    repeated = known.whole(name) and 2 * known.levels(name) <= len(known) and known.levels(name) > 1
    return column.kind == "number" and repeated and word not in ("cpu", "geometry", "target", "node", "knoten", "gpu")


def application(known: Known) -> Verdicts:
    """Return the columns that say what ran; one that says the same as another, or where it ran, is a label."""
    if known.named("application"):
        return {}
    words_of = {n: lexicon.key(n).removesuffix("_name") for n in known.free}
    words_of |= {n: word.removesuffix("_id") for n, word in words_of.items() if _named_by_id(known, n)}
    called = [n for n, word in words_of.items() if word in lexicon.APPLICATION]
    named = [n for n in called if not lexicon.is_outcome(n, known.column(n).unit)]
    named = [n for n in named if known.column(n).kind != "identifier" and not _is_release(known, n)]
    words = [n for n in named if not known.column(n).numeric]
    words = words if any(known.different(n) > 1 for n in words) else _called_name(known) or words
    numbers = (n for n in known.free_numbers if lexicon.is_identifier(n) and _names_what_ran(known, n))
    numbered = [n for n in named if known.column(n).numeric and _numbers_what_ran(known, n)][:1]
    words += [n for n in numbered if words and "query" in lexicon.tokens(n)]
    named = words or numbered or [*islice(numbers, 1)] or _called_name(known)
    found: Verdicts = {}
    taken: list[str] = []
    for name in named or _first_of_texts(known):
        if setting := _spelt_out(known, name):
            found[name] = Verdict("label", f"spells out {setting}", 0.85)
        elif built := _built_by(known, name):
            found[name] = Verdict("label", f"goes with {built}", 0.8)
        elif taken and (any(known.same_texts(name, n) for n in taken) or not _portable(known, name)):
            found[name] = Verdict("label", f"goes with {taken[0]}", 0.8)
        else:
            taken.append(name)
            why = "named like an application" if named else "the text beside the numbers"
            found[name] = Verdict("application", why, 0.9)
    return found


def _is_release(known: Known, name: str) -> bool:
    """Whether most texts are numbers of releases, as a system's kernel has: `6.19.4-061904-generic`."""
    texts = () if known.column(name).numeric else known.texts(name)
    return any(texts) and 2 * sum(bool(_RELEASE.match(text.strip("`"))) for text in texts) >= len(texts)


def _called_name(known: Known) -> list[str]:
    """Return a column that is called just `name`, where it names what was measured and not a machine."""
    where = known.machine
    texts = [n for n in known.free if lexicon.key(n) in ("name", "label_name") and not known.column(n).numeric]
    texts = [n for n in texts if not all(lexicon.is_run(t.rstrip("0123456789")) for t in known.texts(n))]
    return [n for n in texts if not where or not (known.settled(n, [where]) or known.one_to_one(n, where))][:1]


def _first_of_texts(known: Known) -> list[str]:
    """Return a first column of texts where all else is numbers: names, if none has a header and they come again.

    Under a header they are different in all rows, and outcomes are among the numbers.
    """
    first, *others = known.columns
    if all(map(_NAMELESS.fullmatch, (c.name for c in known.columns))):
        ran = first.kind == "text" and 1 < known.different(first.name) < len(known)
        return [first.name] if ran and all(c.numeric for c in others) else []
    free = first.name in known.free and first.kind == "text" and known.unique(first.name)
    varied = [c for c in others if known.different(c.name) > 1]
    others = [c for c in varied if not lexicon.is_outcome(c.name, c.unit)]
    numbers = all(c.numeric and not (lexicon.is_setting(c.name) or lexicon.is_input(c.name)) for c in others)
    return [first.name] if free and numbers and len(others) < len(varied) else []


def _spelt_out(known: Known, name: str) -> str:
    """Return what the texts of a name spell out: other texts and settings, all that differs, or a number at the end.

    As in `mg.B.x_4`, with one text for each number.
    """
    numbers = [n for n in known.free_numbers if n != name and not lexicon.is_outcome(n, known.column(n).unit)]
    number = next((n for n in numbers if known.spells_out(name, n, r"$")), "")
    number = number or _all_that_differs(known, name, numbers)
    free = (n for n in known.free if n != name and not known.column(n).numeric)
    others = [n for n in free if known.leveled(n) or ("--" in known.texts(name)[0] and known.levels(n) > 1)]
    texts = [n for n in others if known.quotes(name, n)] if known.unique(name) else []
    parts = [*texts, *(n for n in numbers if texts and known.leveled(n))]
    whole = len(parts) > 1 and int(known.groups(parts).max()) + 1 == len(known)
    return number or (" and ".join(parts) if whole else "")


def _all_that_differs(known: Known, name: str, numbers: Sequence[str]) -> str:
    """Return the numbers of each row that are all by which the texts of a name differ, as in `mpirun -n 4 lu 512`."""
    texts, codes = known.texts(name), known.codes(name)
    texts_alone = not (known.wide or known.column(name).numeric)
    varied = [n for n in numbers if texts_alone and known.leveled(n) and known.integers(n)]
    told = [n for n in varied if int(known.groups([name, n]).max()) + 1 == len(texts)]
    rows = np.unique(codes, return_index=True)[1].tolist()
    stems, found = list(texts), []
    for n in told if len(texts) > 1 else ():
        its = [re.compile(rf"(?<![\d.]){re.escape(known.texts(n)[known.codes(n)[row]])}(?![\d.])") for row in rows]
        if all(own.search(stem) for own, stem in zip(its, stems, strict=True)):
            stems = [own.sub("#", stem) for own, stem in zip(its, stems, strict=True)]
            found.append(n)
    return " and ".join(found) if len({*stems}) == 1 else ""


def _built_by(known: Known, name: str) -> str:
    """Return the setting with one text for each of a binary's, which was built with each flag."""
    if lexicon.key(name) not in ("binary", "executable"):
        return ""
    settings = (n for n in known.free if n != name and not known.column(n).numeric and lexicon.is_setting(n))
    return next((n for n in settings if known.different(n) > 1 and known.one_to_one(name, n)), "")


def _portable(known: Known, name: str) -> bool:
    """Whether most of a column's texts were met on several machines, so that it names what ran, not where."""
    if known.machines is None or len(known) < 4:
        return True
    pairs = np.unique(np.column_stack([known.codes(name), known.codes(known.machines)]), axis=0)
    return 2 * int((np.bincount(pairs[:, 0]) > 1).sum()) >= len(known.texts(name))


def _repeats(known: Known, name: str) -> bool:
    """Whether a column is complete and its values come twice on average."""
    return known.whole(name) and 2 * known.levels(name) <= len(known)


def _numbers_what_ran(known: Known, name: str) -> bool:
    """Whether numbers come again and are those of kernels, queries or jobs; few with gaps are a kernel's size."""
    sizes = lexicon.key(name) == "kernel" and known.integers(name) and known.levels(name) <= np.ptp(known.values(name))
    return _repeats(known, name) and not sizes


def _goes_with_application(known: Known, name: str) -> bool:
    """Whether several applications settle a number, which then tells no two inputs of one of them apart."""
    ran = known.named("application")
    several = int(known.groups(ran).max(initial=-1)) > 0 if ran else False
    return several and known.column(name).numeric and known.levels(name) > 1 and known.settled(name, ran)


def inputs(known: Known) -> Verdicts:
    """Return the columns that say on which problem; numbers that hardly repeat are parameters."""
    if known.named("input"):
        return {}
    if is_fact_table(known):
        return {}
    called = [n for n in known.free if lexicon.is_input(n.removesuffix("_id" if _named_by_id(known, n) else ""))]
    named = [n for n in called if not lexicon.is_outcome(n, known.column(n).unit)]
    named += [n for n in known.free if n not in named and lexicon.is_identifier(n) and _comes_again(known, n)]
    named = [n for n in named if not (_goes_with_application(known, n) or _tells_of_input(known, n))]
    told = [n for n in named if lexicon.key(n) != "variant"]
    named = named if all(known.column(n).numeric for n in told) else told
    named = [n for n in named if "total" not in lexicon.tokens(n)] or named  # what all requests had is no size of one
    counted = [n for n in known.free_numbers if n not in named]
    found: Verdicts = {}
    for name in named:
        if (known.levels(name) > 1 and known.of_machine(name)) or {*known.texts(name)} == {"0"}:
            continue
        if not known.column(name).numeric:
            if not known.switched(name) and known.levels(name) < max(2, _MOST_INPUTS * len(known)):
                found[name] = Verdict("input", "named like an input", 0.9)
        elif (known.whole(name) and not (known.integers(name) or known.leveled(name))) or _came_out(known, name):
            continue
        elif known.machines or any(known.different(ran) > 1 for ran in known.named("application")):
            role = "input" if _repeats(known, name) and counted else "parameter"
            found[name] = Verdict(role, "the size of the problem", 0.85)
        else:
            found[name] = Verdict("parameter", "the size of the problem", 0.8)
    return found


def _came_out(known: Known, name: str) -> bool:
    """Whether bytes hardly repeat, and others say on which problem: what was moved, or came out.

    So did sizes that nearly meet, each the same times a rate: what went over in a time that is fixed.
    """
    told = "bytes" in lexicon.tokens(name) and any(lexicon.is_input(n) and known.leveled(n) for n in known.numeric)
    if told or not known.nearly_met(name):
        return told and not known.leveled(name)
    rates = (known.values(n) for n in known.named("response") if known.dimension(n) == "throughput")
    lasted = (known.values(name) / rate for rate in rates if rate.all())
    return not known.leveled(name) and any(np.ptp(own) <= SAME * np.abs(own).max() for own in lasted)
