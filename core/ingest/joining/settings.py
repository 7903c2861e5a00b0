"""What was set for the runs of profilers' and simulators' files: what stands beside them says it, or their names do."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain

import numpy as np

from core.errors import count, first_few
from core.ingest._lookup import by_key
from core.ingest._units import split_unit
from core.ingest.joining.file_names import are_ids, are_parted_alike, programs_of_names, settings_of_names
from core.ingest.joining.machines import nearest
from core.ingest.joining.merge import Located
from core.ingest.names import listed, stem
from core.ingest.readers.gem5_config import PROGRAM
from core.ingest.recognition.words import is_identifier
from core.ingest.table.dialect import is_number
from core.texts import coded
from core.trial import Kind, Metric, Trials


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
    called, files = files, _by_program(files)
    beside = [_said_beside(file, told) for file in files]
    said, same = _differing(beside)
    whose = f"stand in {first_few([f.path for f in told], 1)}" if said else "is what the files' names say"
    own = _said_by_all(files)
    ran = [*zip(own.get("application", ()), own.get("machine", ()), strict=False)]
    contents = own if files is called else {name: texts for name, texts in own.items() if name != "application"}
    names = settings_of_names([f.path for f in files], contents, chain(*map(_names, files)))
    names = {n: t for n, t in names.items() if not (is_identifier(n) or are_ids(t) or are_parted_alike(t, ran))}
    said = {name: texts for name, texts in names.items() if name == PROGRAM or not all(beside)} | said
    if not said:
        return files
    numbers = {name for name, texts in said.items() if all(is_number(text or "0") for text in texts)}
    n = sum(len(file.imported.trials) for file in files)
    once = {name for name, texts in said.items() if len({*texts}) == n}
    each = ({name: texts[k] for name, texts in said.items()} for k in range(len(files)))
    first, *others = (_with(texts, file, numbers, once) for texts, file in zip(each, files, strict=True))
    sentence = f"{first.path} and others of its form: {listed([*said], 8)} {whose}{same}."
    warned = replace(first.imported, warnings=(*first.imported.warnings, sentence))
    return [replace(first, imported=warned), *others]


def _by_program(files: Sequence[Located]) -> Sequence[Located]:
    """Return files that know no more of what ran than what they are called without the numbers of their names."""
    stems = [stem(file.path) for file in files]
    unknown = all({*f.imported.trials.application} == {own} for f, own in zip(files, stems, strict=True))
    programs = programs_of_names(stems) if unknown and not any(f.imported.inputs for f in files) else []
    return [_running(file, own) for file, own in zip(files, programs, strict=True)] if programs else files


def _running(file: Located, program: str) -> Located:
    """Return a file with the program that ran."""
    trials = replace(file.imported.trials, application=(program,) * len(file.imported.trials))
    return replace(file, imported=replace(file.imported, trials=trials))


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
    found: dict[bytes, str] = {}
    for name in sorted(varied, key=lambda name: name.count(".")):
        found.setdefault(coded(varied[name]).codes.tobytes(), name)
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


def _with(said: Mapping[str, str], file: Located, numbers: Set[str], once: Set[str]) -> Located:
    """Return a file with what was said of it at each of its trials: numbers as metrics, words as texts.

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
    words.pop("machine", None)  # which the file says otherwise
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
"""Of trials, and what they are called where they are said."""
