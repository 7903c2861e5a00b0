"""What the names of files say that their contents do not: settings, devices, and what ran."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from decimal import Decimal
from itertools import chain

import numpy as np

from core.errors import count, first_few
from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, split_unit
from core.ingest.joining.links import as_number
from core.ingest.joining.machines import nearest
from core.ingest.joining.merge import Located
from core.ingest.names import listed
from core.ingest.readers.gem5_config import PROGRAM
from core.ingest.recognition.words import forms, is_identifier, is_run, is_setting
from core.ingest.table.dialect import is_number
from core.trial import Kind, Metric, Trials

_BETWEEN = re.compile(r"[/\\_\s=,-]+|(?<!\d)\.|\.(?!\d)")
_ENDING = re.compile(r"\.[A-Za-z][^\W_]*$")
_DATE = re.compile(r"(19|20)\d\d-?(0[1-9]|1[0-2])-?[0-3]\d([T_-]?[0-2]\d[:-]?[0-5]\d([:-]?[0-5]\d)?)?(?!\d)")
_KEYED = re.compile(r"([A-Za-z]+)(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)([A-Za-z]+)?")

DEVICE = forms("device")
_MAGNITUDES = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_MEANT = {"t": "threads", "slurm": "slurm id", "job": "job id"}
"""What a word before a number means in the name of a file: no time, and no setting."""


def said_by_names(files: Sequence[str], said: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return by name what files' names say and their contents do not, in columns of a text for each file."""
    bare = [_DATE.sub("", _ENDING.sub("", file)) for file in files]
    for texts in said.values():
        if all(len(text) > 2 and not is_number(text) and text in file for text, file in zip(texts, bare, strict=True)):
            bare = [file.replace(text, " ", 1) for text, file in zip(texts, bare, strict=True)]
    parts = ([*filter(None, _BETWEEN.split(file))] for file in bare)
    own = _read_names([*parts])
    columns = {name: [one.get(name, "") for one in own] for name in dict.fromkeys(chain(*own))}
    varied = {name: texts for name, texts in columns.items() if len({*texts}) > 1}
    return {name: texts for name, texts in varied.items() if not any(_says(own, texts) for own in said.values())}


def under_free_names(said: Mapping[str, list[str]], names: Iterable[str]) -> dict[str, list[str]]:
    """Return what files' names say under names that no other column has."""
    taken = {name.casefold() for name in names}
    return {f"file {name}" if name.casefold() in taken else name: texts for name, texts in said.items()}


def _read_names(parts: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return what each file's name says: numbers by the word beside them, and its other words that not all have."""
    keyed = [{key: value for part in own for key, value in [_keyed(part)] if key and value} for own in parts]
    levels = {key: [own[key] for own in keyed if key in own] for key in chain(*keyed)}
    settings = {key for key, own in levels.items() if 2 * len(own) >= len(parts) and len({*own}) > 1}
    common = set.intersection(*map(set, parts))
    read = [_numbers_and_words(own, settings, common) for own in parts]
    if len({len(words) for _, words in read}) > 1:  # where a word stands for a setting's number, as HBM for DDR4
        everywhere = {key for key in settings if len(levels[key]) == len(parts)}
        again = [_numbers_and_words(own, everywhere, common) for own in parts]
        read = again if len({len(words) for _, words in again}) == 1 else read
    columns = [*zip(*(words for _, words in read), strict=False)]
    if len({len(words) for _, words in read}) > 1:
        columns = [tuple("_".join(words) for _, words in read)]
    for k, texts in enumerate(columns):
        called = "machine" if all(map(DEVICE.fullmatch, texts)) else f"name {k + 1}" if k else "name"
        for (numbers, _), text in zip(read, texts, strict=True):
            numbers[called] = text
    return [numbers for numbers, _ in read]


def _numbers_and_words(
    parts: Sequence[str], settings: AbstractSet[str], common: AbstractSet[str]
) -> tuple[dict[str, str], list[str]]:
    """Return what a file's name says: numbers by the word in or before them, and the words that not all names have."""
    numbers, words = dict[str, str](), list[str]()
    for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
        key, value = (part[3:], "inf") if part[:3] == "inf" and part[3:] in settings else _keyed(part)
        if value and (not key or key in settings):
            beside = (before,) if part == value else (after, before)
            key = key or next((_MEANT.get(w, w) for w in beside if w in common and w.isalpha()), "number")
            key = f"{before} ({key})" if key in KNOWN and before in common else key  # as in `l2_256kB`
            again = sum(own == key or own.startswith(f"{key} ") for own in numbers)
            numbers[f"{key} {again + 1}" if again else key] = value
        elif part not in common:
            words.append(part)
    return numbers, words


def _keyed(part: str) -> tuple[str, str]:
    """Return (word, number) of a part such as `n1024` or `4threads`, of `20k` the number; neither if it is none."""
    if (found := _KEYED.fullmatch(part)) and found[4] in _MAGNITUDES:
        return "", f"{Decimal(found[3]) * _MAGNITUDES[found[4]]:f}"
    word = (found[1] or found[4] or "") if found else ""
    return (_MEANT.get(word, word), found[2] or found[3]) if found else ("", "")


def _says(values: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the values that logs say are what their files' names say, where both say something."""
    pairs = [(value, text) for value, text in zip(values, texts, strict=True) if value and text]
    return len({*pairs}) > 1 and all(as_number(value) == as_number(text) for value, text in pairs)


def settings_of_names(
    files: Sequence[str], said: Mapping[str, Sequence[str]], taken: Iterable[str]
) -> dict[str, list[str]]:
    """Return by free names what files' names say of settings: neither numbers of runs nor of the files.

    Parameters
    ----------
    said : what each file says itself, by name
    taken : names that there are
    """
    found = said_by_names(files, said)
    told = {name: texts for name, texts in found.items() if not is_run(name) and not _number_the_files(name, texts)}
    return under_free_names(told, taken)


def _number_the_files(name: str, texts: Sequence[str]) -> bool:
    """Whether numbers count the files, 1, 2, 3 …, and their name is none of what is set."""
    counted = sorted(map(int, texts)) if all(map(str.isdecimal, texts)) else []
    rising = counted[:1] in ([0], [1]) and counted == [*range(counted[0], counted[0] + len(texts))]
    return rising and not is_setting(name)


def with_settings(files: Sequence[Located], told: Sequence[Located] = ()) -> list[Located]:
    """Return profilers' files with what was set for their runs as parameters of their trials, and with what ran.

    What stands beside them says it, else their names do. Passes over the same executions are not told apart so; nor is
    a file that stands alone in its format.

    Parameters
    ----------
    told : files that describe what was set
    """
    alike = by_key((f.imported.format, i) for i, f in enumerate(files) if not f.imported.trials.execution)
    found = list(files)
    for places in alike.values():
        for i, file in zip(places, _told_apart([files[i] for i in places], told), strict=True):
            found[i] = file
    return found


def _told_apart(files: Sequence[Located], told: Sequence[Located]) -> Sequence[Located]:
    """Return files of one format with what was set for them."""
    beside = [_said_beside(file, told) for file in files]
    said, same = _differing(beside)
    whose = f"stand in {first_few([f.path for f in told], 1)}" if said else "is what the files' names say"
    names = settings_of_names([f.path for f in files], _said_by_all(files), chain(*map(_names, files)))
    names = {name: texts for name, texts in names.items() if not (is_identifier(name) or _are_ids(texts))}
    said |= {name: texts for name, texts in names.items() if name == PROGRAM or not all(beside)} | said
    if not said:
        return files
    numbers = {name for name, texts in said.items() if all(is_number(text or "0") for text in texts)}
    n = sum(len(file.imported.trials) for file in files)
    once = {name for name, texts in said.items() if len({*texts}) == n}
    own = ({name: texts[k] for name, texts in said.items()} for k in range(len(files)))
    first, *others = (_with(texts, file, numbers, once) for texts, file in zip(own, files, strict=True))
    sentence = f"{first.path} and others of its form: {listed([*said], 8)} {whose}{same}."
    warned = replace(first.imported, warnings=(*first.imported.warnings, sentence))
    return [replace(first, imported=warned), *others]


def _said_beside(file: Located, told: Sequence[Located]) -> dict[str, str]:
    """Return what the file beside one says of its runs, by name."""
    facts = [own.imported.machines for own in nearest(file, told)]
    found: dict[str, str] = {}
    for own in filter(None, facts):
        found |= {m.name: f"{x:.17g}" for m, x in zip(own.metrics, own.values[0], strict=True) if x == x}
        found |= {name: texts[0] for name, texts in own.labels.items() if texts[0]}
    return found


def _differing(said: Sequence[Mapping[str, str]]) -> tuple[dict[str, list[str]], str]:
    """Return what ran, and by name what differs between files, and how many that differ as others do are left out.

    Of these the part of the system counts that is named first and stands highest.
    """
    columns = {name: [own.get(name, "") for own in said] for name in dict.fromkeys(chain(*said))}
    program = {PROGRAM: columns.pop(PROGRAM)} if PROGRAM in columns else {}
    varied = {name: texts for name, texts in columns.items() if len({*texts}) > 1 and not is_identifier(name)}
    found: dict[tuple[int, ...], str] = {}
    for name in sorted(varied, key=lambda name: name.count(".")):
        codes: dict[str, int] = {}
        found.setdefault(tuple(codes.setdefault(text, len(codes)) for text in varied[name]), name)
    left = len(varied) - len(found)
    same = f"; {count(left, 'setting')} that differ as these do {'is' if left == 1 else 'are'} left out" if left else ""
    return program | {name: varied[name] for name in found.values()}, same


def _names(file: Located) -> list[str]:
    trials = file.imported.trials
    return [*(metric.name for metric in file.imported.metrics), *trials.labels]


def _said_by_all(files: Sequence[Located]) -> dict[str, list[str]]:
    """Return by name what each file says once of all its trials."""
    own = [_said_once(file.imported.trials) for file in files]
    both = [name for name in own[0] if all(name in one for one in own)]
    return {name: [one[name] for one in own] for name in both}


def _said_once(trials: Trials) -> dict[str, str]:
    texts = {"application": trials.application, "input": trials.input, "machine": trials.machine, **trials.labels}
    said = {name: own[0] for name, own in texts.items() if len({*own}) == 1}
    columns = zip(trials.metrics, trials.values.T, strict=True)
    return said | {m.name: f"{x[0]:.17g}" for m, x in columns if m.kind is Kind.PARAMETER and len({*x}) == 1}


def _with(said: Mapping[str, str], file: Located, numbers: AbstractSet[str], once: AbstractSet[str]) -> Located:
    """Return a file with what its name says of each trial: numbers as metrics, words as texts.

    Parameters
    ----------
    once : names whose texts are different for each trial, which are no settings where they are words
    """
    trials = file.imported.trials
    n, words = len(trials), {name: text for name, text in said.items() if name not in numbers}
    values = [float(text or "nan") for name, text in said.items() if name in numbers]
    metrics = tuple(
        Metric(name, Kind.PARAMETER, unit) for name, unit in map(split_unit, filter(numbers.__contains__, said))
    )
    roles = {role: (words.pop(name),) * n for role, name in _ROLES if name in words and not any(getattr(trials, role))}
    named = replace(
        trials,
        **roles,
        metrics=(*trials.metrics, *metrics),
        values=np.column_stack([trials.values, np.tile(np.array(values, dtype=np.float64), (n, 1))]),
        labels={**trials.labels, **{name: (text,) * n for name, text in words.items()}},
        parameters=(*trials.parameters, *(name for name in words if name not in once)),
    )
    return replace(file, imported=replace(file.imported, trials=named))


_ROLES = (("application", PROGRAM), ("machine", "machine"))
"""Of trials, and what names of files say of them."""

_DIGITS = 5
"""Of what numbers a job or a process, at least."""


def _are_ids(texts: Sequence[str]) -> bool:
    """Whether whole numbers are long, all different and none of them round: they number jobs, and are no sizes."""
    long = all(text.isdecimal() and len(text) >= _DIGITS for text in texts)
    return long and len({*texts}) == len(texts) and not any(n % 100 == 0 or n & (n - 1) == 0 for n in map(int, texts))
