"""What files are taken for, before anything is stored: tables, columns with roles, questions, and what can be asked."""

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Entries
from dataclasses import field, replace
from typing import Any

from core.errors import OptionError, count
from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._vocabulary import in_order
from core.ingest.base import Mapping

COLUMN_IS = in_order(
    "application input machine parameter deterministic counter machine_metric response label derived identifier"
)
"""What a column can be; a label is kept and never a predictor, what is derived was computed from the response."""


LAUNCHES = ("kernel", "launch shape", "order")
"""By what two tools' files of the same launches are joined."""


class RecognisedColumn(Frozen):
    """One column and what it was taken for.

    Attributes
    ----------
    role : one of `COLUMN_IS`
    unit : as the file states it, None if it does not
    dimension : time, power, energy, frequency, size, ratio, share, count, temperature, throughput, text or identifier
    why : a sentence's end, such as "takes the same values for each application"
    sure : from 0 to 1
    formula : of what is derived, such as "power_w · time_ms"
    holds : "number", "text", "identifier", "mixed", "ambiguous" or "empty", as `Column.kind`
    examples : the first few different cells
    n_bad : cells that are no numbers although the column holds numbers
    """

    name: str
    role: str
    unit: str | None
    dimension: str
    why: str
    sure: float
    formula: str = ""
    holds: str = "number"
    examples: tuple[str, ...] = ()
    n_bad: int = 0

    def plain(self) -> dict[str, Any]:
        """Return what `--json` says of the column."""
        own = {"name": self.name, "role": self.role, "unit": self.unit, "dimension": self.dimension}
        return own | {"why": self.why, "sure": self.sure} | ({"formula": self.formula} if self.formula else {})


class RecognisedTable(Frozen):
    """Files of one kind, which become trials together.

    Attributes
    ----------
    rows : how many trials there are
    holds : what the rows are: "runs", "repeats", "designs", "kernels × configurations" or "facts"
    given : what holds for the table as a whole, and outcomes that stand beside each other
    said : what a user said of its columns, now or the last time
    """

    files: tuple[str, ...]
    format: str
    rows: int
    holds: str
    columns: tuple[RecognisedColumn, ...]
    given: Mapping = field(default_factory=Mapping)
    said: Mapping = field(default_factory=Mapping)

    def column(self, name: str) -> RecognisedColumn:
        """Return the column called `name`, or raise OptionError that lists the columns."""
        for own in self.columns:
            if own.name == name:
                return own
        names = ", ".join(c.name for c in self.columns[:40])
        raise OptionError(f"{', '.join(self.files)} has no column '{name}'; its columns are: {names}.")

    def named(self, *roles: str) -> tuple[str, ...]:
        """Return the names of the columns with these roles."""
        return tuple(c.name for c in self.columns if c.role in roles)

    def plain(self) -> dict[str, Any]:
        """Return what `--json` says of the table."""
        own = {"files": list(self.files), "format": self.format, "rows": self.rows, "holds": self.holds}
        return own | {"columns": [column.plain() for column in self.columns]}


OUTCOME, NONE = "outcome", "none"
"""What is asked about where no column is named like an outcome, and the answer that there is none."""


class Question(Frozen):
    """A doubt that a user can settle.

    Attributes
    ----------
    column : the column asked about
    asks : the question
    choices : the answers, the one that is taken for the time being first
    about : "unit" (the choice becomes the response's unit), "role" (it becomes the column's role),
        "explains" ("yes" makes the column a parameter), "outcome" (the choice becomes the response),
        "beside" ("outcomes" leaves columns beside each other) or
        "launches" ("same" joins the file called `column` to `file`)
    file : the first file of its table
    """

    column: str
    asks: str
    choices: tuple[str, ...]
    about: str = "unit"
    file: str = ""


_MOST_NAMED = 4


def asked_together(questions: Sequence[Question]) -> tuple[tuple[str, tuple[Question, ...]], ...]:
    """Return what is asked, and the questions that one answer settles: those of a table that differ in the column."""
    alike = by_key(((q.about, q.file, *q.choices, q.asks.replace(q.column, "", 1)), q) for q in questions)
    return tuple((_asks(own), tuple(own)) for own in alike.values())


def _asks(alike: Sequence[Question]) -> str:
    first, *others = alike
    if not others:
        return first.asks
    more = len(alike) - _MOST_NAMED
    named = [q.column for q in alike[:_MOST_NAMED]] + [f"{more} more"] * (more > 0)
    several = f"{', '.join(named[:-1])} and {named[-1]}"
    asks = first.asks.replace(f"of {first.column}?", f"of {several}?", 1)
    return asks.replace(f"Was {first.column} ", f"Were {several} ", 1)


class Join(Frozen):
    """Two tables that belong together.

    Attributes
    ----------
    files : the file of the trials, and the one whose columns are added
    adds : "machine", "input", "counters" or "trials" (rows below rows)
    by : the columns that both have
    n_joined, n_missing, n_extra : keys in both, in the trials alone, and in the other file alone
    """

    files: tuple[str, str]
    adds: str
    by: tuple[str, ...]
    n_joined: int
    n_missing: int = 0
    n_extra: int = 0

    def plain(self) -> dict[str, Any]:
        """Return what `--json` says of the join."""
        own = {"files": list(self.files), "adds": self.adds, "by": list(self.by), "joined": self.n_joined}
        return own | {"missing": self.n_missing, "extra": self.n_extra}


def below(joins: Sequence[Join]) -> Iterator[tuple[str, str, int]]:
    """Yield (a file, the files of its form or how many, their rows) for tables that stand below others."""
    for first, own in by_key((j.files[0], j) for j in joins if j.adds == "trials").items():
        yield first, own[0].files[1] if len(own) == 1 else count(len(own), "more file"), sum(j.n_joined for j in own)


class Problem(Frozen):
    """What is wrong or was assumed, and what to do about it.

    Attributes
    ----------
    undescribed : whether it is that a table does not say what differs between its rows, which a plan may know
    """

    says: str
    remedy: str
    undescribed: bool = False


class Recognition(Frozen):
    """What files are taken for.

    Attributes
    ----------
    answers : of counters, design_space, scaling and host_target, the likeliest first; empty where no model can be had
    """

    tables: tuple[RecognisedTable, ...]
    questions: tuple[Question, ...] = ()
    answers: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    problems: tuple[Problem, ...] = ()

    def mapping(self, i: int = 0) -> Mapping:
        """Return the mapping by which the i-th table is applied."""
        table = self.tables[i]
        units = {name: unit for name, unit in table.given.responses if unit is not None}
        columns = ((c.name, c.role, units.get(c.name, c.unit)) for c in table.columns)
        return replace(table.given.of_columns(columns), complete=True)

    def answered(self, answers: Entries[str, str]) -> "Recognition":
        """Return the recognition with questions settled, by column: a unit, a role, or "yes" and "no".

        Raises
        ------
        OptionError
            If nothing is asked about a column, or the answer is not one of the choices.
        """
        found = self
        for column, choice in answers.items():
            own = (q for q in found.questions if q.column == column)
            asked = min(own, key=lambda q: (choice not in q.choices, q.about != "unit"), default=None)
            if asked is None:
                open_ones = ", ".join(q.column for q in found.questions) or "none"
                raise OptionError(f"Nothing is asked about '{column}'; open questions are about: {open_ones}.")
            if asked.about != "unit" and choice not in asked.choices:
                raise OptionError(f"'{column}' is one of {', '.join(asked.choices)}; got '{choice}'.")
            found = found._settled(asked, choice)
        return found

    def _settled(self, asked: Question, choice: str) -> "Recognition":
        left = tuple(q for q in self.questions if q is not asked)
        column = choice if asked.about == "outcome" else asked.column
        roles = {"role": choice, "explains": "parameter" if choice == "yes" else "", "outcome": "response"}
        role = roles.get(asked.about, "") if choice != NONE else ""
        change: dict[str, Any] = {"unit": choice} if asked.about == "unit" else {"role": role} if role else {}
        if asked.about == "launches":
            join = Join((asked.file, asked.column), "counters", LAUNCHES, 0)
            return replace(self, joins=(*self.joins, *([join] if choice == "same" else ())), questions=left)
        if asked.about == "beside":
            apart = tuple(_apart(t, asked.column) if choice == "outcomes" else t for t in self.tables)
            return replace(self, tables=apart, questions=left)
        changed = {"why": "chosen", "sure": 1.0, **change}
        about = [bool(change) and asked.file in ("", *table.files) for table in self.tables]
        tables = (_with(t, column, changed) if own else t for t, own in zip(self.tables, about, strict=True))
        return replace(self, tables=tuple(tables), questions=left)

    def plain(self) -> dict[str, Any]:
        """Return what `ridgeline inspect --json` says."""
        return {
            "tables": [table.plain() for table in self.tables],
            "questions": [{"column": q.column, "asks": q.asks, "choices": list(q.choices)} for q in self.questions],
            "answers": list(self.answers),
            "joins": [join.plain() for join in self.joins],
            "problems": [{"says": p.says, "remedy": p.remedy} for p in self.problems],
        }


def summed(found: Sequence[Recognition]) -> Recognition:
    """Return what several files are taken for as one value."""
    asked = {(q.column, q.asks): q for one in reversed(found) for q in reversed(one.questions)}
    return Recognition(
        tables=tuple(table for one in found for table in one.tables),
        questions=tuple(reversed(asked.values())),
        answers=tuple(dict.fromkeys(answer for one in found for answer in one.answers)),
        joins=tuple(join for one in found for join in one.joins),
        problems=tuple(dict.fromkeys(problem for one in found for problem in one.problems)),
    )


def _apart(table: RecognisedTable, column: str) -> RecognisedTable:
    beside = tuple(b for b in table.given.beside if column not in b.columns)
    return replace(table, given=replace(table.given, beside=beside))


def _with(table: RecognisedTable, column: str, changed: dict[str, Any]) -> RecognisedTable:
    columns = tuple(replace(c, **changed) if c.name == column else c for c in table.columns)
    return replace(table, columns=columns)
