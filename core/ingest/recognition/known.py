"""What is already known of a table's columns while they are told apart, step by step."""

from collections.abc import Mapping as Entries
from dataclasses import replace
from functools import cached_property

from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest.base import Mapping, SideBySide
from core.ingest.recognition.evidence import Evidence


class Verdict(Frozen):
    """What one column was taken for, and why; see `RecognisedColumn`; a dimension only if no name says it."""

    role: str
    why: str
    sure: float = 0.9
    formula: str = ""
    unit: str | None = None
    dimension: str = ""


Verdicts = dict[str, Verdict]


class Known(Frozen):
    """A table's evidence, what a user said, the verdicts so far, and outcomes whose columns stand beside each other."""

    seen: Evidence
    given: Mapping
    verdicts: Entries[str, Verdict]
    beside: tuple[SideBySide, ...] = ()

    def with_(self, found: Verdicts) -> "Known":
        """Return the same with further verdicts; a column keeps the first that it gets."""
        return replace(self, verdicts={**found, **self.verdicts})

    def instead(self, found: Verdicts) -> "Known":
        """Return the same with verdicts in place of earlier ones."""
        old = self.verdicts
        kept = {n: replace(v, unit=old[n].unit) if n in old and v.unit is None else v for n, v in found.items()}
        return replace(self, verdicts={**old, **kept})

    @property
    def free(self) -> tuple[str, ...]:
        """The columns without a verdict."""
        return tuple(c.name for c in self.seen.columns if c.name not in self.verdicts)

    @property
    def free_numbers(self) -> tuple[str, ...]:
        """The columns of numbers without a verdict."""
        return tuple(c.name for c in self.seen.columns if c.name not in self.verdicts and c.numeric)

    def named(self, *roles: str) -> tuple[str, ...]:
        """Return the columns with these roles, in the table's order."""
        places = sorted(place for role in {*roles} for place in self._places.get(role, ()))
        return tuple(self.seen.columns[place].name for place in places)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the columns of each role stand."""
        verdicts = ((self.verdicts.get(column.name), place) for place, column in enumerate(self.seen.columns))
        return by_key((verdict.role, place) for verdict, place in verdicts if verdict)

    @property
    def machine(self) -> str | None:
        """The column that names the machine."""
        return next(iter(self.named("machine")), None)

    @property
    def machines(self) -> str | None:
        """The column that names the machines, where there are several: what is the same in all rows says nothing."""
        machine = self.machine
        return machine if machine is not None and self.seen.levels(machine) > 1 else None

    def of_machine(self, name: str) -> bool:
        """Whether the machine settles a column, where there are several."""
        return self.machines is not None and self.seen.settled(name, [self.machines])

    @property
    def what_ran(self) -> tuple[str, ...]:
        """The columns that name application and input."""
        return self.named("application", "input")

    def unit(self, name: str) -> str:
        """Return the unit that the file states for a column, "" if none."""
        verdict = self.verdicts.get(name)
        return verdict.unit if verdict and verdict.unit is not None else self.seen.column(name).unit
