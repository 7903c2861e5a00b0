"""What the names of files say that their contents do not: settings, devices, and what ran."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import chain

from core.ingest._units import KNOWN, unit_of_name
from core.ingest.joining.links import as_number
from core.ingest.recognition.words import MACHINE, forms, is_identifier, is_input, is_outcome, is_run, is_setting
from core.ingest.table.dialect import as_float, is_number

_BETWEEN = re.compile(r"[/\\_\s=,-]+|(?<!\d)\.|\.(?!\d)")
_ENDING = re.compile(r"\.[A-Za-z][^\W_]*$")
_DATE = re.compile(r"(19|20)\d\d-?(0[1-9]|1[0-2])-?[0-3]\d([T_-]?[0-2]\d[:-]?[0-5]\d([:-]?[0-5]\d)?)?(?!\d)")
_KEYED = re.compile(r"([A-Za-z]+)(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)([A-Za-z]+)?")

_DEVICE = forms("device")
_DIGITS = 5
"""Of what numbers a job or a process, at least."""
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


def are_devices(texts: Sequence[str]) -> bool:
    """Whether texts name hardware, as `k40` and `v100` do; r1, r2 and r10 number the files, and m1 to m4 do not."""
    if not all(map(_DEVICE.fullmatch, texts)):
        return False
    keyed = [_keyed(text.casefold()) for text in texts]
    words = {word for word, _ in keyed}
    numbered = len({*texts}) > 1 and any(number and number.lstrip("0") in ("", "1") for _, number in keyed)
    return not (numbered and len(words) == 1 and all(len(word) == 1 and word != "m" for word in words))


def under_free_names(said: Mapping[str, list[str]], names: Iterable[str]) -> dict[str, list[str]]:
    """Return what files' names say under names that no other column has."""
    taken = {name.casefold() for name in names}
    return {f"file {name}" if name.casefold() in taken else name: texts for name, texts in said.items()}


def as_columns(said: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return what files' names say for a table, whose columns are what they are called: nothing there is an outcome.

    Numbers below the word of one, as in `time_4`, are the files'.
    """
    found: dict[str, list[str]] = {}
    for name, texts in said.items():
        called = "file number" if is_outcome(name, unit_of_name(name)) else name
        found[f"{called} {len(found) + 1}" if called in found else called] = texts
    return found


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
        called = "machine" if are_devices(texts) else f"name {k + 1}" if k else "name"
        for (numbers, _), text in zip(read, texts, strict=True):
            numbers[called] = text
    return [numbers for numbers, _ in read]


def _numbers_and_words(parts: Sequence[str], settings: Set[str], common: Set[str]) -> tuple[dict[str, str], list[str]]:
    """Return what a file's name says: numbers by the word in or before them, and the words that not all names have."""
    numbers, words = dict[str, str](), list[str]()
    for before, part, after, then in zip(["", *parts], parts, [*parts[1:], ""], [*parts[2:], "", ""], strict=False):
        key, value = (part[3:], "inf") if part[:3] == "inf" and part[3:] in settings else _keyed(part)
        if value and (not key or key in settings):
            counted = part != value or (is_setting(after) and not _keyed(then)[1])  # as in `4-ranks`
            beside = (after, before) if counted else (before,)
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


def programs_of_names(files: Sequence[str]) -> list[str]:
    """Return what ran by files' names in which one number was set for each program, empty where only it is named.

    There is nothing to return unless most programs stand at several numbers, as `2mm` and `3mm` do not.
    """
    said = said_by_names(files, {})
    numbers = {name for name, texts in said.items() if _is_swept(name, texts)}
    words = [texts for name, texts in said.items() if name not in numbers and not all(map(is_number, texts))]
    apart = [*zip(*words, strict=True)] or [()] * len(files)
    if not numbers or 2 * len({*apart}) > len(files):
        return []
    parts = [[*filter(None, _BETWEEN.split(_ENDING.sub("", file)))] for file in files]
    common = [part for part in parts[0] if all(part in own for own in parts) and part.isalpha()]
    common = [part for part in common if not (is_setting(part) or is_run(part))]
    return ["_".join([*common, *filter(None, own)]) for own in apart]


def _is_swept(name: str, texts: Sequence[str]) -> bool:
    """Whether numbers of files' names were set: their word, no letter, speaks of it, or they are several round ones."""
    if not all(map(is_number, texts)) or is_run(name) or is_identifier(name) or name in MACHINE:
        return False
    if are_ids(texts) or _number_the_files(name, texts):
        return False
    spoken = len(name) > 1 and (is_setting(name) or is_input(name))
    return spoken or (len({*texts}) > 2 and all(map(is_round, texts)))


def are_parted_alike(texts: Sequence[str], others: Sequence[object]) -> bool:
    """Whether texts tell files apart as others do, such as what ran on which machine, of which each file says one."""
    return len({*texts}) == len({*others}) == len({*zip(texts, others, strict=False)}) > 1


def are_ids(texts: Sequence[str]) -> bool:
    """Whether whole numbers are long, all different and none of them round: they number jobs, and are no sizes."""
    long = all(text.isdecimal() and len(text) >= _DIGITS for text in texts)
    return long and len({*texts}) == len(texts) and not any(map(is_round, texts))


def is_round(text: str) -> bool:
    """Whether somebody may have chosen a number: it is a power of two, or of whole hundreds."""
    number = as_float(text)
    return number is not None and (number % 100 == 0 or math.frexp(number)[0] == 0.5)


def _number_the_files(name: str, texts: Sequence[str]) -> bool:
    """Whether numbers count the files, 1, 2, 3 …, and their name is none of what is set."""
    counted = sorted(map(int, texts)) if all(map(str.isdecimal, texts)) else []
    rising = counted[:1] in ([0], [1]) and counted == [*range(counted[0], counted[0] + len(texts))]
    return rising and not is_setting(name)
