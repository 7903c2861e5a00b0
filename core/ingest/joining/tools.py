"""Two tools' files of the same launches: joined by kernel, shape and order, or asked about where that is in doubt."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.frozen import Frozen
from core.ingest.joining.merge import Located
from core.ingest.joining.runs import joined
from core.ingest.recognition.recognition import LAUNCHES, Join, Question
from core.trial import Import, Trials

_BARE = re.compile(r"(?:void )?\s*([^(<]+)")
_NOBODY = "?"
"""The machine of launches on one that neither file names, while they are joined."""
_Launch = tuple[str, str]


class JoinedTools(Frozen):
    """Imports, those of the same launches as one, and what stays in doubt."""

    imports: tuple[Import, ...]
    joins: tuple[Join, ...] = ()
    questions: tuple[Question, ...] = ()


def joined_tools(imports: Sequence[Import]) -> JoinedTools:
    """Return the imports with those joined that show the same launches to two tools.

    The same are they if each launch of the one, by kernel and shape, is there as often in the other; if some are
    there more or less often, that is asked.
    """
    found: list[Import] = []
    joins: list[Join] = []
    questions: list[Question] = []
    for imported in imports:
        for i, own in enumerate(found):
            if (both := _counts(own, imported)) is not None and both.certain:
                joins.append(both.join)
                found[i] = join_launches(own, imported)
                break
            questions += [both.question] if both is not None else []
        else:
            found.append(imported)
    return JoinedTools(tuple(found), tuple(joins), tuple(questions))


def join_launches(one: Import, other: Import) -> Import:
    """Return two tools' launches as one import: the n-th of each kernel and shape is the same in both."""
    machines = {m for i in (one, other) for m in i.trials.machine if m}
    machine = machines.pop() if len(machines) == 1 else "" if machines else _NOBODY
    names = {_bare(name): name for name in reversed(one.trials.application)}
    files = [Located(i.source, "", replace(i, trials=_numbered(i.trials, names, machine))) for i in (one, other)]
    found = joined(files)
    known = tuple("" if name == _NOBODY else name for name in found.trials.machine)
    return replace(found, trials=replace(found.trials, machine=known))


class _Both(Frozen):
    """How often two files have each launch."""

    files: tuple[str, str]
    one: Counter[_Launch]
    other: Counter[_Launch]

    @property
    def certain(self) -> bool:
        """Whether all launches of the one file are there as often in the other."""
        few, many = sorted((self.one, self.other), key=len)
        return all(many[launch] == n for launch, n in few.items())

    @property
    def join(self) -> Join:
        """What becomes of them if they are the same."""
        n = (self.one & self.other).total()
        return Join(self.files, "counters", LAUNCHES, n, self.one.total() - n, self.other.total() - n)

    @property
    def question(self) -> Question:
        """What is to be asked if they may be the same."""
        first, second = self.files
        asks = (
            f"{second} has {self.other.total():,} launches and {first} {self.one.total():,}, of the same kernels but "
            "not equally often: are they the same launches, in order?"
        )
        return Question(second, asks, ("apart", "same"), "launches", first)


def _counts(one: Import, other: Import) -> _Both | None:
    """Return how often two tools have launches of the same kernels and shapes; None if they share none."""
    tools = [i.format.split(" ")[0].split("_")[0] for i in (one, other)]
    machines = [{m for m in i.trials.machine if m} for i in (one, other)]
    apart = all(machines) and not machines[0] & machines[1]
    sums_up = any("summary" in i.format or "all launches" in i.trials.execution for i in (one, other))
    if tools[0] == tools[1] or apart or sums_up:
        return None
    ran = (zip(map(_bare, i.trials.application), i.trials.input, strict=True) for i in (one, other))
    first, second = (Counter(launch for launch in own if launch[1]) for own in ran)
    return _Both((one.source, other.source), first, second) if first.keys() & second.keys() else None


def _bare(kernel: str) -> str:
    """Return a kernel's name without its type, template and parameters, which tools write in several ways."""
    found = _BARE.match(kernel)
    return found.group(1).strip() if found else kernel


def _numbered(trials: Trials, names: dict[str, str], machine: str) -> Trials:
    """Return trials whose executions say the how many-th launch of its kernel and shape each is."""
    seen: Counter[_Launch] = Counter()
    executions = []
    for launch in zip(map(_bare, trials.application), trials.input, strict=True):
        seen[launch] += 1
        executions.append(f"launch {seen[launch]}")
    return replace(
        trials,
        application=tuple(names.get(_bare(name), name) for name in trials.application),
        machine=tuple(machine or own for own in trials.machine),
        execution=tuple(executions),
    )
