"""Which columns only describe rows or the capture: numbers of repeats, identifiers, dates, paths, codes of others."""

import re

import numpy as np

from core.ingest._units import dimension
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import Known, Verdict, Verdicts
from core.ingest.recognition.settings import REPEAT

_GROWS = 0.2
"""The correlation of ranks from which on iterations are taken for a run's work."""
_SEVERAL = 8
"""Identifiers of problems, at least: few that come again and again are those of what was set."""
_NAMING = {*lexicon.MACHINE} | lexicon.APPLICATION


def labels(known: Known) -> Verdicts:
    """Return what only describes rows or the capture: numbers of repeats, identifiers, dates, hashes, states."""
    searched = any(c.name.startswith("params_") for c in known.columns)
    notes = [n for n in known.free if searched and n.startswith("system_attrs_")]  # by Optuna, copies of what it set
    own = (name for name in known.free if name not in notes and not _is_compared(known, name))
    found = {name: verdict for name in own if (verdict := _label(known, name))}
    return found | dict.fromkeys(notes, Verdict("label", "what a search noted of itself", 0.9))


def _label(known: Known, name: str) -> Verdict | None:
    column = known.column(name)
    texts = () if column.numeric else known.texts(name)
    numbers = lexicon.is_run(name) or (lexicon.key(name) in lexicon.WORDS["numbered"] and known.numbered(name))
    numbers = numbers or (lexicon.is_run(name.rpartition(".")[2]) and column.numeric and known.integers(name))
    numbers = numbers and (column.kind != "text" or lexicon.are_numbered(name, texts))
    if numbers and not (_counts_work(known, name) or tells_of_input(known, name)):
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
    named = varying or _is_file_of_input(known, name) or names_what_ran(known, name) or _names_machines(known, name)
    named = named or (lexicon.key(name) in lexicon.APPLICATION and repeats(known, name)) or named_by_id(known, name)
    rated = lexicon.tokens(name)[-1:] == ["index"] and column.numeric and not known.integers(name)
    if lexicon.is_identifier(name) and not (named or rated or comes_again(known, name)):
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


def comes_again(known: Known, name: str) -> bool:
    """Whether several texts come twice on average, and not twice where the texts and settings beside them agree."""
    others = known.leveled_beside(name)
    several = known.levels(name) >= _SEVERAL and any(map(str.isalpha, known.texts(name)[0]))
    if known.column(name).numeric or not (several and others and repeats(known, name)):
        return False
    return int(known.groups((name, *others)).max()) + 1 == len(known) > int(known.groups(others).max()) + 1


def repeats(known: Known, name: str) -> bool:
    """Whether a column is complete and its values come twice on average."""
    return known.whole(name) and 2 * known.levels(name) <= len(known)


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
    """Whether few texts called just label, hash, path or index differ where others agree, and so are what was varied.

    Others that begin with numbers, as `33.2 m` and dates do, were measured or tell rows apart anyway.
    """
    called = lexicon.key(name) in ("label", "tag", "path", "hash", "index")
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


def tells_of_input(known: Known, name: str) -> bool:
    """Whether a text that names inputs settles numbers such as `samples`, rows of each being alike in these."""
    named = (c.name for c in known.columns if not c.numeric and lexicon.is_input(c.name) and repeats(known, c.name))
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


def names_what_ran(known: Known, name: str) -> bool:
    """Whether a numbered benchmark comes again and again, and nothing else says what ran."""
    if not lexicon.speaks(name, "what_ran") or 3 * known.levels(name) > len(known):
        return False
    return not any(lexicon.key(own.name) in lexicon.APPLICATION and not own.numeric for own in known.columns)


def named_by_id(known: Known, name: str) -> bool:
    """Whether the texts of a `model_id` or `dataset_id` come again, or some differ in more than a number: names.

    Numbers come with each level of another column.
    """
    word = lexicon.key(name).removesuffix("_id")
    own = word != lexicon.key(name) and word in lexicon.APPLICATION | lexicon.INPUT
    if not own or _is_compared(known, name):
        return False
    if known.column(name).numeric:
        return word in lexicon.INPUT and not known.wide and known.varied(name, [c.name for c in known.columns])
    return repeats(known, name) or len({re.sub(r"\d", "", text) for text in known.texts(name) if text}) > 1


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
