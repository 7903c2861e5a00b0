"""What a check asks and finds: configurations, groups of them, alarms; as JUnit XML, and as a page of HTML."""

import math
from dataclasses import replace
from html import escape
from xml.etree import ElementTree

from core.errors import OptionError, count
from core.frozen import Frozen
from core.ingest import more_is_better
from core.report.document.html import cell, head, listed, number, page, paragraph, section, table
from core.report.shared.naming import interval
from core.trial import Metric

HIGHER, LOWER, BOTH = WORSE = ("higher", "lower", "both")


class Question(Frozen):
    """What is asked of new measurements.

    Attributes
    ----------
    columns : that tell configurations apart; what holds text, and parameters, if empty
    by : columns that name what an alarm is about; what runs, if empty
    run : column whose repeats are one measurement, "" for none
    worse : which change is a regression: "higher", "lower" or "both"; "" is lower of rates, else higher
    least : change in percent, beside a baseline, up to which there is no alarm
    level : share of false alarms among all alarms
    """

    columns: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    run: str = ""
    worse: str = ""
    least: float = 2.0
    level: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise OptionError(f"--level is a share between 0 and 1, got {self.level:g}.")
        if not 0 <= self.least < math.inf:
            raise OptionError(f"--least is a change in percent from 0 on, got {self.least:g}.")

    @property
    def signs(self) -> tuple[int, ...]:
        """1 where more is worse, -1 where less is."""
        return {HIGHER: (1,), LOWER: (-1,), BOTH: (1, -1)}[self.worse]

    def of(self, response: Metric) -> "Question":
        """Return the question of a response, of which it is known which change is a regression."""
        return replace(self, worse=self.worse or (HIGHER, LOWER)[more_is_better(response.unit, response.name)])


class One(Frozen):
    """A configuration that was judged.

    Attributes
    ----------
    n : measurements in the new file
    value : their median, in the response's unit
    low, high : where that was expected, NaN where it is not known
    change : in percent of what was expected; NaN where that is not positive
    p : of being no worse
    """

    name: str
    n: int
    value: float
    low: float
    high: float
    change: float
    p: float


class Group(Frozen):
    """Configurations that are judged together.

    Attributes
    ----------
    p, adjusted : of being no worse; with false alarms among all groups controlled
    change : median over its configurations, in percent of what was expected; NaN where one's is
    low, high : 90 % interval of the change beside a baseline, of an alarm; else NaN
    explained : median change that the model's counters explain, in percent; NaN without both, a baseline and a model
    alarm : whether it is worse, and what to say of it
    """

    name: str
    p: float
    adjusted: float
    change: float
    low: float
    high: float
    explained: float
    configurations: tuple[One, ...]
    alarm: bool = False
    sentence: str = ""


class Check(Frozen):
    """What was found.

    Attributes
    ----------
    paired : whether against a baseline, or the model alone
    question : what was asked, with the columns that were chosen where none were given
    groups : the most alarming first
    left_out : configurations that could not be judged, and why
    n_held_out : held-out trials that p-values come from, of the model alone
    notes : what to know of this check
    """

    response: Metric
    paired: bool
    question: Question
    groups: tuple[Group, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    n_held_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[Group, ...]:
        """The groups that are worse."""
        return tuple(g for g in self.groups if g.alarm)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        n = sum(len(g.configurations) for g in self.groups)
        of = f"{count(len(self.groups), 'group')} ({count(n, 'configuration')})"
        either = self.question.worse == BOTH
        if not self.groups:
            return f"Nothing was judged: {count(len(self.left_out), 'configuration')} could not be."
        if not self.alarms:
            found = f"No alarm: none of {of} {'differs from what was' if either else 'is worse than'} expected."
        else:
            named = ", ".join(g.name for g in self.alarms)
            worse = "differ from what was" if either else "worse than"
            found = f"{len(self.alarms)} of {of} {worse} expected: {named}."
        left = count(len(self.left_out), "further configuration")
        return f"{found} {left} could not be judged." if self.left_out else found

    @property
    def method(self) -> str:
        """How it was judged, in a sentence or two."""
        q = self.question
        worse = "A change either way counts" if q.worse == BOTH else f"{q.worse.capitalize()} is worse"
        chance = f"{worse}. At most {100 * q.level:g} % of alarms are false on average (Benjamini and Hochberg)."
        if self.paired:
            explained = any(math.isfinite(g.explained) for g in self.groups)
            less = ", as measured and less what the model's counters explain" if explained else ""
            return (
                "Judged against the baseline: ranks of old and new measurements within each configuration (van "
                f"Elteren), told apart by {', '.join(q.columns)}{less}; changes up to {q.least:g} % never alarm. "
                f"{chance}"
            )
        return (
            f"Judged by the model alone: distances from its predictions, in half widths of its 90 % intervals, beside "
            f"those of {self.n_held_out} held-out trials (conformal p-values; Simes within a group). {chance}"
        )


MOST_LEFT = 50
"""Configurations that are not judged and listed on the page; the XML names all."""
_COLUMNS = ("group", "configurations", "change (%)", "90 % interval", "p", "p, false alarms controlled")
_ONES = ("configuration", "measurements", "median", "expected", "change (%)", "p")


def junit(found: Check, file: str, baseline: str = "") -> bytes:
    """Return JUnit XML: a test case per group, failed where it alarms, and one skipped for each that is not judged."""
    suite = ElementTree.Element("testsuite", name=f"ridgeline check {file}")
    for group in sorted(found.groups, key=lambda g: g.name):
        case = _case(suite, found, group.name)
        if group.alarm:
            failure = ElementTree.SubElement(case, "failure", message=_clean(group.sentence), type="regression")
            failure.text = _clean(found.method)
    for name, why in found.left_out:
        ElementTree.SubElement(_case(suite, found, name), "skipped", message=_clean(why))
    counts = {"tests": len(suite), "failures": len(found.alarms), "errors": 0, "skipped": len(found.left_out)}
    for name, n in counts.items():
        suite.set(name, str(n))
    whole: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return whole


def _case(suite: ElementTree.Element, found: Check, name: str) -> ElementTree.Element:
    about = {"classname": f"ridgeline.{_clean(found.response.name)}", "name": _clean(name), "time": "0"}
    return ElementTree.SubElement(suite, "testcase", about)


def _clean(text: str) -> str:
    """Return a text without what XML 1.0 cannot hold."""
    return "".join(c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff" else " " for c in text)


def page_of(found: Check, file: str, baseline: str = "") -> bytes:
    """Return the page."""
    beside = f" beside {baseline}" if baseline else ""
    look = "Alarm" if found.alarms else "No alarm"
    line = f"<b>{escape(str(found.response))}</b>{escape(beside)}"
    left = [f"{name}: {why}" for name, why in found.left_out[:MOST_LEFT]]
    more = len(found.left_out) - len(left)
    parts = [
        head("Check", f"{look}: {file}", line, found.verdict),
        section("Alarms", "".join(_alarm(g) for g in found.alarms)),
        section("All groups", table(_COLUMNS, [_row(g) for g in found.groups]) if found.groups else ""),
        section("How this was judged", listed([found.method, *found.notes])),
        section("Not judged", listed([*left, *([f"and {more} more"] if more else [])]) if left else ""),
    ]
    return page(f"Check of {file}", "check", parts).encode()


def _alarm(group: Group) -> str:
    rows = [_one(one) for one in sorted(group.configurations, key=lambda one: one.p)]
    return f"<h3>{escape(group.name)}</h3>{paragraph(group.sentence)}{table(_ONES, rows)}"


def _one(one: One) -> list[str]:
    expected = interval(one.low, one.high)
    return [cell(one.name), number(one.n), number(one.value), cell(expected), number(one.change), number(one.p)]


def _row(group: Group) -> list[str]:
    found = [cell(group.name), number(len(group.configurations)), number(group.change)]
    return [*found, cell(interval(group.low, group.high)), number(group.p), number(group.adjusted)]
