"""The contract of a reader, which knows a file by its content and gives trials; what a user says of a table."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from collections.abc import Mapping as Names
from dataclasses import fields, replace
from typing import Any, ClassVar, TypeAlias

from core.errors import OptionError
from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._vocabulary import in_order
from core.trial import Import

HEADERS = ("", "yes", "no")


class Form(Frozen):
    """How a table is laid out; what is left open is found.

    Attributes
    ----------
    header : "yes" if the first row names the columns, "no" if there is no such row
    names : the columns' names, in their order, in place of the file's
    sheet : of a workbook
    separator : between cells
    """

    header: str = ""
    names: tuple[str, ...] = ()
    sheet: str = ""
    separator: str = ""

    def __post_init__(self) -> None:
        if self.header not in HEADERS:
            raise OptionError(f"Option header must be 'yes', 'no' or '' to find it out; got '{self.header}'.")


AS_FOUND = Form()


_FIELDS = in_order("application input parameters metrics deterministic machine_metrics derived labels ignore")
_LISTS = {field.removesuffix("s"): field for field in _FIELDS}
"""The field that lists the columns of a role, by role."""
_SAME = {"counter": "metric", "identifier": "label"}
_ORDER = ("application", "input", "machine", "parameter", "response", *list(_LISTS)[3:])

MISSING = ("refuse", "drop", "keep")
DECIMALS = ("", "point", "comma")


class SideBySide(Frozen):
    """Columns of one outcome beside each other, which become rows below each other.

    Attributes
    ----------
    response : what the outcome is called then
    columns : the columns that hold it
    levels : the size of the problem in each column, or what was set or tried; none where they are repeats
    setting : what was set, such as threads, "" where the levels are sizes or what was tried
    """

    response: str
    columns: tuple[str, ...]
    levels: tuple[str, ...] = ()
    setting: str = ""

    @property
    def by(self) -> str:
        """What tells the rows apart that a row becomes."""
        if self.setting or not self.levels:
            return self.setting or "repeat"
        return "variant" if self.levels == self.columns else "size"


class Mapping(Frozen):
    """Which columns are what; columns are named by their header without the unit.

    Attributes
    ----------
    application, input : columns whose texts, joined by " / ", name the application and its input
    machine : the column that names the machine; or `machine_name` for all trials
    responses : (column, unit); the unit None means the header's
    parameters : what was set before the run
    ignore : columns to leave out
    missing : what a cell that is no number does in a column of numbers: "refuse" the file,
        "drop" the trial, or "keep" the trial without that value
    labels : columns to keep as texts, whatever they hold
    metrics : columns that must hold numbers
    deterministic, machine_metrics : numbers that belong to application and input, or to the machine
    derived : numbers computed from a response, which no model sees unless asked
    beside : responses whose columns stand beside each other
    decimal : "point", "comma", or "" to take a comma only where the file proves it
    needs_numbers : whether a table without a column of numbers is refused
    complete : True if columns without a role are what they hold (numbers are metrics, texts are
        labels); False if their names may be used to guess roles that are not given here
    form : how the table is laid out
    """

    application: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    machine: str | None = None
    machine_name: str = ""
    responses: tuple[tuple[str, str | None], ...] = ()
    parameters: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: str = "refuse"
    labels: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    deterministic: tuple[str, ...] = ()
    machine_metrics: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    beside: tuple[SideBySide, ...] = ()
    decimal: str = ""
    needs_numbers: bool = True
    complete: bool = False
    form: Form = AS_FOUND

    def __post_init__(self) -> None:
        _one_of("missing", self.missing, MISSING)
        _one_of("decimal", self.decimal, DECIMALS)
        for f in fields(self):
            if isinstance(getattr(self, f.name), list):
                object.__setattr__(self, f.name, tuple(getattr(self, f.name)))
        if self.machine and self.machine_name:
            raise OptionError(f"The machine is column '{self.machine}' or the name '{self.machine_name}', not both.")
        self._refuse_two_roles()

    def called(self, names: Names[str, str]) -> "Mapping":
        """Return the mapping with columns called anew; those without a new name are left out."""

        def own(columns: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(names[name] for name in columns if name in names))

        changed: dict[str, Any] = {field: own(getattr(self, field)) for field in _LISTS.values()}
        responses = tuple((names[name], unit) for name, unit in self.responses if name in names)
        return replace(self, **changed, machine=names.get(self.machine or ""), responses=responses)

    def roles(self) -> tuple[tuple[str, str], ...]:
        """Return (column, role) for each column named here, in the order of the roles."""
        found = {role: getattr(self, field) for role, field in _LISTS.items()}
        found |= {"machine": (self.machine,) if self.machine else (), "response": [name for name, _ in self.responses]}
        return tuple((name, role) for role in _ORDER for name in found[role])

    def of_columns(self, columns: Iterable[tuple[str, str, str | None]]) -> "Mapping":
        """Return the mapping with columns as (name, role, unit) in place of its lists; what it ignores stays ignored.

        Columns that it names come first, in its order; counters are metrics, identifiers labels.
        """
        order = {name: i for i, (name, _) in enumerate(self.roles())}
        rows = sorted(columns, key=lambda row: order.get(row[0], len(order)))
        named = by_key((_SAME.get(own, own), name) for name, own, _ in rows if name not in self.ignore)
        machines, responses = named.get("machine", []), named.get("response", [])
        changed: dict[str, Any] = {field: tuple(named.get(role, ())) for role, field in _LISTS.items()}
        return replace(
            self,
            **changed | {"ignore": (*self.ignore, *changed["ignore"])},
            machine=next(iter(machines), None),
            machine_name="" if machines else self.machine_name,
            responses=tuple((name, unit) for name, _, unit in rows if name in responses),
        )

    def _refuse_two_roles(self) -> None:
        seen: dict[str, str] = {}
        for name, role in self.roles():
            if name in seen:
                raise OptionError(f"Column '{name}' is given as {seen[name]} and as {role}; it can be one.")
            seen[name] = role


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        listed = ", ".join(repr(text) for text in allowed)
        raise OptionError(f"Option {name} must be one of {listed}; got '{value}'.")


class SourceFile(Frozen):
    """A file as it came: its own name (for messages, never opened by it) and its bytes."""

    name: str
    content: bytes


Signs: TypeAlias = "tuple[re.Pattern[bytes] | tuple[Signs, ...], ...]"
"""What a head has, each of them; of alternatives, which are signs in brackets, one is enough."""


def shows(head: bytes, signs: Signs) -> bool:
    """Whether a head has all signs, and of alternatives among them one."""
    return all(
        any(shows(head, own) for own in sign) if isinstance(sign, tuple) else sign.search(head) for sign in signs
    )


class Reader(ABC):
    """Reads one format.

    Attributes
    ----------
    label : the format, as people call it
    family : readers of one family give parts of the same executions (passes, counters and trace),
        which are joined where they are imported together; "" if every file stands alone
    summary : whether the format sums up executions; in a folder that has the executions themselves, such
        a file is left out, as it would say the same again
    describes : of descriptions of machines, the formats whose runs these are; empty for any
    of_run : whether what it describes was set for the runs beside it, and is no machine's
    sums_up : of a summary, how the formats are called that have its executions, or how their names begin
    signs : what the head of such a file has, unless the format needs a rule of its own
    tells : words in lower case, one of which the head of such a file holds in whatever case; empty if none has to be
        there. They are looked for before the head is sniffed, as that takes a hundred times as long
    """

    label: ClassVar[str]
    family: ClassVar[str] = ""
    summary: ClassVar[bool] = False
    sums_up: ClassVar[str] = ""
    describes: ClassVar[tuple[str, ...]] = ()
    of_run: ClassVar[bool] = False
    signs: ClassVar[Signs] = ()
    tells: ClassVar[tuple[bytes, ...]] = ()

    def knows(self, head: bytes, lower: bytes) -> bool:
        """Whether a head, which is given in lower case too, looks like this format."""
        return (not self.tells or any(word in lower for word in self.tells)) and self.sniff(head)

    def sniff(self, head: bytes) -> bool:
        """Whether the first MiB (already unzipped, in UTF-8) look like this format."""
        return bool(self.signs) and shows(head, self.signs)

    @abstractmethod
    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file.

        Raises
        ------
        ReadError
            With file, line, column and value, if anything would have to be guessed.
        """
