"""Which columns name where it ran, and what ran."""

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np

from core.ingest.names import NONE_WORDS
from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import Known, Verdict, Verdicts
from core.ingest.recognition.labels import named_by_id, names_what_ran, repeats
from core.ingest.recognition.outcomes import of_circuit
from core.ingest.table.layout import GENERATED

_RELEASE, _NAMELESS = re.compile(r"v?\d+\.\d+(\.\d+|-\d)"), re.compile(GENERATED.format(r"\d+"))


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
    words_of |= {n: word.removesuffix("_id") for n, word in words_of.items() if named_by_id(known, n)}
    called = [n for n, word in words_of.items() if word in lexicon.APPLICATION]
    named = [n for n in called if not lexicon.is_outcome(n, known.column(n).unit)]
    named = [n for n in named if known.column(n).kind != "identifier" and not _is_release(known, n)]
    words = [n for n in named if not known.column(n).numeric]
    words = words if any(known.different(n) > 1 for n in words) else _called_name(known) or words
    numbers = (n for n in known.free_numbers if lexicon.is_identifier(n) and names_what_ran(known, n))
    numbered = [n for n in named if known.column(n).numeric and _numbers_what_ran(known, n)][:1]
    words += [n for n in numbered if words and "query" in lexicon.tokens(n)]
    named = words or numbered or [*islice(numbers, 1)] or _called_name(known)
    found: Verdicts = {}
    taken: list[str] = []
    for name in named or _first_of_texts(known):
        if setting := _spelt_out(known, name):
            found[name] = Verdict("label", f"spells out {setting}", 0.85)
            own = setting in known.free and setting.startswith(f"{name} ")  # taken from its texts: `name n` of `n=8`
            found |= {setting: Verdict("parameter", f"stands in {name}", 0.85)} if own else {}
        elif built := _built_by(known, name):
            found[name] = Verdict("label", f"goes with {built}", 0.8)
        elif _names_runs(known, name):
            found[name] = Verdict("identifier", "another for each run of a grid", 0.8)
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


def _names_runs(known: Known, name: str) -> bool:
    """Whether each text of `name` stands in one row of a grid of numbers, as those that trackers of runs make up do."""
    if lexicon.key(name) != "name" or not known.unique(name):
        return False
    numbers = [n for n in known.free_numbers if not lexicon.is_outcome(n, known.column(n).unit)]
    return any(known.varied(n, numbers) for n in numbers)


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


def _numbers_what_ran(known: Known, name: str) -> bool:
    """Whether numbers come again and are those of kernels, queries or jobs; few with gaps are a kernel's size."""
    sizes = lexicon.key(name) == "kernel" and known.integers(name) and known.levels(name) <= np.ptp(known.values(name))
    return repeats(known, name) and not sizes
