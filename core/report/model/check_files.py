"""A check as files: JUnit XML for pipelines, and a page of HTML that stands alone."""

from html import escape
from xml.etree import ElementTree

from core.report.document.html import cell, head, listed, number, page, paragraph, section, table
from core.report.model.checked import Check, Group, One
from core.report.shared.naming import interval

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
    for name, count in counts.items():
        suite.set(name, str(count))
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
